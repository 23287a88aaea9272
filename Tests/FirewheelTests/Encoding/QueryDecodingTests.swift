import Testing

@testable import Firewheel

/// Random parameters as a query, decoded by the rules of Python's `urllib.parse.parse_qsl(text, keep_blank_values=True)`.
@Suite struct QueryDecodingTests {
    struct Pair: Equatable {
        let key: String
        let value: String
    }

    /// Pairs are separated by `&`, and empty ones skipped; a key ends before the first `=`, and has the empty value without one; `+` is a
    /// space; a percent sign and two hexadecimal digits are a byte, and any other percent sign is itself; the bytes are UTF-8.
    static func parse(_ text: String) -> [Pair] {
        text.split(separator: "&").map { pair in
            let parts = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            return Pair(key: unquote(parts[0]), value: parts.count == 2 ? unquote(parts[1]) : "")
        }
    }

    private static func unquote(_ text: Substring) -> String {
        let bytes = text.utf8.map { $0 == UInt8(ascii: "+") ? UInt8(ascii: " ") : $0 }
        var output: [UInt8] = []
        var index = 0
        while index < bytes.count {
            if bytes[index] == UInt8(ascii: "%"), index + 2 < bytes.count,
                let byte = UInt8(String(decoding: bytes[(index + 1)...(index + 2)], as: UTF8.self), radix: 16)
            {
                output.append(byte)
                index += 3
            } else {
                output.append(bytes[index])
                index += 1
            }
        }
        return String(decoding: output, as: UTF8.self)
    }

    /// The pairs that a tree means, with null as a bare key.
    private func pairs(of tree: RandomTree, under key: String) -> [Pair] {
        switch tree {
        case .null: [Pair(key: key, value: "")]
        case .bool(let value): [Pair(key: key, value: value ? "1" : "0")]
        case .int(let value): [Pair(key: key, value: "\(value)")]
        case .double(let value): [Pair(key: key, value: "\(value)")]
        case .text(let value): [Pair(key: key, value: value)]
        case .set(let value): RandomTree.ordered(value).map { Pair(key: key, value: $0) }
        case .array(let value): value.flatMap { pairs(of: $0, under: key + "[]") }
        case .object(let value): value.sorted { $0.key < $1.key }.flatMap { pairs(of: $1, under: "\(key)[\($0)]") }
        }
    }

    @Test(arguments: [URLEncodedFormEncoder.SpaceEncoding.percentEscaped, .plusReplaced])
    func whatIsEncodedDecodesBack(_ space: URLEncodedFormEncoder.SpaceEncoding) throws {
        let encoder = URLEncodedFormEncoder(nilEncoding: .bareKey, spaceEncoding: space)
        var generator = SeededGenerator(state: 40_190)
        var count = 0
        for _ in 0..<500 {
            let object = RandomTree.Style().object(&generator)
            let text: String = try encoder.encode(object)
            // A bare key that is empty is nothing, which a decoder skips.
            let expected = object.sorted { $0.key < $1.key }.flatMap { key, value -> [Pair] in
                if case .null = value, key.isEmpty { return [] }
                return pairs(of: value, under: key)
            }
            #expect(Self.parse(text) == expected)
            count += expected.count
            if space == .percentEscaped {
                let plain = object.mapValues(\.plain)
                #expect(try URLEncoding(nilEncoding: .bareKey).text(of: plain) == text)
                let request = try URLEncoding(nilEncoding: .bareKey).encode(URLRequest.test(), with: plain)
                #expect(Self.parse(request.encodedQuery ?? "") == expected)
                let fields = try URLEncoding(nilEncoding: .bareKey).fields(of: plain)
                #expect(fields.compactMap { $0.key.isEmpty && $0.isBare ? nil : Pair(key: $0.key, value: $0.text) } == expected)
            }
        }
        #expect(count > 1_000)
    }
}

extension FormField {
    fileprivate var isBare: Bool { if case .absent = value { true } else { false } }
    fileprivate var text: String { if case .text(let text) = value { text } else { "" } }
}
