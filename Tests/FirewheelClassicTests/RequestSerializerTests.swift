import FirewheelClassic
import Testing

/// The rules of AFNetworking 4.0.1's `AFHTTPRequestSerializer` and its subclasses.
@Suite("AFNetworking's request serialization")
struct RequestSerializerTests {
    private let url = "https://example.com/a"

    private func body(_ request: URLRequest) -> String? {
        request.httpBody.map { String(decoding: $0, as: UTF8.self) }
    }

    private func failure(_ body: () throws -> Any) -> (kind: FirewheelError.Kind?, cause: ParameterFailure?) {
        do {
            _ = try body()
            return (nil, nil)
        } catch {
            let error = error as? FirewheelError
            return (error?.kind, error?.underlyingError as? ParameterFailure)
        }
    }

    // MARK: Parameters

    @Test("GET, HEAD and DELETE have parameters in the query, other methods in the body")
    func destinations() throws {
        let serializer = HTTPRequestSerializer()
        let parameters: [String: Any] = ["list": [1, 2], "none": NSNull(), "set": Set(["y", "x"]), "text": "a b"]
        let text = "list%5B%5D=1&list%5B%5D=2&none&set=x&set=y&text=a%20b"
        for method in [HTTPMethod.get, .head, .delete, HTTPMethod(rawValue: "get")] {
            let request = try serializer.request(withMethod: method, urlString: url + "?z=1", parameters: parameters)
            #expect(request.url?.absoluteString == "\(url)?z=1&\(text)" && request.httpBody == nil)
            #expect(request.headers["Content-Type"] == nil)
        }
        for method in [HTTPMethod.post, .put, .patch, .options] {
            let request = try serializer.request(withMethod: method, urlString: url, parameters: parameters)
            #expect(request.url?.absoluteString == url && body(request) == text)
            #expect(request.httpMethod == method.rawValue)
            #expect(request.headers["Content-Type"] == "application/x-www-form-urlencoded")
        }
    }

    @Test("The methods that have parameters in the query can be set")
    func methods() throws {
        for var serializer in [HTTPRequestSerializer(), .json, .propertyList] {
            serializer.methodsEncodingParametersInURI = [.get, HTTPMethod(rawValue: "put")]
            let query = try serializer.request(withMethod: .put, urlString: url, parameters: ["a": 1])
            #expect(query.url?.absoluteString == url + "?a=1" && query.httpBody == nil)
            let sent = try serializer.request(withMethod: .delete, urlString: url, parameters: ["a": 1])
            #expect(sent.url?.absoluteString == url && sent.httpBody?.isEmpty == false)
        }
    }

    @Test("A form without parameters is an empty body with a Content-Type, and a query without parameters changes nothing")
    func noParameters() throws {
        let serializer = HTTPRequestSerializer()
        for parameters in [nil, [:]] as [[String: Any]?] {
            let post = try serializer.request(withMethod: .post, urlString: url, parameters: parameters)
            #expect(post.httpBody == Data())
            #expect(post.headers["Content-Type"] == "application/x-www-form-urlencoded")
            let get = try serializer.request(withMethod: .get, urlString: url, parameters: parameters)
            #expect(get.url?.absoluteString == url && get.httpBody == nil)
        }
    }

    @Test("JSON and property lists without parameters have no body and no Content-Type")
    func noParametersOfOtherFormats() throws {
        for serializer in [HTTPRequestSerializer.json, .propertyList] {
            let request = try serializer.request(withMethod: .post, urlString: url)
            #expect(request.httpBody == nil && request.headers["Content-Type"] == nil)
        }
    }

