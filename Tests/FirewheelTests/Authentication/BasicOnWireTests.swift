import Firewheel
import FirewheelTesting
import Foundation
import Testing

/// Basic authentication (RFC 7617) against a real server.
@Suite("Basic authentication over HTTP", .timeLimit(.minutes(5)))
struct BasicOnWireTests {
    private static let right = "Basic " + Data("user:pass word".utf8).base64EncodedString()

    /// A server that accepts only the right credential.
    private func makeServer(_ challenge: String = "Basic realm=\"r\"") throws -> MockServer {
        let server = try MockServer()
        server.route("*") { request in
            request.header("Authorization") == Self.right
                ? .text("in") : .text("denied", status: 401, headers: [("WWW-Authenticate", challenge)])
        }
        return server
    }

    /// The `Authorization` fields of the next requests.
    private func authorizations(_ server: MockServer, _ count: Int) async throws -> [String?] {
        try await server.takeRequests(count).map { $0.header("Authorization") }
    }

    @Test("A Basic challenge is answered with the request's credential, and the request body is sent again")
    func answered() async throws {
        let server = try makeServer()
        defer { server.shutdown() }
        let session = Session()
        let body = pattern(10_000)
        let response = try await session.sending(body, to: server.url("/a")).authenticate(username: "user", password: "pass word").raw()
        #expect(response.statusCode == 200 && response.text == "in")
        #expect(response.metrics?.redirectCount == 0 && response.metrics?.transactionMetrics.count == 2)
        let requests = try await server.takeRequests(2)
        #expect(requests.map { $0.header("Authorization") } == [nil, Self.right])
        #expect(requests.allSatisfy { $0.method == "POST" && $0.body == body })
    }

