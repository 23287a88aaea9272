import Foundation

/// Reads the bytes of a document from front to back. Indices count from the document's start.
struct ByteReader {
    let bytes: Data
    var index: Int

    init(_ bytes: Data) {
        self.bytes = bytes
        index = bytes.startIndex
    }

    var next: UInt8? { index < bytes.endIndex ? bytes[index] : nil }

    /// Skips these bytes, if they are next.
    @discardableResult
    mutating func skip(_ expected: some Collection<UInt8>) -> Bool {
        guard bytes[index...].starts(with: expected) else { return false }
        index += expected.count
        return true
    }

    /// Skips this text, if it is next.
    @discardableResult
    mutating func skip(_ expected: String) -> Bool { skip(expected.utf8) }

    /// Skips white space. Returns whether there was any.
    @discardableResult
    mutating func skipSpaces() -> Bool {
        let start = index
        while let byte = next, byte.isXMLSpace { index += 1 }
        return index > start
    }

    /// Skips a name (XML 1.0 section 2.3). All characters beyond ASCII are allowed in it. Returns whether there was one.
    mutating func skipName() -> Bool {
        guard let first = next, first.isXMLNameStart else { return false }
        while let byte = next, byte.isXMLNamePart { index += 1 }
        return true
    }

    /// Skips characters that XML allows (XML 1.0 section 2.2), up to this text.
    ///
    /// - Throws: ``XMLFailure``, at a character that is not allowed, or if the text does not follow.
    mutating func skipCharacters(to text: String) throws {
        let end = bytes.range(of: Data(text.utf8), in: index..<bytes.endIndex)?.lowerBound ?? bytes.endIndex
        let skipped = bytes[index..<end]
        let forbidden = skipped.firstIndex { $0 < 0x20 && !$0.isXMLSpace }
        // U+FFFE and U+FFFF.
        let noncharacter = [0xBE, 0xBF].lazy.compactMap { skipped.range(of: Data([0xEF, 0xBF, $0]))?.lowerBound }.min()
        index = min(forbidden ?? end, noncharacter ?? end)
        guard index == end, end < bytes.endIndex else { throw malformed }
    }

    /// The failure of a document that is malformed here.
    var malformed: XMLFailure { failure(.notWellFormed) }

    /// A failure with the place of the next byte.
    func failure(_ reason: XMLFailure.Reason, _ error: (any Error)? = nil) -> XMLFailure {
        let before = bytes[..<min(index, bytes.endIndex)]
        let line = before.lazy.filter { $0 == 0x0A }.count + 1
        // The following bytes of a character are not counted.
        let column = before.reversed().prefix { $0 != 0x0A }.lazy.filter { $0 & 0xC0 != 0x80 }.count + 1
        return XMLFailure(reason, line: line, column: column, underlyingError: error)
    }
}

extension UInt8 {
    /// White space (XML 1.0 section 2.3).
    var isXMLSpace: Bool { self == 0x20 || self == 0x0A || self == 0x09 || self == 0x0D }

    /// The first byte of a name, of which all characters beyond ASCII may be part.
    var isXMLNameStart: Bool {
        (0x61...0x7A).contains(self | 0x20) || self >= 0x80 || self == UInt8(ascii: "_") || self == UInt8(ascii: ":")
    }

    /// Another byte of a name.
    var isXMLNamePart: Bool {
        isXMLNameStart || (0x30...0x39).contains(self) || self == UInt8(ascii: "-") || self == UInt8(ascii: ".")
    }
}
