import Firewheel
import FirewheelTesting
import Foundation
import Testing

/// Fields that servers send in UTF-8, for which HTTP has no charset (RFC 9110 section 5.5).
@Suite("Fields in UTF-8", .eachTransport, .timeLimit(.minutes(5)))
struct DecodedFieldTests {
    @Test(
        "A field is UTF-8 if its bytes are valid UTF-8, and otherwise ISO-8859-1",
        arguments: [
            ("Überlauf", Array("Überlauf".utf8)), ("Überlauf", [0xDC] + Array("berlauf".utf8)), ("plain", Array("plain".utf8)),
            ("日本 🎈", Array("日本 🎈".utf8)), ("Ã\u{9C}", [0xC3, 0x83, 0xC2, 0x9C]), ("é\u{80}", [0xE9, 0x80]), ("a\u{C3}", [0x61, 0xC3]),
        ] as [(String, [UInt8])])
    func bytes(text: String, octets: [UInt8]) async throws {
        let server = try MockServer()
        defer { server.shutdown() }
        server.enqueue(MockResponse.text("x").rawHeaderLine(Data("X-Message: ".utf8 + octets)))
        let response = await Session.onTest().get(server.url()).raw()
        #expect(response.headers.decodedValue(for: "x-message") == text)
        #expect(response.headers.first { $0.name.lowercased() == "x-message" }?.decodedValue == text)
        #expect(response.response?.headers.decodedValue(for: "X-Message") == text)
        #expect(response.headers.decodedValue(for: "X-Other") == nil)
    }

    @Test("Repeated fields are joined, each as its own bytes are")
    func repeated() async throws {
        let headers = HTTPHeaders(received: [
            HTTPHeader(name: "X-Name", value: "J\u{C3}\u{B6}rg"), HTTPHeader(name: "Other", value: "-"),
            HTTPHeader(name: "x-name", value: "J\u{F6}rg"), HTTPHeader(name: "X-Name", value: ""),
        ])
        #expect(headers.decodedValue(for: "X-Name") == "Jörg, Jörg, ")
        #expect(headers.value(for: "X-Name") == "J\u{C3}\u{B6}rg, Jörg, ")
        #expect(HTTPHeaders().decodedValue(for: "X-Name") == nil)
    }
}
