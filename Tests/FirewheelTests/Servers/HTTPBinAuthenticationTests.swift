import Firewheel
import Foundation
import Testing

/// Credentials in the URL and in a header field; without them the 401 is the response.
@Suite("httpbin: authentication", .needs(.httpbin), .timeLimit(.minutes(5)))
struct HTTPBinAuthenticationTests {
    private struct Outcome: Decodable, Sendable, Equatable {
        let authenticated: Bool
        let user: String?
        let token: String?
    }

    private let session = Session()

    private func outcome(_ path: String, userInfo: String = "", headers: HTTPHeaders? = nil) async throws -> DataResponse<Outcome> {
        let url = try TestServer.httpbin.url(path).replacing("http://", with: "http://" + userInfo)
        return await session.request(url, headers: headers).validate().serializingDecodable(Outcome.self).response
    }

    @Test(
        "Basic without credentials, or with wrong ones, gives the 401 with its challenge", arguments: ["", "user:wrong@", "other:passwd@"])
    func refused(userInfo: String) async throws {
        let response = try await outcome("/basic-auth/user/passwd", userInfo: userInfo)
        #expect(response.kind == .responseValidationFailed(.unacceptableStatusCode(401)))
        #expect(response.headers["WWW-Authenticate"] == "Basic realm=\"Fake Realm\"")
    }

    @Test("Basic credentials in the URL are accepted")
    func userInfo() async throws {
        let response = try await outcome("/basic-auth/user/pass%20wd", userInfo: "user:pass%20wd@")
        #expect(response.value == Outcome(authenticated: true, user: "user", token: nil))
        #expect(!"\(response)".contains("pass%20wd@"))
    }

    @Test("Basic credentials in a header field are accepted", arguments: ["/basic-auth/user/passwd", "/hidden-basic-auth/user/passwd"])
    func header(path: String) async throws {
        let headers: HTTPHeaders = [.authorization(username: "user", password: "passwd")]
        #expect(try await outcome(path, headers: headers).value == Outcome(authenticated: true, user: "user", token: nil))
    }

    @Test("A bearer token is accepted, and without one the response is 401")
    func bearer() async throws {
        let response = try await outcome("/bearer", headers: [.authorization(bearerToken: "abc")])
        #expect(response.value == Outcome(authenticated: true, user: nil, token: "abc"))
        #expect(try await outcome("/bearer").kind == .responseValidationFailed(.unacceptableStatusCode(401)))
    }

    @Test("Digest without credentials gives the 401 with its challenge", arguments: ["auth", "auth-int"])
    func digest(protection: String) async throws {
        let response = try await outcome("/digest-auth/\(protection)/user/passwd")
        #expect(response.kind == .responseValidationFailed(.unacceptableStatusCode(401)))
        #expect(response.headers["WWW-Authenticate"]?.hasPrefix("Digest ") == true)
    }

    // MARK: Answered challenges

    @Test("A Basic challenge is answered, and a wrong password gives the 401 after one try")
    func answeredBasic() async throws {
        let url = try TestServer.httpbin.url("/basic-auth/user/pass%20wd")
        let right = await Session().request(url).authenticate(username: "user", password: "pass wd").raw()
        #expect(right.statusCode == 200 && right.metrics?.transactionMetrics.count == 2)
        let wrong = await Session().request(url).authenticate(username: "user", password: "wrong").raw()
        #expect(wrong.statusCode == 401 && wrong.metrics?.transactionMetrics.count == 2)
    }

    @Test("Basic credentials are not sent to a path that does not challenge, unless it is beside a challenged one")
    func hidden() async throws {
        let session = Session()
        let hidden = try TestServer.httpbin.url("/hidden-basic-auth/user/passwd")
        let response = await session.request(hidden).authenticate(username: "user", password: "passwd").raw()
        #expect(response.statusCode == 404 && response.metrics?.transactionMetrics.count == 1)
        let open = try TestServer.httpbin.url("/basic-auth/user/passwd")
        for count in [2, 1] {
            let response = await session.request(open).authenticate(username: "user", password: "passwd").raw()
            #expect(response.statusCode == 200 && response.metrics?.transactionMetrics.count == count)
        }
        #expect(await session.request(hidden).authenticate(username: "user", password: "passwd").raw().statusCode == 404)
    }

