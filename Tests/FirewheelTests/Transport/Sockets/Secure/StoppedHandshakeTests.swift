#if os(Linux)
    import Foundation
    import Glibc
    import Testing

    @testable import Firewheel
    @testable import FirewheelTesting

    /// A turn of the loop takes few steps of handshakes, which must not make the others fail after the process was stopped.
    @Suite("Handshakes of a stopped process", .needsTLSServer, .timeLimit(.minutes(5)))
    struct StoppedHandshakeTests {
        /// More than a turn takes steps for.
        private static let count = 12

        /// Passes on what one socket receives, until it ends.
        private static func pass(from source: Int32, to target: Int32, _ passed: Locked<Int>) {
            var bytes = [UInt8](repeating: 0, count: 65_536)
            var isFirst = true
            while case let count = recv(source, &bytes, bytes.count, 0), count > 0 {
                guard send(target, bytes, count, Int32(MSG_NOSIGNAL)) == count else { break }
                if isFirst { passed.withLock { $0 += 1 } }
                isFirst = false
            }
            shutdown(target, Int32(SHUT_WR))
        }

        /// How many requests are in their handshakes, counted once a turn until there are none.
        private final class Count: Sendable {
            let entries = Journal<Int>()

            func look(_ opened: SocketTransport.Opened) {
                let count = opened.pool.object.transfers.values.count { $0.handshake != nil }
                entries.add(count)
                guard count > 0 else { return }
                opened.inbox.post(LoopMessage(pool: opened.pool, command: .inspect { self.look(opened) }))
            }
        }

        /// Has the loop stand still, as if the process were stopped, while the servers answer to handshakes.
        ///
        /// - Parameters:
        ///   - timeout: The connect timeout.
        ///   - seconds: How long the loop stands still at least.
        /// - Returns: How many were in their handshakes at the end of each turn.
        private static func run(timeout: TimeInterval, stopped seconds: TimeInterval) async throws -> [Int] {
            let bench = try SecureBench()
            defer { bench.stop() }
            bench.server.route("*") { _ in MockResponse.text("hello").closing() }
            // Otherwise the others would wait for the first one to know the version.
            let configuration = SessionConfiguration.with {
                $0.timeoutIntervalForRequest = timeout
                $0.httpVersions = .http1Only
            }
            let transport = bench.authority.socketTransport(configuration)
            let session = Session(configuration: configuration, transport: transport)
            let (listener, port) = try Loopback.listen(backlog: 64)
            defer { close(listener) }
            let answers = Journal<String>()
            for _ in 0..<Self.count {
                session.request("https://127.0.0.1:\(port)/").responseString(queue: .global()) {
                    answers.add($0.value ?? "\(String(describing: $0.error))")
                }
            }
            // Each client has said hello.
            let clients = (0..<Self.count).map { _ in accept(listener, nil, nil) }
            defer { for client in clients { close(client) } }
            for client in clients {
                var byte: UInt8 = 0
                #expect(recv(client, &byte, 1, Int32(MSG_PEEK)) == 1)
            }
            let (stopped, goOn) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
            let opened = try transport.open()
            let stop = PoolCommand.inspect {
                stopped.signal()
                goOn.wait()
            }
            opened.inbox.post(LoopMessage(pool: opened.pool, command: stop))
            await onThreads(1) { _ in stopped.wait() }
            let end = MonotonicInstant.now().advanced(by: seconds)
            let servers = try clients.map { _ in try RawConnection(port: bench.front.port) }
            let (descriptors, passed) = (servers.map(\.descriptor), Locked(0))
            async let passing: Void = onThreads(2 * Self.count) { index in
                let (client, server) = (clients[index / 2], descriptors[index / 2])
                if index.isMultiple(of: 2) {
                    Self.pass(from: client, to: server, passed)
                } else {
                    Self.pass(from: server, to: client, passed)
                }
            }
            try await waitUntil("the servers' answers") { passed.withLock { $0 } == 2 * Self.count }
            try await waitUntil("the time") { MonotonicInstant.now() > end }
            let count = Count()
            opened.inbox.post(LoopMessage(pool: opened.pool, command: .inspect { count.look(opened) }))
            goOn.signal()
            #expect(try await answers.wait(for: Self.count) == Array(repeating: "hello", count: Self.count))
            await passing
            withExtendedLifetime((session, servers)) {}
            return count.entries.entries
        }

        @Test("Handshakes whose bytes came while the process was stopped go on, however many they are, and whatever their timeout")
        func manyHandshakes() async {
            await #expect(processExitsWith: .success) {
                ProcessFacts.giveUp(after: 150)
                _ = try await Self.run(timeout: 6, stopped: 6.5)
            }
        }

        @Test("A turn of the loop goes four steps of handshakes at the most")
        func fourSteps() async {
            await #expect(processExitsWith: .success) {
                ProcessFacts.giveUp(after: 150)
                let counts = try await Self.run(timeout: 20, stopped: 0)
                #expect(counts.last == 0)
                // A handshake is over with the step that follows its server's answer.
                #expect(zip([Self.count] + counts, counts).allSatisfy { $0 - $1 <= 4 }, "\(counts)")
            }
        }
    }
#endif
