import Foundation
import Testing

@testable import Firewheel

/// An input of any size that is known to make parsers slow.
struct LinearInput: Sendable, CustomTestStringConvertible {
    let testDescription: String
    /// Prepares an input of about this many bytes, and returns the work to measure.
    let prepare: @Sendable (_ size: Int) -> @Sendable () -> Void

    init(_ description: String, _ prepare: @escaping @Sendable (_ size: Int) -> @Sendable () -> Void) {
        testDescription = description
        self.prepare = prepare
    }

    /// A text repeated up to the size.
    init(_ piece: String, start: String = "", end: String = "", to work: @escaping @Sendable (String) -> Void) {
        self.init("\(start.debugDescription), \(piece.debugDescription) again and again, \(end.debugDescription)") { size in
            let text = start + String(repeating: piece, count: size / piece.utf8.count) + end
            return { work(text) }
        }
    }
}

// MARK: - Inputs

extension LinearInput {
    private static let headParts: [(String, String, String)] = [
        ("", ":", ""), ("", " ", ""), ("X: ", " ", "a"), ("X: ", "\u{E9}\u{0}\r", ""), ("", "A: b\r\n", ""),
        ("", "A:\n", ""),
        ("A: b", "\r\n c", ""), ("A: b", "\r\n ", ""), ("", "Set-Cookie: a=b\r\n", ""), ("Content-Length: 5", ",5", ""),
        ("", "Content-Length: 5\r\n", ""), ("\r\n", "A: b\r\n", ""), ("", "\r\nHTTP/1.1 103 Early\r\nA: b\r\n", "\r\nHTTP/1.1 200 OK"),
    ]

    static let heads: [LinearInput] = headParts.map { start, piece, end in
        LinearInput("\(start.debugDescription), \(piece.debugDescription) again and again") { size in
            let status = piece.contains("103") ? "HTTP/1.1 103 Early\r\n" : "HTTP/1.1 200 OK\r\n"
            let text = status + start + String(repeating: piece, count: size / piece.unicodeScalars.count) + end + "\r\n\r\n"
            let bytes = text.unicodeScalars.map { UInt8(truncatingIfNeeded: $0.value) }
            return {
                var reader = ResponseReader(for: .head)
                let (_, event) = bytes.withUnsafeBytes { reader.read($0) }
                guard case .head(let head) = event else { return }
                let headers = head.headers
                _ = (headers.dictionary, headers.value(for: "A"), headers.values(for: "Set-Cookie"))
            }
        }
    }

    private static let contentTypeParts: [(String, String)] = [
        ("", "a"), ("", "/"), ("", ";"), ("", " "), ("", "\""), ("a/", "b"), ("a/b", ";c=d"), ("a/b", "; charset"), ("a/b;", "="),
        ("a/b; charset=", "c"), ("a/b; charset=\"", "\\\""), ("a/b; x=\"", ";charset="), ("a/b; charset=", "\u{E9}\t"),
    ]

    static let contentTypes: [LinearInput] = contentTypeParts.map { start, piece in
        LinearInput(piece, start: start) { text in
            _ = MediaType(text)
            _ = Charset.encoding(ofContentType: text)
        }
    }

    /// One name for each encoding.
    static let texts: [LinearInput] = Dictionary(Charset.encodings.map { ($1, $0) }, uniquingKeysWith: min).sorted { $0.value < $1.value }
        .flatMap { encoding, name in
            [[0x61, 0x62, 0x63, 0x64], [0x1B, 0x24, 0x42, 0x24, 0x22, 0x1B, 0x28, 0x42]].map { (unit: [UInt8]) in
                LinearInput("\(name): \(unit)") { size in
                    let data = Data(Array(repeating: unit, count: size / unit.count).joined())
                    return { _ = Charset.decode(data, as: encoding) }
                }
            }
        }

