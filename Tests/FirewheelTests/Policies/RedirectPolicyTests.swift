import Foundation
import Testing

@testable import Firewheel

@Suite("Redirect policy")
struct RedirectPolicyTests {
    private func decide(
        _ status: Int, _ location: String?, method: HTTPMethod = .get, from url: String = "http://a.com/dir/page?q=1",
        headers: HTTPHeaders = [:], hasBody: Bool = false, count: Int = 0
    ) throws -> RedirectPolicy.Decision {
        let fields = location.map { [HTTPHeader(name: "location", value: $0)] } ?? []
        let head = ResponseHead(statusCode: status, headers: HTTPHeaders(received: fields))
        let target = try #require(TargetURI(url))
        return RedirectPolicy.decide(method: method, url: url, target: target, headers: headers, hasBody: hasBody, head: head, count: count)
    }

    private func follow(
        _ status: Int = 302, _ location: String, method: HTTPMethod = .get, from url: String = "http://a.com/dir/page?q=1",
        headers: HTTPHeaders = [:]
    ) throws -> RedirectPolicy.RedirectedRequest {
        guard case .follow(let request) = try decide(status, location, method: method, from: url, headers: headers) else {
            throw Failure(description: "\(status) to \(location.debugDescription) is not followed")
        }
        return request
    }

    struct Failure: Error, CustomStringConvertible { let description: String }

    private func failure(_ decision: RedirectPolicy.Decision) -> URLError.Code? {
        if case .fail(let code, _) = decision { return code }
        return nil
    }

    private func isStop(_ decision: RedirectPolicy.Decision) -> Bool {
        if case .stop = decision { return true }
        return false
    }

    // MARK: Which responses redirect

    @Test("Only five statuses redirect, and only with a Location (Fetch, \"redirect status\")")
    func statuses() throws {
        for status in 100...599 {
            let redirects = [301, 302, 303, 307, 308].contains(status)
            #expect(isStop(try decide(status, "/x")) == !redirects, "\(status)")
            #expect(isStop(try decide(status, nil)), "\(status)")
            #expect(isStop(try decide(status, "")), "\(status)")
        }
    }

    /// RFC 3986 section 5.2.2: also in a reference with a scheme, and in the path alone.
    @Test(
        "Dot segments are removed from an absolute Location",
        arguments: [
            ("http://h/foo/bar/../../baz", "http://h/baz"), ("http://h/../a.json", "http://h/a.json"), ("//h/a/./b/../c", "http://h/a/c"),
            ("http://h/a/..", "http://h/"), ("http://h/a/.", "http://h/a/"), ("http://h/a/b/../", "http://h/a/"),
            ("http://h/..", "http://h/"),
            ("http://h/../../x?q=/../y#/../z", "http://h/x?q=/../y#/../z"), ("http://h/a//../b", "http://h/a/b"),
            ("http://h/a/...", "http://h/a/..."),
            ("http://h/.a/..b/c..", "http://h/.a/..b/c.."), ("http://h/%2e%2e/a", "http://h/%2e%2e/a"),
            ("http://h:81/a/../b", "http://h:81/b"),
            ("HTTP://H/a/../b", "http://h/b"), ("http://u:p@h/a/../b", "http://h/b"), ("http://h?/../a", "http://h/?/../a"),
            ("/a/../b", "http://a.com/b"),
        ])
    func dotSegments(location: String, url: String) throws {
        let next = try follow(302, location)
        #expect(next.url == url)
        #expect(next.target.string == url.prefix { $0 != "#" })
    }

    @Test("In 5,000 random absolute Locations no dot segment stays, and the other segments stay in order")
    func randomDotSegments() throws {
        var generator = SeededGenerator(state: 3986)
        for _ in 0..<5_000 {
            let segments = (0..<Int.random(in: 0...6, using: &generator)).map { _ in
                [".", "..", "", "a", "b..", "%2e"].randomElement(using: &generator)!
            }
            let location = "http://h" + segments.map { "/\($0)" }.joined()
            let sent = try follow(302, location).target.string.dropFirst("http://h".count)
            let parts = sent.split(separator: "/", omittingEmptySubsequences: false)
            #expect(parts.first == "" && !parts.contains(".") && !parts.contains(".."), "\(location)")
            var expected: [String] = []
            for (index, segment) in segments.enumerated() {
                if segment == ".." { _ = expected.popLast() }
                if segment != ".", segment != ".." { expected.append(segment) } else if index == segments.count - 1 { expected.append("") }
            }
            #expect(sent == "/" + expected.joined(separator: "/"), "\(location)")
        }
    }

