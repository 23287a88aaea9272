#if os(Linux)
    import Foundation
    import Testing

    @testable import Firewheel
    @testable import FirewheelTesting

    /// More concurrent connections than most programs have.
    @Suite("Many connections", .eachTransport, .timeLimit(.minutes(5)))
    struct ManyConnectionsTests {
        private static let count = 300

        /// The server's address for the child process, so that only the client's memory is measured.
        private static func note(_ process: pid_t, _ name: String = "plain") -> URL {
            FileManager.default.temporaryDirectory.appendingPathComponent("firewheel-many-\(name)-\(process)")
        }

        @Test("300 requests waiting for a slow server need under 40 kB each and one thread")
        func many() async throws {
            // One socket for each connection, besides other descriptors.
            try #require(ProcessFacts.raiseDescriptorLimit(to: 4 * Self.count) >= 2 * Self.count)
            let server = try MockServer(recordsRequests: false)
            defer { server.shutdown() }
            server.route("/warm") { _ in .text("warm") }
            let (all, waiting) = (DispatchGroup(), Gauge())
            for _ in 0..<Self.count { all.enter() }
            // No request is answered before all have arrived.
            server.route("/held/*") { request in
                waiting.enter()
                all.leave()
                guard all.wait(timeout: .now() + 110) == .success else { return .status(503) }
                return .text(request.path)
            }
            let note = Self.note(getpid())
            try server.url().write(to: note, atomically: true, encoding: .utf8)
            defer { try? FileManager.default.removeItem(at: note) }
            await #expect(processExitsWith: .success) { [transport = TestTransport.current as TestTransport] in
                transport.adopt()
                ProcessFacts.giveUp(after: 120)
                let count = Self.count
                _ = ProcessFacts.raiseDescriptorLimit(to: 2 * count)
                let url = try String(contentsOf: Self.note(getppid()), encoding: .utf8)
                let session = Session.onTest(configuration: .with { $0.maximumConnectionsPerHost = count })
                #expect(await session.request(url + "warm").raw().text == "warm")
                let (memory, threads) = (try #require(ProcessFacts.memory), ProcessFacts.clientThreadCount)
                let right = await withTaskGroup(of: Bool.self) { group in
                    for number in 0..<count {
                        group.addTask { await session.request("\(url)held/\(number)").raw().text == "/held/\(number)" }
                    }
                    return await group.reduce(into: 0) { $0 += $1 ? 1 : 0 }
                }
                #expect(right == count, "\(right) right answers")
                let each = (try #require(ProcessFacts.peakMemory) - memory) / count
                #expect(each < 40_000, "\(each) bytes each")
                // A new thread has the name of the one that started it until it has its own.
                let hasOneLoop = await eventually { ProcessFacts.loopThreadCount == 1 }
                #expect(hasOneLoop, "\(ProcessFacts.threadNames)")
                #expect(ProcessFacts.clientThreadCount <= threads + 8, "\(ProcessFacts.threadNames)")
                withExtendedLifetime(session) {}
            }
            #expect(waiting.most == Self.count, "\(waiting.most) at once")
            #expect(server.connectionCount == Self.count, "\(server.connectionCount) connections")
        }

        private static let secureCount = 300

        @Test(
            "300 idle connections with TLS take under 50 kB each", .needsTLSServer, .serialized,
            arguments: [TLSFront.Version.tls12, .tls13])
        func manySecure(version: TLSFront.Version) async throws {
            // A connection has two sockets in front of the server, and one behind.
            try #require(ProcessFacts.raiseDescriptorLimit(to: 8 * Self.secureCount) >= 4 * Self.secureCount)
            let (authority, server) = (try TestAuthority(), try MockServer(recordsRequests: false))
            defer { server.shutdown() }
            server.route("/warm") { _ in .text("warm") }
            let all = DispatchGroup()
            for _ in 0..<Self.secureCount { all.enter() }
            // No request is answered before all have arrived, so that each has a connection.
            server.route("/held/*") { request in
                all.leave()
                guard all.wait(timeout: .now() + 110) == .success else { return .status(503) }
                return .text(request.path)
            }
            let front = try TLSFront(
                to: server.port, identity: authority.identity(addresses: ["127.0.0.1"]), options: .with { $0.maximumVersion = version })
            defer { front.stop() }
            let note = Self.note(getpid(), "secure")
            try "\(front.url())\n\(authority.pemFile.path)".write(to: note, atomically: true, encoding: .utf8)
            defer { try? FileManager.default.removeItem(at: note) }
            await #expect(processExitsWith: .success) {
                ProcessFacts.giveUp(after: 120)
                let count = Self.secureCount
                _ = ProcessFacts.raiseDescriptorLimit(to: 2 * count)
                let lines = try String(contentsOf: Self.note(getppid(), "secure"), encoding: .utf8).components(separatedBy: "\n")
                let (url, store) = (lines[0], lines[lines.count - 1])
                let configuration = SessionConfiguration.with { $0.maximumConnectionsPerHost = count }
                let transport = SocketTransport(configuration: configuration, places: TLSStorePlaces(file: store))
                let session = Session(configuration: configuration, transport: transport)
                // What all connections share is there from the first one on.
                #expect(await session.request(url + "warm").raw().text == "warm")
                ProcessFacts.returnFreeMemory()
                let memory = try #require(ProcessFacts.memory)
                let right = await withTaskGroup(of: Bool.self) { group in
                    for number in 0..<count {
                        group.addTask { await session.request("\(url)held/\(number)").raw().text == "/held/\(number)" }
                    }
                    return await group.reduce(into: 0) { $0 += $1 ? 1 : 0 }
                }
                #expect(right == count, "\(right) right answers")
                // What the handshakes and the requests needed is free again.
                ProcessFacts.returnFreeMemory()
                let each = (try #require(ProcessFacts.memory) - memory) / count
                #expect(each < 50_000, "\(each) bytes each")
                withExtendedLifetime(session) {}
            }
            #expect(front.handshakes.count == Self.secureCount, "\(front.handshakes.count) connections")
            #expect(front.handshakes.allSatisfy { $0.version == (version == .tls12 ? "TLSv1.2" : "TLSv1.3") })
        }
    }
#endif
