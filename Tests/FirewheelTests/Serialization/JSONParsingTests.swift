import Firewheel
import Foundation
import Testing

/// Which text is JSON (RFC 8259), and its values.
@Suite("JSON parsing")
struct JSONParsingTests {
    @Test(
        "Every form of valid JSON is accepted",
        arguments: [
            ("null", nil), (" \t\r\n true \n", true), ("\"\"", ""), ("[]", []), ("{}", [:]), ("[ [ ] , { } ]", [[], [:]]),
            (#"{"a" : [1 , 2] , "b":{"c":null}}"#, ["a": [1, 2], "b": ["c": nil]]), (#"{"a":1,"a":2}"#, ["a": 2]),
            (#""\"\\\/\b\f\n\r\t""#, "\"\\/\u{8}\u{C}\n\r\t"), (#""\u00e4\u0000\ud83d\ude00\uFFFF""#, "ä\u{0}😀\u{FFFF}"),
            ("\"\u{FEFF}x\u{7F}\"", "\u{FEFF}x\u{7F}"), ("\u{FEFF}[1]", [1]),
        ] as [(String, JSONValue)])
    func valid(text: String, value: JSONValue) throws {
        #expect(try JSONValue(data: Data(text.utf8)) == value)
    }

    @Test("JSON strings keep every character, also a leading byte order mark")
    func strings() throws {
        let parsed = try JSONValue(data: Data("\"\u{FEFF}x\"".utf8)).stringValue
        #expect(parsed?.unicodeScalars.map(\.value) == [0xFEFF, 0x78])
    }

    @Test(
        "Every form of invalid JSON is refused",
        arguments: [
            "", " ", "[", "{", "]", "}", "[1", "[1,", "[1,]", "[,1]", "[1 2]", "{\"a\"", "{\"a\":", "{\"a\":}", "{\"a\":1,}", "{a:1}",
            "{1:1}", "{,}",
            "{\"a\" 1}", "[1}", "{\"a\":1]", "nul", "nulls", "True", "\"", "\"a", "\"\\", "\"\\x\"", "\"\\u12\"", "\"\\u+123\"",
            "\"\\ud800\"",
            "\"\\ud800x\"", "\"\\ud800\\u0041\"", "\"\\udc00\"", "\"a\nb\"", "\"a\u{0}\"", "'a'", "1 1", "[] []", "// a\n1", "1,", "\u{0}",
            "[\u{A0}1]",
        ])
    func invalid(text: String) {
        #expect(throws: JSONValue.Failure.self) { try JSONValue(data: Data(text.utf8)) }
    }

    @Test(
        "JSON bytes that are not UTF-8 are refused",
        arguments: [[0xFF], [0xC3], [0xC0, 0x80], [0xED, 0xA0, 0x80], [0xF5, 0x80, 0x80, 0x80]] as [[UInt8]])
    func invalidBytes(bytes: [UInt8]) {
        #expect(throws: JSONValue.Failure.self) { try JSONValue(data: Data([0x22] + bytes + [0x22])) }
        #expect(throws: JSONValue.Failure.self) { try JSONValue(data: Data(bytes)) }
    }

    @Test("JSON in UTF-16 and UTF-32 is read in either byte order, with and without a byte order mark")
    func otherEncodings() throws {
        let text = #"{"a":"ä😀"}"#
        let encodings: [String.Encoding] = [.utf16BigEndian, .utf16LittleEndian, .utf32BigEndian, .utf32LittleEndian]
        for encoding in encodings {
            for mark in ["", "\u{FEFF}"] {
                let data = try #require((mark + text).data(using: encoding))
                #expect(try JSONValue(data: data) == ["a": "ä😀"], "\(encoding), mark: \(!mark.isEmpty)")
                #expect(throws: JSONValue.Failure.self) { try JSONValue(data: data.dropLast()) }
            }
        }
    }

    @Test("A slice of data is parsed from its own start")
    func slice() throws {
        #expect(try JSONValue(data: Data("xx[1]".utf8).dropFirst(2)) == [1])
    }

    @Test("A JSON error says what is wrong and where")
    func message() throws {
        let failure = try #require(throws: JSONValue.Failure.self) { try JSONValue(data: Data("[1,2 3]".utf8)) }
        #expect(failure.description == "expected a comma or the end of the array or object at byte 5")
    }

    @Test(
        "A name may have 30 combining marks in a row, and a string any number (UAX #15, Stream-Safe Text Format)",
        arguments: [1, 30, 31, 200])
    func marks(count: Int) throws {
        for mark in ["\u{301}", "\u{316}", "\\u0301"] {
            let name = "{\"a\(String(repeating: mark, count: count))b\":1}"
            #expect((try? JSONValue(data: Data(name.utf8)))?.objectValue?.count == (count <= 30 ? 1 : nil))
            let text = "[\"\(String(repeating: mark, count: count))\"]"
            #expect(try JSONValue(data: Data(text.utf8))[0]?.stringValue?.unicodeScalars.count == count)
        }
        let apart = "{\"" + String(repeating: "e\u{301}", count: count) + "\":1}"
        #expect(try JSONValue(data: Data(apart.utf8)).objectValue?.count == 1)
    }

    /// The stack size of a dispatch queue's thread.
    @Test(
        "512 levels of JSON are accepted, and more are an error", arguments: [1, 100, 101, 512, 513, 100_000, 1_000_000])
    func depth(levels: Int) throws {
        let isFine = levels <= 512
        for (open, close) in [("[", "]"), ("{\"a\":", "}")] {
            let text = String(repeating: open, count: levels) + "1" + String(repeating: close, count: levels)
            let value = try? JSONValue(data: Data(text.utf8))
            #expect((value != nil) == isFine)
            #expect(value.map { $0.description == text } ?? !isFine)
            // A decoder needs more stack for each level.
            #expect((try? JSONDecoder().decode(JSONValue.self, from: Data(text.utf8))) == (levels <= 100 ? value : nil))
            #expect(value.map { (try? JSONEncoder().encode($0)) != nil } ?? (levels <= 100) == (levels <= 100))
            #expect(value.map { $0.foundationObject is [Any] || $0.foundationObject is [String: Any] } ?? !isFine)
        }
        // The innermost level is a level without a value in it, too.
        for (open, inner, close) in [("[", "[]", "]"), ("{\"a\":", "{}", "}")] {
            let text = String(repeating: open, count: levels - 1) + inner + String(repeating: close, count: levels - 1)
            #expect(((try? JSONValue(data: Data(text.utf8))) != nil) == isFine)
        }
        #expect(throws: JSONValue.Failure.self) { try JSONValue(data: Data(String(repeating: "[", count: levels).utf8)) }
    }

    @Test("On a small stack deep JSON values can be parsed, converted, compared, hashed and coded")
    func smallStack() async throws {
        let outcome: Bool = await withCheckedContinuation { continuation in
            let thread = Thread {
                func text(_ levels: Int) -> Data {
                    Data((String(repeating: "[{\"a\":", count: levels / 2) + "1" + String(repeating: "}]", count: levels / 2)).utf8)
                }
                let deep = try? JSONValue(data: text(512))
                let isConverted = deep?.foundationObject is [Any]
                let value = try? JSONValue(data: text(100))
                let encoded = value.flatMap { try? JSONEncoder().encode($0) }
                let decoded = encoded.flatMap { try? JSONDecoder().decode(JSONValue.self, from: $0) }
                let converted = deep.flatMap { try? JSONValue(foundationObject: $0.foundationObject) }
                // Another value with the same content, and one that differs in the innermost level only.
                let isSame = deep != nil && converted == deep && Set([deep, converted]).count == 1
                let other = try? JSONValue(data: Data(String(decoding: text(512), as: UTF8.self).replacing("1", with: "2").utf8))
                let differs = other != nil && other != deep && Set([deep, other]).count == 2
                continuation.resume(returning: isConverted && value != nil && decoded == value && isSame && differs)
            }
            thread.stackSize = 512 * 1024
            thread.start()
        }
        #expect(outcome)
    }
}
