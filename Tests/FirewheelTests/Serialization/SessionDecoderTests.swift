import Firewheel
import FirewheelTesting
import Foundation
import Testing

@Suite("Session decoder")
struct SessionDecoderTests {
    struct User: Decodable, Sendable, Equatable {
        let firstName: String
    }

    /// Returns its owner's name instead of decoding.
    struct Naming: DataDecoder {
        let name: String

        func decode<Value: Decodable>(_ type: Value.Type, from data: Data) throws -> Value {
            guard let value = name as? Value else { throw SomeError(number: 1) }
            return value
        }
    }

    private static let url = "http://stub.test/"
    private static let body = #"{"first_name":"Ada"}"#
    private static let ada = User(firstName: "Ada")
    private static let snakeCase = SessionConfiguration.with {
        let decoder = JSONDecoder()
        decoder.keyDecodingStrategy = .convertFromSnakeCase
        $0.decoder = decoder
    }
    private static let naming = SessionConfiguration.with { $0.decoder = Naming(name: "session") }

    @Test("Every decoding handler uses the session's decoder, on data and on downloads")
    func handlers() async throws {
        let session = session(body: "x", configuration: Self.naming)
        let queue = DispatchQueue(label: "test.decoder")
        let values = Journal<String>()
        session.request(Self.url)
            .responseDecodable(queue: queue, of: String.self) { values.add($0.value ?? "") }
            .responseDecodable(of: String.self, queue: queue) { values.add($0.value ?? "") }
            .responseDecodable(of: String.self) { values.add($0.value ?? "") }
            .response(queue: queue, responseSerializer: .decodable(of: String.self)) { values.add($0.value ?? "") }
            .response(responseSerializer: .decodable(of: String.self)) { values.add($0.value ?? "") }
        session.download(Self.url)
            .responseDecodable(queue: queue, of: String.self) { values.add($0.value ?? "") }
            .responseDecodable(of: String.self, queue: queue) { values.add($0.value ?? "") }
            .responseDecodable(of: String.self) { values.add($0.value ?? "") }
            .response(queue: queue, responseSerializer: .decodable(of: String.self)) { values.add($0.value ?? "") }
            .response(responseSerializer: DownloadResponseSerializer(.decodable(of: String.self))) { values.add($0.value ?? "") }
        #expect(try await values.wait(for: 10) == Array(repeating: "session", count: 10))
        withExtendedLifetime(session) {}
    }

    @Test("Every decoding task uses the session's decoder, on data and on downloads, and .compound passes it on")
    func tasks() async throws {
        let session = session(body: Self.body, configuration: Self.snakeCase)
        let data = { session.request(Self.url) }
        let file = { session.download(Self.url) }
        #expect(try await data().serializingDecodable(User.self).value == Self.ada)
        #expect(try await data().serializingResponse(using: .decodable(of: User.self)).value == Self.ada)
        #expect(try await data().serializingResponse(using: .compound([.decodable(of: User.self)])).value == Self.ada)
        let nested = DataResponseSerializer<User>.compound([.compound([.decodable(of: User.self)])])
        #expect(try await data().serializingResponse(using: nested).value == Self.ada)
        #expect(try await file().serializingDecodable(User.self).value == Self.ada)
        #expect(try await file().serializingDownload(using: .decodable(of: User.self)).value == Self.ada)
        #expect(try await file().serializingDownload(using: .compound([.decodable(of: User.self)])).value == Self.ada)
    }

    @Test("A call's own decoder takes precedence over the session's")
    func own() async throws {
        let session = session(body: "x", configuration: Self.naming)
        let own = Naming(name: "own")
        let data = { session.request(Self.url) }
        #expect(try await data().serializingDecodable(String.self, decoder: own).value == "own")
        #expect(try await data().serializingResponse(using: .decodable(of: String.self, decoder: own)).value == "own")
        #expect(try await session.download(Self.url).serializingDecodable(String.self, decoder: own).value == "own")
        let serializer = DownloadResponseSerializer<String>.decodable(decoder: own)
        #expect(try await session.download(Self.url).serializingDownload(using: serializer).value == "own")
        let nothing: (any DataDecoder)? = nil
        #expect(try await data().serializingDecodable(String.self, decoder: nothing).value == "session")
        let values = Journal<String>()
        data().responseDecodable(queue: .global(), of: String.self, decoder: own) { values.add($0.value ?? "") }
        #expect(try await values.wait(for: 1) == ["own"])
    }

