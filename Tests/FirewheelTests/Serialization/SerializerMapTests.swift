import Firewheel
import FirewheelTesting
import Foundation
import Testing

/// Serializers whose values are transformed, and compounds of different types.
@Suite("Transformed serializers")
struct SerializerMapTests {
    enum Answer: Equatable, Sendable {
        case json(JSONValue)
        case text(String)
    }

    private static let compound = DataResponseSerializer<Answer>.compound([
        DataResponseSerializer.jsonValue().map { .json($0) }.accepting(contentTypes: ["application/json"]),
        DataResponseSerializer.string().map { .text($0) }.accepting(contentTypes: ["text/*"]),
    ])

    @Test("Serializers of different types are tried in order, as a type of the caller")
    func mixed() throws {
        #expect(try apply(Self.compound, type: "application/json", Data("[1]".utf8)).get() == .json([1]))
        #expect(try apply(Self.compound, type: "text/plain", Data("[1]".utf8)).get() == .text("[1]"))
        let failure = try apply(Self.compound, type: "image/png", Data("[1]".utf8)).failure?.asFirewheelError
        #expect((failure?.underlyingError as? CompoundSerializationFailure)?.errors.count == 2)
        let any = DataResponseSerializer<Any>.compound([.propertyList(), .json(), DataResponseSerializer.string().map { $0 }])
        #expect(try apply(any, Data("[1]".utf8)).get() is [Any])
        #expect(try apply(any, Data("1]".utf8)).get() as? String == "1]")
    }

    @Test("If only the status is wrong, the first value is kept beside all errors")
    func wrongStatus() throws {
        let failure = try #require(try apply(Self.compound, status: 400, type: "text/plain", Data("no".utf8)).failure?.asFirewheelError)
        #expect(failure.kind == .responseSerializationFailed(.compoundSerializationFailed))
        #expect(failure.responseValue as? Answer == .text("no"))
    }

    @Test("A closure's error is the failure, a failure is kept, and the session's decoder is used")
    func map() async throws {
        struct Odd: Error {}
        #expect(try apply(DataResponseSerializer.string().map { _ -> Int in throw Odd() }, Data("x".utf8)).failure is Odd)
        #expect(try apply(DataResponseSerializer.string().map { $0.count }, nil).failure?.asFirewheelError != nil)
        let server = try MockServer()
        defer { server.shutdown() }
        server.enqueue(.text(#"{"some_key":7}"#))
        struct Some: Decodable {
            let someKey: Int
        }
        let decoder = JSONDecoder()
        decoder.keyDecodingStrategy = .convertFromSnakeCase
        let session = Session(configuration: .with { $0.decoder = decoder })
        let serializer = DataResponseSerializer<Some>.decodable().map { $0.someKey }
        #expect(try await session.request(server.url()).serializingResponse(using: serializer).value == 7)
    }
}
