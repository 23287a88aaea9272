import FirewheelTesting
import Foundation
import Testing

@testable import Firewheel

@Suite("Path segments in URLs")
struct PathSegmentTests {
    private static func sent(_ url: any URLConvertible, base: String? = nil) async -> Result<String, FirewheelError> {
        var configuration = SessionConfiguration.default
        configuration.baseURL = base.flatMap { URL(string: $0) }
        return await SessionRequestTests.send(configuration) { $0.request(url) }.map(\.target.string)
    }

    @Test(
        "In a path segment everything but unreserved characters is percent-encoded, so that any value stays one segment",
        arguments: [
            ("swift", "swift"), ("aZ09-._~", "aZ09-._~"), ("a b", "a%20b"), ("../admin", "..%2Fadmin"), ("/", "%2F"), ("a/b", "a%2Fb"),
            ("?q=1", "%3Fq%3D1"), ("#top", "%23top"), ("100%", "100%25"), ("%2e%2e", "%252e%252e"), ("a;v=1", "a%3Bv%3D1"),
            ("..;", "..%3B"), ("a\\b", "a%5Cb"), ("ü", "%C3%BC"), ("👍", "%F0%9F%91%8D"), ("e\u{301}", "e%CC%81"), ("\u{0}", "%00"),
            ("\r\nX-Injected: 1", "%0D%0AX-Injected%3A%201"), ("!$&'()*+,=:@", "%21%24%26%27%28%29%2A%2B%2C%3D%3A%40"), ("[]", "%5B%5D"),
            ("...", "..."), (".a", ".a"), ("a.", "a."), (" ", "%20"), (". ", ".%20"), ("\u{7F}", "%7F"),
            ("http://a.b/", "http%3A%2F%2Fa.b%2F"),
            (String(decoding: [0xEF, 0xB7, 0x90] as [UInt8], as: UTF8.self), "%EF%B7%90"),
        ])
    func table(value: String, encoded: String) async throws {
        #expect("\(segment: value)" == encoded)
        #expect("repos/\(segment: value)/issues?a=\(1)" == "repos/\(encoded)/issues?a=1")
        let target = "http://stub.test/v1/repos/\(encoded)/issues"
        #expect(try await Self.sent("http://stub.test/v1/repos/\(segment: value)/issues").get() == target)
        #expect(try await Self.sent("repos/\(segment: value)/issues", base: "http://stub.test/v1").get() == target)
        #expect(try await Self.sent("http://stub.test/v1/repos/\(segment: value)/issues".asURL()).get() == target)
        #expect(encoded.removingPercentEncoding == value)
    }

    @Test("Numbers, UUIDs, substrings and custom types can be path segments")
    func types() throws {
        struct Name: CustomStringConvertible {
            let description = "a/b"
        }
        let id = try #require(UUID(uuidString: "E621E1F8-C36C-495A-93FC-0C247A3E6E5F"))
        #expect("\(segment: 7)/\(segment: -1.5)/\(segment: id)" == "7/-1.5/E621E1F8-C36C-495A-93FC-0C247A3E6E5F")
        #expect("\(segment: "a/b".prefix(2))/\(segment: Character("/"))/\(segment: Name())" == "a%2F/%2F/a%2Fb")
    }

    @Test("A path segment that is empty, . or .. fails the request with invalidURL, and nothing is sent", arguments: ["", ".", ".."])
    func refused(value: String) async throws {
        let relative = "repos/\(segment: value)/issues"
        let absolute = "http://stub.test/repos/\(segment: value)/issues"
        for (url, base) in [
            (relative, "http://stub.test/v1"), (relative, nil), (absolute, nil), (absolute, "http://stub.test/v1"),
            ("http://stub.test/\(segment: value)", nil), ("\(segment: value)", "http://stub.test/"),
            ("/\(segment: value)\(segment: value)/", "http://stub.test/"), ("http://stub.test/a?b=\(segment: value)", nil),
        ] {
            let error = try #require(throws: FirewheelError.self) { try url.asURL() }
            #expect(error.kind == .invalidURL)
            guard case .failure(let error) = await Self.sent(url, base: base) else {
                Issue.record("\(url) was sent")
                continue
            }
            #expect(error.kind == .invalidURL)
            #expect(error.description.contains(#"\(segment: "\#(value)")"#), "\(error)")
            #expect(error.description.contains(#"a path segment that is empty, "." or "..""#), "\(error)")
        }
        let kinds = [
            kind(await SessionRequestTests.send { $0.request(absolute, parameters: ["a": 1]) }.mapError { $0 }),
            kind(await SessionRequestTests.send { $0.post(absolute, parameters: ["a": 1]) }.mapError { $0 }),
            kind(await SessionRequestTests.send { $0.request(absolute, requestModifier: { _ in }) }.mapError { $0 }),
            kind(await session(body: "x").download(absolute).serializingDownloadedFileURL().result),
        ]
        #expect(kinds == Array(repeating: .invalidURL, count: 4))
        #expect(throws: FirewheelError.self) { try URLRequest(url: absolute, method: .get) }
    }

    @Test("A path segment that is empty, . or .. is invalidURL also in a Foundation URL", arguments: ["", ".", ".."])
    func foundation(value: String) async throws {
        let absolute = "http://stub.test/repos/\(segment: value)/issues"
        let url = try #require(URL(string: absolute))
        let components = try #require(URLComponents(string: absolute))
        for convertible in [url, components] as [any URLConvertible] {
            guard case .failure(let error) = await Self.sent(convertible) else {
                Issue.record("\(convertible) was sent")
                continue
            }
            #expect(error.kind == .invalidURL && error.description.contains(#"\(segment: "\#(value)")"#), "\(error)")
        }
        #expect(kind(await SessionRequestTests.send { $0.request(URLRequest(url: url)) }.mapError { $0 }) == .invalidURL)
        let adapted = await SessionRequestTests.send {
            $0.request("http://stub.test/").adapt { request, _ in request.url = url }
        }
        #expect(kind(adapted.mapError { $0 }) == .invalidURL)
        #expect(kind(await Self.sent("x", base: absolute).mapError { $0 }) == .invalidURL)
    }
}
