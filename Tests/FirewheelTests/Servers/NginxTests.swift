import Firewheel
import Foundation
import Testing

/// nginx's responses arrive unchanged over HTTP/1.1, TLS and HTTP/2.
@Suite("nginx: answers", .needs(.plain), .timeLimit(.minutes(5)))
struct NginxTests {
    @Test("A body arrives in memory", arguments: TestServer.everyProtocol)
    func body(server: TestServer) async throws {
        let response = try await server.once("/file")
        #expect(response.statusCode == 200)
        #expect(response.content == fileContent)
        #expect(response.headers["Content-Length"] == "8000")
        #expect(response.hop?.networkProtocolName == (server == .tls ? "h2" : "http/1.1"))
    }

    @Test("JSON decodes into values", arguments: TestServer.everyProtocol)
    func json(server: TestServer) async throws {
        struct Person: Decodable, Sendable {
            let id: Int
            let name: String
            let score: Double
            let active: Bool
        }
        let session = try server.session()
        let people = try await session.request(server.url("/objects.json")).validate().serializingDecodable([Person].self).value
        #expect(people.map(\.id) == Array(1000..<1100))
        #expect(people[99].name == "User 1099" && people[99].score == 19.25 && people[99].active)
        withExtendedLifetime(session) {}
    }

    @Test("Request methods reach the server", arguments: TestServer.everyProtocol)
    func methods(server: TestServer) async throws {
        for method in [HTTPMethod.get, .post, .put, .patch, .delete, .options, HTTPMethod(rawValue: "PROPFIND")] {
            #expect(try await server.once("/echo-method", method: method).text == method.rawValue)
        }
    }

    @Test("A HEAD request gets the head of the GET and no body", arguments: TestServer.everyProtocol)
    func head(server: TestServer) async throws {
        let response = try await server.once("/lines", method: .head)
        #expect(response.statusCode == 200)
        #expect(response.headers["Content-Length"] == "8388608")
        #expect(response.content == Data())
    }

    @Test("Status codes arrive with and without a body", arguments: TestServer.everyProtocol)
    func statusCodes(server: TestServer) async throws {
        for code in [200, 201, 202, 204, 400, 401, 403, 404, 405, 409, 410, 429, 500, 502, 503] {
            let response = try await server.once("/status/\(code)")
            #expect(response.statusCode == code)
            #expect(response.error == nil)
            #expect((response.data?.isEmpty ?? true) == (code < 300), "\(code)")
        }
    }

    @Test("204 has no body and serializes to empty data", arguments: TestServer.everyProtocol)
    func noContent(server: TestServer) async throws {
        let session = try server.session()
        let data = try await session.request(server.url("/status/204")).validate().serializingData().value
        #expect(data.isEmpty)
        withExtendedLifetime(session) {}
    }

    @Test("A connection closed without a response is an error", arguments: [TestServer.plain, .tlsHTTP1])
    func closedConnection(server: TestServer) async throws {
        #expect(try await server.once("/close").kind == .transportFailed(.networkConnectionLost))
    }

    @Test("An HTTP/2 stream reset without a response is an error, and its connection stays usable", .needs(.tls))
    func closedStream() async throws {
        let session = try TestServer.tls.session()
        let before = await session.request(try TestServer.tls.url("/file")).raw()
        let closed = await session.request(try TestServer.tls.url("/close")).raw()
        guard case .transportFailed = closed.kind else {
            Issue.record("no transport error: \(closed)")
            return
        }
        let after = await session.request(try TestServer.tls.url("/file")).raw()
        #expect(after.content == fileContent)
        #expect(after.hop?.localPort == before.hop?.localPort)
        withExtendedLifetime(session) {}
    }

    @Test("gzip is decoded in memory and in a file", arguments: TestServer.everyProtocol)
    func gzip(server: TestServer) async throws {
        let session = try server.session()
        let response = await session.request(try server.url("/gzip/lines")).raw()
        let isSame = response.content == linesContent
        #expect(isSame)
        #expect(response.headers["Content-Encoding"] == "gzip")
        #expect(response.hop?.countOfResponseBodyBytesAfterDecoding == 8 << 20)
        #expect(try #require(response.hop?.countOfResponseBodyBytesReceived) < 4 << 20)

        let file = try await session.download(server.url("/gzip/lines")).validate().serializingDownloadedFileURL().value
        defer { try? FileManager.default.removeItem(at: file) }
        let isSameInFile = try Data(contentsOf: file) == linesContent
        #expect(isSameInFile)
        withExtendedLifetime(session) {}
    }
}
