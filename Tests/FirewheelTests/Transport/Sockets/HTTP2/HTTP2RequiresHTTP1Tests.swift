#if os(Linux)
    import FirewheelTesting
    import Foundation
    import Testing

    @testable import Firewheel
    @testable import FirewheelTesting

    /// Servers that offer HTTP/2 in the TLS handshake, and then want HTTP/1.1 (RFC 9113 section 7), and systems without libnghttp2.
    @Suite("HTTP/2 over TLS: back to HTTP/1.1", .needsHTTP2Server, .timeLimit(.minutes(5)))
    struct HTTP2RequiresHTTP1Tests {
        private static let http11Required: UInt32 = 13

        @Test(
            "The request goes again over HTTP/1.1, whatever its method, and the next ones begin so",
            arguments: [HTTPMethod.get, .put, .post], ["reset", "GOAWAY"])
        func again(method: HTTPMethod, how: String) async throws {
            try await SecureFramesBench().run { bench in
                let body: BodySource? = method == .get ? nil : .data(Data("hello".utf8))
                let answer = method == .get ? "GET " : "\(method.rawValue) hello"
                let id = try bench.wire.start(bench.front.url(), method: method, body: body)
                let peer = try bench.frames.accept()
                let stream = try peer.request()
                if how == "reset" { peer.reset(stream, Self.http11Required) } else { peer.goAway(lastStream: 0, Self.http11Required) }
                #expect(try bench.wire.text(of: id) == answer)
                #expect(try bench.wire.end(of: id).metrics.networkProtocolName == "http/1.1")
                let next = try bench.wire.start(bench.front.url(), method: method, body: body)
                #expect(try bench.wire.text(of: next) == answer)
                #expect(bench.front.handshakes.map(\.offeredProtocols) == [["h2", "http/1.1"], ["http/1.1"]])
                #expect(bench.plain.requestCount == 2)
            }
        }

        @Test("The other requests of that connection are answered there")
        func several() async throws {
            try await SecureFramesBench().run { bench in
                let start = { try bench.wire.start(bench.front.url(), method: .post, body: .data(Data("a".utf8))) }
                // The others begin when there is a connection.
                var ids = [try start()]
                let peer = try bench.frames.accept()
                var streams = [try peer.request()]
                for _ in 0..<9 { ids.append(try start()) }
                for _ in 0..<9 { streams.append(try peer.request()) }
                for (number, stream) in streams.enumerated() {
                    if number < 4 { peer.reset(stream, Self.http11Required) } else { peer.answer(stream, "two") }
                }
                let texts = try ids.map { try bench.wire.text(of: $0) }
                #expect(texts.count { $0 == "POST a" } == 4 && texts.count { $0 == "two" } == 6)
                #expect(bench.plain.requestCount == 4)
            }
        }

        @Test("A request whose response has begun is not sent again")
        func begun() async throws {
            try await SecureFramesBench().run { bench in
                let id = try bench.wire.start(bench.front.url())
                let peer = try bench.frames.accept()
                let stream = try peer.request()
                peer.send(.headers, flags: 4, stream: stream, [0x88])
                peer.reset(stream, Self.http11Required)
                #expect(try bench.wire.text(of: id).contains("HTTP_1_1_REQUIRED"))
                #expect(bench.plain.requestCount == 0)
            }
        }

        @Test("A body that cannot be repeated is an error once it has begun, and goes over HTTP/1.1 otherwise", arguments: [true, false])
        func unrepeatable(hasBegun: Bool) async throws {
            try await SecureFramesBench().run { bench in
                let body = ConformanceStream(Data("hello".utf8), length: nil)
                let id = try bench.wire.start(bench.front.url(), method: .put, body: .stream(body)) { $0.expectsContinue = !hasBegun }
                let peer = try bench.frames.accept()
                let stream = try peer.request()
                if hasBegun { _ = try peer.next(.data) }
                peer.reset(stream, Self.http11Required)
                guard hasBegun else {
                    #expect(try bench.wire.text(of: id) == "PUT hello")
                    return
                }
                #expect(try bench.wire.end(of: id).error == .bodyNotRepeatable("the server refused the HTTP/2 stream"))
                #expect(bench.plain.requestCount == 0 && body.readerCount == 1)
            }
        }

        // MARK: Without the library

        private static let library = HTTP2Library.load("libnothing.so.14")

        @Test("Without libnghttp2 nothing but HTTP/1.1 is offered, and requests go over it")
        func noLibrary() async throws {
            let bench = try SecureFramesBench()
            let transport = SocketTransport(
                limits: ConnectionLimits(SessionConfiguration()), places: TLSStorePlaces(file: bench.authority.pemFile.path),
                loadHTTP2: { Self.library })
            let session = Session(transport: transport)
            for url in [bench.front.url(), bench.plain.url()] {
                let response = await session.request(url).raw()
                #expect(response.text == "GET " && response.hop?.networkProtocolName == "http/1.1", "\(response)")
            }
            #expect(bench.front.handshakes.map(\.offeredProtocols) == [["http/1.1"]])
            await bench.run { _ in }
        }

        @Test("Without libnghttp2 a session that demands HTTP/2 gets an error that names library and package", arguments: [true, false])
        func demandedWithoutLibrary(isSecure: Bool) async throws {
            let bench = try SecureFramesBench()
            let configuration = SessionConfiguration.with { $0.httpVersions = .http2PriorKnowledge }
            let transport = SocketTransport(
                limits: ConnectionLimits(configuration), places: TLSStorePlaces(file: bench.authority.pemFile.path),
                loadHTTP2: { Self.library })
            let session = Session(configuration: configuration, transport: transport)
            let response = await session.request(isSecure ? bench.front.url() : bench.plain.url()).raw()
            #expect(response.kind == .transportFailed(.resourceUnavailable))
            #expect(response.words.contains("HTTP/2 is not possible: libnothing.so.14 (package libnghttp2-14) could not be loaded"))
            #expect(bench.front.handshakes.isEmpty && bench.plain.requestCount == 0)
            await bench.run { _ in }
        }
    }
#endif
