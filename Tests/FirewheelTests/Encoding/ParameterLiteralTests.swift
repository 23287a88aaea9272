import Firewheel
import Foundation
import Testing

/// Parameter literals that need no cast. That this file compiles is half of the test.
@Suite("Parameter literals")
struct ParameterLiteralTests {
    private static let url = "http://stub.test/"

    private func sent(_ make: (Session) -> DataRequest) async throws -> String {
        let request = try await SessionRequestTests.send(.with { $0.parameterFormat = .json }, make).get()
        return request.body.map { String(decoding: $0, as: UTF8.self) } ?? ""
    }

    @Test("Nested parameter literals with values of one type need no cast, at any depth and with optional variables")
    func plain() async throws {
        let name: String? = nil
        let page: Int? = 2
        #expect(
            try await sent {
                $0.post(
                    Self.url,
                    parameters: [
                        "text": "x", "tags": ["a", "b"], "filter": ["active": true], "rows": [[1, 2], [3]],
                        "items": [["id": 1], ["id": 2]],
                        "deep": ["a": ["b": ["c": 1]]], "name": name, "page": page, "half": [1, 0.5], "gaps": [1, nil],
                        "map": ["k": nil, "l": 1],
                    ])
            }
                == #"{"deep":{"a":{"b":{"c":1}}},"filter":{"active":true},"gaps":[1,null],"half":[1,0.5],"items":[{"id":1},{"id":2}],"#
                + #""map":{"k":null,"l":1},"name":null,"page":2,"rows":[[1,2],[3]],"tags":["a","b"],"text":"x"}"#)
        #expect(try await sent { $0.post(Self.url, parameters: ["a": 1, "b": nil]) } == #"{"a":1,"b":null}"#)
        #expect(try await sent { $0.post(Self.url, parameters: ["a": nil as String?, "b": 1]) } == #"{"a":null,"b":1}"#)
        #expect(try await sent { $0.post(Self.url, parameters: ["a": NSNull(), "b": 1]) } == #"{"a":null,"b":1}"#)
    }

    @Test("Nested parameter literals of mixed values work with a cast each, and without variables with one cast for the whole")
    func cast() async throws {
        let city = "Ulm"
        #expect(
            try await sent {
                $0.post(Self.url, parameters: ["a": ["id": 1, "city": city] as Parameters, "b": ["x", 1, city] as [any Sendable]])
            } == #"{"a":{"city":"Ulm","id":1},"b":["x",1,"Ulm"]}"#)
        #expect(
            try await sent {
                $0.post(Self.url, parameters: ["a": nil, "b": ["c": 1, "d": ["x", nil, true]], "e": ["x", 1.5], "f": [:]] as JSONValue)
            } == #"{"a":null,"b":{"c":1,"d":["x",null,true]},"e":["x",1.5],"f":{}}"#)
        #expect(
            try await sent { $0.post(Self.url, parameters: ["a": ["x", nil, 1] as JSONValue, "city": city]) }
                == #"{"a":["x",null,1],"city":"Ulm"}"#)
        let query = try await SessionRequestTests.send { $0.get(Self.url, parameters: ["a": nil, "b": ["c": 1, "d": "x"]] as JSONValue) }
            .get()
        #expect(query.target.string == "http://stub.test/?b%5Bc%5D=1&b%5Bd%5D=x")
    }
}
