import Firewheel
import Foundation
import Testing

/// The public interface of ``JSONValue``.
@Suite("JSONValue")
struct JSONValueTests {
    private let value: JSONValue = [
        "name": "Ann", "age": 41, "ratio": 0.5, "isAdmin": true, "boss": nil, "tags": ["a", "b"], "nested": ["deep": [1, [2]]],
    ]

    @Test("JSONValue subscripts give a member or element, and nil if it is missing")
    func subscripts() {
        #expect(value["name"] == "Ann" && value["age"] == 41 && value["ratio"] == 0.5 && value["isAdmin"] == true)
        #expect(value["tags"]?[1] == "b" && value["nested"]["deep"][1][0] == 2)
        #expect(value["boss"] == .some(.null) && value["boss"]?.isNull == true)
        #expect(value["none"] == Optional<JSONValue>.none && value["none"]["deeper"][3] == Optional<JSONValue>.none)
        for index in [-1, 2, Int.max, Int.min] { #expect(value["tags"]?[index] == Optional<JSONValue>.none) }
        #expect(value["name"]?[0] == Optional<JSONValue>.none && value[0] == Optional<JSONValue>.none)
        #expect(JSONValue.array([1])["a"] == Optional<JSONValue>.none)
    }

    @Test("JSONValue accessors give the value of their type, and nil for others")
    func accessors() {
        #expect(value["name"]?.stringValue == "Ann" && value["name"]?.intValue == nil && value["name"]?.boolValue == nil)
        #expect(value["age"]?.intValue == 41 && value["age"]?.doubleValue == 41 && value["age"]?.stringValue == nil)
        #expect(value["isAdmin"]?.boolValue == true && value["isAdmin"]?.intValue == nil && value["age"]?.boolValue == nil)
        #expect(value["ratio"]?.doubleValue == 0.5 && value["ratio"]?.intValue == nil)
        #expect(value["tags"]?.arrayValue == ["a", "b"] && value["tags"]?.objectValue == nil)
        #expect(value["nested"]?.objectValue?.keys.sorted() == ["deep"] && value["nested"]?.arrayValue == nil)
        #expect(value["boss"]?.isNull == true && value["name"]?.isNull == false && value["name"]?.numberValue == nil)
    }

    @Test("JSONValue literals keep the last of several members with one name")
    func literals() {
        #expect(JSONValue.null == nil && JSONValue.bool(false) == false && JSONValue.string("x\(1)") == "x\(1)")
        #expect(["a": 1, "a": 2] as JSONValue == ["a": 2])
        #expect(JSONValue.number(.init(Int64.min)) == -9_223_372_036_854_775_808)
        let values: [JSONValue] = [1, 1.0, "1", true, nil, nil]
        #expect(Set(values).count == 4)
    }

    @Test("A JSONValue's description is JSON with sorted names and the fewest escapes")
    func description() throws {
        let value: JSONValue = ["b": [1, nil, true, [:], []], "a": "\"\\/\u{1}\u{1F}\n\r\tä\u{2028}👩‍👩‍👧‍👦", "": -0.25]
        let text = #"{"":-0.25,"a":"\"\\/\u0001\u001f\n\r\tä"# + "\u{2028}👩‍👩‍👧‍👦" + #"","b":[1,null,true,{},[]]}"#
        #expect(value.description == text)
        #expect(try JSONValue(data: Data(text.utf8)) == value)
        #expect(try JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any] != nil)
    }

    @Test("A JSONValue is Sendable")
    func sendable() async {
        let value = value
        #expect(await Task.detached { value["name"] }.value == "Ann")
    }

    @Test("JSONValue converts to Foundation's objects and back")
    func foundation() throws {
        let object = try #require(value.foundationObject as? [String: Any])
        #expect(object["name"] as? String == "Ann" && object["age"] as? Int == 41 && object["ratio"] as? Double == 0.5)
        #expect(object["isAdmin"] as? Bool == true && object["boss"] is NSNull && object["tags"] as? [String] == ["a", "b"])
        #expect(try JSONValue(foundationObject: object) == value)
        #expect(JSONSerialization.isValidJSONObject(object))
        let serialized = try JSONSerialization.data(withJSONObject: object)
        #expect(try JSONValue(data: serialized) == value)
        #expect(try JSONValue(foundationObject: JSONSerialization.jsonObject(with: serialized)) == value)
        let numbers: [Any] = [
            true, 1, UInt8(1), NSNumber(value: true), NSNumber(value: 1), 1.5, Float(0.5), Decimal(string: "0.1")!, UInt64.max,
        ]
        #expect(try JSONValue(foundationObject: numbers) == [true, 1, 1, true, 1, 1.5, 0.5, 0.1, .number(.init(UInt64.max))])
    }

    @Test("A value that JSON cannot represent is an error")
    func refused() {
        let objects: [Any] = [
            Date(), Data(), Double.nan, Double.infinity, [1: "a"], [Date()], NSNumber(value: Double.nan), Decimal.nan, self,
        ]
        for object in objects {
            #expect(throws: JSONValue.Failure.self, "\(object)") { try JSONValue(foundationObject: object) }
        }
        var deep: Any = 1
        for _ in 0..<512 { deep = [deep] }
        #expect(throws: Never.self) { try JSONValue(foundationObject: deep) }
        #expect(throws: JSONValue.Failure.self) { try JSONValue(foundationObject: [deep]) }
        #expect(throws: JSONValue.Failure.self) { try JSONValue(foundationObject: ["a": deep]) }
    }

    struct Envelope: Codable, Equatable {
        var id: Int
        var payload: JSONValue
    }

    @Test("JSONValue is Codable, by itself and inside other types")
    func codable() throws {
        let text = #"{"id":7,"payload":{"a":[1,2.5,"x",true,null,{}],"n":9007199254740993,"u":18446744073709551615,"d":0.1}}"#
        let envelope = try JSONDecoder().decode(Envelope.self, from: Data(text.utf8))
        #expect(envelope.payload["a"] == [1, 2.5, "x", true, nil, [:]])
        #expect(envelope.payload["n"]?.description == "9007199254740993" && envelope.payload["u"]?.description == "18446744073709551615")
        #expect(try JSONDecoder().decode(Envelope.self, from: JSONEncoder().encode(envelope)) == envelope)
        let plist = PropertyListEncoder()
        plist.outputFormat = .binary
        let list: JSONValue = ["a": [1, 2.5, "x", true, 9_007_199_254_740_993]]
        #expect(try PropertyListDecoder().decode(JSONValue.self, from: plist.encode(list)) == list)
    }

    @Test("JSONValue encodes and decodes numbers exactly or not at all")
    func codableNumbers() throws {
        let encoder = JSONEncoder()
        for text in [
            "9007199254740993", "18446744073709551615", "18446744073709551616", "0.1", "-1.5e-7", "12345678901234567890123456789012345678",
        ] {
            let value = try JSONValue(data: Data(text.utf8))
            #expect(try JSONValue(data: encoder.encode([value])) == [value], "\(text)")
            #expect(try JSONDecoder().decode([JSONValue].self, from: Data("[\(text)]".utf8)) == [value], "\(text)")
        }
        for text in ["1e400", "123456789012345678901234567890123456789012345678901"] {
            let value = try JSONValue(data: Data(text.utf8))
            #expect(throws: EncodingError.self) { try encoder.encode([value]) }
        }
        for text in ["1e400", "1e-400"] {
            #expect(throws: DecodingError.self) { try JSONDecoder().decode([JSONValue].self, from: Data("[\(text)]".utf8)) }
        }
    }
}
