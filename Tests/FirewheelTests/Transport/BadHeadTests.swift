#if os(Linux)
    import Firewheel
    import Foundation
    import Testing

    /// Heads that parsers read differently.
    @Suite("Malformed response heads", .eachTransport, .timeLimit(.minutes(5)))
    struct BadHeadTests {
        @Test(
            "A bad HTTP version in the status line is cannotParseResponse, not unsupportedURL (RFC 9112 section 4)",
            arguments: ["HTTP/1.1 099 X", "HTTP/1.1 20 X", "HTTP/1.1 2000 X", "HTTP/3 200 OK"])
        func statusLine(line: String) async throws {
            let response = try await answered(by: "\(line)\r\nContent-Length: 2\r\n\r\nok")
            #expect(response.kind == .transportFailed(.cannotParseResponse), "\(response)")
        }

        @Test("A higher minor version is compatible (RFC 9110 section 2.5)")
        func higherVersion() async throws {
            let response = try await answered(by: "HTTP/1.2 200 OK\r\nContent-Length: 2\r\n\r\nok")
            #expect(response.text == "ok", "\(response)")
        }

        @Test("White space before a field's colon is cannotParseResponse (RFC 9112 section 5.1)")
        func spaceBeforeColon() async throws {
            let response = try await answered(by: "HTTP/1.1 200 OK\r\nContent-Length : 2\r\n\r\nok")
            #expect(response.kind == .transportFailed(.cannotParseResponse), "\(response)")
        }

        private func answered(by bytes: String) async throws -> DataResponse<Data?> {
            let server = try RawServer([[bytes]], ending: .stay)
            return await once(.with { $0.timeoutIntervalForRequest = 10 }) { $0.request(server.url) }.response
        }
    }
#endif
