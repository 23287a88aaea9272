#if os(Linux)
    import Firewheel
    import FirewheelTesting
    import Foundation
    import Glibc
    import Synchronization
    import Testing

    /// A process that ends during transfers ends with its exit code, and neither by a signal nor never.
    @Suite("Process exit", .eachTransport, .serialized, .timeLimit(.minutes(5)))
    struct ProcessEndTests {
        /// Starts every kind of request on several sessions, and lets them run for a moment.
        ///
        /// - Returns: The sessions, which must be kept.
        private static func start(_ urls: (body: String, endless: String, upload: String)) throws -> [Session] {
            ProcessFacts.giveUp(after: 150)
            var generator = SeededGenerator(state: UInt64(getpid()))
            let sessions = (0..<3).map { _ in Session.onTest() }
            let upload = pattern(5_000_000)
            for session in sessions {
                for number in 0..<10 {
                    session.request(urls.body).responseData(queue: .global()) { _ in }
                    session.request(urls.endless).responseData(queue: .global()) { _ in }
                    let download = session.download(urls.endless).responseURL(queue: .global()) { _ in }
                    try session.sending(upload, to: urls.upload).response(queue: .global()) { _ in }
                    // A name to look up.
                    session.request(urls.body.replacing("127.0.0.1", with: "localhost")).responseData(queue: .global()) { _ in }
                    if number.isMultiple(of: 2) { download.suspend() }
                    if number.isMultiple(of: 3) { session.request(urls.endless).responseData { _ in }.suspend() }
                }
            }
            usleep(UInt32.random(in: 0..<60_000, using: &generator))
            return sessions
        }

        /// A server with a normal body, an endless one and an upload path. Its address is stored for the child processes.
        private func serving(_ name: String, _ test: () async throws -> Void) async throws {
            let server = try MockServer(recordsRequests: false)
            defer { server.shutdown() }
            let body = pattern(1_000_000)
            server.route("/body") { _ in .data(body) }
            server.route("/endless") { _ in MockResponse.failure(.endlessBody).throttled(bytes: 50_000, every: 0.001) }
            server.route("/upload") { _ in MockResponse.text("taken").delayed(head: 0.01) }
            let folder = Self.folder(name, getpid())
            try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
            defer { try? FileManager.default.removeItem(at: folder) }
            try server.url().write(to: folder.appendingPathComponent("url"), atomically: true, encoding: .utf8)
            try await test()
        }

        /// The folder with the address and the downloads of a child process.
        private static func folder(_ name: String, _ process: pid_t) -> URL {
            FileManager.default.temporaryDirectory.appendingPathComponent("firewheel-\(name)-\(process)")
        }

        private static func urls(_ name: String) throws -> (body: String, endless: String, upload: String) {
            let folder = folder(name, getppid())
            setenv("TMPDIR", folder.path, 1)
            let url = try String(contentsOf: folder.appendingPathComponent("url"), encoding: .utf8)
            return (url + "body", url + "endless", url + "upload")
        }

        @Test(
            "exit() during requests, downloads, uploads and suspended ones ends the process with its code",
            arguments: 0..<TestDepth.choose(3, deep: 12))
        func exits(round: Int) async throws {
            try await serving("exit") {
                await #expect(processExitsWith: .exitCode(7)) { [transport = TestTransport.current as TestTransport] in
                    transport.adopt()
                    let sessions = try Self.start(Self.urls("exit"))
                    withExtendedLifetime(sessions) { exit(7) }
                }
            }
        }

        @Test(
            "exit() in a handler, while other threads start and cancel requests, ends the process with its code",
            arguments: 0..<TestDepth.choose(2, deep: 6))
        func exitsInHandler(round: Int) async throws {
            try await serving("handler") {
                await #expect(processExitsWith: .exitCode(8)) { [transport = TestTransport.current as TestTransport] in
                    transport.adopt()
                    let urls = try Self.urls("handler")
                    let session = Session.onTest()
                    let first = session.request(urls.body).responseData(queue: .global()) { _ in exit(8) }.suspend()
                    let sessions = try Self.start(urls)
                    for session in sessions {
                        Thread.detachNewThread {
                            // Slow enough for the others to progress.
                            while usleep(500) == 0 { session.request(urls.body).responseData(queue: .global()) { _ in }.cancel() }
                        }
                    }
                    first.resume()
                    while true { try await Task.sleep(nanoseconds: 1_000_000_000) }
                }
            }
        }

        @Test("exit() right after sessions were released ends the process with its code")
        func dropped() async throws {
            try await serving("dropped") {
                await #expect(processExitsWith: .exitCode(9)) { [transport = TestTransport.current as TestTransport] in
                    transport.adopt()
                    let urls = try Self.urls("dropped")
                    for _ in 0..<TestDepth.choose(6, deep: 20) { _ = try Self.start(urls) }
                    exit(9)
                }
            }
        }

        @Test("A server that goes away during an upload does not end the process by SIGPIPE")
        func brokenPipe() async {
            await #expect(processExitsWith: .success) { [transport = TestTransport.current as TestTransport] in
                transport.adopt()
                ProcessFacts.giveUp(after: 150)
                signal(SIGPIPE, SIG_DFL)
                let server = try MockServer(recordsRequests: false)
                defer { server.shutdown() }
                server.route("/reset", beforeBody: true) { _ in .failure(.resetBeforeReading) }
                server.route("/close", beforeBody: true) { _ in .failure(.closeBeforeHead) }
                server.route("/early", beforeBody: true) { _ in MockResponse.text("no", status: 413).closing() }
                let body = pattern(20_000_000)
                let session = Session.onTest()
                for round in 0..<30 {
                    let path = ["/reset", "/close", "/early"][round % 3]
                    let response = try await session.sending(body, to: server.url(path)).raw()
                    #expect(response.kind == .transportFailed(.networkConnectionLost) || response.statusCode == 413, "\(response)")
                }
                // The process's own signal action is unchanged.
                var action = sigaction()
                sigaction(SIGPIPE, nil, &action)
                #expect(unsafeBitCast(action.__sigaction_handler.sa_handler, to: Int.self) == 0)
            }
        }

        @Test("SIGPIPE is not blocked on the threads of handlers and of Dispatch")
        func masks() async {
            await #expect(processExitsWith: .success) { [transport = TestTransport.current as TestTransport] in
                transport.adopt()
                ProcessFacts.giveUp(after: 150)
                let server = try MockServer(recordsRequests: false)
                defer { server.shutdown() }
                server.route("*") { _ in MockResponse.text("x").delayed(head: 0.2) }
                let blocked = Journal<Bool>()
                let sessions = (0..<60).map { _ in Session.onTest() }
                for session in sessions {
                    // On the session's delegate queue; each needs a thread while the others wait.
                    let request = session.request(server.url()).validate { _, _, _ in
                        blocked.add(Self.isBrokenPipeBlocked)
                        usleep(100_000)
                        return .success(())
                    }
                    request.response(queue: .global()) { _ in blocked.add(Self.isBrokenPipeBlocked) }
                }
                #expect(try await blocked.wait(for: 120).filter { $0 }.isEmpty)
                withExtendedLifetime(sessions) {}
            }
        }

        private static var isBrokenPipeBlocked: Bool {
            var mask = sigset_t()
            pthread_sigmask(SIG_BLOCK, nil, &mask)
            return sigismember(&mask, SIGPIPE) == 1
        }

        @Test("A request started in an exit handler ends, so that waiting for it ends")
        func requestAtExit() async throws {
            try await serving("late") {
                await #expect(processExitsWith: .exitCode(9)) { [transport = TestTransport.current as TestTransport] in
                    transport.adopt()
                    ProcessFacts.giveUp(after: 150)
                    // Registered first, it runs last: after the loop's own handler.
                    atexit {
                        let isOver = DispatchSemaphore(value: 0)
                        let session = Session.onTest()
                        session.request("http://127.0.0.1:1/").response(queue: .global()) { response in
                            let expected = FirewheelError.Kind.transportFailed(.cannotConnectToHost)
                            if (response.error as? FirewheelError)?.kind != expected { _exit(4) }
                            isOver.signal()
                        }
                        isOver.wait()
                    }
                    let sessions = try Self.start(Self.urls("late"))
                    withExtendedLifetime(sessions) { exit(9) }
                }
            }
        }

        /// A session for the atexit handler, which cannot capture it.
        private static let lastSession = Mutex<Session?>(nil)

        private static func useLastSession() async throws {
            let server = try MockServer(recordsRequests: false)
            defer { server.shutdown() }
            // Without open connections nothing else holds the session's resources.
            server.route("*") { _ in MockResponse.text("x").closing() }
            let session = Session.onTest()
            #expect(await session.request(server.url()).raw().text == "x")
            lastSession.withLock { $0 = session }
        }

        @Test("A session released after the loop has stopped leaves its resources to the system")
        func releasedAtExit() async {
            await #expect(processExitsWith: .exitCode(9)) { [transport = TestTransport.current as TestTransport] in
                transport.adopt()
                ProcessFacts.giveUp(after: 150)
                atexit {
                    ProcessEndTests.lastSession.withLock { $0 = nil }
                    // The loop works in order, so after this response it has seen the release.
                    let isOver = DispatchSemaphore(value: 0)
                    let session = Session.onTest()
                    session.request("http://127.0.0.1:1/").response(queue: .global()) { _ in isOver.signal() }
                    isOver.wait()
                }
                try await Self.useLastSession()
                exit(9)
            }
        }

        @Test("A child process inherits no descriptor of requests")
        func inherited() async {
            await #expect(processExitsWith: .success) { [transport = TestTransport.current as TestTransport] in
                transport.adopt()
                ProcessFacts.giveUp(after: 150)
                try await Self.compareOpen()
            }
        }

        private static func compareOpen() async throws {
            let server = try MockServer(recordsRequests: false)
            defer { server.shutdown() }
            server.route("/endless") { _ in MockResponse.failure(.endlessBody).throttled(bytes: 1000, every: 0.01) }
            server.route("/body") { _ in .text("body") }
            let before = Set(try openInChild())
            let session = Session.onTest()
            let ended = Journal<FirewheelError.Kind?>()
            let download = session.download(server.url("/endless")).responseURL(queue: .global()) { ended.add(kind($0.error)) }
            let data = session.request(server.url("/endless")).responseData(queue: .global()) { ended.add(kind($0.error)) }
            try await waitUntil("the downloads") { download.response != nil && data.response != nil }
            #expect(await session.request(server.url("/body").replacing("127.0.0.1", with: "localhost")).raw().text == "body")
            try await waitUntil("the file") { ProcessFacts.files.contains { $0.contains("Firewheel_") } }
            let more = try openInChild().filter { !before.contains($0) }
            #expect(more == [])
            // LeakSanitizer does not see the pointers to a transfer's memory (Tests/Sanitizers/leak.txt).
            session.cancelAllRequests()
            #expect(try await ended.wait(for: 2) == [.explicitlyCancelled, .explicitlyCancelled])
        }

        /// The open descriptors of a child process that is started without closing any.
        private static func openInChild() throws -> [String] {
            let output = try #require(popen("for f in /proc/self/fd/*; do [ ${f##*/} = 1 ] || readlink $f; done", "r"))
            defer { pclose(output) }
            var lines: [String] = []
            var buffer = [CChar](repeating: 0, count: 4096)
            while fgets(&buffer, Int32(buffer.count), output) != nil {
                lines.append(String(decoding: buffer.prefix { $0 != 0 && $0 != 10 }.map(UInt8.init(bitPattern:)), as: UTF8.self))
            }
            return lines
        }
    }
#endif
