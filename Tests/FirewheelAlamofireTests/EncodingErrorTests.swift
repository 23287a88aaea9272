import FirewheelAlamofire
import Testing

/// What converting and encoding throws when a program calls it itself: Alamofire's error, or that of the program.
@Suite("Encoding: errors", .timeLimit(.minutes(5)))
struct EncodingErrorTests {
    private struct Own: Error {}

    private struct OwnRequest: URLRequestConvertible {
        func asURLRequest() throws -> URLRequest { throw Own() }
    }

    /// Calls an encoding of the library as programs do.
    private struct Wrapping: ParameterEncoding {
        func encode(_ urlRequest: any URLRequestConvertible, with parameters: Parameters?) throws -> URLRequest {
            try JSONEncoding.default.encode(urlRequest, withJSONObject: parameters?["array"])
        }
    }

    private final class NotSendable: Encodable {
        var a = 1
    }

    private let post: URLRequest

    init() throws { post = try URLRequest(url: "https://example.com", method: .post) }

    private func failure(_ body: () throws -> some Any) -> AFError? {
        do { _ = try body() } catch { return error as? AFError }
        return nil
    }

    @Test("An encoder that is called as its protocol throws the engine's error, which is an AFError when asked for")
    func existential() {
        let encoding: any ParameterEncoding = URLEncoding.default
        #expect { try encoding.encode(post, with: ["a": Double.nan]) } throws: { error in
            error is FirewheelError && error.asAFError?.isParameterEncoderError == true
        }
        let encoder: any ParameterEncoder = JSONParameterEncoder.default
        #expect { try encoder.encode([Double.nan], into: post) } throws: { error in
            error is FirewheelError && error.asAFError?.isParameterEncodingError == true
        }
    }

    @Test("A text or components that are no URL are the payload of invalidURL")
    func urls() throws {
        var components = URLComponents()
        (components.host, components.path) = ("a", "b")
        guard case .invalidURL(let text as String)? = failure({ try "".asURL() }) else { throw Unexpected() }
        guard case .invalidURL(let parts as URLComponents)? = failure({ try components.asURL() }) else { throw Unexpected() }
        #expect(text.isEmpty && parts == components)
        guard case .invalidURL("" as String)? = failure({ try URLRequest(url: "", method: .get) }) else { throw Unexpected() }
        let existential: any URLConvertible = components
        guard case .invalidURL(components as URLComponents)? = failure({ try URLRequest(url: existential, method: .get) }) else {
            throw Unexpected()
        }
        #expect(try "https://a/b c".asURL().absoluteString == "https://a/b%20c")
        #expect(try URL(fileURLWithPath: "/a").asURL().isFileURL)
    }

    @Test("A request is created with its method and headers, or its convertible's error")
    func requests() throws {
        let request = try URLRequest(url: "https://a/b", method: .put, headers: ["X-A": "b"])
        #expect(request.url?.host == "a" && request.method == .put && request.headers.dictionary == ["X-A": "b"])
        #expect(request.urlRequest == request && OwnRequest().urlRequest == nil)
    }

    @Test("A GET with a body is refused with the body")
    func validation() throws {
        var request = try URLRequest(url: "https://a", method: .get)
        try request.validate()
        request.httpBody = Data([1, 2])
        guard case .urlRequestValidationFailed(.bodyDataInGETRequest(let data))? = failure({ try request.validate() }) else {
            throw Unexpected()
        }
        #expect(data == Data([1, 2]))
        request.method = .head
        guard case .createURLRequestFailed? = failure({ try request.validate() }) else { throw Unexpected() }
        request.method = .post
        try request.validate()
    }

    @Test("JSON that cannot be written is jsonEncodingFailed")
    func json() throws {
        let date = Date()
        let calls: [() throws -> URLRequest] = [
            { try JSONEncoding.default.encode(self.post, with: ["a": date]) },
            { try JSONEncoding.prettyPrinted.encode(self.post, withJSONObject: date) },
            { try JSONParameterEncoder.default.encode(["a": Double.nan], into: self.post) },
            { try JSONParameterEncoder.json(encoder: JSONEncoder()).encode([Double.infinity], into: self.post) },
            { try Wrapping().encode(self.post, with: ["array": date]) },
        ]
        for call in calls {
            guard case .parameterEncodingFailed(.jsonEncodingFailed)? = failure(call) else { throw Unexpected() }
        }
        guard case .parameterEncodingFailed(.jsonEncodingFailed(let cause as JSONEncoding.Error))? = failure(calls[0]) else {
            throw Unexpected()
        }
        #expect(cause == .unknownType("Date", path: "a"))
        #expect(try JSONParameterEncoder.default.encode(NotSendable(), into: post).httpBody == Data(#"{"a":1}"#.utf8))
    }

    @Test("A form that cannot be written is encoderFailed")
    func forms() throws {
        let calls: [() throws -> URLRequest] = [
            { try URLEncodedFormParameterEncoder.default.encode([1], into: self.post) },
            { try URLEncodedFormParameterEncoder.urlEncodedForm(destination: .queryString).encode(2, into: self.post) },
        ]
        for call in calls {
            guard case .parameterEncoderFailed(.encoderFailed(let cause as URLEncodedFormEncoder.Error))? = failure(call) else {
                throw Unexpected()
            }
            #expect(cause == .rootNotKeyed)
        }
        #expect(failure { try URLEncoding.default.encode(post, with: ["a": Double.nan]) } != nil)
        #expect(try URLEncodedFormParameterEncoder.default.encode(NotSendable(), into: post).httpBody == Data("a=1".utf8))
    }

    @Test("A request without a URL cannot get parameters")
    func withoutURL() throws {
        var request = post
        request.url = nil
        guard case .parameterEncodingFailed(.missingURL)? = failure({ try URLEncoding.default.encode(request, with: ["a": 1]) }),
            case .parameterEncodingFailed(.missingURL)? = failure({ try JSONEncoding.default.encode(request, with: ["a": 1]) }),
            case .parameterEncoderFailed(.missingRequiredComponent(.url))? = failure({
                try URLEncodedFormParameterEncoder.default.encode(["a": 1], into: request)
            })
        else { throw Unexpected() }
    }

    @Test("The form encoder throws its own errors and the program's as they are")
    func formEncoder() throws {
        #expect(throws: URLEncodedFormEncoder.Error.rootNotKeyed) { try URLEncodedFormEncoder().encode([1]) as String }
        #expect(throws: URLEncodedFormEncoder.Error.rootNotKeyed) { try URLEncodedFormEncoder().encode([1]) as Data }
        #expect(throws: Own.self) {
            try URLEncodedFormEncoder(dataEncoding: .custom { _ in throw Own() }).encode(["a": Data()]) as String
        }
        #expect(throws: Own.self) {
            try URLEncodedFormEncoder(dateEncoding: .custom { _ in throw Own() }).encode(["a": Date()]) as String
        }
        #expect(try URLEncodedFormEncoder().encode(["a": [1, 2]]) == "a%5B%5D=1&a%5B%5D=2")
        #expect(try URLEncodedFormEncoder().encode(["a": "ä b"]) == Data("a=%C3%A4%20b".utf8))
    }

    @Test("An error of the request that is encoded into is thrown as it is")
    func ownRequest() {
        #expect(throws: Own.self) { try URLEncoding.default.encode(OwnRequest(), with: ["a": 1]) }
        #expect(throws: Own.self) { try JSONEncoding.default.encode(OwnRequest(), with: nil) }
    }

    private struct Unexpected: Error {}
}
