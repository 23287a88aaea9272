import Foundation

extension JSONValue {
    /// A JSON number of any size and precision (RFC 8259 section 6): 9007199254740993, 1e400 and the hundredth digit of pi are kept.
    /// Numbers are equal if their values are, regardless of notation: 1, 1.0 and 10e-1. There is no negative zero.
    public struct Number: Sendable, Hashable {
        private let isNegative: Bool
        /// The digits without leading and trailing zeros; `0` for zero.
        private let digits: String
        /// The exponent of the power of ten by which the digits, as an integer, are multiplied.
        private let exponent: Int

        /// Larger exponents are rejected, so that arithmetic on them cannot overflow.
        private static let largestExponent = 1_000_000_000

        /// Parses a number by JSON's grammar; nil if it is invalid, or if its exponent exceeds a billion.
        public init?(_ text: String) {
            self.init(Array(text.utf8)[...])
        }

        init?(_ text: ArraySlice<UInt8>) {
            var rest = text
            let isNegative = rest.first == UInt8(ascii: "-")
            if isNegative { rest = rest.dropFirst() }
            var digits = rest.prefix(while: \.isASCIIDigit)
            rest = rest[digits.endIndex...]
            guard !digits.isEmpty, digits.count == 1 || digits.first != UInt8(ascii: "0") else { return nil }
            var exponent = 0
            if rest.first == UInt8(ascii: ".") {
                let fraction = rest.dropFirst().prefix(while: \.isASCIIDigit)
                guard !fraction.isEmpty else { return nil }
                rest = rest[fraction.endIndex...]
                digits += fraction
                exponent = -fraction.count
            }
            if let mark = rest.first, mark.asciiLowercased == UInt8(ascii: "e") {
                let signed = rest.dropFirst()
                let sign = signed.first == UInt8(ascii: "-") || signed.first == UInt8(ascii: "+") ? 1 : 0
                let power = signed.dropFirst(sign).prefix(while: \.isASCIIDigit)
                guard !power.isEmpty, let value = Int(String(decoding: signed[..<power.endIndex], as: UTF8.self)),
                    value.magnitude <= Self.largestExponent
                else { return nil }
                rest = rest[power.endIndex...]
                exponent += value
            }
            guard rest.isEmpty else { return nil }
            self.init(isNegative: isNegative, digits: digits, exponent: exponent)
        }

        private init(isNegative: Bool, digits: ArraySlice<UInt8>, exponent: Int) {
            let zero = UInt8(ascii: "0")
            let head = digits.drop { $0 == zero }
            guard let last = head.lastIndex(where: { $0 != zero }) else {
                self.isNegative = false
                self.digits = "0"
                self.exponent = 0
                return
            }
            self.isNegative = isNegative
            self.digits = String(decoding: head[...last], as: UTF8.self)
            self.exponent = exponent + (head.endIndex - 1 - last)
        }

        /// Converts an integer.
        public init(_ value: some BinaryInteger) {
            self.init(isNegative: value < 0, digits: Array("\(value.magnitude)".utf8)[...], exponent: 0)
        }

        /// Converts a `Double` to the shortest number that is read as the same `Double`, as is common in JSON: 0.1 is 0.1. nil unless it is
        /// finite.
        public init?(_ value: Double) {
            self.init("\(value)")
        }

        /// Converts a decimal number exactly. nil for NaN.
        public init?(_ value: Decimal) {
            self.init("\(value)")
        }

        /// The value as an integer type, if it is representable exactly.
        fileprivate func integer<Integer: FixedWidthInteger>() -> Integer? {
            // More digits than any integer type of up to 128 bits has.
            guard exponent >= 0, digits.utf8.count + exponent <= 40 else { return nil }
            return Integer((isNegative ? "-" : "") + digits + String(repeating: "0", count: exponent))
        }

        fileprivate var scientific: String { "\(isNegative ? "-" : "")\(digits)e\(exponent)" }

        /// The nearest value of a Foundation type.
        var nearest: NSNumber {
            let digitsBeforePoint = digits.utf8.count + exponent
            if (-90...120).contains(digitsBeforePoint), let value = Decimal(string: description, locale: nil) {
                return NSDecimalNumber(decimal: value)
            }
            return NSNumber(value: Double(scientific) ?? 0)
        }

        /// Whether the digits and the exponent are within the range of Decimal.
        fileprivate var fitsDecimal: Bool { digits.utf8.count <= 38 && (-128...127).contains(exponent) }
    }
}

extension JSONValue.Number: CustomStringConvertible {
    /// The number as JSON: without an exponent if that takes few zeros, otherwise with one.
    public var description: String {
        let sign = isNegative ? "-" : ""
        let count = digits.utf8.count
        let point = count + exponent
        if exponent >= 0, point <= 21 { return sign + digits + String(repeating: "0", count: exponent) }
        if exponent < 0, point > 0 { return sign + digits.prefix(point) + "." + digits.dropFirst(point) }
        if exponent < 0, point > -6 { return sign + "0." + String(repeating: "0", count: -point) + digits }
        let fraction = count > 1 ? "." + digits.dropFirst() : ""
        return "\(sign)\(digits.prefix(1))\(fraction)e\(point - 1)"
    }
}

extension FixedWidthInteger {
    /// The number, if this type represents it exactly: 1 and 1.0 are integers, 1.5 is not.
    public init?(exactly number: JSONValue.Number) {
        guard let value: Self = number.integer() else { return nil }
        self = value
    }
}

extension Double {
    /// The nearest `Double`; nil if the number is out of range.
    public init?(_ number: JSONValue.Number) {
        guard let value = Double(number.scientific), value.isFinite else { return nil }
        self = value
    }
}

extension Decimal {
    /// The number, if a `Decimal` represents it exactly: 38 digits, an exponent from -128 to 127.
    public init?(exactly number: JSONValue.Number) {
        guard number.fitsDecimal, let value = Decimal(string: number.scientific, locale: nil), JSONValue.Number(value) == number else {
            return nil
        }
        self = value
    }
}
