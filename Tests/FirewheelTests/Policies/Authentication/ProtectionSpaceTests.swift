import Foundation
import Testing

@testable import Firewheel

@Suite("Protection spaces")
struct ProtectionSpaceTests {
    private func target(_ url: String) throws -> TargetURI { try #require(TargetURI(url)) }

    @Test(
        "Basic is sent preemptively at and below the challenged folder (RFC 7617 section 2.2)",
        arguments: [
            ("http://a.com/docs/index.html", ["/docs/", "/docs/test.doc", "/docs/a/b?q"], ["/", "/docs", "/docsx", "/other/docs/"]),
            ("http://a.com/docs?x=/y/", ["/", "/docs", "/x"], []),
            ("http://a.com", ["/", "/docs"], []),
            ("http://a.com/a/", ["/a/", "/a/b/../c/.."], ["/a/../b", "/a/%2E%2e/b", "/a/..;/z", "/a/..%2Fz", "/a/%2e.%5cz", "/a"]),
        ])
    func basic(challenged: String, inside: [String], outside: [String]) throws {
        let space = ProtectionSpace(basicAt: try target(challenged))
        // Paths with dot segments are not sent preemptively, even if they stay inside.
        for path in inside where !path.contains("..") { #expect(space.contains(try target("http://a.com" + path)), "\(path)") }
        for path in outside { #expect(!space.contains(try target("http://a.com" + path)), "\(path)") }
        for url in ["https://a.com", "http://b.com", "http://a.com:81", "http://www.a.com"] {
            #expect(!space.contains(try target(url + "/docs/index.html")))
        }
    }

    @Test(
        "Digest is sent preemptively where its domain says, or to the whole origin (RFC 7616 section 3.3)",
        arguments: [
            ("", ["/", "/x/y", "/a/../b"], []),
            ("/private /b/?q=1", ["/private", "/private/x", "/privately", "/b/?q=12"], ["/", "/b/", "/b/?q=2", "/private/../x"]),
            ("http://a.com/x/ https://a.com/ http://b.com/ //a.com/y", ["/x/", "/x/y", "/y"], ["/", "/x", "/z"]),
            ("http://b.com/ mailto:x @@@ relative", ["/challenged/here", "/challenged/here?again"], ["/", "/challenged/there"]),
            ("/", ["/", "/x", "/x/.."], []),
        ])
    func digest(domain: String, inside: [String], outside: [String]) throws {
        let challenge = try #require(
            Challenge.parse(["Digest realm=r, nonce=n, domain=\"\(domain)\""]).first.flatMap(DigestChallenge.init))
        let space = ProtectionSpace(challenge, at: try target("http://a.com/challenged/here?q"))
        for path in inside { #expect(space.contains(try target("http://a.com" + path)), "\(path)") }
        for path in outside { #expect(!space.contains(try target("http://a.com" + path)), "\(path)") }
        for url in ["https://a.com/", "http://b.com/", "http://a.com:81/x/"] { #expect(!space.contains(try target(url))) }
    }
}
