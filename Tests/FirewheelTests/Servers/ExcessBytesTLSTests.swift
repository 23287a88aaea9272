#if os(Linux)
    import Firewheel
    import Foundation
    import Testing

    /// With TLS the excess bytes come from the server itself, or from a proxy before it.
    @Suite("Excess bytes after a response, with TLS", .needs(.tls), .timeLimit(.minutes(5)))
    struct ExcessBytesTLSTests {
        private static let hello = "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello"
        private static let evil = "HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nevil"
        private static let good = "HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\ngood"
        /// A response that fills a TLS record, so that the excess bytes are in another one.
        private static let large = "HTTP/1.1 200 OK\r\nContent-Length: 16342\r\n\r\n" + String(repeating: "x", count: 16_342)

        @Test("Excess bytes after a TLS response are not read as the next response", arguments: [false, true])
        func later(isLarge: Bool) async throws {
            let server = try OpenSSLServer([[isLarge ? Self.large : Self.hello, Self.evil], [Self.good]])
            let session = try TestServer.tls.session(.with { $0.timeoutIntervalForRequest = 20 })
            #expect(await session.request(server.url).raw().content?.count == (isLarge ? 16_342 : 5))
            // The second piece comes a moment after the first.
            try await waitUntil("the end of the connection") { server.ended.count == 1 }
            let next = await session.request(server.url).raw()
            #expect(next.text == "good", "\(String(describing: next.error))")
            #expect(next.hop?.isReusedConnection == false)
        }

        @Test("Excess bytes after a TLS response are not read as the response of a queued request")
        func queued() async throws {
            let server = try OpenSSLServer([[Self.large + Self.evil], [Self.good]])
            // The server sends them in two records, with a possible delay between. TLS 1.3 adds 22 bytes to each (RFC 8446 section 5.2).
            let relay = try Relay(to: server.port, together: (Self.large + Self.evil).utf8.count + 2 * 22)
            let url = "https://127.0.0.1:\(relay.port)/"
            let session = try TestServer.tls.session(
                .with {
                    $0.timeoutIntervalForRequest = 20
                    $0.maximumConnectionsPerHost = 1
                })
            // Both are queued before the first is answered.
            let requests = [session.request(url).resume(), session.request(url).resume()]
            #expect(await requests[0].raw().content?.count == 16_342)
            let next = await requests[1].raw()
            #expect(next.text == "good", "\(String(describing: next.error))")
        }

        @Test("Connections with nothing left to read are reused, also after a pause", arguments: [TestServer.tlsHTTP1, .tls])
        func kept(server: TestServer) async throws {
            let session = try server.session()
            for number in 0..<50 {
                // Long enough for anything the server sends after a response.
                if number % 10 == 1 { try await Task.sleep(nanoseconds: 50_000_000) }
                let response = await session.request(try server.url("/echo-method")).raw()
                #expect(response.text == "GET")
                #expect(response.hop?.isReusedConnection == (number > 0), "request \(number)")
            }
        }
    }
#endif