    @Test(
        "A Digest challenge is answered and then preempted, and a wrong password gives the 401 after one try",
        arguments: ["auth", "auth-int", "any"],
        ["MD5", "SHA-256"])
    func answeredDigest(protection: String, algorithm: String) async throws {
        // httpbin compares the target in decoded form, so it has no escapes.
        let url = try TestServer.httpbin.url("/digest-auth/\(protection)/user/passwd/\(algorithm)")
        let session = Session()
        for count in [2, 1, 1] {
            let response = await session.request(url).authenticate(username: "user", password: "passwd").raw()
            #expect(response.statusCode == 200 && response.metrics?.transactionMetrics.count == count)
        }
        let wrong = await Session().request(url).authenticate(username: "user", password: "wrong").raw()
        #expect(wrong.statusCode == 401 && wrong.metrics?.transactionMetrics.count == 2)
    }

    @Test("A Digest algorithm unknown to RFC 7616 is not answered")
    func unknownAlgorithm() async throws {
        let url = try TestServer.httpbin.url("/digest-auth/auth/user/passwd/SHA-512")
        let response = await session.request(url).authenticate(username: "user", password: "passwd").raw()
        #expect(response.statusCode == 401 && response.metrics?.transactionMetrics.count == 1)
    }

    @Test("A server that calls every nonce stale is not answered for ever")
    func stale() async throws {
        // A cookie tells httpbin to do so.
        let url = try TestServer.httpbin.url("/digest-auth/auth/user/passwd/MD5/0")
        let response = await session.request(url).authenticate(username: "user", password: "passwd").raw()
        #expect(response.statusCode == 401 && response.metrics?.transactionMetrics.count == 3)
        #expect(session.cookieJar?.cookies.map(\.name).sorted() == ["fake", "last_nonce", "stale_after"])
        let without = Session(configuration: .with { $0.cookies = .off })
        #expect(await without.request(url).authenticate(username: "user", password: "passwd").raw().statusCode == 200)
    }

    @Test("A token that has expired, or that the server refuses, is refreshed", arguments: [true, false])
    func refreshed(requiresRefresh: Bool) async throws {
        let authenticator = BearerAuthenticator()
        let credential = Token(value: "old", requiresRefresh: requiresRefresh)
        let session = Session(interceptor: AuthenticationInterceptor(authenticator: authenticator, credential: credential))
        let response = await session.request(try TestServer.httpbin.url("/bearer")).validate().serializingDecodable(Outcome.self).response
        #expect(response.value == Outcome(authenticated: true, user: nil, token: "new"))
        #expect(response.metrics?.transactionMetrics.count == 1)
    }

    /// Sends old tokens in a form that httpbin refuses, because it accepts all others.
    private struct BearerAuthenticator: Authenticator {
        func apply(_ credential: Token, to urlRequest: inout URLRequest) {
            urlRequest.headers.update(.authorization("\(credential.value == "old" ? "Old" : "Bearer") \(credential.value)"))
        }

        func refresh(_ credential: Token, for request: RequestContext) async throws -> Token { Token(value: "new") }

        func didRequest(
            _ urlRequest: URLRequest, with response: HTTPURLResponse, failDueToAuthenticationError error: any Error
        ) -> Bool { response.statusCode == 401 }

        func isRequest(_ urlRequest: URLRequest, authenticatedWith credential: Token) -> Bool {
            urlRequest.headers["Authorization"]?.hasSuffix(" \(credential.value)") == true
        }
    }

    @Test("Credentials follow a redirect on the same server and not to another")
    func redirected() async throws {
        struct Echo: Decodable, Sendable {
            let headers: [String: String]
        }
        let headers: HTTPHeaders = [.authorization(bearerToken: "abc")]
        let same = session.request(try TestServer.httpbin.url("/redirect-to?url=/headers"), headers: headers)
        #expect(try await same.serializingDecodable(Echo.self).value.headers["Authorization"] == "Bearer abc")
        // Another name for the same server is another origin.
        let elsewhere = try TestServer.httpbin.url("/headers").replacing("127.0.0.1", with: "localhost")
        let other = session.request(try TestServer.httpbin.url("/redirect-to"), parameters: ["url": elsewhere], headers: headers)
        let echo = try await other.serializingDecodable(Echo.self).value
        #expect(echo.headers["Host"]?.hasPrefix("localhost") == true)
        #expect(echo.headers["Authorization"] == nil)
    }
}
