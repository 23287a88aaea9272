import Testing

@testable import Firewheel

/// Random nested dictionaries as `Parameters` and as `Encodable` give the same text, which reads back as the input.
@Suite struct RandomTreesTests {
    /// An encoder's options, in the test's own form.
    struct Rules: Sendable {
        let arrays: URLEncodedFormEncoder.ArrayEncoding
        let element: @Sendable (_ key: String, _ index: Int) -> String
        let bools: URLEncodedFormEncoder.BoolEncoding
        let yes: String
        let no: String

        /// Keys and values as a server reads them.
        func pairs(of tree: RandomTree, under key: String) -> [String] {
            switch tree {
            case .null: return []
            case .bool(let value): return ["\(key)=\(value ? yes : no)"]
            case .int(let value): return ["\(key)=\(value)"]
            case .double(let value): return ["\(key)=\(value)"]
            case .text(let value): return ["\(key)=\(value)"]
            case .set(let value): return RandomTree.ordered(value).map { "\(key)=\($0)" }
            case .array(let value):
                var index = 0
                return value.flatMap { value in
                    let pairs = pairs(of: value, under: element(key, index))
                    index += pairs.isEmpty ? 0 : 1
                    return pairs
                }
            case .object(let value): return value.sorted { $0.key < $1.key }.flatMap { pairs(of: $1, under: "\(key)[\($0)]") }
            }
        }
    }

    static let rules: [Rules] = [
        Rules(arrays: .brackets, element: { key, _ in key + "[]" }, bools: .numeric, yes: "1", no: "0"),
        Rules(arrays: .noBrackets, element: { key, _ in key }, bools: .literal, yes: "true", no: "false"),
        Rules(arrays: .indexInBrackets, element: { "\($0)[\($1)]" }, bools: .numeric, yes: "1", no: "0"),
        Rules(arrays: .custom { "\($0) \($1)" }, element: { "\($0) \($1)" }, bools: .literal, yes: "true", no: "false"),
    ]

    /// Parses a form by RFC 3986, independently of the encoder.
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

    @Test(arguments: rules.indices) func bothFacesAgreeOn500Forms(_ index: Int) throws {
        let rules = Self.rules[index]
        let encoding = URLEncoding(destination: .httpBody, arrayEncoding: rules.arrays, boolEncoding: rules.bools)
        let encoder = URLEncodedFormEncoder(arrayEncoding: rules.arrays, boolEncoding: rules.bools)
        var generator = SeededGenerator(state: 20_240_517 + UInt64(index))
        var longest = 0
        for _ in 0..<500 {
            let object = RandomTree.Style().object(&generator)
            let text: String = try encoder.encode(object)
            #expect(try encoding.encode(URLRequest.test(.post), with: object.mapValues(\.plain)).bodyText == text)
            #expect(Self.parse(text) == object.sorted { $0.key < $1.key }.flatMap { rules.pairs(of: $1, under: $0) })
            longest = max(longest, text.utf8.count)
        }
        #expect(longest > 1000)
    }

    @Test func bothFacesAgreeOn500BodiesOfJSON() throws {
        var generator = SeededGenerator(state: 20_240_517)
        for _ in 0..<500 {
            let object = RandomTree.Style().object(&generator)
            let body = try jsonText(object.mapValues(\.plain))
            #expect(try jsonText(encoding: object) == body)
            #expect(matches(.object(object), try JSONSerialization.jsonObject(with: Data(body.utf8))))
        }
    }

    @Test(arguments: [PropertyListEncoding.xml, .binary]) func foundationReads500PropertyLists(_ encoding: PropertyListEncoding) throws {
        var generator = SeededGenerator(state: 4_711)
        for _ in 0..<500 {
            let object = RandomTree.Style(hasNulls: false).object(&generator)
            let body = try #require(try encoding.encode(URLRequest.test(.post), with: object.mapValues(\.plain)).httpBody)
            #expect(matches(.object(object), try PropertyListSerialization.propertyList(from: body, options: [], format: nil)))
        }
    }

    private func matches(_ tree: RandomTree, _ parsed: Any) -> Bool {
        switch tree {
        case .null: return parsed is NSNull
        case .bool(let value): return parsed as? Bool == value
        case .int(let value): return parsed as? Int == value
        case .double(let value): return parsed as? Double == value
        case .text(let value): return parsed as? String == value
        case .set(let value):
            guard let parsed = parsed as? [String], parsed.count == value.count else { return false }
            return Set(parsed) == value
        case .array(let value):
            guard let parsed = parsed as? [Any], parsed.count == value.count else { return false }
            return zip(value, parsed).allSatisfy { matches($0, $1) }
        case .object(let value):
            guard let parsed = parsed as? [String: Any], parsed.count == value.count else { return false }
            return value.allSatisfy { key, value in parsed[key].map { matches(value, $0) } ?? false }
        }
    }

    /// With any options every text is encoded as ASCII.
    @Test func anyTextUnderAnyOption() throws {
        var generator = SeededGenerator(state: 99)
        let keys: [URLEncodedFormEncoder.KeyEncoding] = [
            .useDefaultKeys, .convertToSnakeCase, .convertToKebabCase, .capitalized, .uppercased, .lowercased, .custom { $0 + $0 },
        ]
        for _ in 0..<2_000 {
            var scalars = String.UnicodeScalarView()
            for _ in 0..<Int.random(in: 0..<12, using: &generator) {
                let limit: UInt32 = Bool.random(using: &generator) ? 0x7F : 0x10_FFFF
                scalars.append(Unicode.Scalar(UInt32.random(in: 0...limit, using: &generator)) ?? "A")
            }
            let text = String(scalars)
            for encoding in keys {
                let encoder = URLEncodedFormEncoder(
                    keyEncoding: encoding, keyPathEncoding: Bool.random(using: &generator) ? .dots : .brackets,
                    spaceEncoding: .percentEscaped)
                let encoded: String = try encoder.encode([text: [text: text]])
                #expect(encoded.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F })
                let value = try #require(encoded.split(separator: "=", omittingEmptySubsequences: false).last?.removingPercentEncoding)
                #expect(value.utf8.elementsEqual(text.utf8))
            }
        }
    }
}
