import Foundation

/// A strict JSON parser (RFC 8259). `JSONSerialization` is not sufficient: it rounds numbers to 38 digits, reads 1e-400 as 0 and rejects
/// 1e400.
struct JSONParser {
    private let bytes: [UInt8]
    private var index = 0

    /// Parses JSON text in UTF-8, or in UTF-16 or UTF-32, which `JSONSerialization` accepts too.
    static func parse(_ data: Data) throws -> JSONValue {
        var parser = JSONParser(bytes: try utf8(data))
        return try parser.parse()
    }

    private init(bytes: [UInt8]) {
        self.bytes = bytes
    }

    /// UTF-8 text contains no NUL. UTF-16 and UTF-32 have one, or a byte order mark, in the first four bytes (RFC 4627 section 3).
    private static func utf8(_ data: Data) throws -> [UInt8] {
        let start = Array(data.prefix(4))
        let encoding: String.Encoding
        switch start.map({ $0 == 0 }) {
        case [true, true, true, false], [true, true, false, false]: encoding = .utf32BigEndian
        case [false, true, true, true], [false, false, true, true]: encoding = .utf32LittleEndian
        case let zeros where zeros.starts(with: [true, false]): encoding = .utf16BigEndian
        case let zeros where zeros.starts(with: [false, true]): encoding = .utf16LittleEndian
        default: encoding = Charset.byteOrderMark(of: data) ?? .utf8
        }
        if encoding == .utf8 { return Array(start.starts(with: [0xEF, 0xBB, 0xBF]) ? data.dropFirst(3) : data) }
        guard let text = Charset.decode(data, as: encoding) else {
            throw JSONValue.Failure(description: "the text is not valid \(encoding)")
        }
        return Array(text.utf8)
    }

    // MARK: Values

    /// An unfinished array or object.
    private struct Container {
        var isArray: Bool
        var elements: [JSONValue] = []
        var members: [String: JSONValue] = [:]
        /// The name of the next member.
        var name = ""

        mutating func add(_ value: JSONValue) {
            if isArray {
                elements.append(value)
            } else {
                members[name] = value
            }
        }

        var value: JSONValue { isArray ? .array(elements) : .object(members) }
    }

    /// Iterative with an explicit stack, because the server controls the depth.
    private mutating func parse() throws -> JSONValue {
        var open: [Container] = []
        while true {
            skipSpace()
            if let container = try beginning(depth: open.count + 1) {
                open.append(container)
                continue
            }
            var value = try scalar()
            // Adds the complete value to its container, which may complete further ones.
            while let last = open.indices.last {
                open[last].add(value)
                skipSpace()
                guard take(open[last].isArray ? "]" : "}") else { break }
                value = open.removeLast().value
            }
            guard let last = open.indices.last else {
                skipSpace()
                guard index == bytes.count else { throw failure("unexpected text after the value") }
                return value
            }
            guard take(",") else { throw failure("expected a comma or the end of the array or object") }
            if !open[last].isArray { open[last].name = try name() }
        }
    }

    /// Parses the beginning of a non-empty array or object.
    private mutating func beginning(depth: Int) throws -> Container? {
        let start = index
        if take("[") {
            // An empty one is a level as well.
            try check(depth: depth)
            skipSpace()
            if !take("]") { return Container(isArray: true) }
        } else if take("{") {
            try check(depth: depth)
            skipSpace()
            if !take("}") { return Container(isArray: false, name: try name()) }
        }
        index = start
        return nil
    }

    private func check(depth: Int) throws {
        guard depth <= JSONValue.maximumDepth else { throw failure("more than \(JSONValue.maximumDepth) nested arrays and objects") }
    }

    private mutating func name() throws -> String {
        skipSpace()
        guard take("\"") else { throw failure("expected the name of a member") }
        let name = try string()
        guard Self.isQuicklyHashed(name) else { throw failure("more than \(JSONValue.maximumMarks) combining marks in a row in a name") }
        skipSpace()
        guard take(":") else { throw failure("expected a colon after the name of a member") }
        return name
    }

    /// Whether hashing a name is fast: Swift hashes strings in normalized form, which takes quadratic time in the number of consecutive
    /// combining marks.
    private static func isQuicklyHashed(_ name: String) -> Bool {
        guard name.utf8.count > JSONValue.maximumMarks, !name.utf8.allSatisfy({ $0 < 0x80 }) else { return true }
        var marks = 0
        for scalar in name.unicodeScalars {
            marks = scalar.properties.canonicalCombiningClass == .notReordered ? 0 : marks + 1
            if marks > JSONValue.maximumMarks { return false }
        }
        return true
    }

