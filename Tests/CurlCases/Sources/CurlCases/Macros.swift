import Foundation

/// The substitutions of curl's test runner before a test: `runner.pm`'s `prepro` and `testutil.pm`.
struct Macros {
    let values: [String: String]
    /// The conditions of `%if`; none of them concerns the replying side.
    private let features: Set<String> = ["http", "libz", "brotli", "zstd"]

    func expand(_ source: [UInt8]) -> [UInt8] {
        var text = substitute(source)
        text = include(text)
        text = conditions(text)
        text = decode(text)
        for (macro, character) in [("%SP", " "), ("%TAB", "\t"), ("%CR", "\r"), ("%LT", "<"), ("%GT", ">"), ("%AMP", "&")] {
            text = text.replacing(Array(macro.utf8), with: Array(character.utf8))
        }
        return text
    }

    private func substitute(_ source: [UInt8]) -> [UInt8] {
        values.reduce(source) { $0.replacing(Array("%\($1.key)".utf8), with: Array($1.value.utf8)) }
    }

    private func include(_ text: [UInt8]) -> [UInt8] {
        Array(
            text.lines.flatMap { line -> [UInt8] in
                let words = String(decoding: line, as: UTF8.self).split(separator: " ")
                guard words.count == 2, words[0] == "%include" || words[0] == "%includetext" else { return Array(line) }
                let path = words[1].prefix { $0 != "%" }
                return (try? Data(contentsOf: URL(fileURLWithPath: String(path)))).map { substitute(Array($0)) } ?? []
            })
    }

    private func conditions(_ text: [UInt8]) -> [UInt8] {
        var open: [Bool] = []
        return Array(
            text.lines.filter { line in
                guard line.first == UInt8(ascii: "%") else { return !open.contains(false) }
                let words = String(decoding: line, as: UTF8.self).split(whereSeparator: \.isWhitespace)
                switch words.first {
                case "%if":
                    let name = words.dropFirst().first ?? ""
                    open.append(name.hasPrefix("!") ? !features.contains(String(name.dropFirst())) : features.contains(String(name)))
                case "%else": open.append(!(open.popLast() ?? true))
                case "%endif": _ = open.popLast()
                default: return !open.contains(false)
                }
                return false
            }.joined())
    }

    /// `%hex[…]hex%`, `%b64[…]b64%` and `%repeat[3 x …]%`.
    private func decode(_ text: [UInt8]) -> [UInt8] {
        var output = text
        output = replace(in: output, from: "%b64[", to: "]b64%") { Array(Data(Self.bytes($0)).base64EncodedString().utf8) }
        output = replace(in: output, from: "%hex[", to: "]hex%") { Self.bytes($0) }
        return replace(in: output, from: "%repeat[", to: "]%") { content in
            guard let mark = content.firstRange(of: Array(" x ".utf8)) else { return [] }
            let count = Int(String(decoding: content[..<mark.lowerBound], as: UTF8.self)) ?? 0
            return Array(repeatElement(Self.bytes(content[mark.upperBound...]), count: count).joined())
        }
    }

    private func replace(in text: [UInt8], from opening: String, to closing: String, _ change: (ArraySlice<UInt8>) -> [UInt8]) -> [UInt8] {
        var output: [UInt8] = []
        var rest = text[...]
        while let start = rest.firstRange(of: Array(opening.utf8)), let end = rest[start.upperBound...].firstRange(of: Array(closing.utf8))
        {
            output += rest[..<start.lowerBound]
            output += change(rest[start.upperBound..<end.lowerBound])
            rest = rest[end.upperBound...]
        }
        return output + rest
    }

    /// `%41` is an A.
    private static func bytes(_ text: ArraySlice<UInt8>) -> [UInt8] {
        var output: [UInt8] = []
        var rest = text
        while let byte = rest.popFirst() {
            if byte == UInt8(ascii: "%"), rest.count > 1, let value = UInt8(String(decoding: rest.prefix(2), as: UTF8.self), radix: 16) {
                output.append(value)
                rest = rest.dropFirst(2)
            } else {
                output.append(byte)
            }
        }
        return output
    }
}
