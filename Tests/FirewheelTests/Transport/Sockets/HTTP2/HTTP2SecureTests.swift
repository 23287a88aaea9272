#if os(Linux)
    import Foundation
    import Testing

    @testable import Firewheel
    @testable import FirewheelTesting

    /// Which version a server is spoken to after a TLS handshake (ALPN, RFC 9113 section 3.2).
    @Suite("HTTP/2 over TLS: versions", .needsHTTP2Server, .timeLimit(.minutes(5)))
    struct HTTP2SecureTests {
        private let authority: TestAuthority
        private let server: MockServer

        init() throws {
            authority = try TestAuthority()
            server = try MockServer()
            server.route("/*") { .text($0.path) }
        }

        /// The texts of as many requests, and the protocols of their metrics.
        private func responses(_ count: Int, _ session: Session, _ url: (String) -> String) async -> (
            texts: Set<String>, names: Set<String>
        ) {
            await withTaskGroup(of: (String, String).self) { group in
                for number in 0..<count {
                    let url = url("/\(number)")
                    group.addTask {
                        let response = await session.request(url).raw()
                        return (response.text ?? response.words, response.hop?.networkProtocolName ?? "none")
                    }
                }
                return await group.reduce(into: (Set(), Set())) {
                    $0.0.insert($1.0)
                    $0.1.insert($1.1)
                }
            }
        }

        @Test("One request makes the first handshake, and the others share its connection")
        func sharing() async throws {
            defer { server.shutdown() }
            var front = try sharingFront()
            for _ in 0..<5 {
                let start = MonotonicInstant.now()
                let (session, url) = (authority.socketSession(), front.url(""))
                let (texts, names) = await responses(100, session) { url + $0 }
                #expect(texts == Set((0..<100).map { "/\($0)" }) && names == ["h2"])
                withExtendedLifetime(session) {}
                // On a busy machine the handshake may take a second, for which the others do not wait.
                if front.visits.count == 1 || MonotonicInstant.now().seconds(since: start) < 0.9 { break }
                front = try sharingFront()
            }
            #expect(front.visits.map(\.streams) == [100] && front.tls?.handshakes.map(\.protocolName) == ["h2"])
        }

        private func sharingFront() throws -> HTTP2Front {
            try HTTP2Front(
                to: server.port, identity: authority.identity(addresses: ["127.0.0.1"]), options: .with { $0.offersHTTP1 = true })
        }

        @Test("What requests write in a turn of the loop leaves in one record")
        func oneRecord() async throws {
            server.shutdown()
            try await SecureFramesBench().run { bench in
                let first = try bench.wire.start(bench.front.url("/first"))
                let peer = try bench.frames.accept()
                var streams = [try peer.request()]
                // The last that the client sends by itself.
                while try !peer.next(.settings).isLast {}
                let before = try #require(bench.front.handshakes.first?.applicationRecords)
                var ids = [first]
                try bench.wire.whileStopped {
                    for number in 0..<20 { ids.append(try bench.wire.start(bench.front.url("/\(number)"))) }
                }
                for _ in 0..<20 { streams.append(try peer.request()) }
                #expect(bench.front.handshakes.map(\.applicationRecords) == [before + 1])
                for stream in streams { peer.answer(stream, "done") }
                for id in ids { #expect(try bench.wire.text(of: id) == "done") }
            }
        }

        @Test("A server that offers no HTTP/2 gets as many connections as over HTTP/1.1", arguments: [HTTPVersions.automatic, .http1Only])
        func http1(versions: HTTPVersions) async throws {
            defer { server.shutdown() }
            let front = try HTTP2Front(
                to: server.port, identity: authority.identity(addresses: ["127.0.0.1"]), options: .with { $0.offersHTTP1 = true })
            let plain = try TLSFront(to: server.port, identity: authority.identity(addresses: ["127.0.0.1"]))
            let session = authority.socketSession(.with { $0.httpVersions = versions })
            let (texts, names) = await responses(50, session) { versions == .automatic ? plain.url($0) : front.url($0) }
            #expect(texts == Set((0..<50).map { "/\($0)" }) && names == ["http/1.1"])
            #expect(front.visits.isEmpty)
            withExtendedLifetime(session) {}
        }

        @Test("A server that chooses HTTP/2 although it was not offered is an error, and hears no request (RFC 7301 section 3.2)")
        func unoffered() async throws {
            defer { server.shutdown() }
            let front = try TLSFront(
                to: server.port, identity: authority.identity(addresses: ["127.0.0.1"]),
                options: .with {
                    $0.protocols = ["h2"]
                    $0.selection = .forced
                })
            defer { front.stop() }
            let session = authority.socketSession(.with { $0.httpVersions = .http1Only })
            let response = await session.request(front.url()).raw()
            #expect(response.kind == .transportFailed(.secureConnectionFailed), "\(response)")
            let failed = "the TLS handshake with 127.0.0.1:\(front.port) failed: the server"
            #expect(["\(failed)'s choice of a protocol", "\(failed) chose the protocol"].contains { response.words.contains($0) })
            #expect(front.handshakes.count == 1 && front.handshakes.allSatisfy { $0.applicationBytes == 0 })
            withExtendedLifetime(session) {}
        }

        @Test(
            "What is offered by ALPN is what the session may speak (RFC 9113 section 3.2), and the server's choice is spoken",
            arguments: [
                (HTTPVersions.automatic, ["h2", "http/1.1"], "h2"), (.http1Only, ["http/1.1"], "http/1.1"),
                (.http2PriorKnowledge, ["h2"], "h2"),
            ])
        func offered(versions: HTTPVersions, names: [String], spoken: String) async throws {
            defer { server.shutdown() }
            let front = try HTTP2Front(
                to: server.port, identity: authority.identity(addresses: ["127.0.0.1"]), options: .with { $0.offersHTTP1 = true })
            let session = authority.socketSession(.with { $0.httpVersions = versions })
            for number in 0..<2 {
                let response = await session.request(front.url("/\(number)")).raw()
                #expect(response.text == "/\(number)" && response.hop?.networkProtocolName == spoken, "\(response)")
                #expect(response.hop?.isReusedConnection == (number > 0))
            }
            #expect(front.tls?.handshakes.map(\.offeredProtocols) == [names])
            #expect(front.tls?.handshakes.map(\.protocolName) == [spoken])
            #expect(front.visits.map(\.streams) == (spoken == "h2" ? [2] : []))
            withExtendedLifetime(session) {}
        }

        @Test("libnghttp2 is loaded on a thread that may wait for it", arguments: [HTTPVersions.automatic, .http2PriorKnowledge])
        func loading(versions: HTTPVersions) async throws {
            defer { server.shutdown() }
            let isSecure = versions == .automatic
            let front = try HTTP2Front(
                to: server.port, identity: isSecure ? authority.identity(addresses: ["127.0.0.1"]) : nil)
            let threads = Journal<String>()
            let configuration = SessionConfiguration.with { $0.httpVersions = versions }
            let transport = SocketTransport(
                limits: ConnectionLimits(configuration), places: TLSStorePlaces(file: authority.pemFile.path),
                loadHTTP2: {
                    threads.add((try? String(contentsOfFile: "/proc/thread-self/comm", encoding: .utf8)) ?? "")
                    return HTTP2Library.system
                })
            let session = Session(configuration: configuration, transport: transport)
            #expect(await session.request(front.url("/1")).raw().text == "/1")
            #expect(try !ProcessFacts.isLoop(#require(threads.entries.first)), "\(threads.entries)")
            withExtendedLifetime(session) {}
        }

        @Test("With prior knowledge a server that does not offer HTTP/2 is an error that says so")
        func demanded() async throws {
            defer { server.shutdown() }
            let plain = try TLSFront(to: server.port, identity: authority.identity(addresses: ["127.0.0.1"]))
            let session = authority.socketSession(.with { $0.httpVersions = .http2PriorKnowledge })
            let response = await session.request(plain.url("/")).raw()
            #expect(response.words.contains("does not offer HTTP/2"), "\(response.words)")
            #expect(server.requestCount == 0)
            withExtendedLifetime(session) {}
        }
    }
#endif
