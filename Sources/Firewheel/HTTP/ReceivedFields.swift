import Foundation

/// The header fields of a response as received bytes. Strings are made on first access, because most fields of most responses are never
/// read.
final class ReceivedFields: Sendable {
    /// The received lines with their line breaks. Each was validated as a field line or a continuation.
    private let lines: [UInt8]
    /// Which of the fields that policies look for are present.
    let noted: Noted

    /// The fields that policies look for in every response.
    struct Noted: OptionSet {
        let rawValue: UInt8

        static let location = Noted(rawValue: 1)
        static let setCookie = Noted(rawValue: 2)
        static let wwwAuthenticate = Noted(rawValue: 4)
        static let contentEncoding = Noted(rawValue: 8)
        static let contentRange = Noted(rawValue: 16)
    }

    /// One lock for all instances, because it is only held to read or write a reference.
    private static let lock = Locked(0)
    // Accessed only under the lock.
    private nonisolated(unsafe) var made: [HTTPHeader]?

    private init(lines: [UInt8], noted: Noted) {
        self.lines = lines
        self.noted = noted
    }

    /// Copies lines that were validated.
    convenience init(copying lines: UnsafeRawBufferPointer, noted: Noted) { self.init(lines: [UInt8](lines), noted: noted) }

    /// The fields in order, including repeated ones.
    var fields: [HTTPHeader] {
        if let made = Self.lock.withLock({ _ in made }) { return made }
        // Outside the lock, because it is slow. Concurrent callers may both do it.
        let fields = makeFields()
        Self.lock.withLock { _ in made = fields }
        return fields
    }

    private func makeFields() -> [HTTPHeader] {
        var fields: [HTTPHeader] = []
        // The parts of the current value, joined at its end, because joining line by line would be quadratic.
        var name = ""
        var parts: [String] = []
        func end() {
            // Surrounding white space is not part of a value, nor is a line with nothing else.
            if !name.isEmpty { fields.append(HTTPHeader(name: name, value: parts.filter { !$0.isEmpty }.joined(separator: " "))) }
        }
        for line in lines.split(separator: UInt8(ascii: "\n")) {
            if let first = line.first, first.startsFold {
                // obs-fold (RFC 9112 section 5.2): the line continues the last value.
                parts.append(Self.text(Self.trimmed(line)))
                continue
            }
            end()
            let colon = line.firstIndex(of: UInt8(ascii: ":")) ?? line.endIndex
            name = Self.text(line[..<colon])
            parts = [Self.text(Self.trimmed(line[colon...].dropFirst()))]
        }
        end()
        return fields
    }

    /// Without white space at both ends, including the CR of the line break.
    private static func trimmed(_ line: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
        var line = line
        while let last = line.last, last.isOptionalWhitespace { line.removeLast() }
        return line.drop { $0.isOptionalWhitespace }
    }

    private static func text(_ bytes: ArraySlice<UInt8>) -> String {
        if bytes.allSatisfy({ $0 < 0x80 && $0 != 0 && $0 != 0x0D }) { return String(decoding: bytes, as: UTF8.self) }
        // ISO-8859-1 (obs-text, RFC 9110 section 5.5). A CR or NUL inside is replaced with a space, as that section specifies.
        return String(String.UnicodeScalarView(bytes.map { $0 == 0 || $0 == 0x0D ? " " : Unicode.Scalar($0) }))
    }

    /// Collects the lines.
    struct Builder {
        private var lines: [UInt8] = []
        var noted: Noted = []

        var isEmpty: Bool { lines.isEmpty }

        /// The number of bytes so far, where the next line begins.
        var count: Int { lines.count }

        /// Appends a line that was validated as a field line or a continuation.
        mutating func append(_ line: UnsafeRawBufferPointer) {
            // Reserves enough for most heads at once.
            if lines.isEmpty { lines.reserveCapacity(max(480, line.count)) }
            lines.append(contentsOf: line)
            // The last line may lack its line break.
            if line.last != UInt8(ascii: "\n") { lines.append(UInt8(ascii: "\n")) }
        }

        /// The bytes from an offset on.
        func bytes(from start: Int) -> ArraySlice<UInt8> { lines[start...] }

        func build() -> ReceivedFields { ReceivedFields(lines: lines, noted: noted) }
    }
}

extension UInt8 {
    /// OWS (RFC 9110 section 5.6.3), and bytes that are replaced with a space.
    var isOptionalWhitespace: Bool { startsFold || self == 0 || self == 0x0D }

    /// White space that makes a line a continuation of the previous one (obs-fold, RFC 9112 section 5.2).
    var startsFold: Bool { self == UInt8(ascii: " ") || self == UInt8(ascii: "\t") }
}
