import Firewheel
import Foundation
import Testing

/// Credentials in the URL and in a header; without them the 401 is the answer, not a request that waits for ever.
@Suite("httpbin: authentication", .needs(.httpbin), .timeLimit(.minutes(1)))
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

    @Test("Basic: 401 with the challenge where there are no credentials, or wrong ones", arguments: ["", "user:wrong@", "other:passwd@"])
    func refused(userInfo: String) async throws {
        let response = try await outcome("/basic-auth/user/passwd", userInfo: userInfo)
        #expect(response.kind == .responseValidationFailed(.unacceptableStatusCode(401)))
        #expect(response.headers["WWW-Authenticate"] == "Basic realm=\"Fake Realm\"")
    }

    @Test("Basic: credentials in the URL")
    func userInfo() async throws {
        let response = try await outcome("/basic-auth/user/pass%20wd", userInfo: "user:pass%20wd@")
        #expect(response.value == Outcome(authenticated: true, user: "user", token: nil))
        #expect(!"\(response)".contains("pass%20wd@"))
    }

    @Test("Basic: credentials in a header", arguments: ["/basic-auth/user/passwd", "/hidden-basic-auth/user/passwd"])
    func header(path: String) async throws {
        let headers: HTTPHeaders = [.authorization(username: "user", password: "passwd")]
        #expect(try await outcome(path, headers: headers).value == Outcome(authenticated: true, user: "user", token: nil))
    }

    @Test("A bearer token, and 401 without")
    func bearer() async throws {
        let response = try await outcome("/bearer", headers: [.authorization(bearerToken: "abc")])
        #expect(response.value == Outcome(authenticated: true, user: nil, token: "abc"))
        #expect(try await outcome("/bearer").kind == .responseValidationFailed(.unacceptableStatusCode(401)))
    }

    @Test("Digest: 401 with the challenge", arguments: ["auth", "auth-int"])
    func digest(protection: String) async throws {
        let response = try await outcome("/digest-auth/\(protection)/user/passwd")
        #expect(response.kind == .responseValidationFailed(.unacceptableStatusCode(401)))
        #expect(response.headers["WWW-Authenticate"]?.hasPrefix("Digest ") == true)
    }

    @Test("Credentials follow a redirect on the same server, and do not go to another")
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
