import FirewheelTesting
import Foundation
import Testing

@testable import Firewheel

@Suite("HTTP methods")
struct HTTPMethodTests {
    @Test("A token consists of ASCII letters, digits and fifteen other characters (RFC 9110 section 5.6.2)")
    func tokens() {
        let special = Set("!#$%&'*+-.^_`|~".utf8)
        for byte in UInt8(0)...127 {
            let isToken =
                special.contains(byte) || (48...57).contains(byte) || (65...90).contains(byte) || (97...122).contains(byte)
            let text = String(UnicodeScalar(byte))
            #expect(text.isHTTPToken == isToken, "byte \(byte)")
            #expect("a\(text)b".isHTTPToken == isToken, "byte \(byte)")
        }
        #expect(!"".isHTTPToken)
        #expect(!"é".isHTTPToken)
        #expect(!"GET\u{301}".isHTTPToken)
    }

    @Test("Methods are case-sensitive (RFC 9110 section 9.1)")
    func cases() {
        #expect(HTTPMethod(rawValue: "get") != .get)
        #expect(HTTPMethod(rawValue: "GET") == .get)
        #expect(HTTPMethod.patch.description == "PATCH")
    }

    @Test("A method knows whether it is idempotent (RFC 9110 section 9.2.2)")
    func idempotence() {
        for method in [HTTPMethod.get, .head, .put, .delete, .options, .trace, .query] { #expect(method.isIdempotent) }
        for method in [HTTPMethod.post, .patch, .connect, HTTPMethod(rawValue: "get"), HTTPMethod(rawValue: "PURGE")] {
            #expect(!method.isIdempotent)
        }
    }

    @Test(
        "A method that is not a token fails the request, and nothing is sent",
        arguments: ["", "G T", "GET ", "GET\r\nX: y", "GET /x HTTP/1.1\r\n\r\n", "GÉT", "G\u{0}"])
    func invalid(method: String) async {
        let stub = StubTransport { _ in [.finish()] }
        let session = Session(transport: stub)
        let response = await session.request("http://a.com/", method: HTTPMethod(rawValue: method)).raw()
        #expect(response.kind == .urlRequestValidationFailed(.invalidMethod))
        #expect(stub.requests.isEmpty)
    }
}
