#if os(Linux)
    import Firewheel
    import FirewheelTesting
    import Foundation

    @testable import Firewheel

    /// A running trip: the request, its handlers, and their reports.
    final class ChaosTrip: Sendable {
        /// A caller's error.
        struct Refusal: Error {}

        let plan: ChaosScenario.Trip
        let request: Request
        let notes: ChaosNotes
        private let run: ChaosRun
        private let began = DispatchTime.now().uptimeNanoseconds
        private let places = [DispatchQueue(label: "chaos.first"), DispatchQueue(label: "chaos.second")]
        /// What the progress of an upload showed.
        private let progress = Locked<[Int64]>([])
        /// Held while a handler is attached, so that handlers are numbered in the order of attaching.
        private let attaching = NSLock()
        private let condition = NSCondition()
        // Only touched while holding `condition`.
        private nonisolated(unsafe) var record = ChaosRecord()
        private nonisolated(unsafe) var files: Set<URL> = []
        private nonisolated(unsafe) var tasks: [Task<Void, Never>] = []
        private nonisolated(unsafe) var isClosed = false
        /// The number of handlers that are about to react.
        private nonisolated(unsafe) var reacting = 0

        init(_ plan: ChaosScenario.Trip, _ request: Request, _ notes: ChaosNotes, run: ChaosRun) {
            self.plan = plan
            self.request = request
            self.notes = notes
            self.run = run
            if plan.upload?.isWatched == true {
                request.uploadProgress(queue: places[0]) { [progress] shown in
                    progress.withLock { $0.append(shown.completedUnitCount) }
                }
            }
        }

        // MARK: Actions

        private func begin() {
            let now = run.microseconds
            condition.withLock { if record.began == 0 { record.began = now } }
        }

        func perform(_ action: ChaosScenario.Action) {
            begin()
            switch action {
            case .resume: request.resume()
            case .suspend: request.suspend()
            case .cancel: cancel()
            case .cancelTasks:
                let awaiting = condition.withLock { () -> [Task<Void, Never>] in
                    if !tasks.isEmpty { record.wasCancelled = true }
                    return tasks
                }
                for task in awaiting { task.cancel() }
            case .attach(let handler): attach(handler)
            }
        }

        /// - Parameter isByAnother: Whether a handler of another trip cancels, which may happen at any moment of this trip's start.
        func cancel(byAnother isByAnother: Bool = false) {
            let isUnstarted = !isByAnother && request.state == .initialized
            condition.withLock {
                record.wasCancelled = true
                // If several threads attach handlers, another thread's handler may have started it.
                if isUnstarted, !plan.steps.contains(where: \.isElsewhere) { record.wasCancelledUnstarted = true }
            }
            request.cancel()
            notes.didCut()
        }

        func attach(_ handler: ChaosScenario.Handler) {
            begin()
            attaching.withLock {
                let number = condition.withLock {
                    record.handlers.append(handler)
                    return record.handlers.count - 1
                }
                if let request = request as? DataRequest {
                    attach(number, handler, to: request)
                } else if let request = request as? DownloadRequest {
                    attach(number, handler, to: request)
                } else if let request = request as? DataStreamRequest {
                    let isFirst = number == 0 && request.isInitialized
                    attach(number, handler, to: request)
                    // It was there before the request was started.
                    if isFirst || request.isInitialized { condition.withLock { _ = record.full.insert(number) } }
                }
                guard request.state != .cancelled, request.state != .finished else { return }
                condition.withLock { _ = record.early.insert(number) }
            }
        }

        /// Call before the session is released early.
        ///
        /// - Parameter invalidates: Whether all requests end. Otherwise started ones go on.
        func willRelease(isPlanned: Bool, invalidates: Bool) {
            let hasOtherThreads = !isPlanned || plan.steps.contains(where: \.isElsewhere)
            let state = request.state
            let isUnstarted = invalidates && state == .initialized && !hasOtherThreads
            condition.withLock {
                // A handler that has run was given a final outcome, but for a loop that has ended alone.
                guard record.reports.allSatisfy({ $0.outcome == .loopCancelled }),
                    invalidates || hasOtherThreads || state == .initialized || state == .suspended
                else { return }
                record.wasReleased = true
                if isUnstarted { record.wasReleasedUnstarted = true }
            }
        }

        // MARK: Reports

        func told<Value>(
            _ number: Int, _ handler: ChaosScenario.Handler, _ result: Result<Value, any Error>, rest: Data?, file: URL?,
            _ bytes: (Value) -> Data?
        ) {
            let outcome: ChaosReport.Outcome =
                switch result {
                case .success(let value): bytes(value).map { .value($0) } ?? .unknown("\(value)")
                case .failure(let error as FirewheelError): .failed(error.kind)
                case .failure(is Refusal): .own
                case .failure(is CancellationError): .loopCancelled
                case .failure(let error): .unknown("\(error)")
                }
            var report = ChaosReport(handler: number, outcome: outcome)
            report.at = run.microseconds
            if case .failed = outcome { report.rest = rest }
            if case .failure(let error as FirewheelError) = result, let reason = error.underlyingError { report.reason = "(\(reason))" }
            // Unless the serializer failed, not the download; a retrier's error may have taken the place of its error.
            if case .failure(let error as FirewheelError) = result, let file {
                let first = error.kind == .requestRetryFailed ? error.originalError : error
                let isOfSerialization = (first as? FirewheelError).map(\.kind.isOfSerialization) ?? (first is Refusal)
                report.leavesFile = !isOfSerialization && FileManager.default.fileExists(atPath: file.path)
            }
            let isLate = condition.withLock { () -> Bool in
                record.reports.append(report)
                if let file { files.insert(file) }
                reacting += 1
                return isClosed
            }
            if isLate { run.note("a handler of \(plan.kind) was called after the run was over: \(outcome)") }
            switch handler.reaction {
            case .none: break
            case .cancel: cancel()
            case .cancelNext: run.cancel(after: self)
            case .closeIdle: run.closeIdleConnections()
            // A reader of a stream that ends alone would leave it suspended.
            case .suspend: if plan.kind != .stream { request.suspend() }
            case .resume: request.resume()
            case .attach: attach(ChaosScenario.Handler(value: .own, place: .second))
            case .releaseSession: run.releaseSession(.sudden)
            }
            condition.withLock {
                reacting -= 1
                condition.broadcast()
            }
        }

        /// Handles that the first element of a stream was handed to a reader.
        func noteDelivery() {
            let attempt = request.retryCount
            condition.withLock { _ = record.delivered.insert(attempt) }
        }

        /// Handles that a loop is about to be left, which cancels the request.
        func willLeave() { condition.withLock { record.wasCancelled = true } }

        func report(_ problem: String) { run.note(problem) }

        func keep(_ task: Task<Void, Never>) { condition.withLock { tasks.append(task) } }

        /// The queue of a place; nil for the main actor.
        func queue(_ place: ChaosScenario.Place) -> DispatchQueue? {
            switch place {
            case .main: nil
            case .first: places[0]
            case .second: places[1]
            case .global, .task: .global()
            }
        }

        // MARK: End

        /// Waits until each handler has been called.
        ///
        /// - Returns: False if the deadline passes first.
        func waitForHandlers(until deadline: Date) -> Bool {
            condition.withLock {
                while record.reports.count < record.handlers.count || reacting > 0 {
                    guard condition.wait(until: deadline) else { return false }
                }
                return true
            }
        }

        var hasHandlers: Bool { condition.withLock { !record.handlers.isEmpty } }

        /// Returns the record. Any later report is a problem.
        func close() -> ChaosRecord {
            var (final, downloads) = condition.withLock { () -> (ChaosRecord, Set<URL>) in
                isClosed = true
                tasks = []
                return (record, files)
            }
            final.questions = notes.questions
            final.retryCount = request.retryCount
            final.metricsCount = request.allMetrics.count
            if plan.upload?.isWatched == true {
                places[0].sync {}
                final.steps = progress.withLock { $0 }
                let object: Progress = request.uploadProgress
                if request.error == nil { final.sent = .init(count: object.completedUnitCount, total: object.totalUnitCount) }
            }
            for file in downloads { try? FileManager.default.removeItem(at: file) }
            return final
        }
    }

    extension FirewheelError.Kind {
        var isOfSerialization: Bool {
            if case .responseSerializationFailed = self { return true }
            return false
        }
    }
#endif
