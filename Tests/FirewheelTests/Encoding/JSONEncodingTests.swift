import Testing

@testable import Firewheel

@Suite struct JSONEncodingTests {
    @Test func parametersAreTheBody() throws {
        let parameters: Parameters = ["b": [1, "two", NSNull()] as [any Sendable], "a": ["c": 1.5]]
        let request = try JSONEncoding.default.encode(URLRequest.test(.post), with: parameters)
        #expect(request.bodyText == #"{"a":{"c":1.5},"b":[1,"two",null]}"#)
        #expect(request.headers["Content-Type"] == "application/json")
        #expect(request.url?.absoluteString == "https://example.com/get")
    }

    @Test func withoutParametersTheRequestStaysAsItIs() throws {
        let request = try URLRequest.test(.post)
        #expect(try JSONEncoding.default.encode(request, with: nil) == request)
        #expect(try JSONEncoding.default.encode(request, withJSONObject: nil) == request)
        #expect(try JSONParameterEncoder.default.encode([String: Int]?.none, into: request) == request)
        #expect(try JSONEncoding.default.encode(request, with: [:]).bodyText == "{}")
        #expect(try JSONParameterEncoder.default.encode([String: Int](), into: request).bodyText == "{}")
    }

    @Test func aContentTypeIsKept() throws {
        var request = try URLRequest.test(.post)
        request.headers["Content-Type"] = "application/vnd.api+json"
        #expect(try JSONEncoding.default.encode(request, with: ["a": 1]).headers["Content-Type"] == "application/vnd.api+json")
        #expect(try JSONParameterEncoder.default.encode(["a": 1], into: request).headers["Content-Type"] == "application/vnd.api+json")
    }

    @Test(arguments: [
        ([1, 2] as any Sendable, "[1,2]"), ("text", #""text""#), (1, "1"), (true, "true"), (NSNull(), "null"),
        (Int?.none as any Sendable, "null"),
        (["b": 1, "a": 2], #"{"a":2,"b":1}"#), ([] as [any Sendable], "[]"),
    ])
    func anyJSONValueCanBeTheBody(_ object: any Sendable, _ expected: String) throws {
        #expect(try JSONEncoding.default.encode(URLRequest.test(.post), withJSONObject: object).bodyText == expected)
    }

    @Test func whatJSONSerializationReadIsWrittenAgain() throws {
        let text = #"{"a":[1,2.5,true,null,"x"],"b":{"c":{}}}"#
        let object = try JSONSerialization.jsonObject(with: Data(text.utf8))
        #expect(try JSONEncoding.default.encode(URLRequest.test(.post), withJSONObject: object).bodyText == text)
        let request = try URLRequest.test(.post)
        #expect(try JSONEncoding.default.encode(request, withJSONObject: nil) == request)
    }

    @Test func formatting() throws {
        let pretty = try JSONEncoding.prettyPrinted.encode(URLRequest.test(.post), with: ["b": 1, "a": "/"]).bodyText
        #expect(pretty == "{\n  \"a\" : \"\\/\",\n  \"b\" : 1\n}")
        let prettyToo = try JSONParameterEncoder.prettyPrinted.encode(["b": "1", "a": "/"], into: .test(.post)).bodyText
        #expect(prettyToo == "{\n  \"a\" : \"\\/\",\n  \"b\" : \"1\"\n}")
        let unescaped = JSONEncoding(options: [.withoutEscapingSlashes, .fragmentsAllowed])
        #expect(try unescaped.encode(URLRequest.test(.post), with: ["b": 1, "a": "/"]).bodyText == #"{"a":"/","b":1}"#)
        #expect(try JSONParameterEncoder.sortedKeys.encode(["b": 1, "a": 2], into: .test(.post)).bodyText == #"{"a":2,"b":1}"#)
    }

    @Test func anEncoderOfOnesOwnKeepsItsStrategies() throws {
        let encoder = JSONEncoder()
        encoder.dateEncodingStrategy = .secondsSince1970
        encoder.nonConformingFloatEncodingStrategy = .convertToString(positiveInfinity: "+", negativeInfinity: "-", nan: "?")
        encoder.keyEncodingStrategy = .convertToSnakeCase
        struct Value: Encodable {
            let someDate = Date(timeIntervalSince1970: 5)
        }
        #expect(try JSONParameterEncoder.json(encoder: encoder).encode(Value(), into: .test(.post)).bodyText == #"{"some_date":5}"#)
        #expect(try JSONParameterEncoder.json(encoder: encoder).encode(["a": Double.nan], into: .test(.post)).bodyText == #"{"a":"?"}"#)
    }

    @Test func userInfoReachesTheValue() throws {
        let key = try #require(CodingUserInfoKey(rawValue: "key"))
        struct Value: Encodable {
            let key: CodingUserInfoKey
            func encode(to encoder: any Encoder) throws {
                var container = encoder.singleValueContainer()
                try container.encode(#require(encoder.userInfo[key] as? String))
            }
        }
        let encoder = JSONEncoder()
        encoder.userInfo[key] = "info"
        #expect(try JSONParameterEncoder(encoder: encoder).encode(Value(key: key), into: .test(.post)).bodyText == #""info""#)
    }
}
