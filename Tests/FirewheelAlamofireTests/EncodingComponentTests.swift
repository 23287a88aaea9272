import FirewheelAlamofire
import Testing

/// `escape` and `queryComponents`, with which programs write encodings of their own.
@Suite("Encoding: components", .timeLimit(.minutes(5)))
struct EncodingComponentTests {
    private func text(_ key: String, _ value: Any, _ encoding: URLEncoding = .default) -> String {
        encoding.queryComponents(fromKey: key, value: value).map { "\($0)=\($1)" }.joined(separator: "&")
    }

    @Test("Reserved characters are escaped but ? and /")
    func escape() {
        #expect(
            URLEncoding.default.escape("a b?/:#[]@!$&'()*+,;=ä-._~") == "a%20b?/%3A%23%5B%5D%40%21%24%26%27%28%29%2A%2B%2C%3B%3D%C3%A4-._~")
    }

    @Test("Values are taken apart by the encoding's options")
    func components() {
        #expect(text("a", 1) == "a=1" && text("a b", "c&d") == "a%20b=c%26d" && text("a", true) == "a=1" && text("a", NSNull()).isEmpty)
        #expect(text("a", ["y": [1, 2], "x": ["z": false]] as [String: Any]) == "a%5Bx%5D%5Bz%5D=0&a%5By%5D%5B%5D=1&a%5By%5D%5B%5D=2")
        let encoding = URLEncoding(arrayEncoding: .indexInBrackets, boolEncoding: .literal)
        #expect(text("a", [true, 2] as [Any], encoding) == "a%5B0%5D=true&a%5B1%5D=2")
        #expect(text("a", Data([1, 2, 3])) == "a=AQID" && text("a", NSNull(), URLEncoding(nilEncoding: .bareKey)) == "a=")
    }

    @Test("A value that a form cannot have is its description")
    func others() {
        struct Point { let x = 1 }
        #expect(text("a", Point()) == "a=Point%28x%3A%201%29")
    }
}
