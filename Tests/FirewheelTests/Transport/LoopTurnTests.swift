#if os(Linux)
    import FirewheelTesting
    import Foundation
    import Glibc
    import Testing

    @testable import Firewheel

    /// What the loop does in one turn, and in which order. A receiver is called on the loop's thread: one that blocks holds the loop up until a test has
    /// laid out what the next turn is to find. Each test has a process of its own, since there all sessions have the same loop.
    @Suite("A turn of the loop", .timeLimit(.minutes(5)))
    struct LoopTurnTests {
        /// Writes down what comes, and holds the loop up at the end of request 0.
        private final class Receiver: TransportReceiver {
            let batches = Journal<[TransportEvent]>()
            private let isHeld = DispatchSemaphore(value: 0)
            private let letGo = DispatchSemaphore(value: 0)
            /// Called with each batch that comes later, on the loop's thread.
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

            /// Holds the loop up with a request of its own, and lets it go after the work.
            func whileHeld(_ transport: CurlTransport, _ work: () -> Void) throws {
                let server = try HandServer()
                transport.start([LoopTurnTests.request(0, server)], receiver: self)
                server.answer("held", on: try server.accept().connection)
                guard isHeld.wait(timeout: .now() + 20) == .success else { throw WaitedInVain(what: "the loop") }
                work()
                letGo.signal()
            }

            /// What a request came to, once it has.
            func body(of request: Int) throws -> String? {
                for _ in 0..<20_000 {
                    for event in batches.entries.joined() where event.id.request == request {
                        if case .finished(let result) = event.kind { return result.body.map { String(decoding: $0, as: UTF8.self) } }
                    }
                    usleep(1000)
                }
                throw WaitedInVain(what: "the end of request \(request)")
            }

            /// The requests in each batch but those that it held the loop up with.
            var slices: [[Int]] { batches.entries.map { $0.map { Int($0.id.request) } }.filter { $0 != [0] } }
        }

        private static func request(_ number: Int, _ server: HandServer, idleTimeout: TimeInterval = 60) -> TransportRequest {
            guard let target = TargetURI("http://127.0.0.1:\(server.port)/\(number)") else { preconditionFailure("no URL") }
            return TransportRequest(
                id: TransportTaskID(request: UInt64(number), attempt: 0), method: .get, target: target, idleTimeout: idleTimeout,
                connectTimeout: 60)
        }

        /// Runs a scenario that blocks on a thread of its own; a failure is the test's.
        private static func onThread(_ scenario: @escaping @Sendable () throws -> Void) async {
            ProcessFacts.giveUp(after: 60)
            await onThreads(1) { _ in
                do { try scenario() } catch { Issue.record(error) }
            }
        }

        @Test("Bytes that lie on an idle connection are seen before a request that is started at the same moment goes out on it")
        func socketsBeforeCommands() async throws {
            await #expect(processExitsWith: .success) {
                await Self.onThread {
                    let (transport, receiver, server) = (CurlTransport(), Receiver(), try HandServer())
                    transport.start([Self.request(1, server)], receiver: receiver)
                    let old = try server.accept().connection
                    server.answer("first", on: old)
                    #expect(try receiver.body(of: 1) == "first")
                    try receiver.whileHeld(transport) {
                        server.answer("evil", on: old)
                        transport.start([Self.request(2, server)], receiver: receiver)
                    }
                    let (new, path) = try server.accept()
                    #expect(path == "/2")
                    server.answer("second", on: new)
                    #expect(try receiver.body(of: 2) == "second")
                }
            }
        }

        @Test("40 responses that are there in one turn come in batches of 16 at most, in their order, and none is lost")
        func slices() async throws {
            await #expect(processExitsWith: .success) {
                await Self.onThread {
                    let (transport, receiver, server) = (CurlTransport(), Receiver(), try HandServer())
                    let connections = try Self.open(40, to: server, transport, receiver)
                    let order = (1...40).map { $0 * 7 % 41 }
                    try receiver.whileHeld(transport) {
                        for number in order { server.answer("body \(number)", on: connections[number] ?? -1) }
                    }
                    for number in order { #expect(try receiver.body(of: number) == "body \(number)") }
                    #expect(receiver.slices.joined().elementsEqual(order))
                    #expect(receiver.slices.map(\.count).max() ?? 0 <= 16, "\(receiver.slices.map(\.count))")
                }
            }
        }

        @Test("40 responses that came while the loop stood still for longer than the idle timeout: none is too late")
        func standstill() async throws {
            await #expect(processExitsWith: .success) {
                await Self.onThread {
                    let (transport, receiver, server) = (CurlTransport(), Receiver(), try HandServer())
                    let connections = try Self.open(40, to: server, transport, receiver, idleTimeout: 3)
                    try receiver.whileHeld(transport) {
                        for number in 1...40 { server.answer("body \(number)", on: connections[number] ?? -1) }
                        Thread.sleep(forTimeInterval: 4)
                    }
                    for number in 1...40 { #expect(try receiver.body(of: number) == "body \(number)") }
                }
            }
        }

        /// Makes so many requests, from 1, each on a connection of its own.
        ///
        /// - Returns: The server's connections, by request.
        private static func open(
            _ count: Int, to server: HandServer, _ transport: CurlTransport, _ receiver: Receiver, idleTimeout: TimeInterval = 60
        ) throws -> [Int: Int32] {
            transport.start((1...count).map { request($0, server, idleTimeout: idleTimeout) }, receiver: receiver)
            var connections: [Int: Int32] = [:]
            for _ in 1...count {
                let (connection, path) = try server.accept()
                connections[try #require(Int(path.dropFirst()))] = connection
            }
            return connections
        }

        @Test("A cancel in the first batch closes a socket of the last, whose number a new request gets: each has its own answer")
        func reusedNumber() async throws {
            await #expect(processExitsWith: .success) {
                await Self.onThread {
                    // Somebody else in the process may get the number first.
                    for _ in 0..<5 where try Self.comesBack() { return }
                    Issue.record("the number never came back")
                }
            }
        }

        /// - Returns: Whether the number came back.
        private static func comesBack() throws -> Bool {
            let (transport, server) = (CurlTransport(), try HandServer())
            let other = try HandServer()
            let next = request(41, other)
            let receiver = Receiver { receiver, ids in
                guard receiver.slices.count == 1 else { return }
                #expect(!ids.contains(40))
                transport.cancel([TransportTaskID(request: 40, attempt: 0)])
                transport.start([next], receiver: receiver)
            }
            let connections = try open(40, to: server, transport, receiver)
            let closed = try #require(connections[40])
            let port = ConnectionEnds(of: closed)?.remote?.port
            let number = try #require((0..<1024).first { $0 != closed && ConnectionEnds(of: $0)?.local.port == port })
            // The system gives the lowest number that is free: only this one is to be.
            var fillers: [Int32] = []
            repeat { fillers.append(dup(closed)) } while fillers.last ?? .max < number
            defer { for filler in fillers { close(filler) } }
            try receiver.whileHeld(transport) {
                for number in 1...40 { server.answer("body \(number)", on: connections[number] ?? -1) }
            }
            let (connection, path) = try other.accept()
            #expect(path == "/41")
            let hasComeBack = ConnectionEnds(of: number)?.local == ConnectionEnds(of: connection)?.remote
            other.answer("new", on: connection)
            #expect(try receiver.body(of: 41) == "new")
            for number in 1...39 { #expect(try receiver.body(of: number) == "body \(number)") }
            #expect(!receiver.slices.joined().contains(40))
            return hasComeBack
        }
    }
#endif
