#if os(Linux)
    import Firewheel
    import FirewheelTesting
    import Foundation

    @testable import Firewheel

    /// Reads a feed, on a session of its own. Blocks the calling thread.
    final class ChaosFeedRun: Sendable {
        private let feed: ChaosScenario.Feed
        private let run: Int
        private let server: ChaosServer
        private let folder: URL
        private let queue = DispatchQueue(label: "chaos.feed")
        private let inner = Locked(ChaosFeedRecord())
        private let found = Locked<[String]>([])
        /// The requests that were suspended.
        private let held = Locked<Set<Request>>([])

        /// - Parameter folder: A folder of its own, which is created and removed.
        init(_ feed: ChaosScenario.Feed, run: Int, server: ChaosServer, folder: URL) {
            self.feed = feed
            self.run = run
            self.server = server
            self.folder = folder
        }

        /// - Returns: The record, and what is wrong besides.
        func perform() -> (record: ChaosFeedRecord, problems: [String]) {
            try? FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
            defer { try? FileManager.default.removeItem(at: folder) }
            let place = ChaosChainSession(server, folder)
            read(place)
            if !waitUntil({ place.isIdle }) { note("it has left something: \(place.description)") }
            place.release()
            if !waitUntil({ place.isGone }) { note("its session has left something: \(place.description)") }
            var record = inner.withLock { $0 }
            record.arrivals = server.feeds.arrivals(run)
            return (record, found.withLock { $0 })
        }

        private func note(_ problem: String) { found.withLock { $0.append("feed: \(problem)") } }

        private func waitUntil(_ condition: () -> Bool) -> Bool {
            ChaosRun.waitUntil(within: found.withLock(\.isEmpty) ? ChaosRun.patience : 2, condition)
        }

        private func read(_ place: ChaosChainSession) {
            guard let source = place.with(makeSource) else { return }
            source.onClose(queue: queue) { [inner, server, run] error in
                let count = server.feeds.arrivals(run).count
                inner.withLock { record in
                    record.ends.append(.init(error))
                    record.arrivalsAtEnd = count
                }
            }
            let task = feed.reader == .loop ? startLoop(source) : nil
            if feed.reader == .handler {
                source.onEvent(queue: queue) { [weak source, feed, self] event in
                    if held.withLock({ $0.contains { $0.isSuspended } }) { inner.withLock { $0.heldEvents += 1 } }
                    if received(event) == feed.leaves { source?.close() }
                }
            }
            let began = DispatchTime.now()
            for step in feed.steps {
                let due = began + .microseconds(step.at)
                let now = DispatchTime.now()
                if now < due { usleep(UInt32((due.uptimeNanoseconds - now.uptimeNanoseconds) / 1000)) }
                switch step.action {
                case .suspend: suspend(place)
                case .resume: place.with { $0.withAllRequests { for request in $0 { request.resume() } } }
                case .close: source.close()
                case .cancel: if let task { task.cancel() } else { source.close() }
                case .invalidate: place.invalidate()
                }
            }
            place.with { $0.withAllRequests { for request in $0 { request.resume() } } }
            let isOver = waitUntil {
                inner.withLock { !$0.ends.isEmpty && ($0.loop != nil || feed.reader == .handler) }
            }
            if !isOver { note("it does not end; its state is \(source.state)") }
            if source.state != .closed { note("it is over and in the state \(source.state)") }
            // What still comes would come now.
            queue.sync {}
            held.withLock { $0 = [] }
        }

        /// Suspends on the handlers' queue, so that no event is on its way to a handler.
        private func suspend(_ place: ChaosChainSession) {
            queue.sync {
                let isDone = DispatchSemaphore(value: 0)
                place.with {
                    $0.withAllRequests { [held] requests in
                        for request in requests { request.suspend() }
                        held.withLock { $0.formUnion(requests) }
                        isDone.signal()
                    }
                    isDone.wait()
                }
            }
        }

        private func makeSource(_ session: Session) -> EventSource {
            let clock = EventClock(now: { .now() }, sleep: { _ in try await Task.sleep(nanoseconds: 100_000) }, random: { 0 })
            return session.eventSource(
                "\(server.base(feed.server))/f/\(run)", feed.isPost ? .post : .get, body: feed.isPost ? ChaosScenario.Feed.body : nil,
                reconnection: feed.isStandard ? .standard(delay: 0) : .resilient(limit: 1_000, delay: 0), clock: clock)
        }

        private func startLoop(_ source: EventSource) -> Task<Void, Never> {
            Task { [feed, self] in
                var outcome = ChaosFeedRecord.Outcome.ended
                do {
                    for try await event in source where received(event) == feed.leaves { break }
                } catch {
                    outcome = .init(error)
                }
                inner.withLock { [outcome] in $0.loop = outcome }
            }
        }

        /// - Returns: How many events there were.
        private func received(_ event: ServerSentEvent) -> Int {
            inner.withLock { record in
                record.events.append("\(event.id ?? "") \(event.data)")
                return record.events.count
            }
        }
    }
#endif
