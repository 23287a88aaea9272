import Testing

@testable import Firewheel

/// The containers that a type can ask the encoder for.
@Suite struct URLEncodedFormEncoderTests {
    private func encode(_ value: some Encodable) throws -> String {
        let text: String = try URLEncodedFormEncoder().encode(value)
        let data: Data = try URLEncodedFormEncoder().encode(value)
        #expect(data == Data(text.utf8))
        return text
    }

    enum Key: String, CodingKey { case a, b, c }

    class Base: Encodable {
        let base = 1
    }

    final class Derived: Base {
        let through: Through
        enum Through { case encoder, superEncoder, superEncoderForKey }

        init(_ through: Through) { self.through = through }

        override func encode(to encoder: any Encoder) throws {
            var container = encoder.container(keyedBy: Key.self)
            try container.encode([2], forKey: .a)
            switch through {
            case .encoder: try super.encode(to: encoder)
            case .superEncoder: try super.encode(to: container.superEncoder())
            case .superEncoderForKey: try super.encode(to: container.superEncoder(forKey: .b))
            }
        }
    }

    @Test func superclasses() throws {
        #expect(try encode(Base()) == "base=1")
        #expect(try encode(Derived(.encoder)) == "a%5B%5D=2&base=1")
        #expect(try encode(Derived(.superEncoder)) == "a%5B%5D=2&base=1")
        #expect(try encode(Derived(.superEncoderForKey)) == "a%5B%5D=2&b%5Bbase%5D=1")
    }

    struct Manual: Encodable {
        let body: @Sendable (any Encoder) throws -> Void
        func encode(to encoder: any Encoder) throws { try body(encoder) }
    }

    @Test func nestedContainers() throws {
        let value = Manual { encoder in
            var root = encoder.container(keyedBy: Key.self)
            var keyed = root.nestedContainer(keyedBy: Key.self, forKey: .a)
            try keyed.encode(1, forKey: .b)
            try keyed.encodeNil(forKey: .c)
            var unkeyed = root.nestedUnkeyedContainer(forKey: .b)
            try unkeyed.encode(true)
            try unkeyed.encodeNil()
            var inner = unkeyed.nestedContainer(keyedBy: Key.self)
            try inner.encode(2, forKey: .a)
            var deeper = unkeyed.nestedUnkeyedContainer()
            try deeper.encode(contentsOf: [3, 4])
            #expect(unkeyed.count == 4)
            #expect(deeper.codingPath.map(\.stringValue) == ["b", "3"])
            #expect(inner.codingPath.map(\.intValue) == [nil, 2])
        }
        #expect(try encode(value) == "a%5Bb%5D=1&b%5B%5D=1&b%5B%5D%5Ba%5D=2&b%5B%5D%5B%5D=3&b%5B%5D%5B%5D=4")
    }

    @Test func aTypeThatWritesTwiceInOnePlace() throws {
        #expect(
            try encode(
                Manual { encoder in
                    var container = encoder.container(keyedBy: Key.self)
                    try container.encode(1, forKey: .a)
                    try container.encode([2], forKey: .a)
                    var again = encoder.container(keyedBy: Key.self)
                    try again.encode("x", forKey: .b)
                    var nested = again.nestedContainer(keyedBy: Key.self, forKey: .b)
                    try nested.encode(3, forKey: .c)
                }) == "a%5B%5D=2&b%5Bc%5D=3")
    }

    /// Types that encode into several containers, as in Alamofire's tests.
    @Test func alamofiresOddShapes() throws {
        let value = Manual { encoder in
            var container = encoder.container(keyedBy: Key.self)
            try container.encode([1, 2, 3], forKey: .a)
            var sibling = container.superEncoder().container(keyedBy: Key.self)
            try sibling.encode("one", forKey: .a)
            var under = container.superEncoder(forKey: .a).container(keyedBy: Key.self)
            try under.encode(2, forKey: .b)
            var unkeyed = container.nestedUnkeyedContainer(forKey: .a)
            var beside = unkeyed.superEncoder().container(keyedBy: Key.self)
            try beside.encode("one", forKey: .a)
        }
        #expect(try encode(value) == "a%5Ba%5D=one&a%5Bb%5D=2")
    }

    struct Wrapper<Value: Encodable>: Encodable {
        let value: Value
        func encode(to encoder: any Encoder) throws {
            var container = encoder.singleValueContainer()
            try container.encode(value)
        }
    }

    @Test func valuesThatEncodeAsAnother() throws {
        #expect(try encode(Wrapper(value: ["a": Wrapper(value: 1)])) == "a=1")
        #expect(try encode(["a": Wrapper(value: Data([1]))]) == "a=AQ%3D%3D")
        #expect(try encode(["a": Wrapper(value: Set(["c", "b"]))]) == "a=b&a=c")
        #expect(try encode(["a": Wrapper(value: Decimal(1))]) == "a=1")
        #expect(try encode(["a": Wrapper(value: Int?.none)]) == "")
        #expect(try encode([String: Int]?.none) == "")
    }

    @Test func aValueThatIsNotSendable() throws {
        final class Page: Encodable {
            var number = 2
        }
        #expect(try URLEncodedFormParameterEncoder.default.encode(Page(), into: .test(.post)).bodyText == "number=2")
        #expect(try JSONParameterEncoder.default.encode(Page(), into: .test(.post)).bodyText == #"{"number":2}"#)
    }

    @Test func nilIsLeftOut() throws {
        struct Value: Encodable {
            var a: Int?
            var b: String? = "x"
            var c: [Int?] = [nil, 1]
        }
        #expect(try encode(Value()) == "b=x&c%5B%5D=1")
    }

    /// The standard library's containers refuse 128-bit integers by default. The program must not trap.
    @Test func integersOf128Bits() {
        guard #available(macOS 15, iOS 18, tvOS 18, watchOS 11, visionOS 2, *) else { return }
        _ = encodingFailure(.urlEncodedFormEncodingFailed) { try encode(["a": Int128(1)]) }
    }

    @Test func theSameTextInEveryRun() throws {
        let keys = (0..<50).map { "key\($0)" }
        let value = Dictionary(uniqueKeysWithValues: keys.map { ($0, Set(keys)) })
        let text = try encode(value)
        #expect(try text == encode(Dictionary(uniqueKeysWithValues: keys.reversed().map { ($0, Set(keys.reversed())) })))
        #expect(text.hasPrefix("key0=key0&key0=key1&key0=key10&"))
    }
}