    @Test("A Content-Type of the request or of the serializer is kept")
    func contentType() throws {
        for var serializer in [HTTPRequestSerializer(), .json, .propertyList] {
            serializer.setValue("text/x-mine", forHTTPHeaderField: "content-type")
            #expect(
                try serializer.request(withMethod: .post, urlString: url, parameters: ["a": 1]).headers["Content-Type"] == "text/x-mine")
            let own = try URLRequest(url: url, method: .post, headers: ["Content-Type": "text/x-own"])
            #expect(try serializer.request(bySerializing: own, withParameters: ["a": 1]).headers["Content-Type"] == "text/x-own")
        }
    }

    @Test("A closure writes the text of queries and forms, and its error is thrown unchanged")
    func closure() throws {
        struct Refusal: Error {}
        for var serializer in [HTTPRequestSerializer(), .json] {
            serializer.queryStringSerialization = { request, parameters in
                "\(request.httpMethod ?? "")**\((parameters as? [String: String])?["key"] ?? "")"
            }
            let get = try serializer.request(withMethod: .get, urlString: url, parameters: ["key": "value"])
            #expect(get.url?.absoluteString == url + "?GET**value")
            #expect(try serializer.request(withMethod: .get, urlString: url).url?.absoluteString == url)
            serializer.queryStringSerialization = { _, _ in throw Refusal() }
            let failing = serializer
            #expect(throws: Refusal.self) { try failing.request(withMethod: .get, urlString: "url", parameters: [String: Int]()) }
        }
        var form = HTTPRequestSerializer()
        form.queryStringSerialization = { _, parameters in "\(parameters as? [Int] ?? [])" }
        #expect(body(try form.request(withMethod: .post, urlString: url, parameters: [1, 2])) == "[1, 2]")
    }

    @Test("A form's text is written in the string encoding; what it lacks is an error")
    func stringEncoding() throws {
        var serializer = HTTPRequestSerializer()
        serializer.queryStringSerialization = { _, parameters in parameters as? String ?? "" }
        serializer.stringEncoding = .isoLatin1
        #expect(try serializer.request(withMethod: .post, urlString: url, parameters: "ä").httpBody == Data([0xE4]))
        let failing = serializer
        let error = failure { try failing.request(withMethod: .post, urlString: url, parameters: "東") }
        #expect(error.kind == .parameterEncodingFailed(.urlEncodedFormEncodingFailed) && error.cause == .notInStringEncoding)
    }

    // MARK: Formats

    @Test("JSON bodies: dictionaries, arrays, encodable values, null")
    func json() throws {
        struct User: Encodable {
            let name: String
        }
        let serializer = HTTPRequestSerializer.json
        let parameters: [String: Any] = ["b": [1, NSNull()] as [Any], "a": true]
        let request = try serializer.request(withMethod: .post, urlString: url, parameters: parameters)
        #expect(body(request) == #"{"a":true,"b":[1,null]}"# && request.headers["Content-Type"] == "application/json")
        #expect(body(try serializer.request(withMethod: .post, urlString: url, parameters: [1, 2])) == "[1,2]")
        #expect(body(try serializer.request(withMethod: .post, urlString: url, parameters: User(name: "Ada"))) == #"{"name":"Ada"}"#)
        let pretty = HTTPRequestSerializer(format: .json(.prettyPrinted))
        #expect(body(try pretty.request(withMethod: .post, urlString: url, parameters: [1]))?.contains("\n") == true)
    }

    @Test("JSON fragments are an error unless they are allowed", arguments: [#""text""#, "7", "true", "null"])
    func fragments(_ text: String) throws {
        let fragment = try JSONSerialization.jsonObject(with: Data(text.utf8), options: .fragmentsAllowed)
        let error = failure { try HTTPRequestSerializer.json.request(withMethod: .post, urlString: url, parameters: fragment) }
        #expect(error.kind == .parameterEncodingFailed(.jsonEncodingFailed) && error.cause == .fragment)
        let serializer = HTTPRequestSerializer(format: .json(.fragmentsAllowed))
        #expect(body(try serializer.request(withMethod: .post, urlString: url, parameters: fragment)) == text)
    }

    @Test("Values that JSON cannot represent are an error")
    func invalidJSON() throws {
        let serializer = HTTPRequestSerializer.json
        for value in [Date(), Double.nan, ["a": Date()], [1: "a"], NSObject(), [Double.infinity]] as [Any] {
            let error = failure { try serializer.request(withMethod: .post, urlString: url, parameters: value) }
            #expect(error.kind == .parameterEncodingFailed(.jsonEncodingFailed))
        }
    }

    @Test("Property lists as XML and binary, with any root")
    func propertyLists() throws {
        let date = Date(timeIntervalSinceReferenceDate: 1)
        for format in [PropertyListSerialization.PropertyListFormat.xml, .binary] {
            let serializer = HTTPRequestSerializer(format: .propertyList(format))
            let request = try serializer.request(withMethod: .put, urlString: url, parameters: [date])
            #expect(request.headers["Content-Type"] == "application/x-plist")
            var read = PropertyListSerialization.PropertyListFormat.openStep
            let list = try PropertyListSerialization.propertyList(from: request.httpBody ?? Data(), options: [], format: &read)
            #expect(list as? [Date] == [date] && read == format)
        }
        let xml = try HTTPRequestSerializer.propertyList.request(withMethod: .post, urlString: url, parameters: ["a": 1])
        #expect(body(xml)?.hasPrefix("<?xml") == true)
        let error = failure { try HTTPRequestSerializer.propertyList.request(withMethod: .post, urlString: url, parameters: NSNull()) }
        #expect(error.kind == .parameterEncodingFailed(.propertyListEncodingFailed))
    }

    @Test("A form needs keys, and no value of any other type is sent as its description")
    func invalidForms() throws {
        let serializer = HTTPRequestSerializer()
        for value in [[1], "a", ["a": NSObject()], ["a": Double.nan]] as [Any] {
            for method in [HTTPMethod.get, .post] {
                let error = failure { try serializer.request(withMethod: method, urlString: url, parameters: value) }
                #expect(error.kind == .parameterEncodingFailed(.urlEncodedFormEncodingFailed))
            }
        }
    }

    @Test("A request without a URL, and an invalid URL, are errors")
    func urls() throws {
        let serializer = HTTPRequestSerializer()
        var request = try URLRequest(url: url, method: .get)
        request.url = nil
        let none = request
        #expect(failure { try serializer.request(bySerializing: none, withParameters: nil) }.kind == .parameterEncodingFailed(.missingURL))
        #expect(failure { try serializer.request(withMethod: .get, urlString: "") }.kind == .invalidURL)
    }
}
