import Firewheel
import Foundation
import Testing

/// Basic authentication with nginx over HTTP/1.1, TLS and HTTP/2.
@Suite("nginx: authentication", .needs(.plain), .timeLimit(.minutes(5)))
struct NginxAuthenticationTests {
    @Test("nginx's challenge is answered once, and its folder then needs no further challenge", arguments: TestServer.everyProtocol)
    func answered(server: TestServer) async throws {
        let session = try server.session()
        let url = try server.url("/private/file")
        for count in [2, 1] {
            let response = await session.request(url).authenticate(username: "ann", password: "pass word").raw()
            #expect(response.content == fileContent && response.metrics?.transactionMetrics.count == count)
            #expect(response.hop?.networkProtocolName == (server == .tls ? "h2" : "http/1.1"))
        }
        let other = await session.request(try server.url("/private/objects.json")).raw()
        #expect(other.statusCode == 200 && other.data?.count == 10_000)
        withExtendedLifetime(session) {}
    }

    @Test("Without a credential, or with a wrong one, the response is nginx's 401", arguments: TestServer.everyProtocol)
    func refused(server: TestServer) async throws {
        let session = try server.session()
        let without = await session.request(try server.url("/private/file")).raw()
        #expect(without.statusCode == 401 && without.headers["WWW-Authenticate"] == "Basic realm=\"a private place\"")
        #expect(without.text?.contains("401 Authorization Required") == true)
        let wrong = await session.request(try server.url("/private/file")).authenticate(username: "ann", password: "wrong").raw()
        #expect(wrong.statusCode == 401 && wrong.metrics?.transactionMetrics.count == 2)
        withExtendedLifetime(session) {}
    }

    @Test("A small or large body is sent again after the challenge", arguments: TestServer.everyProtocol, [0, 5, 100_000, 3_000_000])
    func bodies(server: TestServer, size: Int) async throws {
        let session = try server.session()
        let url = try server.url("/private/echo-body")
        for count in [2, 1] {
            let response = await session.request(
                try URLRequest.upload(pattern(size), to: url, method: .post, headers: [.contentType("text/x-pattern")])
            ).authenticate(username: "ann", password: "pass word").raw()
            #expect(response.text == "POST \(size) text/x-pattern" && response.metrics?.transactionMetrics.count == count)
        }
        withExtendedLifetime(session) {}
    }

    @Test(
        "A download saves the file behind the challenge, and 64 concurrent requests are all accepted", arguments: TestServer.everyProtocol)
    func downloads(server: TestServer) async throws {
        let session = try server.session()
        let url = try server.url("/private/lines")
        try session.credentials.set(username: "ann", password: "pass word", for: url, realm: "a private place")
        let file = try await session.download(url).validate().serializingDownloadedFileURL().value
        defer { try? FileManager.default.removeItem(at: file) }
        let isSame = try Data(contentsOf: file) == linesContent
        #expect(isSame)
        let other = try server.session()
        try other.credentials.set(username: "ann", password: "pass word", for: url)
        let small = try server.url("/private/file")
        let count = await withTaskGroup(of: Int.self) { group in
            for _ in 0..<64 { group.addTask { await other.request(small).raw().content == fileContent ? 1 : 0 } }
            return await group.reduce(0, +)
        }
        #expect(count == 64)
        withExtendedLifetime((session, other)) {}
    }
}
