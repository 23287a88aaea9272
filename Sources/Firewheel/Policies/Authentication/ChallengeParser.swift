/// Parses lists of challenges, and lists of parameters without a scheme (RFC 9110 sections 11.2 and 11.6.1).
///
/// A list element that begins with `name=` belongs to the preceding challenge, even across fields, which form one list (section 5.3). Any
/// other element begins a challenge. Takes linear time.
struct ChallengeParser {
    /// The maximum number of challenges; the rest is ignored.
    static let maximumCount = 64

    private(set) var challenges: [Challenge] = []
    private var bytes: [UInt8] = []
    private var index = 0

    /// Parses parameters of fields without a scheme, such as `Authentication-Info` (RFC 9110 section 11.6.3).
    static func parameters(_ fields: [String]) -> Challenge {
        var parser = ChallengeParser()
        parser.challenges = [Challenge(scheme: "")]
        for field in fields { parser.parse(FieldText.octets(ofField: field)) }
        return parser.challenges[0]
    }

    mutating func parse(_ octets: [UInt8]) {
        bytes = octets
        index = 0
        while true {
            skip { $0 == UInt8(ascii: ",") || $0.startsFold }
            guard index < bytes.count else { return }
            if readParameters() { continue }
            guard challenges.count < Self.maximumCount else { return }
            readChallenge()
        }
    }

    /// Parses a scheme and the rest of its list element.
    private mutating func readChallenge() {
        let scheme = take(\.isHTTPTokenByte)
        guard !scheme.isEmpty else { return skipElement() }
        challenges.append(Challenge(scheme: String(decoding: scheme.map(\.asciiLowercased), as: UTF8.self)))
        guard index < bytes.count, bytes[index].startsFold else { return skipElement() }
        skip(\.startsFold)
        if readToken68() || readParameters() { return }
        skipElement()
    }

    /// Parses the rest of the list element as a token68, with `=` only at its end.
    private mutating func readToken68() -> Bool {
        let start = index
        let characters = take { $0.isASCIILetter || $0.isASCIIDigit || "-._~+/".utf8.contains($0) }
        let token = characters + take { $0 == UInt8(ascii: "=") }
        skip(\.startsFold)
        guard !characters.isEmpty, isAtEnd else {
            index = start
            return false
        }
        challenges[challenges.count - 1].token68 = String(decoding: token, as: UTF8.self)
        return true
    }

    /// Parses parameters up to the next comma: usually one, but some servers omit the comma after a quoted string. False if there is none.
    private mutating func readParameters() -> Bool {
        var found = false
        while readParameter() {
            found = true
            skip(\.startsFold)
            if isAtEnd { return true }
        }
        if found { skipElement() }
        return found
    }

    private mutating func readParameter() -> Bool {
        let start = index
        let name = take(\.isHTTPTokenByte)
        skip(\.startsFold)
        guard !name.isEmpty, index < bytes.count, bytes[index] == UInt8(ascii: "=") else {
            index = start
            return false
        }
        index += 1
        skip(\.startsFold)
        let value = readValue()
        if !challenges.isEmpty {
            let name = String(decoding: name.map(\.asciiLowercased), as: UTF8.self)
            challenges[challenges.count - 1].parameters[name] = FieldText(octets: value)
        }
        return true
    }

    /// Parses a quoted string; otherwise everything up to the comma, because servers omit required quotes.
    private mutating func readValue() -> [UInt8] {
        guard index < bytes.count, bytes[index] == UInt8(ascii: "\"") else {
            var value = bytes[index...].prefix { $0 != UInt8(ascii: ",") }
            index = value.endIndex
            while value.last?.startsFold == true { value.removeLast() }
            return Array(value)
        }
        index += 1
        var value: [UInt8] = []
        while index < bytes.count {
            var byte = bytes[index]
            index += 1
            if byte == UInt8(ascii: "\"") { return value }
            if byte == UInt8(ascii: "\\"), index < bytes.count {
                byte = bytes[index]
                index += 1
            }
            value.append(byte)
        }
        // An unterminated string extends to the end of the field.
        return value
    }

    /// Skips to the comma that ends the list element, ignoring commas in quoted strings.
    private mutating func skipElement() {
        while index < bytes.count, bytes[index] != UInt8(ascii: ",") {
            if bytes[index] == UInt8(ascii: "\"") {
                _ = readValue()
            } else {
                index += 1
            }
        }
    }

    /// Whether the list element ends here.
    private var isAtEnd: Bool { index == bytes.count || bytes[index] == UInt8(ascii: ",") }

    private mutating func take(_ isPart: (UInt8) -> Bool) -> ArraySlice<UInt8> {
        let start = index
        skip(isPart)
        return bytes[start..<index]
    }

    private mutating func skip(_ isPart: (UInt8) -> Bool) {
        while index < bytes.count, isPart(bytes[index]) { index += 1 }
    }
}
