import Testing

@testable import Firewheel

/// Parameters as text of a closure, as with AFNetworking's `setQueryStringSerializationWithBlock:`.
@Suite struct CustomURLEncodingTests {
    private static let starred = CustomURLEncoding { _, parameters in
        parameters.keys.sorted().map { "\($0)**\(parameters[$0] as? Int ?? 0)" }.joined(separator: "&")
    }

    private func fixed(_ text: String, _ destination: URLEncoding.Destination = .methodDependent) -> CustomURLEncoding {
        CustomURLEncoding(destination: destination) { _, _ in text }
    }

    @Test func theMethodDeterminesTheDestination() throws {
        let parameters: Parameters = ["b": 2, "a": 1]
        for method in [HTTPMethod.get, .head, .delete] {
            let request = try Self.starred.encode(URLRequest.test(method), with: parameters)
            #expect(request.url?.absoluteString == "https://example.com/get?a**1&b**2" && request.httpBody == nil)
        }
        let request = try Self.starred.encode(URLRequest.test(.post), with: parameters)
        #expect(request.url?.absoluteString == "https://example.com/get" && request.bodyText == "a**1&b**2")
        #expect(request.headers["Content-Type"] == "application/x-www-form-urlencoded; charset=utf-8")
        let delete = try fixed("x", .query(for: [.get])).encode(URLRequest.test(.delete), with: [:])
        #expect(delete.bodyText == "x" && delete.encodedQuery == nil)
    }

    @Test func aContentTypeIsKept() throws {
        var request = try URLRequest.test(.post)
        request.headers = ["content-type": "text/x-starred"]
        #expect(try Self.starred.encode(request, with: ["a": 1]).headers["Content-Type"] == "text/x-starred")
    }

    @Test func theClosureGetsTheRequest() throws {
        let encoding = CustomURLEncoding { request, parameters in "\(request.httpMethod ?? ""):\(parameters.count)" }
        #expect(try encoding.encode(URLRequest.test(.put), with: ["a": 1]).bodyText == "PUT:1")
    }

    @Test func withoutParametersTheRequestIsUnchanged() throws {
        let encoding = CustomURLEncoding { _, _ in throw CancellationError() }
        #expect(try encoding.encode(URLRequest.test(.post), with: nil) == URLRequest.test(.post))
        #expect(try fixed("").encode(URLRequest.test(), with: ["a": 1]) == URLRequest.test())
    }

    @Test func theClosuresErrorIsThrown() throws {
        struct Refusal: Error {}
        let encoding = CustomURLEncoding { _, _ in throw Refusal() }
        #expect(throws: Refusal.self) { try encoding.encode(URLRequest.test(), with: [:]) }
    }

    @Test func aRequestReportsTheClosuresError() async throws {
        struct Refusal: Error {}
        let request = HTTP.get("http://127.0.0.1:9/", parameters: ["a": 1], encoding: .url { _, _ in throw Refusal() })
        let error = await request.serializingData().response.error as? FirewheelError
        #expect(error?.kind == .parameterEncodingFailed(.customEncodingFailed) && error?.underlyingError is Refusal)
    }

    /// RFC 3986 section 3.4: a query ends before `#` and contains neither spaces nor brackets.
    @Test(arguments: [
        ("a=1#b", "a=1%23b"), ("a b", "a%20b"), ("ä[]", "%C3%A4%5B%5D"), ("a%20b%2", "a%20b%252"), ("100%", "100%25"),
        ("u=http://a b/?c", "u=http://a%20b/?c"), ("//x\r\ny", "//x%0D%0Ay"), ("\"<>\\^`{|}", "%22%3C%3E%5C%5E%60%7B%7C%7D"),
    ])
    func charactersThatAQueryCannotContainAreEncoded(_ text: String, _ query: String) throws {
        let request = try fixed(text).encode(URLRequest.test(.get, "https://example.com/get?x=1#top"), with: [:])
        #expect(request.url?.absoluteString == "https://example.com/get?x=1&\(query)#top")
        #expect(try fixed(text).encode(URLRequest.test(.post), with: [:]).bodyText == text)
    }

    @Test func anyTextMakesAURL() throws {
        var generator = SeededGenerator(state: 4_019)
        for _ in 0..<2_000 {
            var scalars = String.UnicodeScalarView()
            for _ in 0..<Int.random(in: 1..<12, using: &generator) {
                let limit: UInt32 = Bool.random(using: &generator) ? 0x7F : 0x10_FFFF
                scalars.append(Unicode.Scalar(UInt32.random(in: 0...limit, using: &generator)) ?? "%")
            }
            let text = String(scalars)
            let request = try fixed(text).encode(URLRequest.test(), with: [:])
            let url = try #require(request.url?.absoluteString)
            #expect(url.hasPrefix("https://example.com/get?") && url.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F && $0 != UInt8(ascii: "#") })
            #expect(try Percent.encodingForQuery(text) == Percent.encodingForQuery(Percent.encodingForQuery(text)))
        }
    }

    @Test func aRequestWithoutAURLIsAnError() throws {
        var request = try URLRequest.test()
        request.url = nil
        #expect(encodingFailure(.missingURL) { [request] in try fixed("a").encode(request, with: [:]) } == nil)
    }
}

/// `URLEncoding.Destination.query(for:)`, AFNetworking's `HTTPMethodsEncodingParametersInURI`.
@Suite struct QueryMethodsTests {
    @Test func theSetDeterminesTheDestination() throws {
        let encoding = URLEncoding(destination: .query(for: [.get, .put, .query]))
        let encoder = URLEncodedFormParameterEncoder(destination: .query(for: [.get, .put, .query]))
        for method in [HTTPMethod.get, .put, .query] {
            for request in [
                try encoding.encode(URLRequest.test(method), with: ["a": 1]), try encoder.encode(["a": 1], into: .test(method)),
            ] { #expect(request.encodedQuery == "a=1" && request.httpBody == nil) }
        }
        for method in [HTTPMethod.delete, .post, .head] {
            for request in [
                try encoding.encode(URLRequest.test(method), with: ["a": 1]), try encoder.encode(["a": 1], into: .test(method)),
            ] { #expect(request.encodedQuery == nil && request.bodyText == "a=1") }
        }
    }
}
