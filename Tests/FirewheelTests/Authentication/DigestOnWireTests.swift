import FirewheelTesting
import Foundation
import Testing

@testable import Firewheel

/// Digest authentication (RFC 7616) against an independent server.
@Suite("Digest authentication over HTTP", .timeLimit(.minutes(5)))
struct DigestOnWireTests {
    private func withServer<Result>(
        _ options: DigestServer.Options, users: [String: String] = ["Mufasa": "Circle of Life"],
        _ body: (MockServer, DigestServer) async throws -> Result
    ) async throws -> Result {
        let (server, digest) = (try MockServer(), DigestServer(users: users, options))
        defer { server.shutdown() }
        server.route("*") { digest.answer($0) { .data($0.body.isEmpty ? Data("in".utf8) : $0.body) } }
        return try await body(server, digest)
    }

    private func options(_ change: (inout DigestServer.Options) -> Void) -> DigestServer.Options {
        var options = DigestServer.Options()
        change(&options)
        return options
    }

    @Test(
        "Every Digest algorithm and qop is answered, with and without a request body",
        arguments: ["MD5", "MD5-sess", "SHA-256", "SHA-256-sess", "SHA-512-256", "SHA-512-256-sess"],
        ["auth", "auth-int", "auth, auth-int", nil])
    func answered(algorithm: String, qop: String?) async throws {
        // -sess algorithms need a cnonce, which does not exist without a qop.
        if algorithm.hasSuffix("-sess"), qop == nil { return }
        let options = options {
            $0.algorithms = [algorithm]
            $0.qop = qop
        }
        try await withServer(options) { server, digest in
            let session = Session()
            for body in [Data(), pattern(1_000), pattern(200_000)] {
                let request =
                    body.isEmpty
                    ? session.request(server.url("/dir/index.html?q=1,2&b=\"")) : try session.sending(body, to: server.url("/p"))
                let response = await request.authenticate(username: "Mufasa", password: "Circle of Life").raw()
                #expect(response.statusCode == 200 && response.data == (body.isEmpty ? Data("in".utf8) : body))
            }
            #expect(digest.counts.malformed == [] && digest.counts.accepted == 3)
        }
    }

    @Test("A user name beyond ASCII is sent in RFC 8187 form, or hashed with userhash", arguments: [false, true])
    func names(userhash: Bool) async throws {
        let options = options {
            $0.userhash = userhash
            $0.charset = true
            $0.algorithms = ["SHA-512-256"]
        }
        try await withServer(options, users: ["Jäsøn Doe": "Secret, or not?"]) { server, digest in
            let response = await Session().request(server.url()).authenticate(username: "Jäsøn Doe", password: "Secret, or not?").raw()
            #expect(response.text == "in" && digest.counts.malformed == [])
        }
    }

    @Test("A user name beyond ASCII is sent in UTF-8 to a server of RFC 2617, which knows no other form", .eachTransport)
    func olderServer() async throws {
        let options = options { $0.algorithms = ["MD5"] }
        try await withServer(options, users: ["j\u{F6}rg": "p\u{E4}ss"]) { server, digest in
            let response = await Session().request(server.url()).authenticate(username: "j\u{F6}rg", password: "p\u{E4}ss").raw()
            #expect(response.text == "in" && digest.counts.malformed == [])
            _ = try await server.takeRequest()
            let sent = try await server.takeRequest().header("Authorization")
            #expect(sent?.hasPrefix("Digest username=\"j\u{F6}rg\", ") == true, "\(sent ?? "nothing")")
        }
    }

    @Test("The strongest challenge is answered, and Digest before Basic, whatever their order and fields")
    func strongest() async throws {
        let (server, digest) = (
            try MockServer(), DigestServer(users: ["u": "p"], options { $0.algorithms = ["MD5", "SHA-512-256", "SHA-256"] })
        )
        defer { server.shutdown() }
        server.route("*") { request in
            var response = digest.answer(request) { _ in .text("in") }
            if response.status == 401 { response.headers.insert(("WWW-Authenticate", "NTLM, Basic realm=\"b\", Bearer"), at: 0) }
            return response
        }
        #expect(await Session().request(server.url()).authenticate(username: "u", password: "p").raw().text == "in")
        _ = try await server.takeRequest()
        let field = try #require(try await server.takeRequest().header("Authorization"))
        #expect(field.hasPrefix("Digest ") && field.contains("algorithm=SHA-512-256"))
    }

