/// Names that cannot be guessed: 128 random bits in hexadecimal.
enum RandomName {
    static let length = 32

    static func make() -> String {
        var generator = SystemRandomNumberGenerator()
        return [generator.next(), generator.next()].map { (number: UInt64) in
            let text = String(number, radix: 16)
            return String(repeating: "0", count: 16 - text.count) + text
        }.joined()
    }

    static func isValid(_ name: some StringProtocol) -> Bool {
        name.utf8.count == length && name.utf8.allSatisfy { ($0 >= 0x30 && $0 <= 0x39) || ($0 >= 0x61 && $0 <= 0x66) }
    }
}