    static let forms: [LinearInput] = [
        LinearInput("one long value") { size in encoding(["k": String(repeating: "&ä ", count: size / 4)]) },
        LinearInput("one long key") { size in encoding([String(repeating: "&ä ", count: size / 4): "v"]) },
        LinearInput("many keys") { size in
            encoding(Dictionary(uniqueKeysWithValues: (0..<size / 8).map { ("k\($0)", $0) }))
        },
        LinearInput("a long array") { size in encoding(["k": Array(repeating: "v", count: size / 4)]) },
        LinearInput("a long array of what is left out") { size in encoding(["k": Array(repeating: [String](), count: size / 16)]) },
        LinearInput("a long set") { size in encoding(["k": Set(0..<size / 8)]) },
        LinearInput("many small dictionaries") { size in encoding(["k": Array(repeating: ["a": 1, "b": 2], count: size / 16)]) },
    ]

    private static func encoding(_ value: some Encodable & Sendable) -> @Sendable () -> Void {
        { _ = try? URLEncodedFormEncoder().encode(value) as Data }
    }

    private static let references: [(String, String)] = [
        ("/", "../"), ("a", "/a/.."), ("", "%"), ("/", "\u{E9}"), ("/?", "?"), ("/#", "#"), ("", ":"), ("//", "a."), ("//[", ":"),
        ("//a:", "0"),
        ("//", "a@"), ("http://1", ".1"), ("http://", "%31"), ("http://", "xn--a."),
    ]

    static let locations: [LinearInput] = references.map { start, piece in
        LinearInput(piece, start: start) { text in
            // The base may be equally long after an earlier redirect.
            let base = start == "/" ? "http://a.com/" + text : "http://a.com/b?c"
            guard let target = TargetURI(base) ?? TargetURI("http://a.com/") else { return }
            let head = ResponseHead(statusCode: 302, headers: ["Location": text])
            _ = RedirectPolicy.decide(method: .get, url: base, target: target, headers: [:], hasBody: false, head: head, count: 0)
        }
    }

    private static let urlParts: [(String, String)] = [
        ("http://a/", "../"), ("http://", "xn--a."), ("http://u:", "%40"), ("http://", "a@"), ("http://", "ä"), ("http://a/", "東"),
        ("http://", "e\u{301}\u{316}"),
    ]

    static let urls: [LinearInput] = urlParts.map { start, piece in
        LinearInput(piece, start: start) { text in
            _ = TargetURI(text)
            let builder = RequestBuilder(configuration: .default)
            _ = try? builder.build(.url(text, method: .get, headers: nil, encode: nil, modifier: nil)).makeURLRequest()
        }
    }

    private static let jsonParts: [(String, String, String)] = [
        ("", "[", ""), ("", "[]", ""), ("[", "[[[]]],", "0]"), ("", " ", "0"), ("[", "0,", "0]"), ("[", "{},", "0]"), ("", "1", ""),
        ("", "0", ""),
        ("0.", "0", "1"), ("0.", "1", ""), ("1", "0", ""), ("1", "1", "e-1000000"), ("1e", "1", ""), ("\"", "a", "\""), ("\"", "\\n", "\""),
        ("\"", "\\ud83d\\ude00", "\""), ("\"", "ä", "\""), ("\"", "e\u{301}\u{316}", "\""), ("\"", "\\", ""), ("{\"", "a", "\":0}"),
        ("{\"", "\u{301}\u{316}", "\":0}"), ("{\"", "\\u0301\\u0316", "\":0}"), ("{\"", "\u{F73}", "\":0}"), ("{\"", "\u{1F1E6}", "\":0}"),
        ("{\"", "\u{1100}\u{1161}", "\":0}"), ("{\"", "\u{1E9B}\u{323}", "\":0}"), ("{", "\"a\":0,", "\"a\":1}"), ("", "true", ""),
    ]

    static let json: [LinearInput] =
        jsonParts.map { start, piece, end in
            LinearInput(piece, start: start, end: end) { text in
                guard let value = try? JSONValue(data: Data(text.utf8)) else { return }
                _ = (value.description, value.intValue, value.doubleValue, value.numberValue.flatMap { Decimal(exactly: $0) })
            }
        } + [
            LinearInput("many members") { size in
                let data = Data(("{" + (0..<size / 10).map { "\"k\($0)\":0" }.joined(separator: ",") + "}").utf8)
                return { _ = try? JSONValue(data: data) }
            }
        ]
}
