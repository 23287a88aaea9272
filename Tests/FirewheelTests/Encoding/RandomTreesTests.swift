import Testing

@testable import Firewheel

/// Random nested dictionaries through both faces: the same text, and text that reads back as what went in.
@Suite struct RandomTreesTests {
    /// A value that can be given as `Encodable` and as the plain Swift value that stands in `Parameters`.
    indirect enum Tree: Encodable, Sendable {
        case null
        case bool(Bool)
        case int(Int)
        case double(Double)
        case text(String)
        case array([Tree])
        case object([String: Tree])

        func encode(to encoder: any Encoder) throws {
            var container = encoder.singleValueContainer()
            switch self {
            case .null: try container.encodeNil()
            case .bool(let value): try container.encode(value)
            case .int(let value): try container.encode(value)
            case .double(let value): try container.encode(value)
            case .text(let value): try container.encode(value)
            case .array(let value): try container.encode(value)
            case .object(let value): try container.encode(value)
            }
        }

        var plain: any Sendable {
            switch self {
            case .null: Int?.none
            case .bool(let value): value
            case .int(let value): value
            case .double(let value): value
            case .text(let value): value
            case .array(let value): value.map(\.plain)
            case .object(let value): value.mapValues(\.plain)
            }
        }

        /// Keys and values as a server reads them.
        func pairs(under key: String) -> [String] {
            switch self {
            case .null: []
            case .bool(let value): ["\(key)=\(value ? 1 : 0)"]
            case .int(let value): ["\(key)=\(value)"]
            case .double(let value): ["\(key)=\(value)"]
            case .text(let value): ["\(key)=\(value)"]
            case .array(let value): value.flatMap { $0.pairs(under: key + "[]") }
            case .object(let value): value.sorted { $0.key < $1.key }.flatMap { $1.pairs(under: "\(key)[\($0)]") }
            }
        }

        func matches(_ parsed: Any) -> Bool {
            switch self {
            case .null: return parsed is NSNull
            case .bool(let value): return parsed as? Bool == value
            case .int(let value): return parsed as? Int == value
            case .double(let value): return parsed as? Double == value
            case .text(let value): return parsed as? String == value
            case .array(let value):
                guard let parsed = parsed as? [Any], parsed.count == value.count else { return false }
                return zip(value, parsed).allSatisfy { $0.matches($1) }
            case .object(let value):
                guard let parsed = parsed as? [String: Any], parsed.count == value.count else { return false }
                return value.allSatisfy { key, value in parsed[key].map(value.matches) ?? false }
            }
        }

        static func random(_ generator: inout SeededGenerator, depth: Int) -> Tree {
            switch Int.random(in: 0..<(depth < 4 ? 9 : 5), using: &generator) {
            case 0: .null
            case 1: .bool(.random(using: &generator))
            case 2: .int(.random(in: -1_000_000...1_000_000, using: &generator))
            case 3: .double(Double(Int.random(in: -1000...1000, using: &generator)) / 8)
            case 4: .text(text(&generator))
            case 5, 6: .array((0..<Int.random(in: 0..<4, using: &generator)).map { _ in random(&generator, depth: depth + 1) })
            default: .object(object(&generator, depth: depth + 1))
            }
        }

        static func object(_ generator: inout SeededGenerator, depth: Int) -> [String: Tree] {
            var object: [String: Tree] = [:]
            for _ in 0..<Int.random(in: 0..<5, using: &generator) {
                object[text(&generator)] = random(&generator, depth: depth)
            }
            return object
        }

        private static func text(_ generator: inout SeededGenerator) -> String {
            let alphabet = Array("abcXYZ019 -._~!*'();:@&=+$,/?#[]%\"\\äß東👩‍👩‍👧‍👦🇩🇪é\n\u{0}") + ["e\u{301}"]
            return String((0..<Int.random(in: 0..<6, using: &generator)).map { _ in alphabet.randomElement(using: &generator)! })
        }
    }

    /// Reads a form as RFC 3986 says, by hand, so that nothing of the encoder's is trusted.
    static func parse(_ text: String) -> [String] {
        text.isEmpty
            ? []
            : text.split(separator: "&", omittingEmptySubsequences: false).map { pair in
                let parts = pair.split(separator: "=", omittingEmptySubsequences: false)
                return parts.count == 2 ? decode(parts[0]) + "=" + decode(parts[1]) : "not a pair: \(pair)"
            }
    }

    private static func decode(_ text: Substring) -> String {
        var bytes: [UInt8] = []
        var rest = Substring(text).utf8
        while let byte = rest.popFirst() {
            if byte == UInt8(ascii: "%") {
                bytes.append(UInt8(String(decoding: rest.prefix(2), as: UTF8.self), radix: 16) ?? 0)
                rest = rest.dropFirst(2)
            } else {
                bytes.append(byte)
            }
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    @Test func bothFacesAgreeOn500Trees() throws {
        var generator = SeededGenerator(state: 20_240_517)
        var longest = 0
        for _ in 0..<500 {
            let object = Tree.object(&generator, depth: 0)
            let parameters: Parameters = object.mapValues(\.plain)

            let text = try formText(parameters)
            #expect(try formText(encoding: object) == text)
            #expect(Self.parse(text) == object.sorted { $0.key < $1.key }.flatMap { $1.pairs(under: $0) })
            longest = max(longest, text.utf8.count)

            let body = try jsonText(parameters)
            #expect(try jsonText(encoding: object) == body)
            #expect(Tree.object(object).matches(try JSONSerialization.jsonObject(with: Data(body.utf8))))
        }
        #expect(longest > 1000)
    }
}
