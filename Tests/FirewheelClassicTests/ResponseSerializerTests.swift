import FirewheelClassic
import Testing

/// The rules of AFNetworking 4.0.1's `AFHTTPResponseSerializer` and its subclasses.
@Suite("AFNetworking's response serialization")
struct ResponseSerializerTests {
    private let json = "application/json"

    private func response(_ status: Int = 200, _ type: String? = "application/json") -> HTTPURLResponse? {
        guard let url = URL(string: "https://example.com/") else { return nil }
        return HTTPURLResponse(url: url, statusCode: status, httpVersion: nil, headerFields: type.map { ["Content-Type": $0] } ?? [:])
    }

    private func serialize(
        _ serializer: HTTPResponseSerializer, _ text: String?, _ response: HTTPURLResponse?
    ) -> (value: Any?, error: FirewheelError?) {
        switch serializer.dataResponseSerializer.serializeResponse(nil, response, text.map { Data($0.utf8) }, nil) {
        case .success(let value): (value, nil)
        case .failure(let error): (nil, error as? FirewheelError)
        }
    }

    @Test("JSON: an empty body, and one that is a single space, is nil without an error")
    func emptyJSON() {
        for (text, type) in [(nil, json), ("", json), ("", "text/html"), ("", nil), (" ", json)] as [(String?, String?)] {
            let result = serialize(.json, text, response(200, type))
            #expect(result.value == nil && result.error == nil, "\(text ?? "nil") as \(type ?? "nothing")")
        }
        #expect(serialize(.json, nil, nil).error == nil)
        #expect(serialize(.json, "", response(500)).error?.responseCode == 500)
    }

    @Test("JSON: three media types are acceptable, fragments are not, and nulls can be removed")
    func values() {
        for type in ["application/json", "text/json", "text/javascript; charset=utf-8"] {
            #expect(serialize(.json, #"{"a":1}"#, response(200, type)).value as? [String: Int] == ["a": 1])
        }
        #expect(serialize(.json, "1", response()).error?.kind == .responseSerializationFailed(.jsonSerializationFailed))
        #expect(serialize(.json(options: .fragmentsAllowed), "1", response()).value as? Int == 1)
        let text = #"{"a":null,"b":[null,1]}"#
        let four = serialize(.json(removesKeysWithNullValues: true), text, response()).value as? [String: [Int]]
        #expect(four == ["b": [1]])
        let three = serialize(.json(removesKeysWithNullValues: true, keepsNullsInArrays: true), text, response()).value as? [String: [Any]]
        #expect(three?["b"]?.count == 2 && three?["a"] == nil)
    }

    @Test("A bad media type is an error and nothing is parsed; a bad status too, with the parsed value; of both, the type is the cause")
    func rejections() {
        let type = serialize(.json, "[1]", response(200, "text/html"))
        #expect(
            type.error?.kind
                == .responseValidationFailed(
                    .unacceptableContentType(acceptable: ["application/json", "text/javascript", "text/json"], received: "text/html")))
        #expect(type.error?.responseValue == nil && type.error?.responseData == Data("[1]".utf8))
        let missing = serialize(.json, "[1]", response(200, nil))
        guard case .responseValidationFailed(.missingContentType)? = missing.error?.kind else {
            Issue.record("\(String(describing: missing.error))")
            return
        }
        let status = serialize(.json, "[1]", response(404))
        #expect(status.error?.kind == .responseValidationFailed(.unacceptableStatusCode(404)))
        #expect(status.error?.responseValue as? JSONValue == [1] && status.error?.description.contains("not in 200..<300") == true)
        let both = serialize(.json, "[1]", response(404, "text/html"))
        #expect(both.error?.responseCode == 404 && both.error?.responseValue == nil)
        #expect((both.error?.underlyingError as? FirewheelError)?.responseContentType == "text/html")
    }

    @Test("Acceptable status codes and media types can be set, and nil is all")
    func acceptable() {
        var serializer = HTTPResponseSerializer.json
        serializer.acceptableStatusCodes = [404]
        serializer.acceptableContentTypes?.insert("text/plain")
        #expect(serialize(serializer, "[1]", response(404, "text/plain")).value as? [Int] == [1])
        #expect(serialize(serializer, "[1]", response(200)).error?.responseCode == 200)
        serializer.acceptableStatusCodes = nil
        serializer.acceptableContentTypes = nil
        #expect(serialize(serializer, "[1]", response(599, "what/ever")).value as? [Int] == [1])
    }

    @Test("Data is returned as it is, also for a bad status, beside the error")
    func data() {
        #expect(serialize(.data, "x", response(200, "what/ever")).value as? Data == Data("x".utf8))
        #expect(serialize(.data, nil, response()).value as? Data == Data())
        let bad = serialize(.data, "x", response(500))
        #expect(bad.error?.responseCode == 500 && bad.error?.responseValue as? Data == Data("x".utf8))
    }

    @Test("Property lists, and any other serializer")
    func others() {
        let list = #"<?xml version="1.0"?><plist version="1.0"><array><integer>7</integer></array></plist>"#
        #expect(serialize(.propertyList, list, response(200, "application/x-plist")).value as? [Int] == [7])
        #expect(serialize(.propertyList, list, response(200, json)).error?.responseContentType == json)
        let text = HTTPResponseSerializer(.string(), acceptableContentTypes: ["text/*"])
        #expect(serialize(text, "x", response(200, "text/csv")).value as? String == "x")
        #expect(serialize(text, "x", response(500, "text/csv")).error?.responseValue as? String == "x")
        #expect(serialize(HTTPResponseSerializer(.json()), "[1]", response(200, "what/ever")).value as? [Int] == [1])
    }

    @Test("Of several serializers the first value counts, also of a bad status; otherwise it is the body as data")
    func compound() {
        let serializer = HTTPResponseSerializer.compound([.propertyList, .json])
        #expect(serialize(serializer, "[1]", response()).value as? [Int] == [1])
        #expect(serialize(serializer, "hello", response(200, "text/plain")).value as? Data == Data("hello".utf8))
        #expect(serialize(serializer, "[1", response()).value as? Data == Data("[1".utf8))
        #expect(serialize(serializer, "", response()).value as? Data == Data())
        let bad = serialize(serializer, "[1]", response(500))
        #expect(bad.error?.responseCode == 500 && bad.error?.responseValue as? JSONValue == [1])
        let worse = serialize(serializer, "hello", response(500, "text/plain"))
        #expect(worse.error?.responseCode == 500 && worse.error?.responseValue as? Data == Data("hello".utf8))
    }

    @Test("An earlier error is passed on by all of them")
    func earlier() {
        struct Broken: Error {}
        for serializer in [HTTPResponseSerializer.json, .data, .propertyList, .compound([.json])] {
            let result = serializer.dataResponseSerializer.serializeResponse(nil, response(), Data(), Broken())
            #expect(result.error is Broken)
        }
    }
}
