import Firewheel
import FirewheelTesting
import Foundation
import Testing

/// The client handles cookies and challenges on every transport.
@Suite("Cookies and credentials over URLSession", .timeLimit(.minutes(5)))
struct CookieURLSessionTests {
    @Test("Over URLSession several cookies of one response are stored, and a challenge is answered")
    func overURLSession() async throws {
        let server = try MockServer()
        defer { server.shutdown() }
        let right = HTTPHeader.authorization(username: "ada", password: "1").value
        server.route("*") { request in
            guard request.header("Authorization") == right else {
                return .text("", status: 401, headers: [("WWW-Authenticate", "Basic realm=\"r\"")])
            }
            let date = "Wed, 09 Jun 2100 10:18:14 GMT"
            return .text("in", headers: [("Set-Cookie", "a=1; Expires=\(date)"), ("Set-Cookie", "b=2"), ("Set-Cookie", "c=3; Path=/")])
        }
        let session = Session(transport: URLSessionTransport(configuration: .default))
        for _ in 0..<2 {
            let response = await session.request(server.url()).authenticate(username: "ada", password: "1").raw()
            #expect(response.text == "in")
        }
        let cookies = try await server.takeRequests(3).map { $0.header("Cookie") }
        #expect(cookies == [nil, nil, "a=1; b=2; c=3"])
    }
}