    @Test("A Basic credential is sent preemptively at and below the challenged folder only (RFC 7617 section 2.2)")
    func ahead() async throws {
        let server = try makeServer()
        defer { server.shutdown() }
        let session = Session()
        _ = await session.request(server.url("/a/b/c?d=/e/")).authenticate(username: "user", password: "pass word").raw()
        for path in ["/a/b/", "/a/b/x/y", "/a/b"] { #expect(await session.request(server.url(path)).raw().text == "in") }
        // /a/b is above the folder /a/b/, so it is challenged.
        #expect(try await authorizations(server, 6) == [nil, Self.right, Self.right, Self.right, nil, Self.right])
    }

    @Test("Without a credential, or with a wrong one, the 401 is the response and there is no third request")
    func refused() async throws {
        let server = try makeServer()
        defer { server.shutdown() }
        let session = Session()
        let without = await session.request(server.url()).raw()
        #expect(without.statusCode == 401 && without.text == "denied" && server.requestCount == 1)
        for _ in 0..<2 {
            let wrong = await session.request(server.url()).authenticate(username: "user", password: "wrong").raw()
            #expect(wrong.statusCode == 401 && wrong.text == "denied")
        }
        #expect(server.requestCount == 5)
        let validated = await session.request(server.url()).authenticate(username: "u", password: "w").validate().raw()
        #expect(validated.kind == .responseValidationFailed(.unacceptableStatusCode(401)))
    }

    @Test("A credential with persistence .none is not stored by the session; with any other it is")
    func persistence() async throws {
        for persistence in [URLCredential.Persistence.none, .forSession, .permanent] {
            let server = try makeServer()
            defer { server.shutdown() }
            let session = Session()
            let credential = URLCredential(user: "user", password: "pass word", persistence: persistence)
            #expect(await session.request(server.url()).authenticate(with: credential).raw().text == "in")
            #expect(await session.request(server.url()).raw().statusCode == (persistence == .none ? 401 : 200))
            #expect(await Session().request(server.url()).raw().statusCode == 401)
        }
    }

    @Test("A session's credential answers by realm or for the whole origin, and no longer after its removal")
    func sessions() async throws {
        let server = try makeServer()
        defer { server.shutdown() }
        let session = Session()
        try session.credentials.set(username: "user", password: "other", for: server.url("/x"))
        try session.credentials.set(username: "user", password: "pass word", for: server.url("/y?z"), realm: "r")
        #expect(await session.request(server.url()).raw().text == "in")
        try session.credentials.remove(for: server.url(), realm: "r")
        #expect(await session.request(server.url()).raw().statusCode == 401)
        try session.credentials.set(username: "user", password: "pass word", for: server.url())
        #expect(await session.request(server.url()).raw().text == "in")
        session.credentials.removeAll()
        #expect(await session.request(server.url()).raw().statusCode == 401)
        #expect(throws: FirewheelError.self) { try session.credentials.set(username: "a", password: "b", for: "no url") }
    }

    @Test("A request's own credential takes precedence over the session's, even if it is wrong")
    func own() async throws {
        let server = try makeServer()
        defer { server.shutdown() }
        let session = Session()
        try session.credentials.set(username: "user", password: "pass word", for: server.url())
        #expect(await session.request(server.url()).raw().text == "in")
        #expect(await session.request(server.url()).authenticate(username: "user", password: "wrong").raw().statusCode == 401)
        #expect(await session.request(server.url()).raw().text == "in")
    }

    @Test("An Authorization field set by hand is sent as it is, and its challenge is not answered by the session")
    func byHand() async throws {
        let server = try makeServer()
        defer { server.shutdown() }
        let session = Session()
        try session.credentials.set(username: "user", password: "pass word", for: server.url())
        #expect(await session.request(server.url(), headers: [.authorization(bearerToken: "t")]).raw().statusCode == 401)
        #expect(try await authorizations(server, 1) == ["Bearer t"])
        let both = await session.request(server.url(), headers: [.authorization(bearerToken: "t")])
            .authenticate(username: "user", password: "pass word").raw()
        #expect(both.text == "in")
        #expect(try await authorizations(server, 2) == ["Bearer t", Self.right])
    }

    @Test("A redirect to another origin drops the request's credential; the session's for that origin is used")
    func redirected() async throws {
        let (first, second) = (try makeServer(), try makeServer())
        defer {
            first.shutdown()
            second.shutdown()
        }
        let target = second.url("/there")
        first.route("/go") {
            $0.header("Authorization") == Self.right
                ? .redirect(to: target) : .text("", status: 401, headers: [("WWW-Authenticate", "Basic realm=\"r\"")])
        }
        let session = Session()
        let stays = await session.request(first.url("/go")).authenticate(username: "user", password: "pass word").raw()
        #expect(stays.statusCode == 401)
        #expect(try await authorizations(second, 1) == [nil])
        try session.credentials.set(username: "user", password: "pass word", for: target)
        let answered = await session.request(first.url("/go")).authenticate(username: "user", password: "pass word").raw()
        #expect(answered.text == "in" && answered.metrics?.redirectCount == 1)
        #expect(try await authorizations(second, 2) == [nil, Self.right])
        // User information in a Location is the server's, not the caller's, and is ignored.
        first.route("/info") { _ in .redirect(to: target.replacing("http://", with: "http://user:x@")) }
        _ = await Session().request(first.url("/info")).raw()
        #expect(try await authorizations(second, 1) == [nil])
    }

    @Test("A redirect within the origin keeps the request's credential")
    func redirectedWithin() async throws {
        let server = try makeServer()
        defer { server.shutdown() }
        server.route("/go") { _ in .redirect(to: "/there") }
        let session = Session()
        #expect(await session.request(server.url("/go")).authenticate(username: "user", password: "pass word").raw().text == "in")
        #expect(try await authorizations(server, 3) == [nil, nil, Self.right])
    }

    @Test("A user name with a colon or a control character is refused by an error that does not show the credential")
    func unsendable() async throws {
        let server = try makeServer()
        defer { server.shutdown() }
        for (user, password) in [("us:er", "unique-1"), ("user", "unique\r\n2"), ("us\u{0}er", "unique-3")] {
            let response = await once { $0.request(server.url()).authenticate(username: user, password: password) }.response
            #expect(response.kind == .authenticationFailed(.invalidCredential))
            #expect(!"\(response) \(String(describing: response.error))".contains("unique"))
        }
        #expect(server.requestCount == 3)
    }

    @Test("A download saves the body behind a challenge, and its adapter runs once per attempt, not per answer")
    func download() async throws {
        let server = try makeServer()
        defer { server.shutdown() }
        let session = Session()
        let adapted = Journal<String>()
        let file = try await session.download(server.url()).authenticate(username: "user", password: "pass word")
            .adapt { request, _ in adapted.add(request.url?.path ?? "") }
            .serializingDownloadedFileURL().value
        defer { try? FileManager.default.removeItem(at: file) }
        #expect(try String(contentsOf: file, encoding: .utf8) == "in")
        #expect(adapted.count == 1)
        #expect(try await authorizations(server, 2) == [nil, Self.right])
    }

    @Test("A server that challenges every answer with a new realm gets one answer")
    func endless() async throws {
        let server = try MockServer()
        defer { server.shutdown() }
        let count = Journal<Int>()
        server.route("*") { _ in
            count.add(1)
            return .text("denied", status: 401, headers: [("WWW-Authenticate", "Basic realm=\"r\(count.count)\"")])
        }
        let response = await once { $0.request(server.url()).authenticate(username: "u", password: "p") }.response
        #expect(response.statusCode == 401 && server.requestCount == 2)
    }

    @Test("A huge or malformed Basic challenge gives the 401, and one without a realm is answered")
    func oddChallenges() async throws {
        let huge = "Basic realm=\"" + String(repeating: "x", count: 90_000) + "\""
        for (challenge, isAnswered) in [
            (huge, false), ("Basic", true), ("basic Realm = r", true), (", ,Negotiate abc==, Basic", true), ("=,\"", false),
        ] {
            let server = try makeServer(challenge)
            defer { server.shutdown() }
            let (response, seconds) = await Session().request(server.url()).authenticate(username: "user", password: "pass word").timed()
            #expect(response.statusCode == (isAnswered ? 200 : 401), "\(challenge.prefix(40))")
            #expect(seconds < 25)
        }
    }
}