    @Test("Of two Location fields the first counts")
    func repeated() throws {
        let head = ResponseHead(
            statusCode: 302,
            headers: HTTPHeaders(received: [HTTPHeader(name: "Location", value: "/1"), HTTPHeader(name: "Location", value: "/2")]))
        let url = "http://a.com/"
        let decision = RedirectPolicy.decide(
            method: .get, url: url, target: try #require(TargetURI(url)), headers: [:], hasBody: false, head: head, count: 0)
        guard case .follow(let next) = decision else { throw Failure(description: "not followed") }
        #expect(next.url == "http://a.com/1")
    }

    @Test("Twenty redirects are followed, and the next one is an error (Fetch)")
    func limit() throws {
        for count in 0..<20 { #expect(failure(try decide(302, "/x", count: count)) == nil) }
        #expect(failure(try decide(302, "/x", count: 20)) == .httpTooManyRedirects)
        #expect(failure(try decide(302, "/x", count: 21)) == .httpTooManyRedirects)
        #expect(isStop(try decide(200, "/x", count: 20)))
    }

    // MARK: Method and body

    @Test(
        "301 and 302 turn POST into GET, 303 all but GET and HEAD, 307 and 308 nothing (RFC 9110 section 15.4)",
        arguments: [301, 302, 303, 307, 308],
        [HTTPMethod.get, .head, .post, .put, .patch, .delete, .options, .query, HTTPMethod(rawValue: "PURGE")])
    func methods(status: Int, method: HTTPMethod) throws {
        let next = try follow(status, "/x", method: method)
        let becomesGET =
            switch status {
            case 301, 302: method == .post
            case 303: method != .get && method != .head
            default: false
            }
        #expect(next.method == (becomesGET ? .get : method))
        #expect(next.keepsBody == !becomesGET)
    }

    @Test("Fields that describe a dropped body are dropped (RFC 9110 section 15.4; Fetch, \"request-body-header name\")")
    func contentFields() throws {
        let headers: HTTPHeaders = [
            "Content-Type": "a/b", "content-encoding": "gzip", "Content-Language": "en", "CONTENT-LOCATION": "/", "Accept": "x",
            "X-Content-Type": "y", "digest": "a", "Content-Digest": "b", "Repr-Digest": "c", "Content-MD5": "d", "Last-Modified": "e",
            "Content-Range": "bytes 0-1/2", "Content-Length": "2", "Content-Disposition": "f", "Expect": "100-continue", "Trailer": "g",
        ]
        #expect(try follow(303, "/x", method: .post, headers: headers).headers.map(\.name) == ["Accept", "X-Content-Type"])
        #expect(try follow(301, "/x", method: .post, headers: headers).headers.map(\.name) == ["Accept", "X-Content-Type"])
        #expect(try follow(307, "/x", method: .post, headers: headers).headers == headers)
        #expect(try follow(302, "/x", method: .put, headers: headers).headers == headers)
    }

    // MARK: Credentials

    @Test(
        "Credentials are not sent to another origin (Fetch, \"HTTP-redirect fetch\")",
        arguments: [
            ("/x", true), ("http://a.com:80/x", true), ("HTTP://A.com/x", true), ("//a.com/x", true), ("http://u:p@a.com/x", true),
            ("https://a.com/x", false), ("http://a.com:8080/x", false), ("http://b.com/x", false), ("//b.com/x", false),
            ("http://sub.a.com/x", false),
            ("http://a.com./x", false), ("http://a.com@b.com/", false),
        ])
    func credentials(location: String, isSameOrigin: Bool) throws {
        let headers: HTTPHeaders = [
            "Authorization": "Basic x", "COOKIE": "a=b", "proxy-authorization": "y", "Host": "a.com", "Accept": "z", "X-Token": "secret",
            "X-Api-Key": "k", "PRIVATE-TOKEN": "p", "x-amz-security-token": "t", "X-Auth": "a", "X-Session-Id": "s", "Token": "u",
            "X-Kept": "kept",
            "Idempotency-Key": "kept",
        ]
        let next = try follow(307, location, method: .post, headers: headers)
        #expect(next.headers.map(\.name) == (isSameOrigin ? headers.map(\.name) : ["Accept", "X-Kept", "Idempotency-Key"]))
        #expect(!next.url.contains("u:p"))
    }

    @Test(
        "A redirect from https to http is an error if it would send a body",
        arguments: [301, 302, 303, 307, 308], [HTTPMethod.get, .post, .put, .patch])
    func downgrade(status: Int, method: HTTPMethod) throws {
        let (from, to) = ("https://a.com/x", "http://a.com/x")
        let keepsBody = status >= 307 || (status != 303 && method != .post) || method == .get
        let decision = try decide(status, to, method: method, from: from, hasBody: true)
        #expect(failure(decision) == (keepsBody ? .appTransportSecurityRequiresSecureConnection : nil))
        if case .fail(_, let reason) = decision { #expect(reason.contains("from https to http")) }
        // Without a body, and from http to https, there is no error.
        #expect(failure(try decide(status, to, method: method, from: from)) == nil)
        #expect(failure(try decide(status, from, method: method, from: to, hasBody: true)) == nil)
        #expect(failure(try decide(status, "/y", method: method, from: from, hasBody: true)) == nil)
        #expect(failure(try decide(status, "https://b.com/", method: method, from: from, hasBody: true)) == nil)
        #expect(failure(try decide(status, "http://b.com/", method: method, from: to, hasBody: true)) == nil)
    }

    @Test("A Referer is not sent from https to http (RFC 9110 section 10.1.3)")
    func referer() throws {
        let headers: HTTPHeaders = ["Referer": "https://a.com/1", "Accept": "x"]
        #expect(try follow(302, "http://a.com/", from: "https://a.com/", headers: headers).headers.map(\.name) == ["Accept"])
        #expect(try follow(302, "https://b.com/", from: "https://a.com/", headers: headers).headers == headers)
        #expect(try follow(302, "http://b.com/", from: "http://a.com/", headers: headers).headers == headers)
    }

    @Test("Two spellings of an address are one origin, and a name and its address are two")
    func addresses() throws {
        let headers: HTTPHeaders = ["Authorization": "x"]
        #expect(try follow(302, "http://0x7f.1:81/", from: "http://127.0.0.1:81/", headers: headers).headers == headers)
        #expect(try follow(302, "http://[0:0::1]/", from: "http://[::1]/", headers: headers).headers == headers)
        #expect(try follow(302, "http://localhost/", from: "http://127.0.0.1/", headers: headers).headers.isEmpty)
    }

    // MARK: Target

    @Test(
        "A relative Location is resolved against the request's URL (RFC 9110 section 10.2.2, RFC 3986 section 5.4)",
        arguments: [
            ("x", "http://a.com/b/c/x"), ("./x", "http://a.com/b/c/x"), ("x/", "http://a.com/b/c/x/"), ("/x", "http://a.com/x"),
            ("//x", "http://x/"),
            ("?y", "http://a.com/b/c/d;p?y"), ("x?y", "http://a.com/b/c/x?y"), (";x", "http://a.com/b/c/;x"), ("..", "http://a.com/b/"),
            ("../", "http://a.com/b/"), ("../x", "http://a.com/b/x"), ("../..", "http://a.com/"), ("../../x", "http://a.com/x"),
            ("../../../x", "http://a.com/x"), ("/./x", "http://a.com/x"), ("/../x", "http://a.com/x"), ("x/./y", "http://a.com/b/c/x/y"),
            ("x/../y", "http://a.com/b/c/y"), ("http://b.com", "http://b.com/"), ("HTTP://B.com/X", "http://b.com/X"),
            ("//b.com:81/x", "http://b.com:81/x"),
            ("https://a.com/x", "https://a.com/x"), (".", "http://a.com/b/c/"), ("x y", "http://a.com/b/c/x%20y"),
            ("%7Ex", "http://a.com/b/c/%7Ex"),
        ])
    func relative(location: String, expected: String) throws {
        let next = try follow(302, location, from: "http://a.com/b/c/d;p?q")
        #expect(next.url == expected)
        #expect(next.target.string == expected)
    }

    @Test("A redirect keeps the fragment unless its Location has one (RFC 9110 section 10.2.2)")
    func fragments() throws {
        #expect(try follow(302, "/x", from: "http://a.com/y#f").url == "http://a.com/x#f")
        #expect(try follow(302, "/x#g", from: "http://a.com/y#f").url == "http://a.com/x#g")
        #expect(try follow(302, "/x#g", from: "http://a.com/y").url == "http://a.com/x#g")
        #expect(try follow(302, "http://b.com/x?q", from: "http://a.com/y#f?g").url == "http://b.com/x?q#f?g")
        #expect(try follow(302, "#g", from: "http://a.com/y?q#f").url == "http://a.com/y?q#g")
        #expect(try follow(302, "/x", from: "http://a.com/y#f").target.string == "http://a.com/x")
    }

    @Test("Bytes above 127 in a Location are percent-encoded as they came, UTF-8 or not")
    func obsText() throws {
        func latin1(_ bytes: [UInt8]) -> String { String(String.UnicodeScalarView(bytes.map { Unicode.Scalar($0) })) }
        #expect(try follow(302, "/caf" + latin1([0xE9])).url == "http://a.com/caf%E9")
        #expect(try follow(302, "/caf" + latin1([0xC3, 0xA9])).url == "http://a.com/caf%C3%A9")
        #expect(try follow(302, "/?q=" + latin1([0x80, 0xFF]) + "&r=%20").url == "http://a.com/?q=%80%FF&r=%20")
    }

    @Test(
        "A redirect to a scheme other than http and https is not followed",
        arguments: [
            "javascript:alert(1)", "ftp://a.com/x", "file:///etc/passwd", "data:text/plain,x", "about:blank", "FILE:///x", "mailto:a@b.c",
            "ws://a.com/",
        ])
    func otherSchemes(location: String) throws {
        #expect(failure(try decide(302, location)) == .unsupportedURL)
    }

    @Test(
        "A Location that names no valid target is an error, not a response",
        arguments: [
            "http://", "http:///x", "//", "http://a.com:99999/", "http://a.com:0/", "http://[::1", "http://1.2.3.4.5/", "http://%61.com/",
            "http:x",
        ])
    func nowhere(location: String) throws {
        #expect(failure(try decide(302, location)) == .redirectToNonExistentLocation)
    }

    @Test(
        "Backslashes and control characters in a Location do not lead to another host",
        arguments: ["\\\\b.com/", "/\\b.com/", "\t//b.com/x", "/\u{1}//b.com", "a\u{0}//b.com"])
    func tricks(location: String) throws {
        guard case .follow(let next) = try decide(302, location) else { return }
        // Following or refusing is safe, another host is not.
        #expect(next.target.origin.host == "a.com")
    }

    @Test("Of 10,000 random Locations none traps, and each followed one can be sent")
    func random() throws {
        var generator = SeededGenerator(state: 3)
        let pieces = [
            "http:", "https:", "//", "/", "..", ".", "?", "#", "@", ":", "b.com", "[::1]", "127.1", "%", "%41", "\\", " ", "\u{0}",
            "\u{E9}", "x", ";", "=", "99999", "\n",
        ]
        var followed = 0
        for _ in 0..<10_000 {
            var location = ""
            for _ in 0..<Int.random(in: 1...8, using: &generator) {
                location += pieces[Int.random(in: 0..<pieces.count, using: &generator)]
            }
            guard case .follow(let next) = try decide(302, location) else { continue }
            followed += 1
            if TargetURI(next.target.string)?.string != next.target.string || TargetURI(next.url)?.string != next.target.string {
                Issue.record("\(location.debugDescription) led to \(next.url.debugDescription)")
            }
        }
        #expect(followed > 1_000)
    }
}
