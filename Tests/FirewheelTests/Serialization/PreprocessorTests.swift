import Firewheel
import FirewheelTesting
import Foundation
import Testing

/// Preprocessing and decoding of bodies: `DataPreprocessor` and `DataDecoder`.
@Suite("Preprocessors and decoders")
struct PreprocessorTests {
    struct Reversing: DataPreprocessor {
        func preprocess(_ data: Data) throws -> Data { Data(data.reversed()) }
    }

    struct Failing: DataPreprocessor {
        func preprocess(_ data: Data) throws -> Data { throw SomeError(number: 9) }
    }

    private let guarded = Data(")]}',\n[1]".utf8)

    @Test("googleXSSI removes its prefix once, and the default preprocessor changes nothing")
    func xssi() throws {
        #expect(try apply(.json(dataPreprocessor: .googleXSSI), guarded).get() as? [Int] == [1])
        #expect(try GoogleXSSIPreprocessor().preprocess(guarded) == Data("[1]".utf8))
        #expect(try GoogleXSSIPreprocessor().preprocess(guarded).startIndex == 0)
        for text in ["[1]", "", ")]}'\n[1]", " )]}',\n", ")]}',"] {
            #expect(try GoogleXSSIPreprocessor().preprocess(Data(text.utf8)) == Data(text.utf8))
            #expect(try PassthroughPreprocessor().preprocess(Data(text.utf8)) == Data(text.utf8))
        }
        #expect(try apply(.data(dataPreprocessor: .googleXSSI), guarded + guarded).get() == Data("[1]".utf8) + guarded)
        #expect(try apply(.data(dataPreprocessor: .passthrough), guarded).get() == guarded)
        #expect(kind(try apply(.json(), guarded)) == .responseSerializationFailed(.jsonSerializationFailed))
    }

    @Test("Every serializer runs its preprocessor")
    func all() throws {
        #expect(try apply(.data(dataPreprocessor: Reversing()), Data([1, 2])).get() == Data([2, 1]))
        #expect(try apply(.string(dataPreprocessor: Reversing()), Data("ab".utf8)).get() == "ba")
        #expect(try apply(.json(dataPreprocessor: Reversing()), Data("21".utf8)).get() as? Int == 12)
        #expect(try apply(.jsonValue(dataPreprocessor: Reversing()), Data("21".utf8)).get() == 12)
        #expect(try apply(.decodable(of: Int.self, dataPreprocessor: Reversing()), Data("21".utf8)).get() == 12)
        let list = try PropertyListSerialization.data(fromPropertyList: [1], format: .binary, options: 0)
        #expect(try apply(.propertyList(dataPreprocessor: Reversing()), Data(list.reversed())).get() as? [Int] == [1])
        #expect(try apply(.compound([.jsonValue()], dataPreprocessor: Reversing()), Data("21".utf8)).get() == 12)
    }

    @Test("A preprocessor's error is customSerializationFailed, and an empty body is not preprocessed")
    func failing() async throws {
        let expected = FirewheelError.Kind.responseSerializationFailed(.customSerializationFailed)
        func check<Value>(_ serializer: DataResponseSerializer<Value>) throws {
            let error = try #require(throws: FirewheelError.self) { try apply(serializer, guarded).get() }
            #expect(error.kind == expected && error.underlyingError as? SomeError == SomeError(number: 9))
            #expect(kind(try apply(serializer, status: 204, nil)) == nil)
            #expect(kind(try apply(serializer, Data())) != expected)
        }
        try check(.data(dataPreprocessor: Failing()))
        try check(.string(dataPreprocessor: Failing()))
        try check(.json(dataPreprocessor: Failing()))
        try check(.jsonValue(dataPreprocessor: Failing()))
        try check(.decodable(of: Empty.self, dataPreprocessor: Failing()))
        try check(.propertyList(dataPreprocessor: Failing()))
        try check(.compound([.data()], dataPreprocessor: Failing()))

        let session = session(answering: 203, data: guarded)
        let result = await session.request("http://stub.test/").serializingData(dataPreprocessor: Failing()).result
        let error = try #require(throws: FirewheelError.self) { try result.get() }
        #expect(error.kind == expected && error.responseCode == 203 && error.responseData == guarded)
        withExtendedLifetime(session) {}
    }

    struct User: Codable, Equatable, Sendable {
        let name: String
    }

    /// A custom decoder for one type.
    struct Lines: DataDecoder {
        func decode<Value: Decodable>(_ type: Value.Type, from data: Data) throws -> Value {
            guard let value = String(decoding: data, as: UTF8.self).components(separatedBy: "\n") as? Value else {
                throw SomeError(number: 3)
            }
            return value
        }
    }

    @Test("Values can be decoded by JSONDecoder, PropertyListDecoder and custom decoders, also in errors")
    func decoders() async throws {
        for format in [PropertyListSerialization.PropertyListFormat.xml, .binary] {
            let encoder = PropertyListEncoder()
            encoder.outputFormat = format
            let body = try encoder.encode(User(name: "Ann"))
            let session = session(answering: 418, data: body)
            let request = session.request("http://stub.test/")
            #expect(try await request.serializingDecodable(User.self, decoder: PropertyListDecoder()).value == User(name: "Ann"))
            let error = try await #require(throws: FirewheelError.self) {
                try await session.request("http://stub.test/").validate().serializingData().value
            }
            #expect(try error.decodeResponse(as: User.self, decoder: PropertyListDecoder()) == User(name: "Ann"))
            #expect(throws: DecodingError.self) { try error.decodeResponse(as: [Int].self, decoder: PropertyListDecoder()) }
            withExtendedLifetime(session) {}
        }
        #expect(try apply(.decodable(of: [String].self, decoder: Lines()), Data("a\nb".utf8)).get() == ["a", "b"])
        let failed = try apply(.decodable(of: Int.self, decoder: Lines()), Data("a\nb".utf8))
        let error = try #require(throws: FirewheelError.self) { try failed.get() }
        #expect(error.kind == .responseSerializationFailed(.decodingFailed) && error.underlyingError as? SomeError == SomeError(number: 3))
    }
}
