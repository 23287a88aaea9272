import FirewheelClassic
import FirewheelTesting
import Testing

@Suite("A session's defaults with Alamofire 4's spelling", .timeLimit(.minutes(5)))
struct SessionDefaultsTests {
    @Test("Requests use the configuration's parameter format, validation and decoder unless the call passes its own")
    func defaults() async throws {
        struct User: Decodable, Sendable { let firstName: String }

        let server = try MockServer()
        defer { server.shutdown() }
        server.route("/*") { _ in .text(#"{"first_name":"Ada"}"#) }
        server.route("/none") { _ in MockResponse(status: 404) }
        var configuration = SessionConfiguration()
        let decoder = JSONDecoder()
        decoder.keyDecodingStrategy = .convertFromSnakeCase
        configuration.decoder = decoder
        configuration.parameterFormat = .json
        configuration.validation = .standard
        let manager = SessionManager(configuration: configuration)
        let untyped: [String: Any] = ["a": 1]
        #expect(
            try await manager.request(server.url("/1"), method: .post, parameters: untyped).serializingDecodable(User.self).value.firstName
                == "Ada")
        _ = try await manager.request(server.url("/2"), method: .post, parameters: ["a": 1], encoding: URLEncoding.default)
            .serializingString().value
        _ = try await FirewheelClassic.request(server.url("/3"), method: .post, parameters: ["a": 1]).serializingString().value
        #expect(try await server.takeRequest().bodyText == #"{"a":1}"#)
        #expect(try await server.takeRequest().bodyText == "a=1")
        #expect(try await server.takeRequest().bodyText == "a=1")
        let refused = await manager.request(server.url("/none")).serializingString(emptyResponseCodes: [404]).response
        #expect((refused.error as? FirewheelError)?.responseCode == 404)
        #expect(
            await manager.request(server.url("/none")).validate(.none).serializingString(emptyResponseCodes: [404]).response.error == nil)
    }
}
