#if os(Linux)
    import Firewheel
    import FirewheelTesting
    import Foundation
    import Glibc
    import Testing

    /// What lies ready is read before deadlines are judged, also after the process was stopped.
    @Suite("A stopped process", .timeLimit(.minutes(5)))
    struct StoppedProcessTests {
        /// The idle timeout of the requests, in seconds: long enough for a server on a busy machine to answer in.
        static let idleTimeout = 5.0

        /// The server's address for the child process: in a file named after its parent.
        private static func note(_ name: String, _ process: pid_t) -> URL {
            FileManager.default.temporaryDirectory.appendingPathComponent("firewheel-stopped-\(name)-\(process)")
        }

        /// Serves a child process, whose process id is the path of its request.
        private func serving(_ name: String, _ child: () async -> Void, _ serve: @escaping @Sendable (HandServer, Int32, pid_t) -> Void)
            async throws
        {
            let server = try HandServer()
            let note = Self.note(name, getpid())
            try server.url.write(to: note, atomically: true, encoding: .utf8)
            defer { try? FileManager.default.removeItem(at: note) }
            async let served: Void = onThreads(1) { _ in
                do {
                    // The child process may take long to start.
                    var accepted = try? server.acceptConnection()
                    for _ in 0..<4 where accepted == nil { accepted = try? server.acceptConnection() }
                    let connection = try #require(accepted)
                    let path = try server.readPath(connection)
                    serve(server, connection, try #require(pid_t(path.dropFirst())))
                } catch {
                    Issue.record(error)
                }
            }
            await child()
            await served
        }

        /// Stops a process for longer than its idle timeout, and does some work meanwhile.
        private static func whileStopped(_ process: pid_t, _ work: () -> Void) {
            kill(process, SIGSTOP)
            while !isStopped(process) { usleep(1_000) }
            defer { kill(process, SIGCONT) }
            work()
            usleep(useconds_t((idleTimeout + 0.4) * 1_000_000))
        }

        /// Whether every thread of a process has stopped, or the process is gone.
        private static func isStopped(_ process: pid_t) -> Bool {
            let folder = "/proc/\(process)/task"
            return ((try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []).allSatisfy { thread in
                // The state follows the name, which is in parentheses.
                let facts = try? String(contentsOfFile: "\(folder)/\(thread)/stat", encoding: .utf8)
                return facts?.split(separator: ")").last?.hasPrefix(" T") ?? true
            }
        }

        @Test("A response that arrives while the process is stopped for longer than the idle timeout is a success")
        func wholeResponse() async throws {
            try await serving("whole") {
                await #expect(processExitsWith: .success) { [transport = TestTransport.current as TestTransport] in
                    transport.adopt()
                    ProcessFacts.giveUp(after: 150)
                    let url = try String(contentsOf: Self.note("whole", getppid()), encoding: .utf8) + "\(getpid())"
                    let session = Session.onTest(configuration: .with { $0.timeoutIntervalForRequest = Self.idleTimeout })
                    let response = await session.request(url).raw()
                    #expect(response.text == "whole", "\(response)")
                }
            } _: { server, connection, process in
                Self.whileStopped(process) { server.answer("whole", on: connection) }
            }
        }

        @Test("The rest of a response that arrives while the process is stopped is read, and its time begins anew")
        func partOfResponse() async throws {
            try await serving("part") {
                await #expect(processExitsWith: .success) { [transport = TestTransport.current as TestTransport] in
                    transport.adopt()
                    ProcessFacts.giveUp(after: 150)
                    let url = try String(contentsOf: Self.note("part", getppid()), encoding: .utf8) + "\(getpid())"
                    let session = Session.onTest(configuration: .with { $0.timeoutIntervalForRequest = Self.idleTimeout })
                    let response = await session.request(url).raw()
                    #expect(response.text == "abcdef", "\(response)")
                }
            } _: { server, connection, process in
                server.write("HTTP/1.1 200 OK\r\nContent-Length: 6\r\n\r\nab", to: connection)
                Self.whileStopped(process) { server.write("cd", to: connection) }
                usleep(250_000)
                server.write("ef", to: connection)
            }
        }
    }
#endif