    @Test("After the first answer Digest is sent preemptively, and no nonce count is used twice by concurrent requests")
    func concurrent() async throws {
        try await withServer(DigestServer.Options()) { server, digest in
            let session = Session()
            #expect(
                await session.request(server.url()).authenticate(username: "Mufasa", password: "Circle of Life").raw().statusCode == 200)
            await withTaskGroup(of: Int?.self) { group in
                for number in 0..<300 {
                    group.addTask { await session.request(server.url("/\(number)")).raw().statusCode }
                }
                for await status in group { #expect(status == 200) }
            }
            #expect(digest.counts == DigestServer.Counts(accepted: 301, refused: 1))
        }
    }

    @Test("Many concurrent first requests each answer their own Digest challenge")
    func concurrentFirst() async throws {
        try await withServer(DigestServer.Options()) { server, digest in
            let session = Session()
            await withTaskGroup(of: Int?.self) { group in
                for _ in 0..<100 {
                    group.addTask {
                        await session.request(server.url()).authenticate(username: "Mufasa", password: "Circle of Life").raw().statusCode
                    }
                }
                for await status in group { #expect(status == 200) }
            }
            #expect(digest.counts.accepted == 100 && digest.counts.replayed == 0 && digest.counts.malformed == [])
        }
    }

    @Test("Concurrent first requests that get the same nonce never use a nonce count twice")
    func sharedNonce() async throws {
        try await withServer(options { $0.sharesNonce = true }) { server, digest in
            _ = digest.challenges(stale: false)
            let session = Session()
            await withTaskGroup(of: Int?.self) { group in
                for _ in 0..<60 {
                    group.addTask {
                        await session.request(server.url()).authenticate(username: "Mufasa", password: "Circle of Life").raw().statusCode
                    }
                }
                for await status in group { #expect(status == 200) }
            }
            #expect(digest.counts.accepted == 60 && digest.counts.replayed == 0)
        }
    }

    @Test("A stale nonce is replaced without the caller noticing, also when the server has forgotten it")
    func stale() async throws {
        try await withServer(options { $0.nonceUses = 2 }) { server, digest in
            let session = Session()
            for _ in 0..<7 {
                let response = await session.request(server.url()).authenticate(username: "Mufasa", password: "Circle of Life").raw()
                #expect(response.text == "in")
            }
            #expect(digest.counts.accepted == 7 && digest.counts.stale == 3 && digest.counts.refused == 1)
            digest.forgetNonces()
            #expect(await session.request(server.url()).raw().text == "in")
        }
    }

    @Test("A server that calls every nonce stale gets at most three answers")
    func alwaysStale() async throws {
        let server = try MockServer()
        defer { server.shutdown() }
        let digest = DigestServer(users: ["u": "p"])
        server.route("*") { _ in .text("denied", status: 401, headers: digest.challenges(stale: true).map { ("WWW-Authenticate", $0) }) }
        let response = await once { $0.request(server.url()).authenticate(username: "u", password: "p") }.response
        #expect(response.statusCode == 401 && response.text == "denied")
        #expect(server.requestCount == 3)
    }

    @Test("Wrong Digest credentials are sent once and then give the 401; without credentials the 401 comes at once")
    func refused() async throws {
        try await withServer(DigestServer.Options()) { server, _ in
            let session = Session()
            #expect(await session.request(server.url()).raw().statusCode == 401)
            #expect(server.requestCount == 1)
            #expect(await session.request(server.url()).authenticate(username: "Mufasa", password: "wrong").raw().statusCode == 401)
            #expect(await session.request(server.url()).authenticate(username: "Scar", password: "Circle of Life").raw().statusCode == 401)
            #expect(server.requestCount == 5)
        }
    }

    @Test("The nextnonce of a response is used for the next request, and its rspauth is verified")
    func information() async throws {
        let options = options {
            $0.sendsNextNonce = true
            $0.sendsResponseAuth = true
            $0.nonceUses = 1
        }
        try await withServer(options) { server, digest in
            let session = Session()
            for _ in 0..<5 {
                #expect(await session.request(server.url()).authenticate(username: "Mufasa", password: "Circle of Life").raw().text == "in")
            }
            #expect(digest.counts == DigestServer.Counts(accepted: 5, refused: 1))
        }
    }

    @Test("A server that does not know the password is detected by its rspauth")
    func spoiled() async throws {
        let options = options {
            $0.sendsResponseAuth = true
            $0.spoilsResponseAuth = true
        }
        try await withServer(options) { server, _ in
            let response = await Session().request(server.url()).authenticate(username: "Mufasa", password: "Circle of Life").raw()
            #expect(response.kind == .authenticationFailed(.serverNotAuthenticated))
        }
    }

    @Test("Digest is sent preemptively where `domain` says, but never to another origin named in it")
    func domain() async throws {
        let other = try MockServer()
        defer { other.shutdown() }
        other.route("*") { _ in .text("") }
        try await withServer(options { $0.domain = "/a/ \(other.url("/"))" }) { server, digest in
            let session = Session()
            _ = await session.request(server.url("/a/1")).authenticate(username: "Mufasa", password: "Circle of Life").raw()
            #expect(await session.request(server.url("/a/2")).raw().text == "in")
            #expect(digest.counts.refused == 1)
            #expect(await session.request(server.url("/b")).raw().text == "in")
            #expect(digest.counts.refused == 2)
            _ = await session.request(other.url("/")).raw()
            let there = try await other.takeRequest()
            #expect(there.header("Authorization") == nil)
        }
    }

    @Test("User information in a URL answers a Digest challenge, and only for its own request")
    func userInfo() async throws {
        let (server, digest) = (try MockServer(), DigestServer(users: ["us er": "p@ss"]))
        defer { server.shutdown() }
        server.route("*") { request in
            // Basic is sent preemptively.
            guard request.header("Authorization")?.hasPrefix("Basic ") != true else {
                return .text("", status: 401, headers: digest.challenges(stale: false).map { ("WWW-Authenticate", $0) })
            }
            return digest.answer(request) { _ in .text("in") }
        }
        let session = Session()
        let url = server.url("/x").replacing("http://", with: "http://us%20er:p%40ss@")
        #expect(await session.request(url).raw().text == "in")
        #expect(await session.request(server.url("/x")).raw().statusCode == 401)
    }

    @Test("A Digest challenge of 1 MB ends in time, with a response or an error")
    func hugeChallenge() async throws {
        for (pieces, size) in [(1, 1_000_000), (11, 90_000)] {
            let server = try MockServer()
            defer { server.shutdown() }
            let field = ("WWW-Authenticate", "Digest realm=\"r\", nonce=\"" + String(repeating: "n", count: size) + "\"")
            server.route("*") { _ in .text("denied", status: 401, headers: Array(repeating: field, count: pieces)) }
            let (response, seconds) = await Session().request(server.url()).authenticate(username: "u", password: "p").timed()
            #expect(response.statusCode == 401 || response.error is FirewheelError)
            #expect(server.requestCount == 1 && seconds < 25)
        }
    }

    @Test("A malformed or huge Digest challenge is ignored, and the 401 is the response")
    func oddChallenges() async throws {
        let nonce = String(repeating: "n", count: 90_000)
        for challenge in [
            "Digest", "Digest realm=\"r\"", "Digest nonce=", "Digest realm=\"r\", nonce=\"\(nonce)\"",
            "Digest realm=\"r\", nonce=\"a\", algorithm=SHA-1",
            "Digest realm=\"r\", nonce=\"a\", qop=\"new\"", "Digest realm=\"r\", nonce=\"a\", algorithm=MD5-sess",
        ] {
            let server = try MockServer()
            defer { server.shutdown() }
            server.route("*") { _ in .text("denied", status: 401, headers: [("WWW-Authenticate", challenge)]) }
            let (response, seconds) = await Session().request(server.url()).authenticate(username: "u", password: "p").timed()
            #expect(response.text == "denied" && server.requestCount == 1 && seconds < 25, "\(challenge.prefix(60))")
        }
    }
}
