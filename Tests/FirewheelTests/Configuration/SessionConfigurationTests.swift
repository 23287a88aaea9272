import Firewheel
import FirewheelTesting
import Foundation
import Testing

@Suite("Session configuration")
struct SessionConfigurationTests {
    @Test("A session keeps the configuration it was created with, and changing a copy does not affect it")
    func readable() async throws {
        let stub = StubTransport { _ in [.response(ResponseHead(statusCode: 500)), .finish(body: Data("x".utf8))] }
        var configuration = SessionConfiguration.with {
            $0.baseURL = URL(string: "http://stub.test/v1")
            $0.timeoutIntervalForRequest = 7
            $0.parameterFormat = .json
            $0.validation = .standard
        }
        let session = Session(configuration: configuration, transport: stub)
        configuration.parameterFormat = .form
        configuration.validation = .none
        var copy = session.configuration
        #expect(copy.baseURL?.absoluteString == "http://stub.test/v1" && copy.timeoutIntervalForRequest == 7)
        #expect(copy.parameterFormat == .json && copy.validation == .standard && copy.decoder is JSONDecoder)
        copy.timeoutIntervalForRequest = 1
        copy.parameterFormat = .form
        copy.validation = .none
        #expect(session.configuration.parameterFormat == .json && session.configuration.validation == .standard)
        let response = await session.post("x", parameters: ["a": 1]).serializingData().response
        #expect(response.error != nil)
        let sent = try #require(stub.requests.first)
        #expect(sent.idleTimeout == 7 && sent.body == Data(#"{"a":1}"#.utf8))
    }

    @Test("By default parameters are sent as forms, responses are not validated, and a JSONDecoder decodes")
    func defaults() {
        for configuration in [SessionConfiguration(), .default, .ephemeral, Session().configuration] {
            #expect(configuration.parameterFormat == .form && configuration.validation == .none && configuration.decoder is JSONDecoder)
        }
    }

    @Test("A printed configuration shows the type of a custom decoder, and none of its contents")
    func printed() {
        struct Own: DataDecoder {
            let secret = "hunter2"
            func decode<Value: Decodable>(_ type: Value.Type, from data: Data) throws -> Value { throw CancellationError() }
        }
        let configuration = SessionConfiguration.with { $0.decoder = Own() }
        var text = "\(configuration)"
        #expect(text.contains("decoder: Own") && text.contains("parameterFormat: form") && text.contains("validation: none"))
        dump(configuration, to: &text)
        dump(Session(configuration: configuration), to: &text)
        #expect(!text.contains("hunter2"))
    }
}
