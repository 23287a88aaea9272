import Foundation

/// The rules for single lines of a response head (RFC 9112 sections 4 and 5). Lines are without their line break.
enum ResponseLines {
    /// Why a response is refused.
    enum Problem: Error {
        case notHTTP, invalidStatusLine, statusTooLow
        case leadingFold, missingColon, missingName, spaceBeforeColon, controlCharacter
        case headTooLarge, trailersTooLarge
        case invalidLength, differentLengths, unsupportedCoding
        /// HTTP/2, which has no lines.
        case invalidStatusCode, invalidName, brokenValue

        var reason: String {
            switch self {
            case .notHTTP: "the response is not HTTP"
            case .invalidStatusLine: "the response is malformed: its status line is not valid"
            case .statusTooLow: "the response is malformed: its status code is below 100"
            case .leadingFold: "the response is malformed: the first header line starts with white space"
            case .missingColon: "the response is malformed: a header line has no colon"
            case .missingName: "the response is malformed: a header line has no name"
            case .spaceBeforeColon: "the response is malformed: a header line has white space before its colon"
            case .controlCharacter: "the response is malformed: a header line has a bare CR or a NUL"
            case .headTooLarge: "the response's header fields are larger than 1 MiB"
            case .trailersTooLarge: "the response's header and trailer fields are larger than 1 MiB"
            case .invalidLength: "the response is malformed: its Content-Length is not a length"
            case .differentLengths: "the response is malformed: it has two different Content-Lengths"
            case .unsupportedCoding: "the response's Transfer-Encoding is not supported (only chunked is)"
            case .invalidStatusCode: "the response is malformed: its status code is not valid"
            case .invalidName: "the response is malformed: the name of a header field is not valid"
            case .brokenValue: "the response is malformed: a header field has a line break or a NUL"
            }
        }
    }

    /// The most bytes of a response's heads and trailer fields together, interim heads included. The limit stops endless header sections.
    static let maximumBytes = 1 << 20

    /// The status code of a status line, and where its version ends.
    static func status(_ line: UnsafeRawBufferPointer) throws(Problem) -> (code: Int, versionEnd: Int) {
        guard line.begins(with: "HTTP/"), let space = line.firstOffset(of: UInt8(ascii: " ")) else { throw .invalidStatusLine }
        guard line.count == space + 4 || line.count > space + 4 && line[space + 4] == UInt8(ascii: " ") else { throw .invalidStatusLine }
        var code = 0
        for byte in line[(space + 1)...(space + 3)] {
            guard byte.isASCIIDigit else { throw .invalidStatusLine }
            code = code * 10 + Int(byte - UInt8(ascii: "0"))
        }
        // Smaller status codes have no class (RFC 9110 section 15).
        guard code >= 100 else { throw .statusTooLow }
        return (code, space)
    }

    /// The name in a field line that is neither empty nor folded.
    static func name(_ line: UnsafeRawBufferPointer) throws(Problem) -> UnsafeRawBufferPointer {
        guard let colon = line.firstOffset(of: UInt8(ascii: ":")) else { throw .missingColon }
        guard colon > 0 else { throw .missingName }
        // RFC 9112 section 5.1 has such a field removed or the message rejected: recipients that disagree about it would see two different
        // messages.
        guard !line[colon - 1].isOptionalWhitespace else { throw .spaceBeforeColon }
        return UnsafeRawBufferPointer(start: line.baseAddress, count: colon)
    }
}

/// The value of all `Content-Length` fields of a response together.
struct ContentLengths {
    /// The length; nil if there is no field, or none that is valid.
    private(set) var length: Int64?
    /// Why the fields are refused (RFC 9112 section 6.3): choosing one of two lengths could delimit another message than the server meant.
    private(set) var problem: ResponseLines.Problem?

    /// Adds a field's value, which may be folded.
    mutating func add(_ value: UnsafeRawBufferPointer) {
        // An intermediary may combine repeated fields into a list of equal lengths (RFC 9110 section 8.6).
        var rest = value
        while true {
            let comma = rest.firstOffset(of: UInt8(ascii: ","))
            guard let next = Self.parse(UnsafeRawBufferPointer(start: rest.baseAddress, count: comma ?? rest.count)) else {
                problem = problem ?? .invalidLength
                return
            }
            if let length, length != next {
                problem = problem ?? .differentLengths
            }
            length = length ?? next
            guard let comma else { return }
            rest = UnsafeRawBufferPointer(rebasing: rest[(comma + 1)...])
        }
    }

    /// Parses decimal digits surrounded by optional white space.
    private static func parse(_ text: UnsafeRawBufferPointer) -> Int64? {
        let digits = text.trimmed
        guard !digits.isEmpty else { return nil }
        var length: Int64 = 0
        for byte in digits {
            guard byte.isASCIIDigit else { return nil }
            let (tens, isTooLarge) = length.multipliedReportingOverflow(by: 10)
            let (sum, isTooLargeAfterAll) = tens.addingReportingOverflow(Int64(byte - UInt8(ascii: "0")))
            if isTooLarge || isTooLargeAfterAll { return nil }
            length = sum
        }
        return length
    }
}

extension ReceivedFields.Noted {
    /// The field that a name is of; empty for all other names.
    init(name: UnsafeRawBufferPointer) {
        switch name.count {
        case 8 where name.spells("Location"): self = .location
        case 10 where name.spells("Set-Cookie"): self = .setCookie
        case 13 where name.spells("Content-Range"): self = .contentRange
        case 16 where name.spells("Content-Encoding"): self = .contentEncoding
        case 16 where name.spells("WWW-Authenticate"): self = .wwwAuthenticate
        default: self = []
        }
    }
}

extension UnsafeRawBufferPointer {
    /// The offset of a byte's first occurrence.
    func firstOffset(of byte: UInt8) -> Int? {
        guard let start = baseAddress, let found = memchr(start, Int32(byte), count) else { return nil }
        return UnsafeRawPointer(found) - start
    }

    /// Whether these bytes spell a name, ignoring case.
    func spells(_ name: StaticString) -> Bool {
        guard let start = baseAddress, count == name.utf8CodeUnitCount else { return false }
        // Most servers use one spelling.
        if memcmp(start, name.utf8Start, count) == 0 { return true }
        for index in 0..<count where self[index].asciiLowercased != name.utf8Start[index].asciiLowercased { return false }
        return true
    }

    func begins(with text: StaticString) -> Bool {
        guard let start = baseAddress, count >= text.utf8CodeUnitCount else { return false }
        return memcmp(start, text.utf8Start, text.utf8CodeUnitCount) == 0
    }

    /// Without white space and line breaks at both ends.
    var trimmed: UnsafeRawBufferPointer {
        func isSpace(_ byte: UInt8) -> Bool { byte.isOptionalWhitespace || byte == UInt8(ascii: "\n") }
        var (start, end) = (0, count)
        while start < end, isSpace(self[start]) { start += 1 }
        while start < end, isSpace(self[end - 1]) { end -= 1 }
        return UnsafeRawBufferPointer(rebasing: self[start..<end])
    }
}
