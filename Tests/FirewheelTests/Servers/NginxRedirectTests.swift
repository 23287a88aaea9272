import Firewheel
import Foundation
import Testing

/// Redirects by nginx, with their method and body (RFC 9110 section 15.4, Fetch).
@Suite("nginx: redirects", .needs(.plain), .timeLimit(.minutes(5)))
struct NginxRedirectTests {
    /// What POST and PUT become.
    private static let methods: [(status: Int, post: HTTPMethod, put: HTTPMethod)] = [
        (301, .get, .put), (302, .get, .put), (303, .get, .get), (307, .post, .put), (308, .post, .put),
    ]

    @Test(
        "Method and body after each redirect status, with relative and absolute Location, follow RFC 9110",
        arguments: TestServer.everyProtocol)
    func methodAndBody(server: TestServer) async throws {
        let body = Data(repeating: 0x61, count: 100_000)
        for (status, afterPOST, afterPUT) in Self.methods {
            for path in ["/redirect/\(status)", "/redirect/absolute/\(status)"] {
                for (method, expected) in [(HTTPMethod.post, afterPOST), (.put, afterPUT)] {
                    let response = try await server.once(path, method: method, body: body, headers: [.contentType("text/plain")])
                    // /echo-body reports the last request: method, length, type.
                    let seen = expected == .get ? "GET  " : "\(expected.rawValue) 100000 text/plain"
                    #expect(response.text == seen, "\(method.rawValue) \(path)")
                    #expect(response.metrics?.redirectCount == 1)
                    #expect(response.response?.url?.path == "/echo-body")
                }
            }
        }
    }

    @Test("A HEAD request stays HEAD after a redirect", arguments: TestServer.everyProtocol)
    func head(server: TestServer) async throws {
        for status in [301, 302, 303, 307, 308] {
            let response = try await server.once("/redirect/\(status)", method: .head)
            #expect(response.statusCode == 200)
            #expect(response.metrics?.transactionMetrics.map(\.request.httpMethod) == ["HEAD", "HEAD"])
        }
    }

    @Test("A download follows a redirect", arguments: TestServer.everyProtocol)
    func download(server: TestServer) async throws {
        let session = try server.session()
        let response = await session.download(try server.url("/redirect/302")).validate().serializingString().response
        #expect(response.value == "GET  ")
        try FileManager.default.removeItem(at: try #require(response.fileURL))
        withExtendedLifetime(session) {}
    }
}
