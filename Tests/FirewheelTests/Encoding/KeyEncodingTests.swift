import Testing

@testable import Firewheel

@Suite struct KeyEncodingTests {
    private func text(_ value: some Encodable, _ encoding: URLEncodedFormEncoder.KeyEncoding) throws -> String {
        let text: String = try URLEncodedFormEncoder(keyEncoding: encoding).encode(value)
        return try #require(text.removingPercentEncoding)
    }

    @Test(arguments: [
        ("oneTwoThree", "one_two_three"), ("_oneTwoThree_", "_one_two_three_"), ("myURLProperty", "my_url_property"), ("", ""), ("a", "a"),
        ("A", "a"), ("aB", "a_b"), ("one", "one"), ("ABC", "a_bc"), ("oneTwo3Four", "one_two3_four"), ("x1Y2", "x1_y2"), ("éÀé", "é_àé"),
        ("__", "__"), ("already_snake", "already_snake"),
    ])
    func words(_ key: String, _ expected: String) throws {
        #expect(try text([key: 1], .convertToSnakeCase) == "\(expected)=1")
        let encoder = JSONEncoder()
        encoder.keyEncodingStrategy = .convertToSnakeCase
        struct Key: CodingKey {
            let stringValue: String
            var intValue: Int? { nil }
            init(stringValue: String) { self.stringValue = stringValue }
            init?(intValue: Int) { nil }
        }
        struct Value: Encodable {
            let key: String
            func encode(to encoder: any Encoder) throws {
                var container = encoder.container(keyedBy: Key.self)
                try container.encode(1, forKey: Key(stringValue: key))
            }
        }
        // The rule is that of JSONEncoder.
        #expect(String(decoding: try encoder.encode(Value(key: key)), as: UTF8.self) == #"{"\#(expected)":1}"#)
    }

    @Test func others() throws {
        let value = ["oneTwo": 1, "éTwo": 2]
        #expect(try text(value, .useDefaultKeys) == "oneTwo=1&éTwo=2")
        #expect(try text(value, .convertToKebabCase) == "one-two=1&é-two=2")
        #expect(try text(value, .capitalized) == "OneTwo=1&ÉTwo=2")
        #expect(try text(value, .uppercased) == "ONETWO=1&ÉTWO=2")
        #expect(try text(value, .lowercased) == "onetwo=1&étwo=2")
        #expect(try text(value, .custom { $0 + "!" }) == "oneTwo!=1&éTwo!=2")
    }

    @Test func everyKeyOfAPathByItself() throws {
        let value = ["oneTwo": ["ThreeFour": [["fiveSix": 1]]]]
        #expect(try text(value, .convertToSnakeCase) == "one_two[three_four][][five_six]=1")
        #expect(try text(value, .capitalized) == "OneTwo[ThreeFour][][FiveSix]=1")
        #expect(try text(value, .custom { "<\($0)>" }) == "<oneTwo>[<ThreeFour>][][<fiveSix>]=1")
    }

    @Test func sortedAsTheyAreWritten() throws {
        #expect(try text(["B": 1, "a": 2], .useDefaultKeys) == "B=1&a=2")
        #expect(try text(["B": 1, "a": 2], .lowercased) == "a=2&b=1")
        // Keys that become equal are all sent, in the order of the original keys.
        #expect(try text(["k": ["A": 1, "a": 2]], .lowercased) == "k[a]=1&k[a]=2")
    }
}
