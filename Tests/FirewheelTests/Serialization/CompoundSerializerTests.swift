import Firewheel
import FirewheelTesting
import Foundation
import Testing

/// `.compound` tries serializers in order.
@Suite("Compound serializers")
struct CompoundSerializerTests {
    struct User: Decodable, Equatable, Sendable {
        let name: String
    }

    private let either: DataResponseSerializer<User> = .compound([
        .decodable(of: User.self), .decodable(of: User.self, decoder: PropertyListDecoder()),
    ])

    @Test("The first serializer that gives a value wins, and later ones are not called")
    func first() throws {
        let calls = Journal<Int>()
        func serializer(_ number: Int, succeeds: Bool) -> DataResponseSerializer<Int> {
            DataResponseSerializer { _, _, _, _ in
                calls.add(number)
                return succeeds ? .success(number) : .failure(SomeError(number: number))
            }
        }
        let compound: DataResponseSerializer<Int> = .compound([
            serializer(1, succeeds: false), serializer(2, succeeds: true), serializer(3, succeeds: true),
        ])
        #expect(try apply(compound, Data("x".utf8)).get() == 2)
        #expect(calls.entries == [1, 2])
    }

    @Test("A compound serializer reads a body in either of two formats, also written with a leading dot")
    func formats() async throws {
        let list = try PropertyListSerialization.data(fromPropertyList: ["name": "Bob"], format: .xml, options: 0)
        #expect(try apply(either, Data(#"{"name":"Ann"}"#.utf8)).get() == User(name: "Ann"))
        #expect(try apply(either, list).get() == User(name: "Bob"))
        let session = session(data: list)
        let values = Journal<String?>()
        session.request("http://stub.test/").response(queue: .global(), responseSerializer: .compound([.json(), .propertyList()])) {
            values.add(($0.value as? [String: String])?["name"])
        }
        #expect(try await values.wait(for: 1) == ["Bob"])
        #expect(try await session.request("http://stub.test/").serializingResponse(using: either).value == User(name: "Bob"))
        withExtendedLifetime(session) {}
    }

    @Test("If every serializer fails the error has all their errors in order, the request, response and body")
    func none() async throws {
        let session = session(answering: 218, body: "neither")
        let error = try await #require(throws: FirewheelError.self) {
            try await session.request("http://stub.test/").serializingResponse(using: either).value
        }
        #expect(error.kind == .responseSerializationFailed(.compoundSerializationFailed))
        #expect(error.responseCode == 218 && error.responseData == Data("neither".utf8) && error.request != nil)
        let failure = try #require(error.underlyingError as? CompoundSerializationFailure)
        let decodingFailed = FirewheelError.Kind.responseSerializationFailed(.decodingFailed)
        #expect(failure.errors.map { kind($0) } == [decodingFailed, decodingFailed])
        #expect(error.description.contains("no serializer of the compound succeeded"))
        let empty: DataResponseSerializer<User> = .compound([])
        #expect(kind(try apply(empty, Data("x".utf8))) == .responseSerializationFailed(.compoundSerializationFailed))
        withExtendedLifetime(session) {}
    }

    @Test("A compound serializer passes an earlier error on and tries nothing")
    func earlierError() throws {
        let calls = Journal<Int>()
        let serializer = DataResponseSerializer<Int> { _, _, _, _ in
            calls.add(1)
            return .success(1)
        }
        let result = try apply(.compound([serializer]), Data("1".utf8), error: SomeError(number: 4))
        #expect(throws: SomeError(number: 4)) { try result.get() }
        #expect(calls.entries.isEmpty)
    }

    @Test("For an empty body the first serializer that accepts it decides, else an allowed empty value")
    func empty() throws {
        #expect(try apply(.compound([.string()]), status: 204, nil).get() == "")
        #expect(try apply(.compound([.json()]), status: 204, nil).get() is NSNull)
        #expect(try apply(.compound([.data(emptyResponseCodes: [202])]), status: 202, nil).get() == Data())
        #expect(try apply(.compound([.data()], emptyResponseCodes: [202]), status: 202, nil).get() == Data())
        #expect(try apply(.compound([.string()], emptyRequestMethods: [.put]), method: .put, Data()).get() == "")
        #expect(try apply(.compound([.json()], emptyResponseCodes: [202]), status: 202, nil).get() is NSNull)
        #expect(try apply(.compound([.jsonValue()], emptyResponseCodes: [202]), status: 202, nil).get() == JSONValue.null)
        #expect(try apply(.compound([.decodable(of: Empty.self)], emptyResponseCodes: [202]), status: 202, nil).get() == Empty.value)
        #expect(kind(try apply(either, status: 204, nil)) == .responseSerializationFailed(.invalidEmptyResponse(type: "User")))
        #expect(kind(try apply(either, status: 200, nil)) == .responseSerializationFailed(.compoundSerializationFailed))
    }
}