    @Test("The default decoder is a JSONDecoder, for sessions and for serializers called without a request")
    func standard() async throws {
        let session = session(body: #"{"firstName":"Ada"}"#)
        #expect(try await session.request(Self.url).serializingDecodable(User.self).value == Self.ada)
        let called = try apply(.decodable(of: User.self), Data(#"{"firstName":"Ada"}"#.utf8))
        #expect(try called.get() == Self.ada)
        let compound = try apply(.compound([.decodable(of: User.self)]), Data(#"{"firstName":"Ada"}"#.utf8))
        #expect(try compound.get() == Self.ada)
        let empty = try apply(.decodable(of: Empty.self), status: 204, nil)
        #expect(try empty.get() == .value)
    }

    @Test("A serializer shared by several sessions decodes with each session's decoder, at the end of a request and later")
    func shared() async throws {
        let serializer = DataResponseSerializer<String>.decodable()
        for name in ["one", "two"] {
            let session = session(body: "x", configuration: .with { $0.decoder = Naming(name: name) })
            let request = session.request(Self.url)
            #expect(try await request.serializingResponse(using: serializer).value == name)
            #expect(try await request.serializingResponse(using: serializer).value == name)
        }
    }

    @Test("A failure of the session's decoder is decodingFailed, with its error and the body")
    func failure() async throws {
        let session = session(body: "x", configuration: Self.naming)
        let error = await session.request(Self.url).serializingDecodable(Int.self).response.error
        #expect(kind(error) == .responseSerializationFailed(.decodingFailed))
        let failure = try #require(error?.asFirewheelError)
        #expect(failure.underlyingError as? SomeError == SomeError(number: 1) && failure.responseData == Data("x".utf8))
        #expect(try failure.decodeResponse(as: String.self) == "session")
    }

    struct Refusing: RequestInterceptor {
        func retry(_ request: RequestContext, dueTo error: any Error) async -> RetryResult { .doNotRetryWithError(SomeError(number: 2)) }
    }

    @Test("The body of an error is decoded with the session's decoder, wherever the error arises")
    func errorBodies() async throws {
        let session = session(answering: 422, ["Content-Type": "text/plain"], body: Self.body, configuration: Self.snakeCase)
        let plain: @Sendable () -> DataRequest = { session.request(Self.url, headers: [.accept("image/png")]) }
        let file: @Sendable () -> DownloadRequest = { session.download(Self.url) }
        let errors: [(any Error)?] = [
            await plain().validate().serializingData().response.error,
            await plain().validate(statusCode: [200]).serializingString().response.error,
            await plain().validate { _, _, _ in throw SomeError() }.serializingDecodable(Int.self).response.error,
            await plain().serializingDecodable(Int.self).response.error,
            await plain().serializingResponse(using: .decodable(of: Int.self)).response.error,
            await plain().interceptor(Refusing()).validate().serializingData().response.error,
            await plain().interceptor(Refusing()).serializingDecodable(Int.self).response.error,
            await file().validate(statusCode: [200]).serializingDownloadedFileURL().response.error,
        ]
        for error in errors {
            let error = try #require(error?.asFirewheelError)
            #expect(try error.decodeResponse(as: User.self) == Self.ada, "\(error)")
            #expect(try error.decodeResponse(as: String.self, decoder: Naming(name: "own")) == "own")
            #expect(!"\(error) \(String(reflecting: error))".contains("Decoder("), "\(error)")
        }
        let request = plain().validate()
        _ = await request.serializingData().response
        #expect(try request.error?.asFirewheelError?.decodeResponse(as: User.self) == Self.ada)
    }

    @Test("An error from outside a request decodes its body with a JSONDecoder")
    func ownErrors() throws {
        let error = FirewheelError(.explicitlyCancelled, responseData: Data(#"{"firstName":"Ada"}"#.utf8))
        #expect(try error.decodeResponse(as: User.self) == Self.ada)
        #expect(try FirewheelError(.explicitlyCancelled).decodeResponse(as: User.self) == nil)
    }

    @Test("A decoder with code in its deinit is released with its session and requests")
    func released() async throws {
        final class Noting: DataDecoder {
            let gone: Journal<Bool>
            init(_ gone: Journal<Bool>) { self.gone = gone }
            deinit { gone.add(true) }
            func decode<Value: Decodable>(_ type: Value.Type, from data: Data) throws -> Value { throw SomeError() }
        }
        let gone = Journal<Bool>()
        do {
            let session = session(body: "x", configuration: .with { $0.decoder = Noting(gone) })
            #expect(await session.request(Self.url).serializingDecodable(Int.self).response.error != nil)
            #expect(gone.count == 0)
            withExtendedLifetime(session) {}
        }
        #expect(try await gone.wait(for: 1) == [true])
    }
}
