import Firewheel
import FirewheelTesting
import Foundation
import Testing

/// Relative URLs resolve against SessionConfiguration.baseURL by RFC 3986 section 5, with a slash appended to its path.
@Suite("Base URLs")
struct BaseURLTests {
    /// The target sent to the transport, or the kind of the error.
    private func resolve(_ url: any URLConvertible, against base: String?) async throws -> String {
        var configuration = SessionConfiguration.default
        configuration.baseURL = base.flatMap { URL(string: $0) }
        let stub = StubTransport { _ in [.response(ResponseHead(statusCode: 200)), .finish(body: Data("x".utf8))] }
        let session = Session(configuration: configuration, transport: stub)
        let result = await session.request(url).serializingData().result
        withExtendedLifetime(session) {}
        if let kind = kind(result) {
            #expect(stub.requests.isEmpty)
            return "\(kind)"
        }
        return try #require(stub.requests.first).target.string
    }

    /// RFC 3986 section 5.4 with the base `http://a/b/c/d;p/?q`, which is the RFC's with a slash.
    @Test(
        "The examples of RFC 3986 section 5.4 resolve as documented",
        arguments: [
            ("g", "http://a/b/c/d;p/g"), ("./g", "http://a/b/c/d;p/g"), ("g/", "http://a/b/c/d;p/g/"), ("/g", "http://a/g"),
            ("//g", "http://g/"), ("?y", "http://a/b/c/d;p/?y"), ("g?y", "http://a/b/c/d;p/g?y"), (";x", "http://a/b/c/d;p/;x"),
            ("g;x=1/../y", "http://a/b/c/d;p/y"), (".", "http://a/b/c/d;p/"), ("./", "http://a/b/c/d;p/"), ("..", "http://a/b/c/"),
            ("../", "http://a/b/c/"), ("../g", "http://a/b/c/g"), ("../..", "http://a/b/"), ("../../g", "http://a/b/g"),
            ("../../../../g", "http://a/g"), ("../../../../../g", "http://a/g"), ("/./g", "http://a/g"), ("/../g", "http://a/g"),
            ("g.", "http://a/b/c/d;p/g."), (".g", "http://a/b/c/d;p/.g"), ("g..", "http://a/b/c/d;p/g.."), ("./../g", "http://a/b/c/g"),
            ("./g/.", "http://a/b/c/d;p/g/"), ("g/./h", "http://a/b/c/d;p/g/h"), ("g/../h", "http://a/b/c/d;p/h"),
            ("g?y/./x", "http://a/b/c/d;p/g?y/./x"), ("g?y/../x", "http://a/b/c/d;p/g?y/../x"), ("g#s/../x", "http://a/b/c/d;p/g"),
            ("#s", "http://a/b/c/d;p/?q"), ("", "http://a/b/c/d;p/?q"), ("g:h", "invalidURL"), ("http:g", "invalidURL"),
        ])
    func examples(reference: String, target: String) async throws {
        #expect(try await resolve(reference, against: "http://a/b/c/d;p?q") == target)
        #expect(try await resolve(reference, against: "http://a/b/c/d;p/?q") == target)
    }

    @Test(
        "Typical paths and URLs resolve against a base URL",
        arguments: [
            ("https://example.com/v1", "users", "https://example.com/v1/users"),
            ("https://example.com/v1/", "users?page=2", "https://example.com/v1/users?page=2"),
            ("https://example.com", "users", "https://example.com/users"),
            ("https://example.com/v1", "/users", "https://example.com/users"),
            ("https://example.com/v1", "https://other.test/x", "https://other.test/x"),
            ("https://example.com/v1", "//other.test/x", "https://other.test/x"),
            ("https://example.com/v1", "a b/ü", "https://example.com/v1/a%20b/%C3%BC"),
            ("https://example.com/v1", "users/a:b", "https://example.com/v1/users/a:b"),
            ("https://example.com/a%2Fb", "c", "https://example.com/a%2Fb/c"),
            ("https://example.com:8443/v1", "users", "https://example.com:8443/v1/users"),
            ("http://[::1]:80/v1", "users", "http://[::1]/v1/users"),
        ])
    func cases(base: String, reference: String, target: String) async throws {
        #expect(try await resolve(reference, against: base) == target)
    }

    @Test("URL and URLComponents resolve against a base URL like strings")
    func otherTypes() async throws {
        let base = "https://example.com/v1"
        #expect(try await resolve(try #require(URL(string: "users?a")), against: base) == "https://example.com/v1/users?a")
        #expect(try await resolve(try #require(URLComponents(string: "users?a")), against: base) == "https://example.com/v1/users?a")
        let own = try #require(URL(string: "x", relativeTo: URL(string: "http://own.test/y/")))
        #expect(try await resolve(own, against: base) == "http://own.test/y/x")
    }

    @Test("A relative URL is invalid without a base, and with a base that is not an http URL")
    func none() async throws {
        for reference in ["users", "/users", "//other.test/x", "?a", ""] {
            #expect(try await resolve(reference, against: nil) == "invalidURL")
        }
        for base in ["file:///tmp/", "relative/", "mailto:a@b.test"] {
            #expect(try await resolve("users", against: base) == "invalidURL")
        }
    }
}
