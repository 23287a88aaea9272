import Firewheel
import Foundation
import Testing

/// `URLRequest.validate()` applies the rules that a session applies to every request.
@Suite("Validation of URL requests")
struct URLRequestValidationTests {
    private func request(_ method: HTTPMethod?, body: String?) throws -> URLRequest {
        var request = URLRequest(url: try "http://stub.test/".asURL())
        if let method { request.method = method }
        request.httpBody = body.map { Data($0.utf8) }
        return request
    }

    @Test("GET and HEAD may have no body (RFC 9110 sections 9.3.1 and 9.3.2), and a method must be a token (9.1)")
    func refused() async throws {
        let cases: [(URLRequest, FirewheelError.RequestValidationFailureReason)] = [
            (try request(nil, body: "x"), .bodyDataInGETRequest),
            (try request(.get, body: "x"), .bodyDataInGETRequest),
            (try request(.head, body: "x"), .bodyDataInHEADRequest),
            (try request(HTTPMethod(rawValue: "A B"), body: nil), .invalidMethod),
        ]
        let session = session(body: "y")
        for (request, reason) in cases {
            let error = #expect(throws: FirewheelError.self) { try request.validate() }
            #expect(error?.kind == .urlRequestValidationFailed(reason))
            #expect(kind(await session.request(request).serializingData().result) == error?.kind)
        }
        withExtendedLifetime(session) {}
    }

    @Test("Any other method may have a body, and an empty body counts as none")
    func allowed() async throws {
        let session = session(body: "y")
        for request in [
            try request(nil, body: nil), try request(.get, body: ""), try request(.head, body: ""), try request(.post, body: "x"),
            try request(.delete, body: "x"), try request(.query, body: "x"),
        ] {
            try request.validate()
            #expect(kind(await session.request(request).serializingData().result) == nil)
        }
        withExtendedLifetime(session) {}
    }
}
