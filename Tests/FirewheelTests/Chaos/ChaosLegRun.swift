#if os(Linux)
    import Firewheel
    import FirewheelTesting
    import Foundation

    @testable import Firewheel

    /// Runs one leg of a chain: a download, its handlers and its steps. Blocks the calling thread.
    final class ChaosLegRun: Sendable {
        private struct State {
            var record = ChaosLegRecord()
            /// What each handler, closure, error was given as resume data.
            var datas: [Data?] = []
            var files: Set<URL> = []
            var tasks = 0
        }

        private let leg: ChaosScenario.Leg
        private let number: Int
        private let place: ChaosChainSession
        private let given: Data?
        private let target: URL
        private let request = Locked<DownloadRequest?>(nil)
        private let queues = [DispatchQueue(label: "chaos.leg.first"), DispatchQueue(label: "chaos.leg.second")]
        private let inner = Locked(State())

        /// - Parameters:
        ///   - data: The resume data to begin with; nil for a new download.
        ///   - target: The destination.
        init(_ leg: ChaosScenario.Leg, number: Int, place: ChaosChainSession, data: Data?, target: URL) {
            self.leg = leg
            self.number = number
            self.place = place
            given = data
            self.target = target
        }

        var record: ChaosLegRecord { inner.withLock { $0.record } }

        /// The resume data of the response.
        var data: Data? { inner.withLock { $0.datas.first ?? nil } }

        var state: String { request.withLock { $0.map { "\($0.state)" } } ?? "over" }

        /// - Parameter url: The leg's own.
        /// - Returns: Whether everything was called, and nothing of the request is left.
        func perform(_ url: String) -> Bool {
            guard let request = make(url) else { return false }
            self.request.withLock { $0 = request }
            let began = DispatchTime.now()
            for index in leg.handlers.indices { attach(index, to: request) }
            for step in leg.steps {
                let due = began + .microseconds(step.at)
                let now = DispatchTime.now()
                if now < due { usleep(UInt32((due.uptimeNanoseconds - now.uptimeNanoseconds) / 1000)) }
                take(step.action, request)
            }
            request.resume()
            if leg.answers.contains(where: \.stalls) { take(.cancel(producesResumeData: true), request) }
            let isOver = ChaosRun.waitUntil {
                let isTold = inner.withLock { state in
                    state.record.told.allSatisfy { !$0.isEmpty } && state.record.answered == state.record.asked
                }
                return isTold && (request.isFinished || request.isCancelled)
            }
            guard isOver else { return false }
            conclude(request)
            return true
        }

        private func make(_ url: String) -> DownloadRequest? {
            let (leg, given, number) = (leg, given, number)
            let moved: DownloadRequest.Destination = { [target] _, _ in (target, .removePreviousFile) }
            let destination = leg.hasDestination ? moved : nil
            let made = place.with { session -> DownloadRequest in
                guard let given else { return session.download(url, to: destination) }
                return leg.usesURL
                    ? session.download(resumingWith: given, url: url, to: destination)
                    : session.download(resumingWith: given, to: destination)
            }
            guard let request = made else { return nil }
            request.adapt { request, context in
                request.headers.update(name: ChaosChainRun.stamp, value: "\(number)")
                request.headers.update(name: ChaosNotes.stamp, value: "\(context.retryCount)")
            }
            if leg.retries > 0 { request.retry { context, _ in context.retryCount < leg.retries ? .retry : .doNotRetry } }
            request.downloadProgress(queue: queues[0]) { [weak self] progress in
                let count = progress.completedUnitCount
                self?.inner.withLock { $0.record.steps.append(count) }
            }
            inner.withLock { $0.record.told = leg.handlers.map { _ in [] } }
            return request
        }

        private func attach(_ index: Int, to request: DownloadRequest) {
            let tell: @Sendable (DownloadResponse<URL>) -> Void = { self.told(index, $0) }
            switch leg.handlers[index] {
            case .main: request.responseURL { tell($0) }
            case .first: request.responseURL(queue: queues[0], completionHandler: tell)
            case .second: request.responseURL(queue: queues[1], completionHandler: tell)
            case .global: request.responseURL(queue: .global(), completionHandler: tell)
            case .task:
                let task = request.serializingDownloadedFileURL()
                Task { tell(await task.response) }
            }
        }

        private func told(_ index: Int, _ response: DownloadResponse<URL>) {
            let outcome: ChaosLegRecord.Outcome =
                switch response.result {
                case .success(let url): .value((try? Data(contentsOf: url)) ?? Data("no file".utf8))
                case .failure(let error as FirewheelError): .failed(error.kind)
                case .failure(let error): .unknown("\(error)")
                }
            let file = response.fileURL
            inner.withLock { state in
                state.record.told[index].append(outcome)
                state.datas.append(response.resumeData)
                if case .failure(let error as FirewheelError) = response.result { state.datas.append(error.resumeData) }
                if let file { state.files.insert(file) }
            }
        }

        private func take(_ action: ChaosScenario.LegStep.Action, _ request: DownloadRequest) {
            switch action {
            case .suspend: request.suspend()
            case .resume: request.resume()
            case .cancel(let producesResumeData):
                inner.withLock { _ = $0.record.cancels.insert(producesResumeData) }
                if producesResumeData { request.cancel(producingResumeData: true) } else { request.cancel() }
            case .cancelForData:
                inner.withLock { state in
                    state.record.cancels.insert(true)
                    state.record.asked += 1
                }
                request.cancel(queue: queues[1]) { data in
                    self.inner.withLock { state in
                        state.record.answered += 1
                        state.datas.append(data)
                    }
                }
            case .invalidate:
                inner.withLock { $0.record.wasInvalidated = true }
                place.invalidate()
            }
        }

        private func conclude(_ request: DownloadRequest) {
            for queue in queues { queue.sync {} }
            let progress: Progress = request.downloadProgress
            let (retryCount, received, data) = (
                request.retryCount, ChaosRecord.Sent(count: progress.completedUnitCount, total: progress.totalUnitCount), request.resumeData
            )
            inner.withLock { state in
                state.datas.append(data)
                state.record.isSameData = Set(state.datas).count == 1
                state.record.retryCount = retryCount
                state.record.received = received
            }
            self.request.withLock { $0 = nil }
        }

        /// Removes the file that the caller was given.
        func removeFile() {
            for file in inner.withLock({ $0.files }) { try? FileManager.default.removeItem(at: file) }
        }
    }
#endif
