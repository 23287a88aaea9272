import Testing

@testable import Firewheel

/// A dictionary literal selects `Parameters` and the same dictionary in a variable selects `Encodable`. Both must send the same bytes.
@Suite struct SameBytesTests {
    /// One value under one key, as both types.
    struct Case: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let form: String
        let json: String?
        let faces: @Sendable () throws -> (form: (String, String), json: (String, String)?)

        init<Value: Encodable & Sendable>(_ value: Value, _ form: String, json: String? = nil) {
            testDescription = "\(Value.self) \(value)"
            self.form = form
            self.json = json
            faces = {
                let encodable = ["k": value]
                let parameters: Parameters = ["k": value]
                return (
                    (try formText(parameters), try formText(encoding: encodable)),
                    json == nil ? nil : (try jsonText(parameters), try jsonText(encoding: encodable))
                )
            }
        }
    }

    struct Point: Encodable, Sendable {
        var x = 1
        var y: Double? = 2
        var z: Int?
    }

    enum Suit: String, Encodable, Sendable { case hearts }

    static let cases: [Case] = [
        Case("text", "k=text", json: #"{"k":"text"}"#),
        Case("", "k=", json: #"{"k":""}"#),
        Case(true, "k=1", json: #"{"k":true}"#),
        Case(false, "k=0", json: #"{"k":false}"#),
        Case(1, "k=1", json: #"{"k":1}"#),
        Case(1.0, "k=1.0", json: #"{"k":1}"#),
        Case(-0.0, "k=-0.0", json: #"{"k":-0}"#),
        Case(1e300, "k=1e%2B300", json: #"{"k":1e+300}"#),
        Case(Float(0.1), "k=0.1", json: #"{"k":0.1}"#),
        Case(Int8.min, "k=-128", json: #"{"k":-128}"#),
        Case(Int16.max, "k=32767", json: #"{"k":32767}"#),
        Case(Int32.min, "k=-2147483648", json: #"{"k":-2147483648}"#),
        Case(Int64.min, "k=-9223372036854775808", json: #"{"k":-9223372036854775808}"#),
        Case(UInt.max, "k=18446744073709551615", json: #"{"k":18446744073709551615}"#),
        Case(UInt8.max, "k=255", json: #"{"k":255}"#),
        Case(UInt16.max, "k=65535", json: #"{"k":65535}"#),
        Case(UInt32.max, "k=4294967295", json: #"{"k":4294967295}"#),
        Case(UInt64.max, "k=18446744073709551615", json: #"{"k":18446744073709551615}"#),
        Case(CGFloat(1.5), "k=1.5", json: #"{"k":1.5}"#),
        Case(Decimal(string: "1.10")!, "k=1.1", json: #"{"k":1.1}"#),
        Case(Decimal(string: "12345678901234567890.123")!, "k=12345678901234567890.123", json: #"{"k":12345678901234567890.123}"#),
        Case(URL(string: "https://a.b/c?d=e")!, "k=https%3A//a.b/c?d%3De", json: #"{"k":"https:\/\/a.b\/c?d=e"}"#),
        Case(
            UUID(uuidString: "E621E1F8-C36C-495A-93FC-0C247A3E6E5F")!, "k=E621E1F8-C36C-495A-93FC-0C247A3E6E5F",
            json: #"{"k":"E621E1F8-C36C-495A-93FC-0C247A3E6E5F"}"#),
        Case(Optional(1), "k=1", json: #"{"k":1}"#),
        Case(Int?.none, "", json: #"{"k":null}"#),
        Case(Int??.some(nil), "", json: #"{"k":null}"#),
        Case([3, 1, 2], "k%5B%5D=3&k%5B%5D=1&k%5B%5D=2", json: #"{"k":[3,1,2]}"#),
        Case([1, nil, 2], "k%5B%5D=1&k%5B%5D=2", json: #"{"k":[1,null,2]}"#),
        Case([[1], [2, 3]], "k%5B%5D%5B%5D=1&k%5B%5D%5B%5D=2&k%5B%5D%5B%5D=3", json: #"{"k":[[1],[2,3]]}"#),
        Case(["b": 1, "a": 2], "k%5Ba%5D=2&k%5Bb%5D=1", json: #"{"k":{"a":2,"b":1}}"#),
        Case([["b": true], ["a": false]], "k%5B%5D%5Bb%5D=1&k%5B%5D%5Ba%5D=0", json: #"{"k":[{"b":true},{"a":false}]}"#),
        Case(["a": ["c": ["d": 1.0]]], "k%5Ba%5D%5Bc%5D%5Bd%5D=1.0", json: #"{"k":{"a":{"c":{"d":1}}}}"#),
        Case([Int](), "", json: #"{"k":[]}"#),
        Case([String: Int](), "", json: #"{"k":{}}"#),
        Case(ContiguousArray([1, 2]), "k%5B%5D=1&k%5B%5D=2", json: #"{"k":[1,2]}"#),
        Case(Set([7]), "k=7", json: #"{"k":[7]}"#),
        Case(Set([10, 9, 1, 100, 5]), "k=1&k=10&k=100&k=5&k=9", json: #"{"k":[1,10,100,5,9]}"#),
        Case([Set(["b", "a"]), Set(["c"])], "k%5B%5D=a&k%5B%5D=b&k%5B%5D=c", json: #"{"k":[["a","b"],["c"]]}"#),
        Case(["s": Set([true, false])], "k%5Bs%5D=0&k%5Bs%5D=1", json: #"{"k":{"s":[false,true]}}"#),
        Case(Set([["b": 1], ["a": 2]]), "k%5Ba%5D=2&k%5Bb%5D=1", json: #"{"k":[{"a":2},{"b":1}]}"#),
        Case(Set<Int>(), "", json: #"{"k":[]}"#),
        Case(Point(), "k%5Bx%5D=1&k%5By%5D=2.0", json: #"{"k":{"x":1,"y":2}}"#),
        Case([Point()], "k%5B%5D%5Bx%5D=1&k%5B%5D%5By%5D=2.0", json: #"{"k":[{"x":1,"y":2}]}"#),
        Case(Suit.hearts, "k=hearts", json: #"{"k":"hearts"}"#),
        Case(1...2, "k%5B%5D=1&k%5B%5D=2", json: #"{"k":[1,2]}"#),
        // Forms support these, and JSONEncoding refuses them.
        Case(Data([0xFB, 0xFF]), "k=%2B/8%3D"),
        Case(Date(timeIntervalSinceReferenceDate: 123.456), "k=123.456"),
        Case([Date(timeIntervalSinceReferenceDate: 1)], "k%5B%5D=1.0"),
        Case(["a": Data([1])], "k%5Ba%5D=AQ%3D%3D"),
        Case([2: "b", 1: "a"], "k%5B1%5D=a&k%5B2%5D=b"),
    ]

    @Test(arguments: cases) func sameBytes(_ example: Case) throws {
        let faces = try example.faces()
        #expect(faces.form.0 == example.form)
        #expect(faces.form.1 == example.form)
        #expect(faces.json?.0 == example.json)
        #expect(faces.json?.1 == example.json)
    }

    /// The same overloads as a session, so that the compiler selects the same one.
    private func request(_ parameters: Parameters) throws -> (face: String, text: String) {
        ("Parameters", try formText(parameters))
    }

    private func request<P: Encodable & Sendable>(_ parameters: P) throws -> (face: String, text: String) {
        ("Encodable", try formText(encoding: parameters))
    }

    @Test func literalAndVariable() throws {
        let variable = ["b": [1.0, 2.5], "a b": [], "ü": [-1]]
        let literal = try request(["b": [1.0, 2.5], "a b": [Double](), "ü": [-1.0]])
        let inVariable = try request(variable)
        #expect(literal.face == "Parameters")
        #expect(inVariable.face == "Encodable")
        #expect(literal.text == inVariable.text)
        #expect(literal.text == "b%5B%5D=1.0&b%5B%5D=2.5&%C3%BC%5B%5D=-1.0")
    }
}
