#if os(Linux)
    import Foundation
    import Glibc
    import ScarceDescriptors
    import Testing

    @testable import Firewheel
    @testable import FirewheelTesting

    /// Connections with TLS and what they share: the process, the loop, and its descriptors.
    @Suite("Processes with TLS on sockets", .needsHTTP2Server, .timeLimit(.minutes(5)))
    struct SecureProcessTests {
        /// A server that the test's process has, for child processes: what they need is in a folder named after their parent.
        private final class Served: Sendable {
            let bench: SecureBench
            /// The same plain server, over HTTP/2.
            let multiplexed: HTTP2Front
            /// One whose handshakes stop half-way.
            let stuck: TLSFront
            let folder: URL

            init(_ name: String) throws {
                bench = try SecureBench()
                bench.server.route("/text") { _ in MockResponse.text("hello").closing() }
                bench.server.route("/endless") { _ in MockResponse.failure(.endlessBody).throttled(bytes: 50_000, every: 0.001) }
                bench.server.route("/upload") { _ in MockResponse.text("taken").delayed(head: 0.01) }
                let identity = try bench.authority.identity(addresses: ["127.0.0.1"])
                multiplexed = try HTTP2Front(to: bench.server.port, identity: identity)
                stuck = try TLSFront(
                    to: bench.server.port, identity: identity,
                    options: .with { $0.cut = .init(after: 300, ending: .stall) })
                folder = SecureProcessTests.folder(name, getpid())
                try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
                try [bench.url(""), stuck.url(""), bench.authority.pemFile.path, multiplexed.url("")].joined(separator: "\n")
                    .write(to: folder.appendingPathComponent("server"), atomically: true, encoding: .utf8)
            }

            func stop() {
                try? FileManager.default.removeItem(at: folder)
                stuck.stop()
                multiplexed.stop()
                bench.stop()
            }
        }

        /// What a child process knows of it.
        private struct Found {
            let url: String
            let stuckURL: String
            let multiplexedURL: String
            let places: TLSStorePlaces

            init(_ name: String) throws {
                let text = try String(
                    contentsOf: SecureProcessTests.folder(name, getppid()).appendingPathComponent("server"), encoding: .utf8)
                let lines = text.split(separator: "\n").map(String.init)
                (url, stuckURL, places, multiplexedURL) = (lines[0], lines[1], TLSStorePlaces(file: lines[2]), lines[3])
            }

            func session(_ configuration: SessionConfiguration = .default) -> Session {
                Session(configuration: configuration, transport: SocketTransport(configuration: configuration, places: places))
            }
        }

        private static func folder(_ name: String, _ process: pid_t) -> URL {
            FileManager.default.temporaryDirectory.appendingPathComponent("firewheel-tls-\(name)-\(process)")
        }

        /// Starts requests whose handshakes and bodies are under way after a moment.
        private static func start(_ found: Found) throws -> [Session] {
            var generator = SeededGenerator(state: UInt64(getpid()))
            let sessions = (0..<3).map { _ in found.session() }
            let upload = pattern(1_000_000)
            for session in sessions {
                for _ in 0..<8 {
                    for url in [found.url + "/text", found.url + "/endless", found.stuckURL] {
                        session.request(url).response(queue: .global()) { _ in }
                    }
                    for path in ["/text", "/endless"] {
                        session.request(found.multiplexedURL + path).response(queue: .global()) { _ in }
                    }
                    for url in [found.url, found.multiplexedURL] {
                        try session.sending(upload, to: url + "/upload").response(queue: .global()) { _ in }
                    }
                }
            }
            usleep(UInt32.random(in: 0..<60_000, using: &generator))
            return sessions
        }

        @Test(
            "exit() with handshakes and bodies under way over https and HTTP/2 ends the process with its code",
            arguments: [false, true], 0..<TestDepth.choose(2, deep: 100))
        func exits(afterURLSession: Bool, round: Int) async throws {
            let served = try Served("exit-\(afterURLSession)-\(round)")
            defer { served.stop() }
            await #expect(processExitsWith: .exitCode(7)) { [afterURLSession = afterURLSession as Bool, round = round as Int] in
                ProcessFacts.giveUp(after: 150)
                let found = try Found("exit-\(afterURLSession)-\(round)")
                if afterURLSession {
                    // libcurl, which URLSession uses, initialises OpenSSL first.
                    _ = try? await URLSession.shared.data(from: #require(URL(string: "https://127.0.0.1:1/")))
                }
                let sessions = try Self.start(found)
                withExtendedLifetime(sessions) { exit(7) }
            }
        }

        @Test("A released transport ends its requests and closes its connections, in handshakes and bodies")
        func released() async throws {
            let served = try Served("released")
            defer { served.stop() }
            let receiver = Ends()
            var transport: SocketTransport? = served.bench.authority.socketTransport()
            for (number, url) in [served.bench.url("/endless"), served.stuck.url("/")].enumerated() {
                let target = try #require(TargetURI(url))
                transport?.start(
                    TransportRequest(id: TransportTaskID(request: UInt64(number)), method: .get, target: target), receiver: receiver)
            }
            try await waitUntil("the request") { served.bench.server.requestCount == 1 && !served.stuck.handshakes.isEmpty }
            transport = nil
            for result in try await receiver.results.wait(for: 2) {
                guard case .failed(.cancelled, _) = result.error else {
                    Issue.record("\(String(describing: result.error))")
                    continue
                }
            }
            try await waitUntil("the ends") {
                served.bench.front.handshakes.allSatisfy { !$0.isOpen } && served.stuck.handshakes.allSatisfy { !$0.isOpen }
            }
        }

        private final class Ends: TransportReceiver {
            let results = Journal<TransportResult>()

            func receive(_ events: [TransportEvent]) {
                for event in events { if case .finished(let result) = event.kind { results.add(result) } }
            }
        }

        @Test("With two dozen descriptors 100 handshakes at once each end, and with more again all succeed")
        func descriptors() async throws {
            let served = try Served("few")
            defer { served.stop() }
            await #expect(processExitsWith: .success) {
                ProcessFacts.giveUp(after: 150)
                let found = try Found("few")
                let session = found.session(
                    .with {
                        $0.maximumConnectionsPerHost = 100
                        $0.timeoutIntervalForRequest = 20
                        // With HTTP/2 possible, only one connection is made before the first answer.
                        $0.httpVersions = .http1Only
                    })
                // The store is read, which takes a descriptor too.
                #expect(await session.request(found.url + "/text").raw().text == "hello")
                // These keep theirs.
                let stuck = (0..<10).map { _ in session.request(found.stuckURL).response(queue: .global()) { _ in } }
                try await waitUntil("their connections") { ProcessFacts.internetSockets.count >= stuck.count }
                scarce_descriptors_leave(24)
                let responses = await withTaskGroup(of: DataResponse<Data?>.self) { group in
                    for _ in 0..<100 { group.addTask { await session.request(found.url + "/text").raw() } }
                    return await group.reduce(into: []) { $0.append($1) }
                }
                let failures = responses.filter { $0.text != "hello" }
                #expect(!failures.isEmpty && failures.count < 100, "\(failures.count) of 100 failed")
                #expect(failures.allSatisfy { $0.words.hasSuffix(": out of file descriptors") }, "\(failures)")
                scarce_descriptors_leave(-1)
                for request in stuck { request.cancel() }
                for _ in 0..<20 { #expect(await session.request(found.url + "/text").raw().text == "hello") }
            }
        }

        @Test("Without a free descriptor a kept HTTP/2 connection serves all requests, new connections fail, and later ones are made")
        func noDescriptor() async throws {
            let served = try Served("none")
            defer { served.stop() }
            await #expect(processExitsWith: .success) {
                ProcessFacts.giveUp(after: 150)
                let found = try Found("none")
                let inherited = ProcessFacts.internetSockets.count
                let session = found.session(.with { $0.timeoutIntervalForRequest = 20 })
                let urls = [found.url, found.multiplexedURL].map { $0 + "/text" }
                // The loop, the store, and what Dispatch and Foundation set up.
                for url in urls { #expect(await session.request(url).raw().text == "hello") }
                try await Self.requestsWithoutDescriptors(urls, on: session, found)
                // The connection over HTTP/2 is kept, and the others' server closes each.
                #expect(
                    await eventually { ProcessFacts.internetSockets.count == inherited + 1 },
                    "\(inherited), now \(ProcessFacts.internetSockets)")
                withExtendedLifetime(session) {}
            }
        }

        private static func requestsWithoutDescriptors(_ urls: [String], on session: Session, _ found: Found) async throws {
            let fresh = found.session(.with { $0.timeoutIntervalForRequest = 20 })
            scarce_descriptors_leave(0)
            for _ in 0..<20 {
                let response = await session.request(urls[1]).raw()
                #expect(response.text == "hello" && response.hop?.networkProtocolName == "h2", "\(response)")
            }
            for (session, url) in [(session, urls[0]), (fresh, urls[0]), (fresh, urls[1])] {
                let responses = await withTaskGroup(of: DataResponse<Data?>.self) { group in
                    for _ in 0..<10 { group.addTask { await session.request(url).raw() } }
                    return await group.reduce(into: []) { $0.append($1) }
                }
                #expect(responses.allSatisfy { $0.kind == .transportFailed(.cannotConnectToHost) }, "\(responses)")
                #expect(responses.allSatisfy { $0.words.hasSuffix(": out of file descriptors") }, "\(responses)")
            }
            #expect(scarce_descriptors_refused() >= 30)
            scarce_descriptors_leave(-1)
            for session in [session, fresh] { for url in urls { #expect(await session.request(url).raw().text == "hello") } }
        }

        /// Each step of a handshake takes up to a millisecond.
        @Test("While 100 handshakes are made, a request on a kept connection is answered")
        func manyHandshakes() async throws {
            let bench = try SecureBench(configuration: .with { $0.maximumConnectionsPerHost = 200 })
            defer { bench.stop() }
            bench.server.route("/text") { _ in MockResponse.text("hello").closing() }
            let plain = try MockServer()
            defer { plain.shutdown() }
            plain.route("*") { _ in .text("plain") }
            #expect(await bench.session.request(plain.url()).raw().text == "plain")
            // On threads, which do not wait for other tests, and the best of several tries.
            var most = 0
            for _ in 0..<5 where most <= 10 { most = max(most, await Self.answers(plain.url(), while: 100, to: bench)) }
            #expect(most > 10, "\(most) requests while 100 handshakes were made")
        }

        /// How many requests are answered, one after the other, while so many others make handshakes.
        private static func answers(_ url: String, while count: Int, to bench: SecureBench) async -> Int {
            let (isOver, answered) = (Locked(false), Journal<Void>())
            await onThreads(2) { index in
                guard index == 0 else {
                    while !isOver.withLock({ $0 }) {
                        let isThere = DispatchSemaphore(value: 0)
                        bench.session.request(url).responseString(queue: .global()) { response in
                            #expect(response.value == "plain", "\(response)")
                            isThere.signal()
                        }
                        guard isThere.wait(timeout: .now() + 60) == .success else {
                            Issue.record("no answer")
                            return
                        }
                        answered.add(())
                    }
                    return
                }
                let all = DispatchGroup()
                for _ in 0..<count {
                    all.enter()
                    bench.session.request(bench.url("/text")).responseString(queue: .global()) { response in
                        #expect(response.value == "hello", "\(response)")
                        all.leave()
                    }
                }
                #expect(all.wait(timeout: .now() + 120) == .success)
                isOver.withLock { $0 = true }
            }
            return answered.count
        }
    }
#endif
