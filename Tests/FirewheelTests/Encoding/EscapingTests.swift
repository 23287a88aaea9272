import Testing

@testable import Firewheel

/// Composed characters are escaped whole, wherever they are. AFNetworking and Alamofire 4 escape in batches, which must not split one.
@Suite struct EscapingTests {
    static let characters = [
        "😃", "👩‍👩‍👧‍👦", "🇩🇪", "👍🏽", "e\u{301}", "a\u{308}\u{323}", "각", "\r\n", "🏴󠁧󠁢󠁥󠁮󠁧󠁿", "نّ", "क्षि",
    ]

    @Test(arguments: characters) func aroundTheBoundariesOfBatches(_ character: String) throws {
        let whole = Array(character.utf8).map { "%" + (($0 < 16 ? "0" : "") + String($0, radix: 16, uppercase: true)) }.joined()
        let escaped = character.utf8.contains { $0 < 0x80 && $0 != 0x0A && $0 != 0x0D } ? nil : whole
        for length in [0, 1] + (44...52) + (94...102) + [1_023, 1_024, 4_095, 4_096] {
            let prefix = String(repeating: "x", count: length)
            let text = prefix + character + "x" + character
            let encoded = try formText(["k": text])
            #expect(try formText(encoding: ["k": text]) == encoded)
            let parts = encoded.split(separator: "=")
            #expect(Array(try #require(parts.last?.removingPercentEncoding).utf8) == Array(text.utf8))
            if let escaped { #expect(encoded == "k=" + prefix + escaped + "x" + escaped) }
        }
    }

    @Test func escape() throws {
        let text = "a b?/:#[]@!$&'()*+,;=ä-._~" + Self.characters.joined()
        let escaped = URLEncoding.default.escape(text)
        #expect(escaped.hasPrefix("a%20b?/%3A%23%5B%5D%40%21%24%26%27%28%29%2A%2B%2C%3B%3D%C3%A4-._~%F0%9F%98%83"))
        #expect(try formText([text: text]) == "\(escaped)=\(escaped)" && URLEncoding.default.escape("").isEmpty)
    }

    @Test func charactersInARow() throws {
        let text = String(repeating: Self.characters.joined(), count: 40)
        let encoded = try formText([text: text])
        let parts = encoded.split(separator: "=").map { $0.removingPercentEncoding.map { Array($0.utf8) } }
        #expect(parts == [Array(text.utf8), Array(text.utf8)])
        #expect(encoded.utf8.allSatisfy { $0 < 0x80 })
    }

    /// Text is not normalized, so equal-looking texts stay different.
    @Test func nothingIsNormalized() throws {
        #expect(try formText(["k": "e\u{301}"]) == "k=e%CC%81")
        #expect(try formText(["k": "\u{E9}"]) == "k=%C3%A9")
        #expect(try jsonText(["k": "e\u{301}"]).utf8.count == jsonText(["k": "\u{E9}"]).utf8.count + 1)
    }
}
