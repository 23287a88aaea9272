/// Checks UTF-8 that arrives in pieces (RFC 3629 section 4), and refuses a byte as soon as no continuation can make it valid.
struct UTF8Checker {
    /// How many bytes the current character still lacks.
    private var missing = 0
    /// The range of the next byte. It is narrower behind some first bytes, because overlong forms, surrogates and numbers above U+10FFFF
    /// are invalid.
    private var allowed: ClosedRange<UInt8> = 0x80...0xBF

    private static let highBits: UInt64 = 0x8080_8080_8080_8080

    /// Whether the text may end here.
    var isComplete: Bool { missing == 0 }

    /// Checks the next bytes. After false, nothing may be checked.
    mutating func accepts(_ bytes: UnsafeRawBufferPointer) -> Bool {
        var (missing, allowed, index) = (missing, allowed, 0)
        let count = bytes.count
        while index < count {
            if missing == 0 {
                // Most text is ASCII, of which eight bytes are checked at a time.
                while index &+ 8 <= count, bytes.loadUnaligned(fromByteOffset: index, as: UInt64.self) & Self.highBits == 0 { index &+= 8 }
                guard index < count else { break }
            }
            let byte = bytes[index]
            index &+= 1
            if missing > 0 {
                guard allowed.contains(byte) else { return false }
                missing &-= 1
                allowed = 0x80...0xBF
            } else if byte >= 0x80 {
                guard let (count, second) = Self.continuation(of: byte) else { return false }
                (missing, allowed) = (count, second)
            }
        }
        (self.missing, self.allowed) = (missing, allowed)
        return true
    }

    /// How many bytes follow a first byte above 127, and the range of the second; nil if the byte begins no character.
    private static func continuation(of first: UInt8) -> (count: Int, second: ClosedRange<UInt8>)? {
        switch first {
        case 0xC2...0xDF: (1, 0x80...0xBF)
        case 0xE0: (2, 0xA0...0xBF)
        case 0xED: (2, 0x80...0x9F)
        case 0xE1...0xEF: (2, 0x80...0xBF)
        case 0xF0: (3, 0x90...0xBF)
        case 0xF1...0xF3: (3, 0x80...0xBF)
        case 0xF4: (3, 0x80...0x8F)
        default: nil
        }
    }
}
