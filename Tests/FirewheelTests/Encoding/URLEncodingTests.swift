import Testing

@testable import Firewheel

@Suite struct URLEncodingTests {
    @Test(arguments: [
        (HTTPMethod.get, true), (.head, true), (.delete, true), (.post, false), (.put, false), (.patch, false), (.options, false),
        (.query, false),
    ])
    func theMethodDecides(_ method: HTTPMethod, inQuery: Bool) throws {
        for request in [
            try URLEncoding.default.encode(URLRequest.test(method), with: ["a": 1]),
            try URLEncodedFormParameterEncoder.default.encode(["a": 1], into: .test(method)),
        ] {
            #expect(request.encodedQuery == (inQuery ? "a=1" : nil))
            #expect(request.bodyText == (inQuery ? nil : "a=1"))
            #expect(request.headers["Content-Type"] == (inQuery ? nil : "application/x-www-form-urlencoded; charset=utf-8"))
        }
    }

    @Test func theDestinationOverridesTheMethod() throws {
        #expect(try URLEncoding.queryString.encode(URLRequest.test(.post), with: ["a": 1]).encodedQuery == "a=1")
        #expect(try URLEncoding.httpBody.encode(URLRequest.test(.get), with: ["a": 1]).bodyText == "a=1")
        #expect(try URLEncodedFormParameterEncoder(destination: .queryString).encode(["a": 1], into: .test(.post)).encodedQuery == "a=1")
        #expect(try URLEncodedFormParameterEncoder(destination: .httpBody).encode(["a": 1], into: .test(.get)).bodyText == "a=1")
    }

