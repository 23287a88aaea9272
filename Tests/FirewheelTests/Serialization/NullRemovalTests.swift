import Firewheel
import Foundation
import Testing

/// `removesKeysWithNullValues` follows AFNetworking 4.
@Suite("Removing nulls from JSON")
struct NullRemovalTests {
    @Test(
        "Null members and elements are removed at every level, and all else stays",
        arguments: [
            (#"{"a":null,"b":1}"#, #"{"b":1}"#), (#"[null,1,[null],{"a":null}]"#, #"[1,[],{}]"#), ("null", "null"), ("7", "7"),
            ("\"null\"", "\"null\""),
            (#"{"a":{"b":{"c":null,"d":[{"e":null}]}}}"#, #"{"a":{"b":{"d":[{}]}}}"#), ("[null,null]", "[]"), ("{}", "{}"),
            (#"[false,0,""]"#, #"[false,0,""]"#),
        ])
    func removal(text: String, expected: String) throws {
        let options: [JSONSerialization.ReadingOptions] = [.fragmentsAllowed, [.fragmentsAllowed, .mutableContainers]]
        for options in options {
            let object = try apply(.json(options: options, removesKeysWithNullValues: true), Data(text.utf8)).get()
            #expect(try JSONValue(foundationObject: object).description == expected)
            let kept = try apply(.json(options: options), Data(text.utf8)).get()
            #expect(try JSONValue(foundationObject: kept).description == text)
        }
    }

    @Test("Mutable containers stay mutable, and others become immutable Swift values")
    func mutability() throws {
        let body = Data(#"{"a":{"b":null}}"#.utf8)
        let mutable = try apply(.json(options: .mutableContainers, removesKeysWithNullValues: true), body).get()
        let dictionary = try #require(mutable as? NSMutableDictionary)
        dictionary["c"] = 1
        #expect(dictionary.count == 2)
        #expect(try apply(.json(removesKeysWithNullValues: true), body).get() as? [String: [String: Int]] == ["a": [:]])
    }

    @Test("Nulls are removed from the deepest JSON that Foundation parses")
    func deep() throws {
        let text = String(repeating: "[", count: 512) + "null" + String(repeating: "]", count: 512)
        let object = try apply(.json(removesKeysWithNullValues: true), Data(text.utf8)).get()
        var depth = 0
        var level = object as? [Any]
        while let elements = level {
            depth += 1
            level = elements.first as? [Any]
        }
        #expect(depth == 512)
    }
}
