import Foundation

/// The header fields of a response as the bytes that came, made into strings when first asked for: of most responses most fields are never
/// looked at.
final class ReceivedFields: Sendable {
    /// The lines as they came, each with its line break. Every one has been found to be a field, or to go on with the one before.
    private let lines: [UInt8]
    /// Which of the fields that policies look for are there.
    let noted: Noted

    /// The fields that policies look for in every response.
    struct Noted: OptionSet {
        let rawValue: UInt8

        static let location = Noted(rawValue: 1)
        static let setCookie = Noted(rawValue: 2)
        static let wwwAuthenticate = Noted(rawValue: 4)
    }

    /// One lock for all: it is held for a look at a pointer.
    private static let lock = Locked(0)
    // Only touched holding the lock.
    private nonisolated(unsafe) var made: [HTTPHeader]?

    private init(lines: [UInt8], noted: Noted) {
        self.lines = lines
        self.noted = noted
    }

    /// The fields in their order, repeated ones included.
    var fields: [HTTPHeader] {
        if let made = Self.lock.withLock({ _ in made }) { return made }
        // Outside the lock, since it takes its time: of two that ask at once both may do it.
        let fields = makeFields()
        Self.lock.withLock { _ in made = fields }
        return fields
    }

    private func makeFields() -> [HTTPHeader] {
        var fields: [HTTPHeader] = []
        // The parts of the last value so far. They are joined when it ends: line by line would be quadratic.
        var name = ""
        var parts: [String] = []
        func end() {
            // White space at the ends of a value is no part of it, where a line has nothing else either.
            if !name.isEmpty { fields.append(HTTPHeader(name: name, value: parts.filter { !$0.isEmpty }.joined(separator: " "))) }
        }
        for line in lines.split(separator: UInt8(ascii: "\n")) {
            if let first = line.first, first.startsFold {
                // obs-fold (RFC 9112 section 5.2): the line goes on with the last value.
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

    /// Without white space at both ends, the CR of the line's end included.
    private static func trimmed(_ line: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
        var line = line
        while let last = line.last, last.isOptionalWhitespace { line.removeLast() }
        return line.drop { $0.isOptionalWhitespace }
    }

    private static func text(_ bytes: ArraySlice<UInt8>) -> String {
        if bytes.allSatisfy({ $0 < 0x80 && $0 != 0 && $0 != 0x0D }) { return String(decoding: bytes, as: UTF8.self) }
        // ISO-8859-1 (RFC 9110 section 5.5, obs-text). A CR or NUL inside is replaced by a space, as that section has it too.
        return String(String.UnicodeScalarView(bytes.map { $0 == 0 || $0 == 0x0D ? " " : Unicode.Scalar($0) }))
    }

    /// Puts them together line by line.
    struct Builder {
        private var lines: [UInt8] = []
        var noted: Noted = []

        var isEmpty: Bool { lines.isEmpty }

        /// How many bytes have been taken: where the next line begins.
        var count: Int { lines.count }

        /// Takes a line that has been found to be a field, or to go on with the one before.
        mutating func append(_ line: UnsafeRawBufferPointer) {
            // Room for what most heads have, at once.
            if lines.isEmpty { lines.reserveCapacity(max(480, line.count)) }
            lines.append(contentsOf: line)
            // Each ends, also one that libcurl gave without its line break.
            if line.last != UInt8(ascii: "\n") { lines.append(UInt8(ascii: "\n")) }
        }

        /// What has been taken from a place on.
        func bytes(from start: Int) -> ArraySlice<UInt8> { lines[start...] }

        func build() -> ReceivedFields { ReceivedFields(lines: lines, noted: noted) }
    }
}

extension UInt8 {
    /// OWS of RFC 9110 section 5.6.3, and what is replaced by a space.
    var isOptionalWhitespace: Bool { startsFold || self == 0 || self == 0x0D }

    /// White space that makes a line the continuation of the one before (obs-fold, RFC 9112 section 5.2).
    var startsFold: Bool { self == UInt8(ascii: " ") || self == UInt8(ascii: "\t") }
}
