#if os(Linux)
    import Foundation
    import Glibc
    import Testing

    @testable import Firewheel
    @testable import FirewheelTesting

    /// `SessionConfiguration.unixSocketPath`.
    @Suite("Unix sockets", .timeLimit(.minutes(5)))
    struct UnixSocketTests {
        private func session(_ path: String, _ change: (inout SessionConfiguration) -> Void = { _ in }) -> Session {
            var configuration = SessionConfiguration()
            configuration.timeoutIntervalForRequest = 20
            configuration.unixSocketPath = path
            change(&configuration)
            return Session(configuration: configuration)
        }

        @Test("The server gets the request as over TCP, and the metrics say where it went", arguments: [false, true])
        func plain(isAbstract: Bool) async throws {
            let server = try MockServer()
            let front = try UnixFront(to: server.port, isAbstract: isAbstract)
            defer {
                front.stop()
                server.shutdown()
            }
            server.route("*") {
                .text("\($0.method) \($0.target) \($0.bodyText) \($0.header("Cookie") ?? "none")").header("Set-Cookie", "a=b")
            }
            let session = session(front.path)
            for number in 0..<2 {
                let response = await session.upload(Data("body".utf8), to: "http://localhost/v1.43/containers/json?all=1")
                    .serializingString().response
                #expect(response.value == "POST /v1.43/containers/json?all=1 body \(number == 0 ? "none" : "a=b")", "\(response)")
                #expect(try await server.takeRequest().header("Host") == "localhost")
                let hop = try #require(response.metrics?.transactionMetrics.first)
                #expect(hop.remoteAddress == front.path && hop.remotePort == nil && hop.localAddress == nil && hop.localPort == nil)
                #expect(hop.addressFamily == nil && hop.connectedHost == nil && hop.isProxyConnection == false)
                #expect(hop.isReusedConnection == (number > 0) && (hop.connectStartDate != nil) == (number == 0))
                #expect(hop.domainLookupStartDate == nil)
                #expect("\(hop)".contains(" to \(front.path)"), "\(hop)")
                #expect(response.metrics?.waterfall().contains(front.path) == true)
            }
        }

        @Test("An abstract name may have a NUL in front, as the system has it")
        func nul() async throws {
            let server = try MockServer()
            let front = try UnixFront(to: server.port, isAbstract: true)
            defer {
                front.stop()
                server.shutdown()
            }
            server.route("*") { _ in .text("x") }
            let response = await session("\0" + front.path.dropFirst()).request("http://localhost/").raw()
            #expect(response.text == "x" && response.hop?.remoteAddress == front.path, "\(response)")
        }

        @Test("The longest path there can be is connected to")
        func longest() async throws {
            let listener = try UnixListener()
            let link = "/tmp/firewheel-\(UUID().uuidString)-" + String(repeating: "l", count: 107 - 52)
            #expect(symlink(listener.path, link) == 0)
            defer { unlink(link) }
            let front = try FrontListener(name: "mock-unix", listener: listener.descriptor, port: 0) { arrival in
                _ = arrival.read()
                arrival.send(Array("HTTP/1.1 200 OK\r\nContent-Length: 1\r\nConnection: close\r\n\r\nx".utf8))
                arrival.end()
            }
            defer { front.stop() }
            #expect(link.utf8.count == 107)
            #expect(await session(link).request("http://localhost/").raw().text == "x")
            let response = await session(link + "l").request("http://localhost/").raw()
            #expect(response.kind == .transportFailed(.resourceUnavailable))
            #expect(response.words.contains("has 108 bytes, and the address of a Unix socket has at most 107"), "\(response.words)")
            withExtendedLifetime(listener) {}
        }

        @Test("https: the certificate is the one of the URL's host, and large bodies pass in both directions", arguments: [false, true])
        func secure(isMultiplexed: Bool) async throws {
            let bench = try TrustBench(isMultiplexed: isMultiplexed) { try $0.identity(names: ["docker.test"], intermediates: 1) }
            let front = try UnixFront(to: bench.front.port)
            defer {
                front.stop()
                bench.stop()
            }
            bench.server.route("*") { .data($0.body) }
            var configuration = try bench.configuration()
            configuration.unixSocketPath = front.path
            let session = Session(configuration: configuration)
            let body = Data((0..<3_000_000).map { UInt8(truncatingIfNeeded: $0 / 7) })
            let response = await session.upload(body, to: "https://docker.test/").serializingData().response
            #expect(response.value == body, "\(response)")
            let hop = try #require(response.metrics?.transactionMetrics.first)
            #expect(hop.networkProtocolName == (isMultiplexed ? "h2" : "http/1.1") && hop.remoteAddress == front.path)
            #expect(bench.front.handshakes.map(\.serverName) == ["docker.test"])
            let other = await session.request("https://other.test/").raw()
            #expect(other.kind == .transportFailed(.serverCertificateUntrusted), "\(other)")
            #expect(other.words.contains("other.test") && other.words.contains("(connected to the Unix socket \"\(front.path)\")"))
        }

        @Test("Every host of the session is reached over the socket, also after a redirect")
        func everyHost() async throws {
            let server = try MockServer()
            let front = try UnixFront(to: server.port)
            defer {
                front.stop()
                server.shutdown()
            }
            server.route("/a") { _ in .status(302).header("Location", "http://nowhere.invalid:81/b") }
            server.route("/b") { .text($0.header("Host") ?? "") }
            let response = await session(front.path).request("http://localhost/a").serializingString().response
            #expect(response.value == "nowhere.invalid:81", "\(response)")
            #expect(response.metrics?.transactionMetrics.map(\.remoteAddress) == [front.path, front.path])
        }

        @Test(
            "A path that cannot be that of a socket makes requests fail, and says why",
            arguments: [
                ("", "\"\" is empty"), ("@", "has no name behind its first character"), ("\0", "has no name behind its first character"),
                ("/tmp/a\0b", "has a NUL character"), (String(repeating: "p", count: 200), "has 200 bytes"),
                (String(repeating: "p", count: 100_000), "has 100000 bytes"),
                ("@" + String(repeating: "ä", count: 54), "has 108 bytes"),
            ])
        func invalid(path: String, words: String) async {
            let response = await session(path).request("http://localhost/").raw()
            #expect(response.kind == .transportFailed(.resourceUnavailable))
            #expect(response.words.contains("the session's unixSocketPath") && response.words.contains(words), "\(response.words)")
            #expect(response.words.utf8.count < 1_000)
            #expect(!response.words.contains("\0"))
        }

        @Test("Settings that a Unix socket has no use for are an error")
        func others() async {
            let asked = Journal<URL>()
            let changes: [(String, (inout SessionConfiguration) -> Void)] = [
                ("its hosts cannot", { $0.hosts = ["a.test": "b.test"] }), ("its addressFamily cannot", { $0.addressFamily = .ipv6 }),
                ("its proxy cannot", { $0.proxy = .http(host: "127.0.0.1", port: 1) }),
                (
                    "its proxy cannot",
                    {
                        $0.proxy = .custom {
                            asked.add($0)
                            return .none
                        }
                    }
                ),
                (
                    "its addressFamily and its proxy cannot",
                    {
                        $0.addressFamily = .ipv4
                        $0.proxy = .socks4a(host: "127.0.0.1", port: 1)
                    }
                ),
            ]
            for (words, change) in changes {
                let response = await session("/tmp/x", change).request("http://localhost/").raw()
                #expect(response.kind == .transportFailed(.resourceUnavailable) && response.words.contains(words), "\(response.words)")
            }
            #expect(asked.count == 0)
        }

        @Test("The proxies of the environment are not used, valid or not", arguments: ["http://127.0.0.1:1", "nonsense://x"])
        func environment(variable: String) async {
            await #expect(processExitsWith: .success) { [variable] in
                for name in ["http_proxy", "https_proxy", "all_proxy"] { setenv(name, variable, 1) }
                let server = try MockServer()
                let front = try UnixFront(to: server.port)
                defer {
                    front.stop()
                    server.shutdown()
                }
                server.route("*") { _ in .text("x") }
                var configuration = SessionConfiguration()
                configuration.unixSocketPath = front.path
                let session = Session(configuration: configuration)
                let response = await session.request("http://localhost/").raw()
                #expect(response.text == "x" && response.hop?.isProxyConnection == false, "\(response)")
                // The setting that is not supported is named, and not the proxy.
                let other = await Session(configuration: configuration, transport: URLSessionTransport()).request("http://localhost/").raw()
                #expect(other.words.contains("URLSessionTransport cannot connect to Unix sockets"), "\(other.words)")
            }
        }

        @Test("Sessions with the same transport and different sockets do not share connections")
        func sharedTransport() async throws {
            let servers = [try MockServer(), try MockServer()]
            let fronts = try servers.map { try UnixFront(to: $0.port) }
            defer {
                for front in fronts { front.stop() }
                for server in servers { server.shutdown() }
            }
            for (number, server) in servers.enumerated() { server.route("*") { _ in .text("\(number)") } }
            let transport = SocketTransport()
            for _ in 0..<2 {
                for (number, front) in fronts.enumerated() {
                    let session = Session(configuration: .with { $0.unixSocketPath = front.path }, transport: transport)
                    #expect(await session.request("http://localhost/").raw().text == "\(number)")
                }
            }
            #expect(servers.map(\.connectionCount) == [1, 1])
            #expect(try UnixSocket("/e\u{301}") != UnixSocket("/\u{E9}"))
        }

        @Test("HTTP/2 without TLS, and a new listener at the path of one that has gone")
        func priorKnowledge() async throws {
            let server = try MockServer()
            defer { server.shutdown() }
            server.route("*") { .text($0.path) }
            let multiplexed = try HTTP2Front(to: server.port)
            defer { multiplexed.stop() }
            let folder = "/tmp/firewheel-\(UUID().uuidString)"
            try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: false)
            defer { try? FileManager.default.removeItem(atPath: folder) }
            let session = session(folder + "/link") { $0.httpVersions = .http2PriorKnowledge }
            for round in 0..<2 {
                let front = try UnixFront(to: multiplexed.port)
                unlink(folder + "/link")
                #expect(symlink(front.path, folder + "/link") == 0)
                for number in 0..<2 {
                    let response = await session.request("http://localhost/\(round)\(number)").raw()
                    #expect(response.text == "/\(round)\(number)" && response.hop?.networkProtocolName == "h2", "\(response)")
                    #expect(response.hop?.isReusedConnection == (number > 0))
                }
                front.stop()
                // What is known of the connections' end by then decides whether one is tried in vain.
                try await waitUntil("the end of the connections") { multiplexed.visits.allSatisfy { !$0.isOpen } }
            }
        }

        @Test("What cannot be connected to is named, with the reason")
        func unreachable() async throws {
            let folder = URL(fileURLWithPath: NSTemporaryDirectory()).appendingPathComponent("firewheel-\(UUID().uuidString)").path
            #expect(mkdir(folder, 0o700) == 0)
            defer { try? FileManager.default.removeItem(atPath: folder) }
            let file = folder + "/file"
            #expect(FileManager.default.createFile(atPath: file, contents: nil))
            let (silent, datagrams) = (try UnixListener(backlog: nil), try UnixListener(backlog: nil, kind: SOCK_DGRAM))
            defer { for socket in [silent, datagrams] { close(socket.descriptor) } }
            let rows = [
                (folder, "it is a folder"), (file, "it is not a socket"), (folder + "/none", "there is no such file"),
                (silent.path, "no program listens to it"), (datagrams.path, "it is not a stream socket"),
                ("@firewheel-\(UUID().uuidString)", "no program listens to it"), (file + "/x", "a part of the path is not a folder"),
            ]
            for (path, words) in rows {
                let response = await session(path).request("http://localhost/").raw()
                #expect(response.kind == .transportFailed(.cannotConnectToHost), "\(response)")
                #expect(
                    response.words.lowercased().contains("cannot connect to the unix socket \"\(path.lowercased())\": \(words)"),
                    "\(response.words)")
            }
        }

        @Test("A listener whose queue is full is waited for, until the connect timeout; the wait can be cancelled and paused")
        func fullQueue() async throws {
            let listener = try UnixListener(backlog: 0)
            let impatient = session(listener.path) { $0.connectTimeout = 0.4 }
            let patient = session(listener.path)
            // The queue takes one connection, whose request nobody reads yet.
            let first = patient.request("http://localhost/1")
            let taken = Task { await first.raw() }
            try await waitUntil("the first connection") { Self.isFull(listener) }
            let waiting = patient.request("http://localhost/2").resume()
            let (cancelled, paused) = (patient.request("http://localhost/3").resume(), patient.request("http://localhost/4").resume())
            // They have begun to wait by the time at which this one has given up.
            let late = await impatient.request("http://localhost/").raw()
            #expect(late.kind == .transportFailed(.timedOut))
            #expect(late.words.contains("connecting to the Unix socket \"\(listener.path)\""), "\(late.words)")
            cancelled.cancel()
            #expect(await cancelled.raw().error?.asFirewheelError?.kind == .explicitlyCancelled)
            paused.suspend()
            let front = try FrontListener(name: "mock-unix", listener: listener.descriptor, port: 0) { arrival in
                guard let head = arrival.read() else { return }
                let path = String(decoding: head, as: UTF8.self).split(separator: " ").dropFirst().first ?? ""
                arrival.send(Array("HTTP/1.1 200 OK\r\nContent-Length: 2\r\nConnection: close\r\n\r\n\(path)".utf8))
                arrival.end()
            }
            defer { front.stop() }
            #expect(await taken.value.text == "/1")
            #expect(await waiting.raw().text == "/2")
            paused.resume()
            #expect(await paused.raw().text == "/4")
            withExtendedLifetime(listener) {}
        }

        @Test("A listener that goes while requests wait for it refuses them")
        func goneListener() async throws {
            let listener = try UnixListener(backlog: 0)
            let session = session(listener.path)
            let requests = (0..<3).map { session.request("http://localhost/\($0)").resume() }
            try await waitUntil("the first connection") { Self.isFull(listener) }
            close(listener.descriptor)
            for request in requests {
                let kind = await request.raw().kind
                #expect(
                    [.transportFailed(.cannotConnectToHost), .transportFailed(.networkConnectionLost)].contains(kind), "\(kind as Any)")
            }
            withExtendedLifetime(listener) {}
        }

        /// Whether the queue of a listener has no room: another connection would have to wait.
        private static func isFull(_ listener: UnixListener) -> Bool {
            var polled = pollfd(fd: listener.descriptor, events: Int16(POLLIN), revents: 0)
            return poll(&polled, 1, 0) == 1
        }

        @Test("URLSession cannot connect to it, and says so") func urlSession() async {
            var configuration = SessionConfiguration()
            configuration.unixSocketPath = "/tmp/x"
            let session = Session(configuration: configuration, transport: URLSessionTransport())
            let response = await session.request("http://localhost/").raw()
            #expect(response.kind == .transportFailed(.resourceUnavailable))
            #expect(response.words.contains("URLSessionTransport cannot connect to Unix sockets"), "\(response.words)")
        }

        @Test("The configuration prints it")
        func printed() {
            var configuration = SessionConfiguration()
            configuration.unixSocketPath = "/run/docker.sock"
            configuration.hosts = ["a.test": "b.test:81"]
            let text = "\(configuration)"
            #expect(text.contains("/run/docker.sock") && text.contains(#"["a.test": "b.test:81"]"#) && text.contains("addressFamily: any"))
        }
    }
#endif
