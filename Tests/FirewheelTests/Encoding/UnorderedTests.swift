import Testing

@testable import Firewheel

/// Unordered collections have a fixed order in the request: the same in every run, however they were built.
@Suite struct UnorderedTests {
    enum Suit: String, Codable, CaseIterable, Sendable { case hearts, spades, clubs, diamonds }

    /// Two equal sets with different capacities have a different order in memory.
    private func set(_ numbers: some Sequence<Int>, capacity: Int) -> Set<Int> {
        var set = Set<Int>(minimumCapacity: capacity)
        set.formUnion(numbers)
        return set
    }

    struct Holder: Encodable, Sendable {
        var suits: [Suit: [Int]] = [.spades: [2], .hearts: [1], .diamonds: [4], .clubs: [3]]
        var numbers: Set<Int>
        var plain = ["keyName": Date(timeIntervalSinceReferenceDate: 0)]
        var some: Decimal = 1.5
        var none: Int?
        var link = URL(string: "https://a.b/c")
    }

    @Test func setsInsideTypes() throws {
        let holder = Holder(numbers: set(0...20, capacity: 21))
        let other = Holder(numbers: set((0...20).reversed(), capacity: 1000))
        let form = try formText(encoding: holder)
        #expect(try form == formText(encoding: other))
        #expect(try form == formText(encoding: holder))
        #expect(form.contains("numbers=0&numbers=1&numbers=10&numbers=11&"))
        #expect(
            form.hasSuffix(
                "suits%5B%5D=clubs&suits%5B%5D%5B%5D=3&suits%5B%5D=diamonds&suits%5B%5D%5B%5D=4&suits%5B%5D=hearts&suits%5B%5D%5B%5D=1"
                    + "&suits%5B%5D=spades&suits%5B%5D%5B%5D=2"))
        let json = try jsonText(encoding: holder)
        #expect(
            json == #"{"link":"https:\/\/a.b\/c","numbers":[0,1,10,11,12,13,14,15,16,17,18,19,2,20,3,4,5,6,7,8,9],"plain":{"keyName":0},"#
                + #""some":1.5,"suits":["clubs",[3],"diamonds",[4],"hearts",[1],"spades",[2]]}"#)
        #expect(try json == jsonText(encoding: other))
        // The same for a type inside Parameters.
        #expect(try jsonText(["h": holder]) == #"{"h":\#(json)}"#)
        #expect(try jsonText(["h": holder]) == jsonText(encoding: ["h": holder]))
    }

    @Test func strategiesHoldBesideASet() throws {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        encoder.keyEncodingStrategy = .convertToSnakeCase
        encoder.dateEncodingStrategy = .custom { date, encoder in
            var container = encoder.singleValueContainer()
            try container.encode("at \(Int(date.timeIntervalSinceReferenceDate))")
        }
        encoder.dataEncodingStrategy = .deferredToData
        encoder.nonConformingFloatEncodingStrategy = .convertToString(positiveInfinity: "+", negativeInfinity: "-", nan: "?")
        struct Value: Encodable, Sendable {
            var someSet: Set<Int> = [2, 1]
            var aDate = Date(timeIntervalSinceReferenceDate: 5)
            var someData = Data([1, 2])
            var dates: Set<Date> = [Date(timeIntervalSinceReferenceDate: 7)]
            var notANumber = [Double.nan]
            var dictionary = ["keepThis": [Suit.hearts: Float.infinity]]
            var small: Int8? = -1
        }
        let body = try JSONParameterEncoder(encoder: encoder).encode(Value(), into: .test(.post)).bodyText
        #expect(
            body == #"{"a_date":"at 5","dates":["at 7"],"dictionary":{"keepThis":["hearts","+"]},"not_a_number":["?"],"small":-1,"#
                + #""some_data":[1,2],"some_set":[1,2]}"#)
    }

    @Test func everyContainerBesideASet() throws {
        enum Key: CodingKey { case a, b, c, d, e }
        struct Value: Encodable, Sendable {
            func encode(to encoder: any Encoder) throws {
                var root = encoder.container(keyedBy: Key.self)
                var keyed = root.nestedContainer(keyedBy: Key.self, forKey: .a)
                try keyed.encodeNil(forKey: .b)
                try keyed.encode(Set([2, 1]), forKey: .c)
                var unkeyed = root.nestedUnkeyedContainer(forKey: .b)
                try unkeyed.encodeNil()
                var inner = unkeyed.nestedContainer(keyedBy: Key.self)
                try inner.encode(Set(["y", "x"]), forKey: .a)
                var list = unkeyed.nestedUnkeyedContainer()
                try list.encode(true)
                try list.encode(Optional(Set([4, 3])))
                var single = root.superEncoder(forKey: .c).singleValueContainer()
                try single.encode(Set([6, 5]))
                var other = root.superEncoder(forKey: .d).unkeyedContainer()
                #expect(other.count == 0)
                try other.encode(UInt64.max)
                var none = root.superEncoder(forKey: .e).singleValueContainer()
                try none.encodeNil()
            }
        }
        #expect(
            try jsonText(encoding: Value())
                == #"{"a":{"b":null,"c":[1,2]},"b":[null,{"a":["x","y"]},[true,[3,4]]],"c":[5,6],"d":[18446744073709551615],"e":null}"#)
    }

    @Test func setsInSets() throws {
        let nested: Set<Set<Int>> = [[3, 1], [2], [], [10, 9]]
        #expect(try formText(["k": nested]) == "k=1&k=3&k=10&k=9&k=2")
        #expect(try formText(encoding: ["k": nested]) == formText(["k": nested]))
        #expect(try jsonText(["k": nested]) == #"{"k":[[],[1,3],[10,9],[2]]}"#)
        #expect(try jsonText(encoding: ["k": nested]) == jsonText(["k": nested]))
        #expect(try formText(["k": Set<Substring>(["b", "a"])]) == "k=a&k=b")
    }

    @Test(arguments: [
        URLEncoding.ArrayEncoding.brackets, .noBrackets, .indexInBrackets, .custom { key, index in "\(key)-\(index)" },
    ])
    func aSetHasNoBracketsWhateverAnArrayHas(_ arrays: URLEncoding.ArrayEncoding) throws {
        let encoding = URLEncoding(destination: .httpBody, arrayEncoding: arrays)
        #expect(try encoding.encode(URLRequest.test(.post), with: ["k": Set(["b", "a"])]).bodyText == "k=a&k=b")
        let encoder = URLEncodedFormEncoder(arrayEncoding: arrays)
        let text: String = try encoder.encode(["k": Set(["b", "a"])])
        #expect(text == "k=a&k=b")
    }
}
