#if os(Linux)
    import FirewheelTesting
    import Foundation
    import Glibc
    import Testing

    @testable import Firewheel

    /// The order of the loop's actions in one turn. A receiver that blocks holds the loop until the test has prepared the next turn. Each
    /// test has a process of its own, because all sessions of a process share the loop.
    @Suite("Turns of the I/O loop", .eachTransport, .timeLimit(.minutes(5)))
    struct LoopTurnTests {
        /// Records events, and blocks the loop at the end of request 0.
        private final class Receiver: TransportReceiver {
            let batches = Journal<[TransportEvent]>()
            private let isHeld = DispatchSemaphore(value: 0)
            private let letGo = DispatchSemaphore(value: 0)
            /// Called with each later batch on the loop's thread.
            private let act: @Sendable (_ receiver: Receiver, _ ids: [Int]) -> Void

            init(_ act: @escaping @Sendable (Receiver, [Int]) -> Void = { _, _ in }) {
                self.act = act
            }

            func receive(_ events: [TransportEvent]) {
                batches.add(events)
                guard events.contains(where: { $0.id.request == 0 }) else { return act(self, events.map { Int($0.id.request) }) }
                isHeld.signal()
                _ = letGo.wait(timeout: .now() + 50)
            }

            /// Blocks the loop with a request of its own, and releases it after the work.
            func whileHeld(_ transport: any Transport, _ work: () -> Void) throws {
                let server = try HandServer()
                transport.start(LoopTurnTests.request(0, server), receiver: self)
                server.answer("held", on: try server.accept().connection)
                guard isHeld.wait(timeout: .now() + 20) == .success else { throw WaitedInVain(what: "the loop") }
                work()
                letGo.signal()
            }

            /// The body that a request ended with, or else a description of its end.
            func body(of request: Int) throws -> String {
                for _ in 0..<20_000 {
                    for event in batches.entries.joined() where event.id.request == request {
                        guard case .finished(let result) = event.kind else { continue }
                        return result.body.map { String(decoding: $0, as: UTF8.self) } ?? String(describing: result.error)
                    }
                    usleep(1000)
                }
                throw WaitedInVain(what: "the end of request \(request)")
            }

            /// The requests that ended with another body than expected. Exit tests report only the message of a failed expectation.
            func others(_ requests: [Int], than body: (Int) -> String) throws -> [String] {
                try requests.compactMap { number in
                    let found = try self.body(of: number)
                    return found == body(number) ? nil : "\(number): \(found)"
                }
            }

            /// The requests that have ended.
            var ends: [Int] {
                batches.entries.joined().compactMap {
                    guard case .finished = $0.kind, $0.id.request != 0 else { return nil }
                    return Int($0.id.request)
                }
            }

            /// The requests in each batch, except the one that blocks the loop.
            var turns: [[Int]] { batches.entries.map { $0.map { Int($0.id.request) } }.filter { $0 != [0] } }
        }

        private static func request(_ number: Int, _ server: HandServer, idleTimeout: TimeInterval = 60) -> TransportRequest {
            request(number, port: server.port, idleTimeout: idleTimeout)
        }

        private static func request(_ number: Int, port: Int, method: HTTPMethod = .get, idleTimeout: TimeInterval = 60) -> TransportRequest
        {
            guard let target = TargetURI("http://127.0.0.1:\(port)/\(number)") else { preconditionFailure("no URL") }
            return TransportRequest(
                id: TransportTaskID(request: UInt64(number)), method: method, target: target, idleTimeout: idleTimeout,
                connectTimeout: 60)
        }

        /// With room for one connection each.
        private static func transport() -> any Transport { TestTransport.current.make(.with { $0.maximumConnectionsPerHost = 400 }) }

        /// Runs a blocking scenario on a thread of its own. Its failure is the test's.
        private static func onThread(_ scenario: @escaping @Sendable () throws -> Void) async {
            ProcessFacts.giveUp(after: 150)
            await onThreads(1) { _ in
                do { try scenario() } catch { Issue.record(error) }
            }
        }

        @Test(
            "Unrequested bytes on an idle connection are noticed before a new request is sent on it",
            arguments: [0, 300])
        func unaskedBytes(others: Int) async {
            await #expect(processExitsWith: .success) { [others = others as Int, transport = TestTransport.current as TestTransport] in
                transport.adopt()
                _ = ProcessFacts.raiseDescriptorLimit(to: 2_000)
                await Self.onThread {
                    let (transport, receiver) = (Self.transport(), Receiver())
                    let (server, crowd) = (try HandServer(), try HandServer())
                    let connections = try Self.open(others, to: crowd, transport, receiver)
                    transport.start(Self.request(1_001, server), receiver: receiver)
                    let old = try server.accept().connection
                    server.answer("first", on: old)
                    #expect(try receiver.body(of: 1_001) == "first")
                    try receiver.whileHeld(transport) {
                        for (number, connection) in connections { crowd.answer("body \(number)", on: connection) }
                        server.answer("evil", on: old)
                        transport.start(Self.request(1_002, server), receiver: receiver)
                    }
                    let (new, path) = try server.accept()
                    #expect(path == "/1002")
                    server.answer("second", on: new)
                    #expect(try receiver.body(of: 1_002) == "second")
                    let wrong = try receiver.others(Array(connections.keys)) { "body \($0)" }
                    #expect(wrong == [], "\(wrong)")
                    // A reset if they were not read.
                    #expect(server.isGone(old))
                }
            }
        }

        @Test("40 responses available in one turn are delivered together, and none is lost")
        func together() async {
            await #expect(processExitsWith: .success) { [transport = TestTransport.current as TestTransport] in
                transport.adopt()
                await Self.onThread {
                    let (transport, receiver, server) = (Self.transport(), Receiver(), try HandServer())
                    let connections = try Self.open(40, to: server, transport, receiver)
                    let order = (1...40).map { $0 * 7 % 41 }
                    try receiver.whileHeld(transport) {
                        for number in order { server.answer("body \(number)", on: connections[number] ?? -1) }
                    }
                    let wrong = try receiver.others(order) { "body \($0)" }
                    #expect(wrong == [], "\(wrong)")
                    #expect(receiver.turns.map { $0.sorted() } == [Array(1...40)])
                }
            }
        }

        @Test("Responses that arrived while the loop was blocked beyond the idle timeout do not time out")
        func standstill() async throws {
            await #expect(processExitsWith: .success) { [transport = TestTransport.current as TestTransport] in
                transport.adopt()
                await Self.onThread {
                    let (transport, receiver, server) = (Self.transport(), Receiver(), try HandServer())
                    let connections = try Self.open(40, to: server, transport, receiver, idleTimeout: 8)
                    try receiver.whileHeld(transport) {
                        for number in 1...40 { server.answer("body \(number)", on: connections[number] ?? -1) }
                        Thread.sleep(forTimeInterval: 9)
                    }
                    let wrong = try receiver.others(Array(1...40)) { "body \($0)" }
                    #expect(wrong == [], "\(wrong)")
                }
            }
        }

        @Test("The idle timeout after bytes that are read in a turn that is held up counts from the end of that turn")
        func heldAfterReading() async {
            await #expect(processExitsWith: .success) { [transport = TestTransport.current as TestTransport] in
                transport.adopt()
                let (transport, receiver) = (SocketTransport(configuration: .default), Receiver())
                await Self.onThread {
                    let opened = try transport.open()
                    let server = try HandServer()
                    transport.start(Self.request(1, server), receiver: receiver)
                    let connection = try server.accept().connection
                    server.answer("first", on: connection)
                    #expect(try receiver.body(of: 1) == "first")
                    transport.start(Self.request(2, server, idleTimeout: 10), receiver: receiver)
                    #expect(try server.readPath(connection) == "/2")
                    let (isHeld, letGo) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
                    try receiver.whileHeld(transport) {
                        // The next turn reads the response, and is held up by the command.
                        server.write("HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nab", to: connection)
                        let hold = PoolCommand.inspect {
                            isHeld.signal()
                            _ = letGo.wait(timeout: .now() + 50)
                        }
                        opened.inbox.post(LoopMessage(pool: opened.pool, command: hold))
                    }
                    #expect(isHeld.wait(timeout: .now() + 20) == .success)
                    Thread.sleep(forTimeInterval: 11)
                    letGo.signal()
                    // Time for the turns in which the timer is due.
                    Thread.sleep(forTimeInterval: 0.5)
                    server.write("cd", to: connection)
                    #expect(try receiver.body(of: 2) == "abcd")
                }
            }
        }

        /// A body of one piece, whose reader holds the loop in the middle of a turn when it is asked for what follows.
        private struct HoldingBody: BodyStream {
            let firstAnswer = OneShot<@Sendable (BodyPiece) -> Void>()
            let isHeld = DispatchSemaphore(value: 0)
            let letGo = DispatchSemaphore(value: 0)
            let length: Int64? = nil
            let isRepeatable = false

            private final class Reader: BodyReader {
                let body: HoldingBody
                let asks = Locked(0)

                init(_ body: HoldingBody) { self.body = body }

                func read(upTo count: Int, _ answer: @escaping @Sendable (BodyPiece) -> Void) {
                    let ask = asks.withLock { asks in
                        asks += 1
                        return asks
                    }
                    guard ask > 1 else { return body.firstAnswer.fulfill(answer) }
                    body.isHeld.signal()
                    _ = body.letGo.wait(timeout: .now() + 50)
                    answer(.end())
                }

                func close() {}
            }

            func makeReader() -> any BodyReader { Reader(self) }
        }

        @Test("A response that arrived while a turn was held up, and is read before its timers, is measured as arrived then")
        func heldWithinTurn() async {
            await #expect(processExitsWith: .success) { [transport = TestTransport.current as TestTransport] in
                transport.adopt()
                let (transport, receiver, body) = (Self.transport(), Receiver(), HoldingBody())
                let (server, silent, uploads) = (try HandServer(), try HandServer(), try HandServer())
                var upload = Self.request(3, port: uploads.port, method: .put)
                upload.bodySource = .stream(body)
                transport.start(upload, receiver: receiver)
                let answer = await body.firstAnswer.value
                await Self.onThread {
                    let connections = try Self.open(1, to: server, transport, receiver)
                    // Its timer is due in the turn in which the body is asked for its second piece.
                    transport.start(Self.request(2, silent, idleTimeout: 0.2), receiver: receiver)
                    _ = try silent.accept()
                    try receiver.whileHeld(transport) {
                        Thread.sleep(forTimeInterval: 0.4)
                        answer(.data(Data("x".utf8)))
                    }
                    #expect(body.isHeld.wait(timeout: .now() + 20) == .success)
                    Thread.sleep(forTimeInterval: 0.1)
                    let answered = MonotonicInstant.now()
                    server.answer("late", on: connections[1] ?? -1)
                    body.letGo.signal()
                    #expect(try receiver.body(of: 1) == "late")
                    let end = receiver.batches.entries.joined().lazy.compactMap { event -> MonotonicInstant? in
                        guard event.id.request == 1, case .finished(let result) = event.kind else { return nil }
                        return result.metrics.end
                    }.first
                    #expect(try #require(end) >= answered)
                }
            }
        }

        /// Makes requests with numbers from 1, each on a connection of its own.
        ///
        /// - Returns: The server's connections by request.
        private static func open(
            _ count: Int, to server: HandServer, _ transport: any Transport, _ receiver: Receiver, idleTimeout: TimeInterval = 60
        ) throws -> [Int: Int32] {
            for number in 0..<count { transport.start(request(number + 1, server, idleTimeout: idleTimeout), receiver: receiver) }
            var connections: [Int: Int32] = [:]
            for _ in 0..<count {
                let (connection, path) = try server.accept()
                connections[try #require(Int(path.dropFirst()))] = connection
            }
            return connections
        }

        /// A receiver's actions at the end of turns, and their expected results.
        private struct Doings {
            var generator: SeededGenerator
            var waiting = Set(1...200)
            var cancelled: Set<Int> = []
            var started: [Int] = []

            /// - Parameter ended: The requests that have ended.
            mutating func next(after ended: [Int]) -> (cancels: [Int], starts: [Int], closes: Bool) {
                waiting.subtract(ended)
                // The end of a cancelled request may still come.
                guard !waiting.isEmpty else { return ([], [], false) }
                let cancels = Array(waiting.sorted().shuffled(using: &generator).prefix(Int.random(in: 1...12, using: &generator)))
                waiting.subtract(cancels)
                cancelled.formUnion(cancels)
                let starts = (0..<Int.random(in: 1...16, using: &generator)).map { 5_000 + started.count + $0 }
                started += starts
                return (cancels, starts, Bool.random(using: &generator))
            }
        }

        @Test("When descriptors are closed and reused, each request ends once with its own response", arguments: [1, 2, 3])
        func reusedNumbers(seed: UInt64) async {
            await #expect(processExitsWith: .success) { [seed = seed as UInt64, transport = TestTransport.current as TestTransport] in
                transport.adopt()
                _ = ProcessFacts.raiseDescriptorLimit(to: 2_000)
                await Self.onThread {
                    let (transport, server, other) = (Self.transport(), try HandServer(), try MockServer(recordsRequests: false))
                    defer { other.shutdown() }
                    other.route("*") { .text($0.path) }
                    let next = Receiver()
                    let doings = Locked(Doings(generator: SeededGenerator(state: seed)))
                    let receiver = Receiver { receiver, ids in
                        let (cancels, starts, closes) = doings.withLock { $0.next(after: ids) }
                        for cancel in cancels { transport.cancel(TransportTaskID(request: UInt64(cancel))) }
                        if closes { transport.closeIdleConnections() }
                        for start in starts { transport.start(Self.request(start, port: other.port, method: .post), receiver: next) }
                    }
                    let connections = try Self.open(200, to: server, transport, receiver)
                    var generator = SeededGenerator(state: seed)
                    // Some together and some alone, so that turns have all sizes.
                    let order = connections.keys.sorted().shuffled(using: &generator)
                    func answer(_ number: Int) {
                        // After some of them the connection is closed within the turn.
                        server.answer("body \(number)", on: connections[number] ?? -1, closing: number % 3 == 0)
                    }
                    try receiver.whileHeld(transport) { order.prefix(150).forEach(answer) }
                    // If all had responses before the loop's turn, nothing would be left to cancel.
                    while doings.withLock({ $0.started.isEmpty }) { usleep(100) }
                    order.dropFirst(150).forEach(answer)
                    // The process ends itself if that does not happen.
                    while !doings.withLock({ $0.waiting.isEmpty }) { usleep(1000) }
                    let done = doings.withLock { $0 }
                    let wrong = try receiver.others(order.filter { !done.cancelled.contains($0) }) { "body \($0)" }
                    #expect(wrong == [], "\(wrong)")
                    #expect(!done.started.isEmpty && !done.cancelled.isEmpty, "\(done)")
                    let wrongNext = try next.others(done.started) { "/\($0)" }
                    #expect(wrongNext == [], "\(wrongNext)")
                    #expect(next.ends.sorted() == done.started, "\(next.ends.sorted())")
                    #expect(Set(receiver.ends).count == receiver.ends.count, "\(receiver.ends)")
                }
            }
        }
    }
#endif
