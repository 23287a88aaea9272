import FirewheelClassic
import FirewheelTesting
import Testing

/// `[String: Any]`, which many programs use in place of Alamofire 4's `Parameters`.
@Suite("Parameters of type [String: Any]", .timeLimit(.minutes(5)))
struct UntypedParametersTests {
    private func parameters() -> [String: Any] {
        ["user": ["name": "x", "age": 7], "tags": ["a", 1], "none": NSNull(), "flag": true]
    }

    @Test("Parameters of type [String: Any] send the same bytes as Parameters")
    func sameBytes() async throws {
        let server = try MockServer()
        defer { server.shutdown() }
        server.route("/*") { _ in .text("hello") }
        let typed: Parameters = [
            "user": ["name": "x", "age": 7] as Parameters, "tags": ["a", 1] as [any Sendable], "none": NSNull(), "flag": true,
        ]
        let url = server.url()
        let untyped: [String: Any] = parameters()
        let function: [String: Any]? = parameters()
        try await finish(SessionManager.default.request(url, method: .post, parameters: typed, encoding: JSONEncoding.default))
        try await finish(SessionManager.default.request(url, method: .post, parameters: untyped, encoding: JSONEncoding.default))
        try await finish(request(url, method: .post, parameters: function, encoding: JSONEncoding.default))
        let expected = #"{"flag":true,"none":null,"tags":["a",1],"user":{"age":7,"name":"x"}}"#
        for _ in 0..<3 { #expect(try await server.takeRequest().bodyText == expected) }
    }

    @Test("[String: Any] parameters go into the query of requests and downloads, and nil adds nothing")
    func query() async throws {
        let server = try MockServer()
        defer { server.shutdown() }
        server.route("/*") { _ in .text("hello") }
        let untyped: [String: Any] = ["page": 2, "filter": ["name": "x"] as [String: Any]]
        let none: [String: Any]? = nil
        try await finish(request(server.url("/a"), parameters: untyped))
        try await finish(request(server.url("/b"), parameters: none))
        let more: [String: Any] = ["page": 3]
        let file = try await SessionManager.default.download(server.url("/c"), parameters: more).serializingDownloadedFileURL().value
        try FileManager.default.removeItem(at: file)
        #expect(try await server.takeRequest().target == "/a?filter%5Bname%5D=x&page=2")
        #expect(try await server.takeRequest().target == "/b")
        #expect(try await server.takeRequest().target == "/c?page=3")
    }

    @Test("A [String: Any] value that the encoding cannot represent is an error")
    func unknown() async throws {
        final class Unknown {}
        let untyped: [String: Any] = ["object": Unknown()]
        let response = await request("http://127.0.0.1:9/", parameters: untyped).serializingData().response
        guard case .parameterEncodingFailed? = (response.error as? FirewheelError)?.kind else {
            Issue.record("\(String(describing: response.error))")
            return
        }
    }

    private func finish(_ request: DataRequest) async throws {
        _ = try await request.serializingString().value
    }
}
