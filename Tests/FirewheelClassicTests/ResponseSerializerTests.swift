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

    @Test("Without a body the value of every serializer is nil: with 204, 205 and any other acceptable status, and for HEAD")
    func noBody() throws {
        struct User: Decodable {}
        let serializers = [HTTPResponseSerializer(DataResponseSerializer<User>.decodable()), .json, .propertyList]
        let head = try URLRequest(url: "https://example.com/", method: .head)
        for serializer in serializers {
            for (status, request) in [(200, nil), (204, nil), (205, nil), (200, head), (304, head)] as [(Int, URLRequest?)] {
                for data in [nil, Data()] {
                    var serializer = serializer
                    if status == 304 { serializer.acceptableStatusCodes = [304] }
                    let result = serializer.dataResponseSerializer.serializeResponse(request, response(status, nil), data, nil)
                    guard case .success(nil) = result else {
                        Issue.record("\(status): \(result)")
                        continue
                    }
                }
            }
            #expect(serialize(serializer, "", response(404)).error?.responseCode == 404)
        }
    }

    @Test("Of several serializers one that has parsed a bad status ends the search, also if its value is not Sendable")
    func compoundEnds() {
        final class Thing {}
        let thing = DataResponseSerializer<Thing> { _, _, data, error in
            error.map { .failure($0) } ?? (data == Data("x".utf8) ? .success(Thing()) : .failure(CocoaError(.coderInvalidValue)))
        }
        let serializer = HTTPResponseSerializer.compound([.json, HTTPResponseSerializer(thing), .data])
        #expect(serialize(serializer, "x", response(200, "text/plain")).value is Thing)
        let bad = serialize(serializer, "x", response(500, "text/plain")).error
        #expect(bad?.kind == .responseValidationFailed(.unacceptableStatusCode(500)) && bad?.responseValue == nil)
        #expect(serialize(serializer, "y", response(500, "text/plain")).error?.responseValue as? Data == Data("y".utf8))
        let empty = serialize(serializer, "", response(500)).error
        #expect(empty?.responseCode == 500 && empty?.responseValue == nil)
    }

    @Test("The options of property lists say what is mutable, except on Linux, where Foundation returns Swift's values")
    func mutability() throws {
        let list = #"<plist version="1.0"><dict><key>a</key><array><string>x</string></array></dict></plist>"#
        let good = response(200, "application/x-plist")
        let fixed = serialize(.propertyList, list, good).value
        #expect((fixed as? [String: [String]]) == ["a": ["x"]] && !(fixed is NSMutableDictionary))
        let containers = serialize(.propertyList(options: .mutableContainers), list, good).value
        let leaves = serialize(.propertyList(options: .mutableContainersAndLeaves), list, good).value
        #expect((containers as? [String: [String]]) == ["a": ["x"]] && (leaves as? [String: [String]]) == ["a": ["x"]])
        #if !os(Linux)
            let rows = try #require((containers as? NSMutableDictionary)?["a"] as? NSMutableArray)
            rows.add("y")
            #expect((containers as? [String: [String]]) == ["a": ["x", "y"]] && !(rows[0] is NSMutableString))
            #expect(((leaves as? NSMutableDictionary)?["a"] as? NSMutableArray)?[0] is NSMutableString)
        #endif
        let bad = serialize(.propertyList(options: .mutableContainersAndLeaves), list, response(500, "application/x-plist"))
        #expect(bad.error?.responseValue as? JSONValue == ["a": ["x"]])
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
