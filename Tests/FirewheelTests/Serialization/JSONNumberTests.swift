import Firewheel
import Foundation
import Testing

/// Numbers are exact, because JSON sets no limit (RFC 8259 section 6).
@Suite("JSON numbers")
struct JSONNumberTests {
    @Test(
        "Every JSON number is kept exactly and written in one form",
        arguments: [
            ("0", "0"), ("-0", "0"), ("-0.0e5", "0"), ("1", "1"), ("1.0", "1"), ("10e-1", "1"), ("-1", "-1"), ("100", "100"),
            ("1e2", "100"),
            ("1E+2", "100"), ("9007199254740993", "9007199254740993"), ("-9223372036854775809", "-9223372036854775809"),
            ("18446744073709551616", "18446744073709551616"), ("1e21", "1e21"), ("1e20", "100000000000000000000"), ("1.50", "1.5"),
            ("0.1", "0.1"), ("-0.000001", "-0.000001"), ("0.0000001", "1e-7"), ("123e-9", "1.23e-7"), ("1e400", "1e400"),
            ("-1.25e-400", "-1.25e-400"),
            ("3.14159265358979323846264338327950288419716939937510", "3.1415926535897932384626433832795028841971693993751"),
            ("1e1000000000", "1e1000000000"),
        ])
    func exact(text: String, written: String) throws {
        let value = try JSONValue(data: Data(text.utf8))
        #expect(value.description == written)
        #expect(try JSONValue(data: Data(written.utf8)) == value)
        #expect(JSONValue.Number(text) == value.numberValue && JSONValue.Number(text)?.description == written)
    }

    @Test(
        "Malformed JSON numbers, and exponents too large to represent, are refused",
        arguments: [
            "", "-", "+1", "01", "-01", "1.", ".5", "1e", "1e+", "1.e1", "0x10", "NaN", "Infinity", "-Infinity", "1_000", "1 ", " 1",
            "1e5.5", "--1",
            "1e1000000001", "1e-99999999999999999999", "٣",
        ])
    func refused(text: String) {
        #expect(JSONValue.Number(text) == nil)
        #expect(throws: JSONValue.Failure.self) { try JSONValue(data: Data("[\(text),]".utf8)) }
    }

    @Test("Reading a number as an integer or Decimal is exact or fails, and as Double the nearest")
    func conversions() {
        func number(_ text: String) -> JSONValue.Number { JSONValue.Number(text) ?? JSONValue.Number(-1) }
        #expect(Int(exactly: number("1.0")) == 1 && Int(exactly: number("1.5")) == nil && Int(exactly: number("-5e1")) == -50)
        #expect(Int64(exactly: number("9223372036854775807")) == .max && Int64(exactly: number("9223372036854775808")) == nil)
        #expect(Int64(exactly: number("-9223372036854775808")) == .min && UInt64(exactly: number("18446744073709551615")) == .max)
        #expect(UInt64(exactly: number("18446744073709551616")) == nil && UInt8(exactly: number("256")) == nil)
        #expect(UInt(exactly: number("-1")) == nil && Int8(exactly: number("1e999999999")) == nil)
        #expect(Double(number("0.1")) == 0.1 && Double(number("9007199254740993")) == 9_007_199_254_740_992)
        #expect(Double(number("1e400")) == nil && Double(number("-1e400")) == nil && Double(number("1e-400")) == 0)
        #expect(Decimal(exactly: number("0.1")) == Decimal(string: "0.1") && Decimal(exactly: number("-12.5e3")) == -12500)
        #expect(
            Decimal(exactly: number("123456789012345678901234567890123456789")) == nil && Decimal(exactly: number("1e200")) == nil)
    }

    @Test("Finite Swift numbers become equal JSON numbers, and infinite and NaN ones become none")
    func from() {
        typealias Number = JSONValue.Number
        #expect(Number(Int64.min).description == "-9223372036854775808" && Number(UInt64.max).description == "18446744073709551615")
        #expect(
            Number(0.1)?.description == "0.1" && Number(Double.leastNonzeroMagnitude)?.description == "5e-324"
                && Number(-0.0)?.description == "0")
        #expect(Number(Double.greatestFiniteMagnitude)?.description == "1.7976931348623157e308")
        #expect(Number(Double.nan) == nil && Number(Double.infinity) == nil && Number(-Double.infinity) == nil)
        #expect(Decimal(string: "0.10").flatMap { Number($0) }?.description == "0.1" && Number(Decimal.nan) == nil)
    }

    @Test("JSON numbers become exact Foundation numbers where possible, else the nearest")
    func foundation() throws {
        func object(_ text: String) throws -> NSNumber { try #require(try JSONValue(data: Data(text.utf8)).foundationObject as? NSNumber) }
        #expect(try object("9007199254740993").int64Value == 9_007_199_254_740_993)
        #expect(try object("18446744073709551615").uint64Value == .max)
        #expect(try object("0.1").doubleValue == 0.1)
        #expect(try object("12345678901234567890123456789").description == "12345678901234567890123456789")
        #expect(try object("1e400").doubleValue == .infinity)
        #expect(try object("-1e400").doubleValue == -.infinity)
        #expect(
            try object("3.14159265358979323846264338327950288419716939937510").description.hasPrefix("3.1415926535897932384626433832795"))
    }
}
