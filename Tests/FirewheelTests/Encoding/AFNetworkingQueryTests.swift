import Testing

@testable import Firewheel

/// The rules of AFNetworking 4.0.1's `AFQueryStringFromParameters`, which `URLEncoding` follows with null as a bare key.
@Suite struct AFNetworkingQueryTests {
    private static let encoding = URLEncoding(nilEncoding: .bareKey)

    private struct Row: Sendable, CustomTestStringConvertible {
        let rule: String
        let parameters: Parameters
        let text: String

        var testDescription: String { rule }

        init(_ rule: String, _ parameters: Parameters, _ text: String) {
            self.rule = rule
            self.parameters = parameters
            self.text = text
        }
    }

    private static let table: [Row] = [
        Row("keys are sorted", ["key1": "value&", "key": "value", "Key": "1", "_": "2"], "Key=1&_=2&key=value&key1=value%26"),
        Row("keys are sorted at every level", ["b": ["z": 1, "a": 2], "a": 3], "a=3&b%5Ba%5D=2&b%5Bz%5D=1"),
        Row("a nested key is in brackets", ["a": ["b": ["c": "d"]]], "a%5Bb%5D%5Bc%5D=d"),
        Row("an array keeps its order", ["a": [3, 1, 2]], "a%5B%5D=3&a%5B%5D=1&a%5B%5D=2"),
        Row("nested arrays repeat the brackets", ["a": [[1, 2], [3]]], "a%5B%5D%5B%5D=1&a%5B%5D%5B%5D=2&a%5B%5D%5B%5D=3"),
        Row("a dictionary in an array", ["a": [["y": 1, "x": 2], ["x": 3]]], "a%5B%5D%5Bx%5D=2&a%5B%5D%5By%5D=1&a%5B%5D%5Bx%5D=3"),
        Row("a set repeats its key without brackets, sorted by text", ["a": Set([10, 9, 1])], "a=1&a=10&a=9"),
        Row("a set of Foundation", ["a": uncheckedSendable(NSSet(array: ["c", "a", "b"]))], "a=a&a=b&a=c"),
        Row("a set in a dictionary in an array", ["a": [["b": Set(["y", "x"])]]], "a%5B%5D%5Bb%5D=x&a%5B%5D%5Bb%5D=y"),
        Row("null is a bare key", ["a": NSNull(), "b": 1], "a&b=1"),
        Row("nil is a bare key", ["a": Int?.none, "b": 1], "a&b=1"),
        Row("null in an array is a bare key", ["a": [1, nil, 2]], "a%5B%5D=1&a%5B%5D&a%5B%5D=2"),
        Row("null in a dictionary is a bare key", ["a": ["b": nil, "c": 1]], "a%5Bb%5D&a%5Bc%5D=1"),
        Row("an empty text is not null", ["a": "", "b": NSNull()], "a=&b"),
        Row("empty containers are omitted", ["a": [Int](), "b": [String: Int](), "c": Set<Int>(), "d": 1], "d=1"),
        Row("a Bool is a number", ["no": false, "yes": true], "no=0&yes=1"),
        Row(
            "numbers of Foundation", ["a": uncheckedSendable(NSNumber(value: true)), "b": uncheckedSendable(NSNumber(value: 1.5))],
            "a=1&b=1.5"),
        Row("no parameters", [:], ""),
        Row("delimiters but ? and / are escaped", ["k": ":#[]@!$&'()*+,;=?/"], "k=%3A%23%5B%5D%40%21%24%26%27%28%29%2A%2B%2C%3B%3D?/"),
        Row("a space is %20", ["key": " :#[]@!$&'()*+,;=/?"], "key=%20%3A%23%5B%5D%40%21%24%26%27%28%29%2A%2B%2C%3B%3D/?"),
        Row("unreserved characters are not escaped", ["k-._~": "azAZ09-._~"], "k-._~=azAZ09-._~"),
        Row("what is escaped is escaped again", ["key": "%20%21%2F"], "key=%2520%2521%252F"),
        Row("other ASCII characters are escaped", ["\"<>": "\\^`{|}\u{7F}\n\0"], "%22%3C%3E=%5C%5E%60%7B%7C%7D%7F%0A%00"),
        Row("keys are escaped as values are", ["a b&c=d": 1], "a%20b%26c%3Dd=1"),
        Row("UTF-8", ["k": "é\u{301}東👴🏿"], "k=%C3%A9%CC%81%E6%9D%B1%F0%9F%91%B4%F0%9F%8F%BF"),
    ]

    @Test(arguments: table.indices) func rule(_ index: Int) throws {
        let row = Self.table[index]
        #expect(try Self.encoding.text(of: row.parameters) == row.text, "\(row.rule)")
        let request = try Self.encoding.encode(URLRequest.test(), with: row.parameters)
        #expect(request.encodedQuery ?? "" == row.text, "\(row.rule)")
    }

    /// AFNetworking escapes text in batches of 50 UTF-16 units, which must not divide a character.
    @Test func longTextsOfComposedCharacters() throws {
        for offset in 0..<60 {
            let text = String(repeating: "!", count: offset) + String(repeating: "👴🏿👷🏻👮🏽", count: 20)
            let expected =
                String(repeating: "%21", count: offset)
                + String(
                    repeating: "%F0%9F%91%B4%F0%9F%8F%BF%F0%9F%91%B7%F0%9F%8F%BB%F0%9F%91%AE%F0%9F%8F%BD", count: 20)
            #expect(try Self.encoding.text(of: ["k": text]) == "k=" + expected)
        }
    }

    @Test func foundationContainers() throws {
        let dictionary: NSDictionary = ["a": ["c": NSNull(), "b": [1, "x"]] as NSDictionary, "d": NSSet(array: ["2", "1"])]
        #expect(try Self.encoding.text(of: dictionary) == "a%5Bb%5D%5B%5D=1&a%5Bb%5D%5B%5D=x&a%5Bc%5D&d=1&d=2")
    }

    @Test func aRootWithoutKeysIsAnError() throws {
        #expect(encodingFailure(.urlEncodedFormEncodingFailed) { try Self.encoding.text(of: [1, 2]) } == .rootNotKeyed)
        #expect(encodingFailure(.urlEncodedFormEncodingFailed) { try Self.encoding.text(of: "a") } == .rootNotKeyed)
        #expect(encodingFailure(.urlEncodedFormEncodingFailed) { try Self.encoding.fields(of: Data([1])) } == .rootNotKeyed)
        #expect(encodingFailure(.urlEncodedFormEncodingFailed) { try Self.encoding.fields(of: NSNull()) } == .rootNotKeyed)
    }

    /// The parts of a multipart form: keys are not escaped, and `Data` is as it is.
    @Test func fields() throws {
        let data = Data([0, 255])
        let parameters: [String: Any] = [
            "z": data, "a b": ["c&": ["d", data] as [Any]], "set": Set([Data([2]), Data([1])]), "none": NSNull(), "no": false,
        ]
        let fields = try Self.encoding.fields(of: parameters).map { field in
            switch field.value {
            case .text(let text): "\(field.key)=\(text)"
            case .data(let data): "\(field.key):\(Array(data))"
            case .absent: field.key
            }
        }
        #expect(fields == ["a b[c&][]=d", "a b[c&][]:[0, 255]", "no=0", "none", "set:[1]", "set:[2]", "z:[0, 255]"])
    }
}
