import Testing

@testable import Firewheel

/// Foundation's classes for Swift's values, and Swift values that are not `Encodable`.
@Suite struct FoundationValuesTests {
    struct Case: @unchecked Sendable, CustomTestStringConvertible {
        let value: Any
        let form: String
        let json: String?
        var testDescription: String { "\(type(of: value)) \(value)" }

        init(_ value: Any, _ form: String, json: String?) {
            self.value = value
            self.form = form
            self.json = json
        }
    }

    static let cases: [Case] = [
        Case(NSNumber(value: true), "k=1", json: "true"),
        Case(NSNumber(value: false), "k=0", json: "false"),
        Case(NSNumber(value: 1), "k=1", json: "1"),
        Case(NSNumber(value: 0), "k=0", json: "0"),
        Case(NSNumber(value: Int8(1)), "k=1", json: "1"),
        Case(NSNumber(value: UInt8.max), "k=255", json: "255"),
        Case(NSNumber(value: UInt32.max), "k=4294967295", json: "4294967295"),
        Case(NSNumber(value: UInt64.max), "k=18446744073709551615", json: "18446744073709551615"),
        Case(NSNumber(value: Int64.min), "k=-9223372036854775808", json: "-9223372036854775808"),
        Case(NSNumber(value: 2.5), "k=2.5", json: "2.5"),
        Case(NSNumber(value: 1.0), "k=1.0", json: "1"),
        Case(NSNumber(value: Float(0.1)), "k=0.1", json: "0.1"),
        Case(NSDecimalNumber(string: "1.10"), "k=1.1", json: "1.1"),
        Case(NSNull(), "", json: "null"),
        Case(NSString("é"), "k=%C3%A9", json: #""é""#),
        Case(NSMutableString("a"), "k=a", json: #""a""#),
        Case(NSArray(array: [1, "b", true]), "k%5B%5D=1&k%5B%5D=b&k%5B%5D=1", json: #"[1,"b",true]"#),
        Case(NSDictionary(dictionary: ["b": 1, "a": NSNull()]), "k%5Bb%5D=1", json: #"{"a":null,"b":1}"#),
        Case(NSSet(array: [3]), "k=3", json: "[3]"),
        Case(NSURL(string: "a:b")!, "k=a%3Ab", json: #""a:b""#),
        Case(
            NSUUID(uuidString: "E621E1F8-C36C-495A-93FC-0C247A3E6E5F")!, "k=E621E1F8-C36C-495A-93FC-0C247A3E6E5F",
            json: #""E621E1F8-C36C-495A-93FC-0C247A3E6E5F""#),
        Case(NSDate(timeIntervalSinceReferenceDate: 2), "k=2.0", json: nil),
        Case(NSData(data: Data([1])), "k=AQ%3D%3D", json: nil),
        Case(NSDictionary(dictionary: [1: 2]), "error", json: nil),
        Case("abc".dropFirst(), "k=bc", json: #""bc""#),
        Case(Character("é"), "k=%C3%A9", json: #""é""#),
        Case(AnyHashable(1), "k=1", json: "1"),
        Case(AnyHashable([AnyHashable("a"): AnyHashable(true)]), "k%5Ba%5D=1", json: #"{"a":true}"#),
        Case([AnyHashable("b"): 1, AnyHashable("a"): "c"] as [AnyHashable: Any], "k%5Ba%5D=c&k%5Bb%5D=1", json: #"{"a":"c","b":1}"#),
        Case(Any?.none as Any, "", json: "null"),
        Case(Any?.some(Any?.some(1) as Any) as Any, "k=1", json: "1"),
        Case(["b": 1, "a": nil, "c": ["d"]] as [String: Any?], "k%5Bb%5D=1&k%5Bc%5D%5B%5D=d", json: #"{"a":null,"b":1,"c":["d"]}"#),
        Case(
            [1, 1.0, true, "s", [String: Any](), Int?.none as Any] as [Any],
            "k%5B%5D=1&k%5B%5D=1.0&k%5B%5D=1&k%5B%5D=s", json: #"[1,1,true,"s",{},null]"#),
        Case([1, 2, 3][1...], "error", json: nil),
    ]

    @Test(arguments: cases) func value(_ example: Case) throws {
        let parameters: Parameters = ["k": uncheckedSendable(example.value)]
        if example.form == "error" {
            _ = encodingFailure(.urlEncodedFormEncodingFailed) { try formText(parameters) }
        } else {
            #expect(try formText(parameters) == example.form)
        }
        if let expected = example.json {
            #expect(try jsonText(parameters) == #"{"k":\#(expected)}"#)
        } else {
            _ = encodingFailure(.jsonEncodingFailed) { try jsonText(parameters) }
        }
    }
}
