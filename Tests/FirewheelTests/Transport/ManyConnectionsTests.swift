#if os(Linux)
    import Firewheel
    import FirewheelTesting
    import Foundation
    import Testing

    /// More concurrent connections than most programs have.
    @Suite("Many connections", .eachTransport, .timeLimit(.minutes(5)))
    struct ManyConnectionsTests {
        private static let count = 300

        /// The server's address for the child process, so that only the client's memory is measured.
        private static func note(_ process: pid_t) -> URL {
            FileManager.default.temporaryDirectory.appendingPathComponent("firewheel-many-\(process)")
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
    }
#endif
