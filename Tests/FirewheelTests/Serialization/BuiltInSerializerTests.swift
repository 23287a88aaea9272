import Firewheel
import Foundation
import Testing

@Suite("Built-in serializers")
struct BuiltInSerializerTests {
    struct User: Decodable, Equatable, Sendable {
        let name: String
    }

    @Test("The data serializer returns the bytes as they are")
    func data() throws {
        let bytes = Data((0...255).map { UInt8($0) })
        #expect(try apply(.data, bytes).get() == bytes)
        #expect(try apply(DataResponseSerializer<Data>.data(emptyResponseCodes: []), bytes).get() == bytes)
    }

    @Test(
        "The string serializer uses its own encoding, else the response's charset, else UTF-8, else ISO-8859-1",
        arguments: [
            ("text/plain; charset=utf-8", nil, "C3A4", "ä"),
            ("text/plain; charset=UTF-8", nil, "C3A4", "ä"),
            ("text/plain; charset=\"utf-8\"", nil, "C3A4", "ä"),
            ("text/plain;charset=utf-8; format=flowed", nil, "C3A4", "ä"),
            ("text/plain; format=flowed; charset=utf-8", nil, "C3A4", "ä"),
            ("text/plain; charset=iso-8859-1", nil, "E4", "ä"),
            ("text/plain; charset=windows-1252", nil, "80", "€"),
            ("text/plain; charset=us-ascii", nil, "61", "a"),
            ("text/plain; charset=utf-16be", nil, "00E4", "ä"),
            ("text/plain; charset=utf-16le", nil, "E400", "ä"),
            ("text/plain; charset=utf-32be", nil, "000000E4", "ä"),
            ("text/plain; charset=unheard-of", nil, "E4", "ä"),
            ("text/plain; charset=", nil, "E4", "ä"),
            ("text/plain", nil, "C3A4", "ä"),
            ("text/plain", nil, "C3A4E4", "Ã¤ä"),
            (nil, nil, "C3A4", "ä"),
            ("text/plain; charset=unheard-of", nil, "C3A4", "ä"),
            ("application/json", nil, "22C3A422", "\"ä\""),
            ("application/json", nil, "22E422", "\"ä\""),
            ("application/json; charset=ISO-8859-1", nil, "22C3A422", "\"ä\""),
            ("application/problem+json; charset=us-ascii", nil, "22C3A422", "\"ä\""),
            ("application/json; charset=ISO-8859-1", nil, "22E422", "\"ä\""),
            ("application/json; charset=utf-16le", nil, "22006100 2200", "\"a\""),
            ("text/plain; charset=iso-8859-1", nil, "C3A4", "Ã¤"),
            ("text/plain; charset=\"cp1250\"", nil, "B9", "ą"),
            ("text/plain; charset=x-sjis", nil, "82A0", "あ"),
            ("text/plain; charset=EUC-JP", nil, "A4A2", "あ"),
            ("text/plain; charset=utf-8, text/plain; charset=koi8-r", nil, "D6", "ж"),
            ("text/plain; charset=koi8-r, text/plain", nil, "D6", "ж"),
            ("text/html; charset=koi8-r, text/plain", nil, "D6", "Ö"),
            (nil, nil, "E4", "ä"),
            ("text/plain; charset=iso-8859-1", String.Encoding.utf8, "C3A4", "ä"),
            ("text/plain; charset=utf-8", .isoLatin1, "E4", "ä"),
            ("text/plain; charset=utf-8", nil, "EFBBBFC3A4", "ä"),
            ("text/plain", nil, "EFBBBFC3A4", "ä"),
            ("text/plain; charset=unheard-of", nil, "FFFEE400", "ä"),
            (nil, nil, "FEFF00E4", "ä"),
            ("text/plain; charset=iso-8859-1", nil, "EFBBBF", "ï»¿"),
            ("text/plain; charset=ISO-8859-15", nil, "A4", "€"),
            ("text/plain; charset=\"Shift_JIS\"", nil, "82A0", "あ"),
        ] as [(String?, String.Encoding?, String, String)])
    func string(type: String?, encoding: String.Encoding?, hexadecimal: String, text: String) throws {
        let hexadecimal = hexadecimal.filter { $0 != " " }
        let pairs = stride(from: 0, to: hexadecimal.count, by: 2).map { hexadecimal.dropFirst($0).prefix(2) }
        let bytes = Data(pairs.compactMap { UInt8($0, radix: 16) })
        #expect(try apply(.string(encoding: encoding), type: type, bytes).get() == text)
    }

