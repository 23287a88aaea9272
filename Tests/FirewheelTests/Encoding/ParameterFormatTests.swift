import Firewheel
import FirewheelTesting
import Foundation
import Testing

@Suite("The session's parameter format")
struct ParameterFormatTests {
    private static let url = "http://stub.test/path"
    private static let json = SessionConfiguration.with { $0.parameterFormat = .json }
    /// One value of every kind that the formats write differently.
    private static let values = ["a": 1, "b": 2]

    private func sent(_ configuration: SessionConfiguration = json, _ make: (Session) -> DataRequest) async throws -> TransportRequest {
        try await SessionRequestTests.send(configuration, make).get()
    }

    private func text(_ request: TransportRequest) -> String {
        let type = request.headers["Content-Type"].map { " \($0)" } ?? ""
        let query = request.target.string.dropFirst(Self.url.count)
        return query + (request.body.map { String(decoding: $0, as: UTF8.self) } ?? "") + type
    }

    private static let inBody: [@Sendable (Session) -> DataRequest] = [
        { $0.post(url, parameters: ["a": 1, "b": 2]) }, { $0.post(url, parameters: values) },
        { $0.put(url, parameters: ["a": 1, "b": 2]) }, { $0.put(url, parameters: values) },
        { $0.patch(url, parameters: ["a": 1, "b": 2]) }, { $0.patch(url, parameters: values) },
        { $0.request(url, method: .post, parameters: ["a": 1, "b": 2]) }, { $0.request(url, method: .post, parameters: values) },
        { $0.request(url, method: HTTPMethod(rawValue: "PROPFIND"), parameters: ["a": 1, "b": 2]) },
        { $0.get(url, parameters: values, requestModifier: { $0.httpMethod = "POST" }) },
        { $0.get(url, parameters: ["a": 1, "b": 2], requestModifier: { $0.httpMethod = "POST" }) },
    ]

    @Test(
        "With parameterFormat .json bodies are JSON, from literals and from variables; by default they are forms",
        arguments: inBody.indices)
    func bodies(index: Int) async throws {
        let make = Self.inBody[index]
        #expect(text(try await sent { make($0) }) == #"{"a":1,"b":2} application/json"#)
        #expect(text(try await sent(.default) { make($0) }) == "a=1&b=2 application/x-www-form-urlencoded; charset=utf-8")
    }

    private static let inQuery: [@Sendable (Session) -> DataRequest] = [
        { $0.get(url, parameters: ["a": 1, "b": 2]) }, { $0.get(url, parameters: values) },
        { $0.head(url, parameters: ["a": 1, "b": 2]) }, { $0.head(url, parameters: values) },
        { $0.delete(url, parameters: ["a": 1, "b": 2]) }, { $0.delete(url, parameters: values) },
        { $0.request(url, parameters: ["a": 1, "b": 2]) }, { $0.request(url, parameters: values) },
        { $0.post(url, parameters: values, requestModifier: { $0.httpMethod = "DELETE" }) },
    ]

    @Test("Queries are URL-encoded with every parameter format", arguments: inQuery.indices)
    func queries(index: Int) async throws {
        let make = Self.inQuery[index]
        #expect(text(try await sent { make($0) }) == "?a=1&b=2")
        #expect(text(try await sent(.default) { make($0) }) == "?a=1&b=2")
    }

    private static let named: [(@Sendable (Session) -> DataRequest, String)] = [
        ({ $0.post(url, parameters: ["a": 1], encoding: URLEncoding.default) }, "a=1 application/x-www-form-urlencoded; charset=utf-8"),
        ({ $0.post(url, parameters: ["a": 1], encoding: .url) }, "a=1 application/x-www-form-urlencoded; charset=utf-8"),
        (
            { $0.post(url, parameters: ["a": 1], encoder: URLEncodedFormParameterEncoder.default) },
            "a=1 application/x-www-form-urlencoded; charset=utf-8"
        ),
        ({ $0.post(url, parameters: ["a": 1], encoder: .urlEncodedForm) }, "a=1 application/x-www-form-urlencoded; charset=utf-8"),
        ({ $0.post(url, parameters: ["a": 1], encoding: URLEncoding.queryString) }, "?a=1"),
        ({ $0.post(url, parameters: ["a": 1], encoder: .urlEncodedForm(destination: .queryString)) }, "?a=1"),
        ({ $0.post(url, parameters: ["a": 1], encoding: PropertyListEncoding.default, headers: [.contentType("x/y")]) }, "x/y"),
        ({ $0.post(url, parameters: ["a": true], encoder: .json(encoder: JSONEncoder())) }, #"{"a":true} application/json"#),
        ({ $0.delete(url, parameters: ["a": 1], encoding: .json) }, #"{"a":1} application/json"#),
    ]

    @Test("A call's own encoding or encoder takes precedence over the session's parameter format", arguments: named.indices)
    func explicit(index: Int) async throws {
        let (make, expected) = Self.named[index]
        let text = text(try await sent { make($0) })
        #expect(text.hasSuffix(expected) && (text == expected || expected == "x/y"), "\(text)")
    }

    @Test("Downloads and calls without parameters use the session's parameter format too")
    func others() async throws {
        let stub = StubTransport { _ in [.response(ResponseHead(statusCode: 200)), .finish()] }
        let session = Session(configuration: Self.json, transport: stub)
        _ = await session.download(Self.url, method: .post, parameters: ["a": 1]).serializingDownloadedFileURL().response.error
        _ = await session.download(Self.url, method: .post, parameters: ["a": true] as [String: Bool]).serializingDownloadedFileURL()
            .response.error
        let none: [String: Int]? = nil
        _ = await session.post(Self.url).serializingData().response.error
        _ = await session.post(Self.url, parameters: none).serializingData().response.error
        #expect(stub.requests.map(text) == [#"{"a":1} application/json"#, #"{"a":true} application/json"#, "", ""])
    }

    @Test("With parameterFormat .json a request's own Content-Type is kept, and a value without a JSON form is parameterEncodingFailed")
    func edges() async throws {
        let own = try await sent { $0.post(Self.url, parameters: ["a": 1], headers: [.contentType("application/vnd.x+json")]) }
        #expect(text(own) == #"{"a":1} application/vnd.x+json"#)
        let date = await SessionRequestTests.send(Self.json) { $0.post(Self.url, parameters: ["a": Date(), "b": 1]) }
        #expect(kind(date.mapError { $0 }) == .parameterEncodingFailed(.jsonEncodingFailed))
    }
}
