#if os(Linux)
    import Firewheel
    import FirewheelTesting
    import Foundation
    import Glibc
    import ScarceDescriptors
    import Testing

    /// Without free descriptors there are errors, but no crash and no endless wait. In most tests only Firewheel runs out of them.
    @Suite("Running out of file descriptors", .eachTransport, .timeLimit(.minutes(5)))
    struct DescriptorLimitTests {
        /// The server's address for the child process: in a file named after the process, because the environment is shared between tests.
        private static func note(_ test: String, _ process: pid_t) -> URL {
            FileManager.default.temporaryDirectory.appendingPathComponent("firewheel-\(test)-\(process)")
        }

        @Test("With two dozen descriptors 100 concurrent requests each end, and with more again all succeed")
        func few() async throws {
            let server = try MockServer(recordsRequests: false)
            defer { server.shutdown() }
            server.route("/slow/*") { MockResponse.text($0.path).delayed(head: 0.3) }
            server.route("/fast") { _ in .text("fast") }
            let note = Self.note("few", getpid())
            try server.url().write(to: note, atomically: true, encoding: .utf8)
            defer { try? FileManager.default.removeItem(at: note) }
            await #expect(processExitsWith: .success) { [transport = TestTransport.current as TestTransport] in
                transport.adopt()
                ProcessFacts.giveUp(after: 150)
                let url = try String(contentsOf: Self.note("few", getppid()), encoding: .utf8)
                let session = Session.onTest(
                    configuration: .with {
                        $0.maximumConnectionsPerHost = 100
                        $0.timeoutIntervalForRequest = 20
                    })
                scarce_descriptors_leave(24)
                for round in 0..<3 {
                    let outcomes = await withTaskGroup(of: (Bool, FirewheelError?).self) { group in
                        for number in 0..<100 {
                            let path = "/slow/\(round)-\(number)"
                            group.addTask {
                                let response = await session.request(url + path.dropFirst()).raw()
                                return (response.text == path, response.error?.asFirewheelError)
                            }
                        }
                        return await group.reduce(into: []) { $0.append($1) }
                    }
                    #expect(outcomes.count == 100)
                    let failures = outcomes.filter { !$0.0 }
                    #expect(!failures.isEmpty && failures.count < 100, "\(failures.count) of 100 failed")
                    #expect(failures.allSatisfy { $0.1?.kind == .transportFailed(.cannotConnectToHost) }, "\(failures.map(\.1))")
                    #expect(
                        failures.allSatisfy { $0.1?.description.hasSuffix(": out of file descriptors") == true }, "\(failures.map(\.1))")
                }
                #expect(scarce_descriptors_refused() > 0)
                scarce_descriptors_leave(-1)
                for _ in 0..<100 { #expect(await session.request(url + "fast").raw().text == "fast") }
            }
        }

        @Test("With few descriptors for the whole process, a session's first requests end, and the process goes on")
        func wholeProcess() async throws {
            let server = try MockServer(recordsRequests: false)
            defer { server.shutdown() }
            server.route("/slow") { _ in MockResponse.text("slow").delayed(head: 0.3) }
            let note = Self.note("process", getpid())
            try server.url().write(to: note, atomically: true, encoding: .utf8)
            defer { try? FileManager.default.removeItem(at: note) }
            await #expect(processExitsWith: .success) { [transport = TestTransport.current as TestTransport] in
                transport.adopt()
                ProcessFacts.giveUp(after: 150)
                let url = try String(contentsOf: Self.note("process", getppid()), encoding: .utf8)
                let session = Session.onTest(configuration: .with { $0.maximumConnectionsPerHost = 100 })
                // Those that are open were inherited, and need not have the lowest numbers: so all are taken, and the last 16 given back.
                ResourceLimit.openFiles.set(1_000)
                let taken = Array(sequence(state: ()) { _ in dup(STDIN_FILENO) }.prefix { $0 >= 0 })
                for descriptor in taken.suffix(16) { close(descriptor) }
                let texts = await withTaskGroup(of: String?.self) { group in
                    for _ in 0..<100 { group.addTask { await session.request(url + "slow").raw().text } }
                    return await group.reduce(into: []) { $0.append($1) }
                }
                #expect(texts.count == 100)
                #expect(texts.contains("slow"), "all have failed")
                #expect(texts.contains(nil), "none has failed")
            }
        }

        @Test("A first request without a free descriptor fails, and a later one succeeds once there are some")
        func none() async throws {
            let server = try MockServer(recordsRequests: false)
            defer { server.shutdown() }
            server.route("/fast") { _ in .text("fast") }
            let note = Self.note("none", getpid())
            try server.url().write(to: note, atomically: true, encoding: .utf8)
            defer { try? FileManager.default.removeItem(at: note) }
            await #expect(processExitsWith: .success) { [transport = TestTransport.current as TestTransport] in
                transport.adopt()
                ProcessFacts.giveUp(after: 150)
                let url = try String(contentsOf: Self.note("none", getppid()), encoding: .utf8)
                let session = Session.onTest()
                scarce_descriptors_leave(0)
                let response = await session.request(url + "fast").raw()
                scarce_descriptors_leave(-1)
                #expect(scarce_descriptors_refused() > 0)
                guard case .transportFailed = response.kind else {
                    Issue.record("\(String(describing: response.kind))")
                    return
                }
                #expect(await session.request(url + "fast").raw().text == "fast")
            }
        }
    }
#endif