    @Test("Bytes that are invalid in the string's encoding are an error that carries them")
    func invalidText() throws {
        for bytes in [Data([0xFF]), Data([0xC3]), Data([0x61, 0xED, 0xA0, 0x80]), Data([0xC0, 0x80])] {
            let result = try apply(.string(encoding: .utf8), bytes)
            #expect(kind(result) == .responseSerializationFailed(.stringSerializationFailed(.utf8)))
            guard case .failure(let error as FirewheelError) = result else { continue }
            #expect(error.responseData == bytes)
            #expect(kind(try apply(.string(), type: "text/plain; charset=utf-8", bytes)) == error.kind)
        }
        let ascii = try apply(.string(encoding: .ascii), Data([0x80]))
        #expect(kind(ascii) == .responseSerializationFailed(.stringSerializationFailed(.ascii)))
    }

    @Test("The JSON serializer takes objects, arrays and fragments, and its error has the cause and the bytes")
    func json() throws {
        let object = try #require(try apply(.json(), Data(#"{"a":[1,true,null]}"#.utf8)).get() as? [String: Any])
        #expect((object["a"] as? [Any])?.count == 3)
        #expect(try apply(.json(), Data("7".utf8)).get() as? Int == 7)
        for text in ["{", "[1 2]", "nul", "{\"a\":1}x", "\u{0}", "'a'"] {
            let result = try apply(.json(), Data(text.utf8))
            #expect(kind(result) == .responseSerializationFailed(.jsonSerializationFailed), "\(text)")
            guard case .failure(let error as FirewheelError) = result else { continue }
            #expect(error.underlyingError != nil && error.responseData == Data(text.utf8))
        }
        #expect(kind(try apply(.json(options: []), Data("7".utf8))) == .responseSerializationFailed(.jsonSerializationFailed))
    }

    @Test("The decodable serializer uses its decoder, and returns the value or the decoder's error")
    func decodable() throws {
        #expect(try apply(.decodable(of: User.self), Data(#"{"name":"Ann"}"#.utf8)).get() == User(name: "Ann"))
        let decoder = JSONDecoder()
        decoder.dateDecodingStrategy = .secondsSince1970
        #expect(try apply(.decodable(of: [Date].self, decoder: decoder), Data("[0]".utf8)).get() == [Date(timeIntervalSince1970: 0)])
        for text in ["{}", "{\"name\":1}", "[]", "{"] {
            let result = try apply(.decodable(of: User.self), Data(text.utf8))
            #expect(kind(result) == .responseSerializationFailed(.decodingFailed), "\(text)")
            guard case .failure(let error as FirewheelError) = result else { continue }
            #expect(error.underlyingError is DecodingError && error.responseData == Data(text.utf8))
        }
    }

    @Test("Every built-in serializer passes an earlier error on unchanged")
    func earlierError() throws {
        let body = Data(#"{"name":"Ann"}"#.utf8)
        func check<Value>(_ serializer: DataResponseSerializer<Value>) throws {
            guard case .failure(let error) = try apply(serializer, body, error: SomeError(number: 7)) else {
                Issue.record("a success in spite of the error")
                return
            }
            #expect(error as? SomeError == SomeError(number: 7))
        }
        try check(.data)
        try check(.string())
        try check(.json())
        try check(.decodable(of: User.self))
    }

    /// A server chooses the depth of its JSON, so no depth may trap.
    @Test("100,000 nested JSON arrays are an error, from the serializer and through a handler", arguments: [100_000, 10_000_000])
    func deepJSON(depth: Int) async throws {
        let body = String(repeating: "[", count: depth) + String(repeating: "]", count: depth)
        #expect(kind(try apply(.json(), Data(body.utf8))) == .responseSerializationFailed(.jsonSerializationFailed))
        #expect(kind(try apply(.decodable(of: Nested.self), Data(body.utf8))) == .responseSerializationFailed(.decodingFailed))
        let session = session(body: body)
        let result = await session.request("http://stub.test/").serializingDecodable(Nested.self).result
        #expect(kind(result) == .responseSerializationFailed(.decodingFailed))
        let journal = Journal<FirewheelError.Kind?>()
        session.request("http://stub.test/").responseJSON(queue: .global()) { journal.add(kind($0.error)) }
        #expect(try await journal.wait(for: 1) == [.responseSerializationFailed(.jsonSerializationFailed)])
        withExtendedLifetime(session) {}
    }

    /// An array that contains itself, to any depth.
    struct Nested: Decodable, Sendable {
        let elements: [Nested]

        init(from decoder: any Decoder) throws {
            var container = try decoder.unkeyedContainer()
            var elements: [Nested] = []
            while !container.isAtEnd { elements.append(try container.decode(Nested.self)) }
            self.elements = elements
        }
    }
}
