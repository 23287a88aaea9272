import Firewheel
import FirewheelTesting
import Foundation
import Testing

/// A challenge that is not answered is a normal response.
@Suite("401 and 407 without credentials", .eachTransport, .timeLimit(.minutes(5)))
struct UnauthorizedTests {
    @Test(
        "A 401 or 407 gives the response with fields and body, whatever its challenge",
        arguments: [
            "Basic realm=\"x\"", "Digest realm=\"x\", nonce=\"y\", qop=\"auth\"", "Bearer", "Negotiate", "NTLM",
            "Basic realm=\"x\", Digest realm=\"y\", nonce=\"z\"",
            "Unheard-Of a=b", "", ",,,", "Basic realm=\"",
        ], [(401, "WWW-Authenticate"), (407, "Proxy-Authenticate")])
    func completes(challenge: String, answer: (status: Int, field: String)) async throws {
        let server = try MockServer()
        defer { server.shutdown() }
        server.route("*") { _ in .text("denied", status: answer.status, headers: [(answer.field, challenge), (answer.field, "Other")]) }
        let session = Session.onTest(configuration: .with { $0.timeoutIntervalForRequest = 30 })
        for method in [HTTPMethod.get, .post] {
            let (response, seconds) = await session.request(server.url(), method: method).timed()
            #expect(response.statusCode == answer.status && response.text == "denied")
            #expect(response.headers.values(for: answer.field) == [challenge, "Other"])
            #expect(seconds < 25)
        }
        let validated = await session.request(server.url()).validate().raw()
        #expect(validated.kind == .responseValidationFailed(.unacceptableStatusCode(answer.status)))
        // No request was repeated.
        #expect(server.requestCount == 3)
    }

    @Test("Credentials in the URL that are refused are not sent again")
    func refused() async throws {
        let server = try MockServer()
        defer { server.shutdown() }
        server.route("*") { _ in .text("denied", status: 401, headers: [("WWW-Authenticate", "Basic realm=\"x\"")]) }
        let response = await once { $0.request("http://user:pass@127.0.0.1:\(server.port)/") }.response
        #expect(response.statusCode == 401 && response.text == "denied")
        #expect(server.requestCount == 1)
    }
}
