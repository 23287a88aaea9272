import Foundation

/// The header fields of a response as the bytes that came, made into strings when first asked for: of most responses most fields are never
/// looked at.
final class ReceivedFields: Sendable {
    /// A line for each field, `name:value`, white space around the value dropped and folded lines joined.
    private let lines: [UInt8]

    /// One lock for all: it is held for a look at a pointer.
    private static let lock = Locked(0)
    // Only touched holding the lock.
    private nonisolated(unsafe) var made: [HTTPHeader]?

    private init(lines: [UInt8]) {
        self.lines = lines
    }

    /// The fields in their order, repeated ones included.
    var fields: [HTTPHeader] {
        if let made = Self.lock.withLock({ _ in made }) { return made }
        // Outside the lock, since it takes its time: of two that ask at once both may do it.
        let fields = lines.split(separator: UInt8(ascii: "\n")).map { line in
            let colon = line.firstIndex(of: UInt8(ascii: ":")) ?? line.endIndex
            return HTTPHeader(name: Self.text(line[..<colon]), value: Self.text(line[colon...].dropFirst()))
        }
        Self.lock.withLock { _ in made = fields }
        return fields
    }

    private static func text(_ bytes: ArraySlice<UInt8>) -> String {
        if bytes.allSatisfy({ $0 < 0x80 && $0 != 0 && $0 != 0x0D }) { return String(decoding: bytes, as: UTF8.self) }
        // ISO-8859-1 (RFC 9110 section 5.5, obs-text). A CR or NUL inside is replaced by a space, as that section has it too.
        return String(String.UnicodeScalarView(bytes.map { $0 == 0 || $0 == 0x0D ? " " : Unicode.Scalar($0) }))
    }

    /// Puts them together line by line.
    struct Builder {
        private var lines: [UInt8] = []
        private var lastValueStart = 0

        /// Takes a field. Neither part has a line feed in it, and the name no colon.
        mutating func append(name: UnsafeRawBufferPointer, value: UnsafeRawBufferPointer) {
            if lines.isEmpty { lines.reserveCapacity(512) }
            lines.append(contentsOf: name)
            lines.append(UInt8(ascii: ":"))
            lastValueStart = lines.count
            lines.append(contentsOf: value)
            lines.append(UInt8(ascii: "\n"))
        }

        /// Goes on with the last value, after a space. False if there is none.
        mutating func continueLast(with text: UnsafeRawBufferPointer) -> Bool {
            guard !lines.isEmpty else { return false }
            lines[lines.count - 1] = UInt8(ascii: " ")
            lines.append(contentsOf: text)
            lines.append(UInt8(ascii: "\n"))
            return true
        }

        /// The value of the field that was taken last; empty if none was.
        var lastValue: ArraySlice<UInt8> { lines[lastValueStart...].dropLast() }

        func build() -> ReceivedFields { ReceivedFields(lines: lines) }
    }
}
