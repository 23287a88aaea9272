#if os(Linux)
    import FirewheelTesting
    import Foundation
    import Testing

    @testable import Firewheel
    @testable import FirewheelTesting

    extension ErrorTable {
        /// Failures of HTTP/2 on `SocketTransport`.
        static let multiplexed: [Failure] = [
            scripted("The server gives an HTTP/2 stream up", HTTP2Script.reset(.internalError)),
            scripted("An HTTP/2 stream ends with an error that says that a rule was broken", HTTP2Script.reset(.protocolError)),
            scripted("An HTTP/2 stream ends without an error before its response", HTTP2Script.head() + HTTP2Script.reset(.noError)),
            scripted("The server closes an HTTP/2 connection with an error", HTTP2Script.goAway(.internalError, lastStream: 1), .properly),
            scripted("The server refuses an HTTP/2 stream again and again", HTTP2Script.goAway(.noError, lastStream: 0), .properly),
            Failure("The server refuses an HTTP/2 stream whose body cannot be repeated") {
                try await onWire { server, bench in
                    let body = ConformanceStream(Data("once".utf8), length: nil)
                    let id = try bench.start(server.url, method: .put, body: .stream(body))
                    let peer = try server.accept()
                    let stream = try peer.request()
                    _ = try peer.next(.data)
                    peer.reset(stream, 7)
                    return try bench.end(of: id).error
                }
            },
            scripted("The server breaks the rules of HTTP/2", HTTP2Script.frame(.settings, [])),
            scripted(
                "The server sends too many HTTP/2 frames that carry nothing",
                Array(repeatElement(HTTP2Script.frame(.settings, stream: 0, []), count: 20_000).joined())),
            Failure("The server does not offer HTTP/2, and httpVersions demands it") {
                let (authority, server) = (try TestAuthority(), try MockServer())
                defer { server.shutdown() }
                let front = try TLSFront(to: server.port, identity: authority.identity(addresses: ["127.0.0.1"]))
                defer { front.stop() }
                let session = authority.socketSession(.with { $0.httpVersions = .http2PriorKnowledge })
                let response = await session.request(front.url()).raw()
                withExtendedLifetime(session) {}
                return response.error
            },
            Failure("The server answers in HTTP/1.1, and httpVersions demands HTTP/2") {
                let server = try RawServer([["HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\n\r\n"]], ending: .close)
                let session = Session.onSockets(.with { $0.httpVersions = .http2PriorKnowledge })
                let response = await session.request(server.url).raw()
                withExtendedLifetime(session) {}
                return response.error
            },
            Failure("The system has no libnghttp2, and httpVersions demands HTTP/2") {
                let configuration = SessionConfiguration.with { $0.httpVersions = .http2PriorKnowledge }
                let transport = SocketTransport(
                    limits: ConnectionLimits(configuration), loadHTTP2: { HTTP2Library.load("libnghttp2-of-nobody.so") })
                let session = Session(configuration: configuration, transport: transport)
                let response = await session.request("http://127.0.0.1:1/").raw()
                withExtendedLifetime(session) {}
                return response.error
            },
        ]

        /// A failure in the exchange with a server that sends these frames.
        private static func scripted(_ name: String, _ frames: [UInt8], _ close: HTTP2Script.Close = .never) -> Failure {
            Failure(name) {
                try await FrameScriptServer.response(to: HTTP2Script(frames: frames, close: close), method: .post).response.error
            }
        }

        /// A request's error of which only the transport can have the request.
        private static func onWire(
            _ work: @escaping @Sendable (FramesServer, HTTP2WireBench) throws -> TransportError?
        ) async throws -> (any Error)? {
            let failure = Locked<TransportError?>(nil)
            await HTTP2WireBench.run { server, bench in
                let error = try work(server, bench)
                failure.withLock { $0 = error }
            }
            guard let failure = failure.withLock({ $0 }) else { return nil }
            let session = Session(transport: StubTransport { _ in [.fail(failure)] })
            let response = await session.request("http://stub.test/").raw()
            withExtendedLifetime(session) {}
            return response.error
        }
    }

    extension Session {
        fileprivate static func onSockets(_ configuration: SessionConfiguration) -> Session {
            Session(configuration: configuration, transport: SocketTransport(configuration: configuration))
        }
    }
#else
    extension ErrorTable {
        static let multiplexed: [Failure] = []
    }
#endif
