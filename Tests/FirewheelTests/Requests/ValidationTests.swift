import Firewheel
import FirewheelTesting
import Foundation
import Testing

/// `validate` in all its forms, as in Alamofire.
@Suite("Validation")
struct ValidationTests {
    private let url = "http://stub.test/"

    private func refusal(
        of session: Session, headers: HTTPHeaders? = nil, _ validate: (DataRequest) -> DataRequest
    ) async -> FirewheelError.Kind? {
        defer { withExtendedLifetime(session) {} }
        return kind(await validate(session.request(url, headers: headers)).serializingData().result)
    }

    @Test("Without validate() every status is a success")
    func optIn() async throws {
        for status in [200, 304, 404, 500, 999] {
            #expect(await refusal(of: session(answering: status, body: "x")) { $0 } == nil)
        }
    }

    @Test(
        "validate() accepts 200 to 299",
        arguments: [(199, false), (200, true), (204, true), (299, true), (300, false), (404, false), (500, false)])
    func defaultStatus(status: Int, isFine: Bool) async throws {
        let refusal = await refusal(of: session(answering: status, body: "x")) { $0.validate() }
        #expect(refusal == (isFine ? nil : .responseValidationFailed(.unacceptableStatusCode(status))))
    }

    @Test("validate(statusCode:) takes any sequence of codes")
    func givenStatus() async throws {
        let failed = FirewheelError.Kind.responseValidationFailed(.unacceptableStatusCode(404))
        let session = session(answering: 404, body: "x")
        #expect(await refusal(of: session) { $0.validate(statusCode: [404]) } == nil)
        #expect(await refusal(of: session) { $0.validate(statusCode: 400..<500) } == nil)
        #expect(await refusal(of: session) { $0.validate(statusCode: 400...404) } == nil)
        #expect(await refusal(of: session) { $0.validate(statusCode: Set([200])) } == failed)
        #expect(await refusal(of: session) { $0.validate(statusCode: [Int]()) } == failed)
    }

    @Test(
        "validate(contentType:) compares types with wildcards, parameters and case",
        arguments: [
            ("application/json", ["application/json"], true),
            ("application/json; charset=utf-8", ["application/json"], true),
            ("Application/JSON", ["application/json"], true),
            ("application/json", ["application/json; q=0.5"], true),
            ("image/png", ["image/*"], true),
            ("image/png", ["*/png"], true),
            ("image/png", ["*/*"], true),
            ("image/png", ["text/html", "image/png"], true),
            ("image/png", ["application/json", "text/*"], false),
            ("image/png", ["image/jpeg"], false),
            ("image/png", [], false),
            ("image/png", ["image"], false),
            ("application/problem+json", ["application/json"], false),
        ])
    func contentType(received: String, acceptable: [String], isFine: Bool) async throws {
        let expected = FirewheelError.Kind.responseValidationFailed(
            .unacceptableContentType(acceptable: acceptable.sorted(), received: received.lowercased()))
        let refusal = await refusal(of: session(["Content-Type": received], body: "x")) { $0.validate(contentType: acceptable) }
        #expect(refusal == (isFine ? nil : expected))
    }

    @Test("A body without a valid media type passes only */*, and an empty body always passes")
    func missingContentType() async throws {
        let missing = FirewheelError.Kind.responseValidationFailed(.missingContentType(acceptable: ["text/plain"]))
        for headers in [HTTPHeaders(), ["Content-Type": ""], ["Content-Type": "nonsense"]] {
            let session = session(headers, body: "x")
            #expect(await refusal(of: session) { $0.validate(contentType: ["text/plain"]) } == missing)
            #expect(await refusal(of: session) { $0.validate(contentType: ["text/plain", "*/*"]) } == nil)
        }
        for data in [nil, Data()] {
            let session = session(answering: 204, ["Content-Type": "image/png"], data: data)
            #expect(await refusal(of: session) { $0.validate(contentType: ["text/plain"]) } == nil)
        }
    }

    @Test("The error names the response's media type without parameters and the sorted acceptable types, like Alamofire")
    func contentTypeError() async throws {
        let session = session(["Content-Type": "text/xml ; charset=utf-8;x=\"a/b\""], body: "x")
        let error = await session.request("http://a.test/").validate(contentType: ["text/plain", "image/*", "application/json"])
            .serializingData().response.error?.asFirewheelError
        #expect(error?.responseContentType == "text/xml")
        #expect(error?.acceptableContentTypes == ["application/json", "image/*", "text/plain"])
    }

