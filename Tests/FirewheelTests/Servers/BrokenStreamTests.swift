#if os(Linux)
    import Firewheel
    import Foundation
    import Testing

    /// `ResendTests` with TLS and HTTP/2.
    @Suite("nginx: requests on a broken connection with TLS", .needs(.tls), .timeLimit(.minutes(5)))
    struct BrokenStreamTests {
        /// Makes a request, and then others on its connection, which is cut during them.
        private func afterCut(
            _ server: TestServer, _ requests: Int, _ method: HTTPMethod, body: Data? = nil
        ) async throws -> (Relay, [DataResponse<Data?>]) {
            let url = try server.url("")
            let relay = try Relay(to: try #require(URL(string: url)?.port))
            let session = try server.session()
            let path = "https://localhost:\(relay.port)/echo-body"
            // After the second request the client has sent all frames of its own about the connection, which could end it too early.
            for _ in 0..<2 { #expect(await session.request(path).raw().kind == nil) }
            relay.cut()
            let responses = try await withThrowingTaskGroup(of: DataResponse<Data?>.self) { group in
                for _ in 0..<requests {
                    group.addTask { await session.request(try URLRequest.upload(body, to: path, method: method, headers: nil)).raw() }
                }
                return try await group.reduce(into: []) { $0.append($1) }
            }
            withExtendedLifetime(session) {}
            return (relay, responses)
        }

        @Test(
            "An idempotent request on a broken connection is repeated on a new one (RFC 9110 section 9.2.2)",
            arguments: [TestServer.tls, .tlsHTTP1],
            [HTTPMethod.get, .put])
        func repeated(server: TestServer, method: HTTPMethod) async throws {
            for body in method == .get ? [nil] : [nil, pattern(3_000), pattern(3_000_000)] {
                let (relay, responses) = try await afterCut(server, 1, method, body: body)
                #expect(responses.map(\.statusCode) == [200], "\(responses.compactMap(\.error))")
                #expect(relay.connectionCount == 2)
            }
        }

        @Test("A POST on a broken connection is not repeated", arguments: [TestServer.tls, .tlsHTTP1], [0, 3_000_000])
        func notRepeated(server: TestServer, size: Int) async throws {
            let (_, responses) = try await afterCut(server, 1, .post, body: pattern(size))
            #expect(responses.map(\.kind) == [.transportFailed(.networkConnectionLost)])
        }

        @Test("30 streams on one broken connection are all repeated")
        func streams() async throws {
            let (_, responses) = try await afterCut(.tls, 30, .get)
            #expect(responses.map(\.statusCode) == Array(repeating: 200, count: 30), "\(responses.compactMap(\.error))")
        }
    }
#endif
