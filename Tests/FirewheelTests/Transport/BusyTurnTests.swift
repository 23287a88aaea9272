#if os(Linux)
    import FirewheelTesting
    import Foundation
    import Testing

    @testable import Firewheel

    /// More sockets with something to say than the loop takes before it hands over. Each test is a process of its own, since it holds up the loop, so that
    /// all have their answers when it looks.
    @Suite("A turn of the loop with many sockets", .serialized, .timeLimit(.minutes(5)))
    struct BusyTurnTests {
        /// Answers for many requests which all lie in their sockets when the loop looks at them.
        private final class Bench: Sendable {
            let transport = CurlTransport(configuration: .with { $0.maximumConnectionsPerHost = 400 })
            let server: MockServer
            private let gate = DispatchSemaphore(value: 0)
            private let arrived = DispatchSemaphore(value: 0)

            init() throws {
                _ = ProcessFacts.raiseDescriptorLimit(to: 2_000)
                server = try MockServer(recordsRequests: false)
                let (gate, arrived) = (gate, arrived)
                server.route("/*") { .text($0.path) }
                server.route("/held/*") { request in
                    arrived.signal()
                    _ = gate.wait(timeout: .now() + 60)
                    return .text(request.path)
                }
            }

            func request(_ number: Int, _ path: String, to base: String? = nil, method: HTTPMethod = .get) throws -> TransportRequest {
                let target = try #require(TargetURI((base ?? server.baseURL) + path))
                let id = TransportTaskID(request: UInt64(number), attempt: 0)
                return TransportRequest(id: id, method: method, target: target, idleTimeout: 60, allowsResend: method != .post)
            }

            /// Has the server answer these requests for `/held/…` while the loop does nothing.
            func answerAtOnce(_ requests: [TransportRequest], _ receiver: any TransportReceiver) throws {
                transport.start(requests, receiver: receiver)
                for _ in requests { try #require(arrived.wait(timeout: .now() + 60) == .success) }
                let (isHeld, goesOn) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
                let holder = Receiver { _ in
                    isHeld.signal()
                    _ = goesOn.wait(timeout: .now() + 60)
                }
                transport.start([try request(0, "/hold")], receiver: holder)
                try #require(isHeld.wait(timeout: .now() + 60) == .success)
                for _ in requests { gate.signal() }
                let deadline = DispatchTime.now() + 60
                while server.idleConnectionCount <= requests.count, DispatchTime.now() < deadline { usleep(1_000) }
                #expect(server.idleConnectionCount > requests.count)
                goesOn.signal()
            }
        }

        /// Calls a closure on the loop's thread with every batch.
        private final class Receiver: TransportReceiver {
            let events = Journal<TransportEvent>()
            private let reaction: @Sendable ([TransportEvent]) -> Void

            init(_ reaction: @escaping @Sendable ([TransportEvent]) -> Void = { _ in }) { self.reaction = reaction }

            func receive(_ batch: [TransportEvent]) {
                batch.forEach(events.add)
                reaction(batch)
            }

            /// What each request came to: its text, or its failure.
            var ends: [TransportTaskID: [String]] {
                events.entries.reduce(into: [:]) { ends, event in
                    guard case .finished(let result) = event.kind else { return }
                    let text = result.error.map { "\($0)" } ?? String(decoding: result.body ?? Data(), as: UTF8.self)
                    ends[event.id, default: []].append(text)
                }
            }
        }

        @Test(
            "Bytes that come on an idle connection meanwhile are not the answer to a request that starts after them", arguments: [40, 300])
        func excess(sockets: Int) async {
            await #expect(processExitsWith: .success) { [sockets = sockets as Int] in
                ProcessFacts.giveUp(after: 100)
                let bench = try Bench()
                defer { bench.server.shutdown() }
                let hand = try HandServer()
                let (first, next) = (Receiver(), Receiver())
                bench.transport.start([try bench.request(1, "", to: hand.url)], receiver: first)
                let connection = try hand.accept().connection
                hand.answer("first", on: connection)
                _ = try await first.events.wait(for: 1)

                let (isInside, goesOn) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
                let isFirst = Locked(true)
                let many = Receiver { batch in
                    guard
                        isFirst.withLock({ isFirst in
                            defer { isFirst = false }
                            return isFirst
                        })
                    else { return }
                    // The loop has more to look at in this turn.
                    #expect(batch.count < sockets)
                    isInside.signal()
                    _ = goesOn.wait(timeout: .now() + 60)
                }
                try bench.answerAtOnce((0..<sockets).map { try bench.request(100 + $0, "/held/\($0)") }, many)
                await onThreads(1) { _ in
                    #expect(isInside.wait(timeout: .now() + 60) == .success)
                    hand.answer("evil", on: connection)
                }
                let id = TransportTaskID(request: 2, attempt: 0)
                bench.transport.start([try bench.request(2, "", to: hand.url)], receiver: next)
                goesOn.signal()
                await onThreads(1) { _ in
                    guard let second = try? hand.accept().connection else { return }
                    hand.answer("good", on: second)
                }
                _ = try await next.events.wait(for: 1)
                #expect(next.ends[id] == ["good"])
                _ = try await many.events.wait(for: sockets)
                #expect(hand.isEnded(connection))
            }
        }

        /// What receivers do in the middle of turns, and what they expect of it.
        private struct Doings {
            var generator: SeededGenerator
            var waiting: Set<Int>
            var cancelled: Set<Int> = []
            var started = 0
        }

        @Test("Descriptors that are closed and opened again meanwhile: each request ends once, with its own answer", arguments: [1, 2, 3])
        func reused(seed: UInt64) async {
            await #expect(processExitsWith: .success) { [seed = seed as UInt64] in
                ProcessFacts.giveUp(after: 100)
                let bench = try Bench()
                let arrivals = Journal<String>()
                bench.server.route("/next/*") { request in
                    arrivals.add(request.path)
                    return .text(request.path)
                }
                let next = Receiver()
                let doings = Locked(Doings(generator: SeededGenerator(state: seed), waiting: Set(0..<200)))
                let many = Receiver { [transport = bench.transport] batch in
                    let (cancels, starts, closes) = doings.withLock { doings -> ([Int], Range<Int>, Bool) in
                        for event in batch { doings.waiting.remove(Int(event.id.request) - 1_000) }
                        let count = Int.random(in: 0...12, using: &doings.generator)
                        let cancels = Array(doings.waiting.sorted().shuffled(using: &doings.generator).prefix(count))
                        doings.waiting.subtract(cancels)
                        doings.cancelled.formUnion(cancels)
                        let first = doings.started
                        doings.started += Int.random(in: 0...16, using: &doings.generator)
                        return (cancels, first..<doings.started, Bool.random(using: &doings.generator))
                    }
                    transport.cancel(cancels.map { TransportTaskID(request: UInt64(1_000 + $0), attempt: 0) })
                    if closes { transport.closeIdleConnections() }
                    transport.start(starts.compactMap { try? bench.request(5_000 + $0, "/next/\($0)", method: .post) }, receiver: next)
                }
                try bench.answerAtOnce((0..<200).map { try bench.request(1_000 + $0, "/held/\($0)") }, many)
                try await waitUntil("the end of all") { doings.withLock { $0.waiting.isEmpty } }
                let started = doings.withLock { $0.started }
                _ = try await next.events.wait(for: started)

                let cancelled = doings.withLock { $0.cancelled }
                #expect(started > 0 && !cancelled.isEmpty)
                for number in 0..<200 {
                    let ends = many.ends[TransportTaskID(request: UInt64(1_000 + number), attempt: 0)] ?? []
                    #expect(ends == ["/held/\(number)"] || ends.isEmpty && cancelled.contains(number), "\(number): \(ends)")
                }
                for number in 0..<started {
                    #expect(next.ends[TransportTaskID(request: UInt64(5_000 + number), attempt: 0)] == ["/next/\(number)"])
                }
                #expect(arrivals.entries.sorted() == (0..<started).map { "/next/\($0)" }.sorted())
                // And all of it can be closed: nothing is under way that nobody knows of.
                bench.transport.closeIdleConnections()
                #expect(bench.server.waitForOpenConnections(0))
                bench.server.shutdown()
            }
        }
    }
#endif