    @Test("validate() uses the request's Accept field, including the session's")
    func accept() async throws {
        let json = session(["Content-Type": "application/json"], body: "1")
        let refused = FirewheelError.Kind.responseValidationFailed(
            .unacceptableContentType(acceptable: ["image/*;q=0.8", "text/html"], received: "application/json"))
        #expect(await refusal(of: json) { $0.validate() } == nil)
        #expect(await refusal(of: json, headers: ["Accept": "text/html, application/json;q=0.9"]) { $0.validate() } == nil)
        #expect(await refusal(of: json, headers: ["Accept": "text/html, */*;q=0.1"]) { $0.validate() } == nil)
        #expect(await refusal(of: json, headers: ["Accept": "text/html, image/*;q=0.8"]) { $0.validate() } == refused)
        var configuration = SessionConfiguration.default
        configuration.headers = ["accept": "text/html"]
        let strict = session(["Content-Type": "application/json"], body: "1", configuration: configuration)
        #expect(
            await refusal(of: strict) { $0.validate() }
                == .responseValidationFailed(.unacceptableContentType(acceptable: ["text/html"], received: "application/json")))
    }

    @Test("A validation closure's failure is customValidationFailed with its error, whether returned or thrown")
    func custom() async throws {
        let session = session(answering: 250, ["X-A": "b"], body: "body")
        let kinds = Journal<String>()
        let result = await session.request(url)
            .validate { request, response, data in
                kinds.add("\(request?.url?.host ?? "") \(response.statusCode) \(data.map { String(decoding: $0, as: UTF8.self) } ?? "")")
                return .success(())
            }
            .validate { _, _, _ in .failure(SomeError(number: 4)) }
            .serializingData().result
        #expect(kinds.entries == ["stub.test 250 body"])
        let error = try #require(throws: FirewheelError.self) { try result.get() }
        #expect(error.kind == .responseValidationFailed(.customValidationFailed))
        #expect(error.underlyingError as? SomeError == SomeError(number: 4))
        let throwing = await session.request(url)
            .validate { _, response, _ in if response.statusCode == 250 { throw SomeError(number: 5) } }
            .serializingData().result
        let thrown = try #require(throws: FirewheelError.self) { try throwing.get() }
        #expect(thrown.kind == .responseValidationFailed(.customValidationFailed))
        #expect(thrown.underlyingError as? SomeError == SomeError(number: 5))
        withExtendedLifetime(session) {}
    }

    @Test("Validations run in the order of attaching, up to the first that fails")
    func order() async throws {
        let calls = Journal<Int>()
        let session = session(answering: 404, body: "x")
        let result = await session.request(url)
            .validate { _, _, _ in try note(1) }
            .validate(contentType: ["*/*"])
            .validate { _, _, _ in try note(2) }
            .validate(statusCode: [200])
            .validate { _, _, _ in try note(3) }
            .serializingData().result
        @Sendable func note(_ number: Int) throws { calls.add(number) }
        #expect(kind(result) == .responseValidationFailed(.unacceptableStatusCode(404)))
        #expect(calls.entries == [1, 2])
        withExtendedLifetime(session) {}
    }

    @Test("Without a response, or after another failure, nothing is validated")
    func notReceived() async throws {
        let calls = Journal<Int>()
        let stub = StubTransport { request in
            let head = StubTransport.Step.response(ResponseHead(statusCode: 500))
            return request.target.string.hasSuffix("head") ? [head, .fail(.bodyTooLarge)] : [.fail(.failed(.timedOut, ""))]
        }
        let session = Session(transport: stub)
        for (path, expected) in [("head", FirewheelError.Kind.responseBodyTooLarge), ("", .transportFailed(.timedOut))] {
            let result = await session.request(url + path).validate().validate { _, _, _ in throw SomeError() }
                .validate { _, _, _ in
                    calls.add(1)
                    return .success(())
                }.serializingData().result
            #expect(kind(result) == expected)
        }
        #expect(calls.entries.isEmpty)
        withExtendedLifetime(session) {}
    }

    struct Problem: Decodable, Equatable, Sendable {
        let title: String
    }

    @Test("A validation error gives the server's body, its request and its response")
    func errorBody() async throws {
        let session = session(answering: 422, ["Content-Type": "application/problem+json"], body: #"{"title":"no"}"#)
        let error = try await #require(throws: FirewheelError.self) {
            try await session.request(url, method: .put).validate().serializingDecodable([Int].self).value
        }
        #expect(error.responseCode == 422 && error.response?.statusCode == 422)
        #expect(error.request?.httpMethod == "PUT" && error.request?.url?.absoluteString == url)
        #expect(error.responseData == Data(#"{"title":"no"}"#.utf8))
        #expect(try error.decodeResponse(as: Problem.self) == Problem(title: "no"))
        #expect(throws: DecodingError.self) { try error.decodeResponse(as: [Int].self) }
        withExtendedLifetime(session) {}
    }

    /// FirewheelError.response is the response if its head was received.
    @Test("The error of a body that cannot be decoded gives the body, request and response")
    func decodingErrorBody() async throws {
        let session = session(answering: 207, body: "no JSON")
        let error = try await #require(throws: FirewheelError.self) {
            try await session.request(url).serializingDecodable([Int].self).value
        }
        #expect(error.kind == .responseSerializationFailed(.decodingFailed) && error.responseData == Data("no JSON".utf8))
        #expect(error.responseCode == 207 && error.request?.url?.absoluteString == url)
        withExtendedLifetime(session) {}
    }

    @Test(
        "A URL that Foundation parses differently does not bypass validation",
        arguments: ["http://stub.test/%zz", "http://stub.test/a[b]", "http://[fe80::1%25eth0]/", "http://a_b.test/", "http://stub.test:/"])
    func oddURLs(url: String) async throws {
        let session = session(body: "x")
        let result = await session.request(url).validate { _, _, _ in throw SomeError() }.serializingData().result
        #expect(kind(result) == .responseValidationFailed(.customValidationFailed))
        withExtendedLifetime(session) {}
    }
}