    /// Parses any value except a non-empty array or object.
    private mutating func scalar() throws -> JSONValue {
        if take("[") {
            skipSpace()
            if take("]") { return .array([]) }
        }
        if take("{") {
            skipSpace()
            if take("}") { return .object([:]) }
        }
        if take("\"") { return .string(try string()) }
        let word = bytes[index...].prefix { byte in
            byte.isASCIIDigit || byte.isASCIILetter || byte == UInt8(ascii: "-") || byte == UInt8(ascii: "+") || byte == UInt8(ascii: ".")
        }
        guard let first = word.first else { throw failure(index == bytes.count ? "unexpected end" : "expected a value") }
        defer { index = word.endIndex }
        if first == UInt8(ascii: "-") || first.isASCIIDigit {
            guard let number = JSONValue.Number(word) else { throw failure("a number that is malformed or out of range") }
            return .number(number)
        }
        switch String(decoding: word, as: UTF8.self) {
        case "true": return .bool(true)
        case "false": return .bool(false)
        case "null": return .null
        default: throw failure("expected a value")
        }
    }

    // MARK: Strings

    /// Parses a string after its opening quote.
    private mutating func string() throws -> String {
        var text: [UInt8] = []
        while true {
            let plain = bytes[index...].prefix { $0 != UInt8(ascii: "\"") && $0 != UInt8(ascii: "\\") && $0 >= 0x20 }
            text += plain
            index = plain.endIndex
            if take("\"") { break }
            guard take("\\") else { throw failure(index == bytes.count ? "unexpected end in a string" : "a control character in a string") }
            try escape(into: &text)
        }
        guard let string = Charset.utf8(text) else { throw failure("a string that is not valid UTF-8") }
        return string
    }

    private mutating func escape(into text: inout [UInt8]) throws {
        guard index < bytes.count else { throw failure("unexpected end in a string") }
        let byte = bytes[index]
        index += 1
        switch byte {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): text.append(byte)
        case UInt8(ascii: "b"): text.append(0x08)
        case UInt8(ascii: "f"): text.append(0x0C)
        case UInt8(ascii: "n"): text.append(0x0A)
        case UInt8(ascii: "r"): text.append(0x0D)
        case UInt8(ascii: "t"): text.append(0x09)
        case UInt8(ascii: "u"):
            var value = try codeUnit()
            if (0xD800...0xDBFF).contains(value), take("\\"), take("u") {
                let low = try codeUnit()
                guard (0xDC00...0xDFFF).contains(low) else { throw failure("half of a surrogate pair in a string") }
                value = 0x10000 + (value - 0xD800) << 10 + (low - 0xDC00)
            }
            guard let scalar = Unicode.Scalar(value) else { throw failure("half of a surrogate pair in a string") }
            text += Array(String(scalar).utf8)
        default: throw failure("an unknown escape in a string")
        }
    }

    private mutating func codeUnit() throws -> UInt32 {
        let digits = bytes[index...].prefix(4)
        guard digits.count == 4, digits.allSatisfy(\.isHexDigit), let value = UInt32(String(decoding: digits, as: UTF8.self), radix: 16)
        else {
            throw failure("a \\u escape without four hexadecimal digits")
        }
        index += 4
        return value
    }

    // MARK: Bytes

    private mutating func take(_ character: Unicode.Scalar) -> Bool {
        guard index < bytes.count, bytes[index] == UInt8(ascii: character) else { return false }
        index += 1
        return true
    }

    private mutating func skipSpace() {
        while index < bytes.count {
            switch bytes[index] {
            case 0x20, 0x09, 0x0A, 0x0D: index += 1
            default: return
            }
        }
    }

    private func failure(_ reason: String) -> JSONValue.Failure {
        JSONValue.Failure(description: "\(reason) at byte \(index)")
    }
}

extension JSONValue {
    /// Parses JSON text in UTF-8, UTF-16 or UTF-32. Numbers are exact.
    ///
    /// - Throws: ``Failure`` if the text is invalid, is nested more than 512 levels deep, or has a member name with more than 30
    ///   consecutive combining marks.
    public init(data: Data) throws {
        self = try JSONParser.parse(data)
    }
}
