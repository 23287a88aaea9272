/// A number of seconds in a header field (RFC 9111 section 1.2.2).
enum DeltaSeconds {
    /// What a larger number counts as: 136 years. Sums of a few of them do not overflow.
    static let most = 1 << 32

    /// The number; nil unless the text consists of digits.
    static func parse(_ text: String) -> Int? {
        guard isDigits(text) else { return nil }
        return Int(text).map { min($0, most) } ?? most
    }

    static func isDigits(_ text: some StringProtocol) -> Bool {
        !text.isEmpty && text.utf8.allSatisfy { (0x30...0x39).contains($0) }
    }
}