    @Test(arguments: [
        ("https://a.b", "https://a.b?k=v"),
        ("https://a.b/", "https://a.b/?k=v"),
        ("https://a.b/p?", "https://a.b/p?k=v"),
        ("https://a.b/p?x=1", "https://a.b/p?x=1&k=v"),
        ("https://a.b/p?x=%20+%2B", "https://a.b/p?x=%20+%2B&k=v"),
        ("https://a.b/p?x[]=1&x[]=2", nil),
        ("https://a.b/p#f", "https://a.b/p?k=v#f"),
        ("https://a.b/p?x=1#f?g", "https://a.b/p?x=1&k=v#f?g"),
        ("https://u:p@a.b:8080/p;q?x#", "https://u:p@a.b:8080/p;q?x&k=v#"),
        ("https://[::1]:80/", "https://[::1]:80/?k=v"),
        ("https://a.b/%zz?%zz", nil),
        ("https://a.b/ä?ö|{}#ü", nil),
        ("https://a.b/p?x=\u{1F600}", nil),
    ])
    func theQueryIsJoinedAndTheFragmentStays(_ text: String, expected: String?) throws {
        let url = try text.asURL()
        let whole = url.absoluteString
        let end = whole.firstIndex(of: "#") ?? whole.endIndex
        let joined = whole[..<end] + (whole[..<end].contains("?") ? (whole[..<end].hasSuffix("?") ? "" : "&") : "?") + "k=v" + whole[end...]
        let encoded = try URLEncoding.default.encode(URLRequest(url: url), with: ["k": "v"]).url?.absoluteString
        #expect(encoded == String(joined))
        if let expected { #expect(encoded == expected) }
    }

    @Test func aRelativeURLKeepsItsBase() throws {
        let url = try #require(URL(string: "p?x=1", relativeTo: URL(string: "https://a.b/c/")))
        let request = try URLEncoding.default.encode(URLRequest(url: url), with: ["k": "v"])
        #expect(request.url?.absoluteString == "https://a.b/c/p?x=1&k=v")
    }

    @Test(arguments: ["https://a.b/p", "https://a.b/p?", "https://a.b/p?x=1#f"])
    func withoutParametersTheURLStaysAsItIs(_ text: String) throws {
        let request = try URLRequest.test(.get, text)
        #expect(try URLEncoding.default.encode(request, with: nil) == request)
        #expect(try URLEncoding.default.encode(request, with: [:]) == request)
        #expect(try URLEncoding.default.encode(request, with: ["a": [Int](), "b": Int?.none]) == request)
        #expect(try URLEncodedFormParameterEncoder.default.encode([String: String](), into: request) == request)
        #expect(try URLEncodedFormParameterEncoder.default.encode([String: String]?.none, into: request) == request)
    }

    @Test func withoutParametersTheBodyIsEmptyOrUntouched() throws {
        let request = try URLRequest.test(.post)
        #expect(try URLEncoding.default.encode(request, with: nil).httpBody == nil)
        #expect(try URLEncodedFormParameterEncoder.default.encode([String: Int]?.none, into: request).httpBody == nil)
        #expect(try URLEncoding.default.encode(request, with: [:]).httpBody == Data())
        #expect(try URLEncodedFormParameterEncoder.default.encode([String: Int](), into: request).httpBody == Data())
    }

    @Test func aContentTypeIsKept() throws {
        var request = try URLRequest.test(.post)
        request.headers["content-type"] = "text/x-own"
        #expect(try URLEncoding.default.encode(request, with: ["a": 1]).headers["Content-Type"] == "text/x-own")
        #expect(try URLEncodedFormParameterEncoder.default.encode(["a": 1], into: request).headers["Content-Type"] == "text/x-own")
    }

    @Test(arguments: [
        ("abcdefghijklmnopqrstuvwxyz0123456789", "abcdefghijklmnopqrstuvwxyz0123456789"),
        ("ABCDEFGHIJKLMNOPQRSTUVWXYZ-._~?/", "ABCDEFGHIJKLMNOPQRSTUVWXYZ-._~?/"),
        (":#[]@!$&'()*+,;=", "%3A%23%5B%5D%40%21%24%26%27%28%29%2A%2B%2C%3B%3D"),
        (" \"#%<>[]\\^`{}|", "%20%22%23%25%3C%3E%5B%5D%5C%5E%60%7B%7D%7C"),
        ("%25", "%2525"),
        ("français", "fran%C3%A7ais"),
        ("franc\u{327}ais", "franc%CC%A7ais"),
        ("日本語", "%E6%97%A5%E6%9C%AC%E8%AA%9E"),
        ("العربية", "%D8%A7%D9%84%D8%B9%D8%B1%D8%A8%D9%8A%D8%A9"),
        ("😃", "%F0%9F%98%83"),
        ("👩‍💻", "%F0%9F%91%A9%E2%80%8D%F0%9F%92%BB"),
        ("\r\n\t\u{0}\u{7F}", "%0D%0A%09%00%7F"),
    ])
    func escaping(_ text: String, _ escaped: String) throws {
        let pair = "\(escaped)=\(escaped)"
        #expect(try formText([text: text]) == pair)
        #expect(try formText(encoding: [text: text]) == pair)
        #expect(try formText(["k": [text: text]]) == "k%5B\(escaped)%5D=\(escaped)")
        #expect(try URLEncoding.default.encode(URLRequest.test(), with: [text: text]).encodedQuery == pair)
    }

    @Test func theEscapingSetIsAlamofires() throws {
        var allowed = CharacterSet.urlQueryAllowed
        allowed.remove(charactersIn: ":#[]@!$&'()*+,;=")
        for scalar in (UInt8.min...UInt8.max).map(Unicode.Scalar.init) {
            let text = String(scalar)
            #expect(try formText([text: 1]) == #require(text.addingPercentEncoding(withAllowedCharacters: allowed)) + "=1")
        }
    }

    @Test func keysAreSortedAtEveryLevel() throws {
        let parameters: Parameters = [
            "b": ["z": 1, "a": ["y": 1, "x": 2]] as [String: any Sendable], "a": 1, "B": 2, "a b": 3, "é": 4, "a1": 5,
        ]
        #expect(
            try formText(parameters)
                == "B=2&a=1&a%20b=3&a1=5&b%5Ba%5D%5Bx%5D=2&b%5Ba%5D%5By%5D=1&b%5Bz%5D=1&%C3%A9=4")
    }

