/// Reads the chunks of a body up to the last one's line (RFC 9112 section 7.1).
///
/// Chunk extensions are skipped. A size line ends with CRLF or LF, like those of the head.
struct ChunkReader {
    enum Step {
        /// All bytes were consumed.
        case more
        /// The bytes in this range of the input belong to the body.
        case data(Range<Int>)
        /// The size line of the last chunk is complete; the trailer section follows.
        case last
        case malformed(String)
    }

    static let invalidSize = "the response is malformed: its chunks have no valid size"
    static let invalidEnd = "the response is malformed: a chunk does not end where its size says"
    static let longExtensions = "the response's chunk extensions are longer than its body and 16 KiB"

    private enum State {
        /// Before a chunk's first digit.
        case start
        case size
        /// Behind the size: white space, an extension or the end of the line.
        case afterSize
        case chunkExtension
        /// Behind the CR of the size line.
        case sizeLF
        case data
        /// Behind the data: a line break.
        case dataCR
        case dataLF
    }

    /// Extensions may have this many bytes more than the body, so that a body of small chunks cannot consist of them.
    private static let freeExtensionBytes: Int64 = 16 * 1024
    /// An Int64 has at most 16 digits; more of them are leading zeros.
    private static let maximumDigits = 16

    private var state = State.start
    private var digits = 0
    /// The size as far as it was read, then the bytes of the chunk that are still to come.
    private var remaining: Int64 = 0
    /// How many bytes extensions may still have.
    private var extensionBudget = freeExtensionBytes

    /// Reads up to the end of a piece of the body.
    mutating func read(_ input: UnsafeRawBufferPointer) -> (consumed: Int, step: Step) {
        var position = 0
        while position < input.count {
            if state == .data {
                let count = Int(min(remaining, Int64(input.count - position)))
                remaining -= Int64(count)
                // Saturates, because the length of an endless body has no limit.
                let (budget, isTooLarge) = extensionBudget.addingReportingOverflow(Int64(count))
                extensionBudget = isTooLarge ? .max : budget
                if remaining == 0 { state = .dataCR }
                return (position + count, .data(position..<position + count))
            }
            let byte = input[position]
            position += 1
            if let step = readLine(byte) { return (position, step) }
        }
        return (position, .more)
    }

    /// Reads a byte outside a chunk's data. nil if the line continues.
    private mutating func readLine(_ byte: UInt8) -> Step? {
        switch state {
        case .start, .size:
            if let digit = byte.hexDigitValue { return readDigit(digit) }
            guard state == .size else { return .malformed(Self.invalidSize) }
            state = .afterSize
            return readAfterSize(byte)
        case .afterSize:
            return readAfterSize(byte)
        case .chunkExtension:
            if byte == UInt8(ascii: "\r") || byte == UInt8(ascii: "\n") { return readLineEnd(byte) }
            return spendExtensionByte()
        case .sizeLF:
            return byte == UInt8(ascii: "\n") ? endSize() : .malformed(Self.invalidSize)
        case .data, .dataCR:
            if byte == UInt8(ascii: "\r") {
                state = .dataLF
                return nil
            }
            return endData(byte)
        case .dataLF:
            return endData(byte)
        }
    }

    private mutating func readDigit(_ digit: UInt8) -> Step? {
        digits += 1
        // The upper half of a 64-bit number would be negative.
        guard digits <= Self.maximumDigits, remaining >> 59 == 0 else { return .malformed(Self.invalidSize) }
        remaining = remaining << 4 | Int64(digit)
        state = .size
        return nil
    }

    private mutating func readAfterSize(_ byte: UInt8) -> Step? {
        switch byte {
        case UInt8(ascii: "\r"), UInt8(ascii: "\n"): return readLineEnd(byte)
        case UInt8(ascii: ";"): state = .chunkExtension
        case UInt8(ascii: " "), UInt8(ascii: "\t"): break
        default: return .malformed(Self.invalidSize)
        }
        return spendExtensionByte()
    }

    private mutating func spendExtensionByte() -> Step? {
        extensionBudget -= 1
        return extensionBudget < 0 ? .malformed(Self.longExtensions) : nil
    }

    private mutating func readLineEnd(_ byte: UInt8) -> Step? {
        if byte == UInt8(ascii: "\n") { return endSize() }
        state = .sizeLF
        return nil
    }

    private mutating func endSize() -> Step? {
        digits = 0
        state = remaining == 0 ? .start : .data
        return remaining == 0 ? .last : nil
    }

    private mutating func endData(_ byte: UInt8) -> Step? {
        guard byte == UInt8(ascii: "\n") else { return .malformed(Self.invalidEnd) }
        state = .start
        return nil
    }
}
