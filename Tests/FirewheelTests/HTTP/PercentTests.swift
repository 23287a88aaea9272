import Foundation
import Testing

@testable import Firewheel

@Suite("Percent-encoding of characters that a URL may not contain (RFC 3986 section 2.1)")
struct PercentTests {
    @Test(
        "Percent-encoded text is not encoded again, and all else is encoded byte by byte",
        arguments: [
            ("http://a.com/x?filter[name]=a%20b", "http://a.com/x?filter%5Bname%5D=a%20b"),
            ("http://a.com/a%20b|c", "http://a.com/a%20b%7Cc"), ("http://a.com/naïve%2Fx", "http://a.com/na%C3%AFve%2Fx"),
            ("/files/My Doc%2F1.pdf", "/files/My%20Doc%2F1.pdf"), ("100%", "100%25"), ("?q=%zz%2", "?q=%25zz%252"),
            ("http://[::1]:80/[x]", "http://[::1]:80/%5Bx%5D"), ("//[::1]/ ", "//[::1]/%20"), ("a/b://[c]", "a/b://%5Bc%5D"),
            ("http://bü.example/ü", "http://bü.example/%C3%BC"), ("", ""), ("http://a.com/%41?%42#%43", "http://a.com/%41?%42#%43"),
        ])
    func table(text: String, encoded: String) {
        #expect(Percent.encodingInvalidCharacters(text) == encoded)
        #expect(Percent.encodingInvalidCharacters(encoded) == encoded)
    }

    @Test("A URL keeps its percent-escapes, whether or not something else in it has to be escaped")
    func onTheWay() throws {
        let builder = RequestBuilder(configuration: SessionConfiguration())
        for (text, target) in [
            ("http://a.com/x?f[n]=a%20b", "http://a.com/x?f%5Bn%5D=a%20b"), ("http://a.com/é%2F é", "http://a.com/%C3%A9%2F%20%C3%A9"),
        ] {
            let simple = try builder.build(.url(text, method: .get, headers: nil, encode: nil, modifier: nil))
            let modified = try builder.build(.url(text, method: .get, headers: nil, encode: nil, modifier: { _ in }))
            #expect(simple.target.string == target)
            #expect(modified.target.string == target)
        }
    }

    @Test("A redirect's Location keeps its percent-escapes, and its bytes above 127 are escaped as they came")
    func location() throws {
        let head = ResponseHead(statusCode: 302, headers: ["Location": "/files/My Doc%2F\u{E9}.pdf"])
        let target = try #require(TargetURI("http://a.com/"))
        let decision = RedirectPolicy.decide(
            method: .get, url: target.string, target: target, headers: [:], hasBody: false, head: head, count: 0)
        guard case .follow(let next) = decision else {
            Issue.record("not followed: \(decision)")
            return
        }
        #expect(next.target.string == "http://a.com/files/My%20Doc%2F%E9.pdf")
    }
}