    @Test func aRequestWithoutAURLIsRefused() throws {
        // The URL goes last, because Foundation on Linux traps when a request without one is changed further.
        var get = try URLRequest.test()
        get.url = nil
        var post = try URLRequest.test(.post)
        post.url = nil
        for request in [get, post] {
            #expect(encodingFailure(.missingURL) { try URLEncoding.default.encode(request, with: ["a": 1]) } == nil)
            #expect(encodingFailure(.missingURL) { try URLEncodedFormParameterEncoder.default.encode(["a": 1], into: request) } == nil)
            #expect(encodingFailure(.missingURL) { try JSONEncoding.default.encode(request, with: ["a": 1]) } == nil)
            #expect(encodingFailure(.missingURL) { try JSONParameterEncoder.default.encode(["a": 1], into: request) } == nil)
        }
    }

    @Test func theErrorOfARequestConvertibleIsKept() {
        struct Broken: URLRequestConvertible, Error {
            func asURLRequest() throws -> URLRequest { throw self }
        }
        for encoding in [URLEncoding.default, JSONEncoding.default] as [any ParameterEncoding] {
            let error = #expect(throws: FirewheelError.self) { try encoding.encode(Broken(), with: nil) }
            #expect(error?.kind == .createURLRequestFailed)
            #expect(error?.underlyingError is Broken)
        }
    }

    @Test func leadingDots() throws {
        func encode(encoding: any ParameterEncoding) throws -> URLRequest {
            try encoding.encode(URLRequest.test(.post), with: ["a": true])
        }
        func encode(encoder: any ParameterEncoder) throws -> URLRequest { try encoder.encode(["a": true], into: .test(.post)) }
        #expect(try encode(encoding: .url).bodyText == "a=1")
        #expect(try encode(encoding: .json).bodyText == #"{"a":true}"#)
        #expect(try encode(encoder: .urlEncodedForm).bodyText == "a=1")
        #expect(try encode(encoder: .urlEncodedForm(destination: .queryString)).encodedQuery == "a=1")
        #expect(try encode(encoder: .json).bodyText == #"{"a":true}"#)
        #expect(try encode(encoder: .json()).bodyText == #"{"a":true}"#)
        #expect(try encode(encoder: .json(encoder: JSONEncoder())).bodyText == #"{"a":true}"#)
    }

    @Test func arraysAndBools() throws {
        let parameters: Parameters = ["ids": [7, 9], "exact": true]
        let indexed = URLEncoding(destination: .httpBody, arrayEncoding: .indexInBrackets, boolEncoding: .literal)
        #expect(try indexed.encode(URLRequest.test(.post), with: parameters).bodyText == "exact=true&ids%5B0%5D=7&ids%5B1%5D=9")
        let custom = URLEncoding(arrayEncoding: .custom { key, index in "\(key)_\(index)" })
        #expect(try custom.encode(URLRequest.test(), with: parameters).encodedQuery == "exact=1&ids_0=7&ids_1=9")
        let plain = URLEncoding(arrayEncoding: .noBrackets)
        #expect(try plain.encode(URLRequest.test(), with: parameters).encodedQuery == "exact=1&ids=7&ids=9")
        #expect(URLEncoding.default.destination == .methodDependent)
        #expect(URLEncoding.queryString.destination == .queryString)
        #expect(URLEncoding.httpBody.destination == .httpBody)
        guard case .brackets = URLEncoding.default.arrayEncoding, case .numeric = URLEncoding.default.boolEncoding,
            case .nothing = URLEncoding.default.nilEncoding.content()
        else {
            Issue.record("the defaults are Alamofire's")
            return
        }
    }
}
