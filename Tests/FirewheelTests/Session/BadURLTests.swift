import Firewheel
import Foundation
import Testing

/// A bad URL is an error of its own kind through the same handler, and nothing is sent. Foundation's URL(string:) accepts nearly
/// everything.
@Suite("Bad URLs")
struct BadURLTests {
    static let bad = [
        "", " ", "users", "/users", "www.example.com", "www.example.com/path", "://example.com", "http", "http:", "http:/", "http://",
        "http:///", "http:///path", "http:/example.com/", "http:example.com", "http://?query", "http://#fragment", "http://:80/",
        "http://user@/", "http://example.com:99999/", "http://example.com:-1/", "http://example.com:port/", "http://example.com:0/",
        "http://exa mple.com/", "http://exa%20mple.com/", "http://[::1/", "http://[::g]/", "http://[]/", "http://1.2.3.256/",
        "http://1.2.3.4.5/",
        "http://.example.com/", "http://example.com\r\nX-Injected: 1/", "http://a\u{0}b/", "http://a|b/", "http://a\\b/",
        "file:///etc/passwd", "file://localhost/etc/passwd", "ftp://example.com/", "data:text/plain,hello", "javascript:alert(1)",
        "mailto:a@example.com", "ws://example.com/", "about:blank", "httpss://example.com/", "h\u{200B}ttp://example.com/",
    ]

    @Test("A string that is not an absolute http or https URL is invalidURL", arguments: bad)
    func strings(text: String) async throws {
        let result = await SessionRequestTests.send { $0.request(text) }
        #expect(kind(result.mapError { $0 }) == .invalidURL, "\(result)")
    }

    @Test("A bad URL is invalidURL as URL, URLComponents or URLRequest, with parameters and for a download", arguments: bad)
    func otherTypes(text: String) async throws {
        let coded = await SessionRequestTests.send { $0.request(text, parameters: ["a": 1]) }
        #expect(kind(coded.mapError { $0 }) == .invalidURL)
        if let url = URL(string: text) {
            let plain = await SessionRequestTests.send { $0.request(url) }
            #expect(kind(plain.mapError { $0 }) == .invalidURL)
            let whole = await SessionRequestTests.send { $0.request(URLRequest(url: url)) }
            #expect(kind(whole.mapError { $0 }) == .invalidURL)
        }
        if let components = URLComponents(string: text) {
            let result = await SessionRequestTests.send { $0.request(components) }
            #expect(kind(result.mapError { $0 }) == .invalidURL)
        }
        let session = session(body: "x")
        let download = await session.download(text).serializingDownloadedFileURL().response
        #expect(kind(download.error) == .invalidURL && download.fileURL == nil && download.request == nil)
        withExtendedLifetime(session) {}
    }

    @Test("A URLRequest without a URL is invalidURL")
    func withoutURL() async throws {
        var request = URLRequest(url: try "http://stub.test/".asURL())
        request.url = nil
        let result = await SessionRequestTests.send { [request] in $0.request(request) }
        #expect(kind(result.mapError { $0 }) == .invalidURL)
    }

    @Test("Characters that a URL may not contain are percent-encoded, so that none ends the request line")
    func encoded() async throws {
        for (text, target) in [
            ("http://stub.test/a\r\nX-Injected: 1", "http://stub.test/a%0D%0AX-Injected:%201"),
            ("http://stub.test/?q=a\r\n\r\nGET /", "http://stub.test/?q=a%0D%0A%0D%0AGET%20/"),
            ("http://stub.test/ä b", "http://stub.test/%C3%A4%20b"),
            ("HTTP://STUB.test/A", "http://stub.test/A"),
        ] {
            #expect(try await SessionRequestTests.send { $0.request(text) }.get().target.string == target)
        }
    }
}
