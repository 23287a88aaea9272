import FirewheelTesting
import Foundation
import Testing

@testable import Firewheel

/// How requests, responses, errors and configurations are converted for URLSession and back.
@Suite("URLSession messages")
struct URLSessionMessagesTests {
    private func request(_ url: String, _ change: (inout TransportRequest) -> Void = { _ in }) throws -> TransportRequest {
        var request = TransportRequest(id: TransportTaskID(request: 1), method: .get, target: try #require(TargetURI(url)))
        change(&request)
        return request
    }

    @Test(
        "Foundation accepts every target as it is, with the host and port that the client checked",
        arguments: [
            "http://example.com/", "https://EXAMPLE.com:8443/a?b=c", "http://127.1/", "http://0x7f.0.0.1:81/", "http://[::1]:8080/x",
            "https://[2001:DB8::1]/", "http://a_b.example/", "http://user:secret@example.com/", "http://example.com/%2e%2e/;a=1?x=%5B%5D",
        ])
    func targets(url: String) throws {
        let target = try #require(TargetURI(url))
        let made = try #require(URLRequest(transportRequest: request(url)))
        #expect(made.url?.absoluteString == target.string)
        #expect(made.url?.user == nil)
    }

    @Test(
        "Cookies that Foundation has joined are split again, and dates stay whole",
        arguments: [
            ("a=1", ["a=1"]), ("a=1; Path=/, b=2", ["a=1; Path=/", "b=2"]),
            (
                "a=1; Expires=Wed, 09 Jun 2021 10:18:14 GMT; Path=/,b=x,y; HttpOnly,  c=",
                ["a=1; Expires=Wed, 09 Jun 2021 10:18:14 GMT; Path=/", "b=x,y; HttpOnly", "c="]
            ),
            ("", [""]), (",", [","]), ("a=1, ", ["a=1, "]), (", =1", [", =1"]),
        ])
    func cookies(joined: String, apart: [String]) throws {
        #expect(ResponseHead.cookies(joined: joined) == apart)
        let url = try #require(URL(string: "http://a.test/"))
        let response = try #require(HTTPURLResponse(url: url, statusCode: 200, httpVersion: nil, headerFields: ["Set-Cookie": joined]))
        #expect(ResponseHead(response).headers.values(for: "set-cookie").count == apart.count)
    }

    @Test("Method, fields and body are the request's, and framing is left to URLSession")
    func fields() throws {
        let made = try #require(
            URLRequest(
                transportRequest: request("http://example.com/") {
                    $0.method = HTTPMethod(rawValue: "PURGE")
                    $0.headers = ["X-A": "1", "content-length": "7", "Transfer-Encoding": "chunked", "Cookie": "a=1"]
                    $0.body = Data("body".utf8)
                }))
        #expect(made.httpMethod == "PURGE")
        #expect(made.allHTTPHeaderFields == ["X-A": "1", "Cookie": "a=1"])
        #expect(made.httpBody == Data("body".utf8))
        #expect(made.httpShouldHandleCookies == false)
        #expect(made.cachePolicy == .reloadIgnoringLocalCacheData)
    }

    @Test("An idle timeout is never shorter than requested, and 0 means none")
    func timeouts() throws {
        for seconds in [0.001, 0.3, 1, 59.5, 60, 1e6] {
            let made = try #require(URLRequest(transportRequest: request("http://example.com/") { $0.idleTimeout = seconds }))
            #expect(made.timeoutInterval >= seconds && made.timeoutInterval < seconds + 1)
        }
        for seconds in [0, -1, 1e300, .infinity, .nan] {
            let made = try #require(URLRequest(transportRequest: request("http://example.com/") { $0.idleTimeout = seconds }))
            #expect(made.timeoutInterval == URLSessionPlatform.noLimit)
        }
        let quiet = try request("http://example.com/") {
            $0.idleTimeout = 1
            $0.allowsQuietBody = true
        }
        #expect(URLRequest(transportRequest: quiet)?.timeoutInterval == URLSessionPlatform.noLimit)
    }

    @Test("Response fields arrive sorted by name, without blanks around their values")
    func head() throws {
        let fields = ["b": "2", "A": "1", "c": " 3 \t"]
        let url = try #require(URL(string: "http://example.com/"))
        let response = try #require(HTTPURLResponse(url: url, statusCode: 299, httpVersion: "HTTP/1.1", headerFields: fields))
        let head = ResponseHead(response)
        #expect(head.statusCode == 299)
        #expect(head.headers.map(\.name.localizedLowercase) == ["a", "b", "c"])
        #expect(head.headers.map(\.value) == ["1", "2", "3"])
    }

    @Test("A URLSession error keeps its code, and any other error is unknown with its text")
    func errors() {
        guard case .failed(.cannotFindHost, _) = TransportError(urlSessionError: URLError(.cannotFindHost)) else {
            Issue.record("the code of an URLError was lost")
            return
        }
        let other = NSError(domain: "other", code: 3, userInfo: [NSLocalizedDescriptionKey: "why"])
        #expect(TransportError(urlSessionError: other) == .failed(.unknown, "why"))
    }

    @Test("Cookies, caching and credentials are off, and the connection limit is the configured one", arguments: [(4, 4), (0, 1), (-1, 1)])
    func configuration(count: Int, expected: Int) {
        let mapped = URLSessionConfiguration.firewheel(.with { $0.maximumConnectionsPerHost = count })
        #expect(mapped.httpMaximumConnectionsPerHost == expected)
        #expect(mapped.httpCookieStorage == nil)
        #expect(mapped.httpShouldSetCookies == false)
        #expect(mapped.urlCache == nil)
        #expect(mapped.urlCredentialStorage == nil)
        #expect(mapped.timeoutIntervalForResource >= 7 * 24 * 3_600)
    }
}
