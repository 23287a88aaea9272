import Firewheel
import FirewheelTesting
import Foundation
import Testing

/// JSON in other encodings than UTF-8, and the options of its serializers.
@Suite("JSON in any encoding")
struct JSONTextTests {
    /// The text in an encoding, with and without its byte order mark.
    private static func forms(_ text: String) -> [Data] {
        func units<Unit: FixedWidthInteger>(_ units: some Sequence<Unit>, isBig: Bool, mark: Unit) -> [Data] {
            [[], [mark]].map { start in
                (start + Array(units)).reduce(into: Data()) { data, unit in
                    withUnsafeBytes(of: isBig ? unit.bigEndian : unit.littleEndian) { data.append(contentsOf: $0) }
                }
            }
        }
        return [Data(text.utf8), Data([0xEF, 0xBB, 0xBF]) + Data(text.utf8)]
            + [true, false].flatMap { isBig in
                units(text.utf16, isBig: isBig, mark: UInt16(0xFEFF))
                    + units(text.unicodeScalars.map(\.value), isBig: isBig, mark: UInt32(0xFEFF))
            }
    }

    @Test(
        "UTF-8, UTF-16 and UTF-32 with and without a byte order mark (RFC 4627 section 3)",
        arguments: [#"{"ä":"€😀"}"#, #""中""#, "[1]", "7", "\"é\"", "12", "[]", "{}", "null", "[\"\\u00e9\",\"文字\"]"])
    func unicode(text: String) throws {
        let expected = try JSONValue(data: Data(text.utf8))
        for data in Self.forms(text) {
            #expect(try apply(.jsonValue(), data).get() == expected, "\(data as NSData)")
            #expect(try JSONValue(foundationObject: apply(.json(), data).get()) == expected, "\(data as NSData)")
            #expect(try apply(.decodable(of: JSONValue.self), data).get() == expected, "\(data as NSData)")
        }
    }

    @Test(
        "The charset that the response declares counts where the bytes do not tell",
        arguments: [
            ("iso-8859-1", [0x22, 0xE9, 0x22], "é"), ("windows-1252", [0x22, 0x80, 0x22], "€"), ("utf-8", [0x22, 0xC3, 0xA9, 0x22], "é"),
            ("unheard-of", [0x22, 0xC3, 0xA9, 0x22], "é"), ("shift_jis", [0x22, 0x82, 0xA0, 0x22], "あ"),
            ("iso-2022-jp", [0x22, 0x1B, 0x24, 0x42, 0x24, 0x22, 0x1B, 0x28, 0x42, 0x22], "あ"),
            // RFC 8259 section 11: the parameter has no effect on UTF-8.
            ("iso-8859-1", [0x22, 0xC3, 0xA9, 0x22], "é"), ("us-ascii", [0x22, 0xC3, 0xA9, 0x22], "é"),
            ("windows-1252", [0x22, 0xE2, 0x82, 0xAC, 0x22], "€"), ("shift_jis", [0x22, 0xE3, 0x81, 0x82, 0x22], "あ"),
            // The bytes tell, also that they are neither UTF-16 nor UTF-32.
            ("utf-16", [0x22, 0xC3, 0xA9, 0x22], "é"), ("utf-16le", [0x22, 0x61, 0x62, 0x22], "ab"), ("utf-32", [0x22, 0x61, 0x22], "a"),
            ("iso-8859-1", [0x22, 0, 0xE9, 0, 0x22, 0], "é"), ("iso-8859-1", [0xEF, 0xBB, 0xBF, 0x22, 0xC3, 0xA9, 0x22], "é"),
        ])
    func charset(name: String, bytes: [UInt8], expected: String) throws {
        let type = "application/json; charset=\(name)"
        #expect(try apply(.jsonValue(), type: type, Data(bytes)).get() == .string(expected))
        #expect(try apply(.json(), type: type, Data(bytes)).get() as? String == expected)
        #expect(try apply(.decodable(of: String.self), type: type, Data(bytes)).get() == expected)
    }

    @Test("Bytes that are not valid in their encoding, cut anywhere, are an error and no trap")
    func invalid() throws {
        for data in Self.forms(#"{"ä":"€😀"}"#) {
            for count in 0..<data.count {
                #expect(try apply(.jsonValue(), data.prefix(count)).failure != nil)
                #expect(try apply(.json(), data.prefix(count)).failure != nil)
            }
        }
        var generator = SeededGenerator(state: 8259)
        let alphabet: [UInt8] = [0, 0x22, 0x5B, 0x5D, 0xFE, 0xFF, 0x31]
        for _ in 0..<2_000 {
            let count = Int.random(in: 0...12, using: &generator)
            let bytes = (0..<count).map { _ in alphabet[Int.random(in: 0..<alphabet.count, using: &generator)] }
            let (value, object) = (try apply(.jsonValue(), Data(bytes)), try apply(.json(), Data(bytes)))
            let isSame = (try? value.get()) == (try? JSONValue(foundationObject: object.get()))
            // Foundation drops U+FEFF at the start of a string.
            let hasMark = (try? value.get())?.description.unicodeScalars.contains("\u{FEFF}") == true
            #expect(isSame || hasMark, "\(bytes)")
        }
    }

    @Test(
        "A NUL is an error in every encoding",
        arguments: [[0, 0x31, 0, 0, 0, 0x31], [0x31, 0, 0, 0, 0x22, 0], [0x31, 0], [0x31, 0, 0x31, 0, 0, 0]])
    func nul(bytes: [UInt8]) throws {
        // "1" in UTF-16 is valid.
        let isValid = bytes == [0x31, 0]
        #expect(try (apply(.json(), Data(bytes)).failure == nil) == isValid)
        #expect(try (apply(.jsonValue(), Data(bytes)).failure == nil) == isValid)
    }

    @Test("A single space counts as an empty body, two do not")
    func space() throws {
        let empty = FirewheelError.Kind.responseSerializationFailed(.inputDataNilOrZeroLength)
        #expect(try apply(.json(), Data(" ".utf8)).failure?.asFirewheelError?.kind == empty)
        #expect(try apply(.jsonValue(), Data(" ".utf8)).failure?.asFirewheelError?.kind == empty)
        #expect(try apply(.jsonValue(), status: 204, Data(" ".utf8)).get() == .null)
        #expect(try apply(.json(emptyResponseCodes: [200]), Data(" ".utf8)).get() is NSNull)
        #expect(
            try apply(.jsonValue(), Data("  ".utf8)).failure?.asFirewheelError?.kind
                == .responseSerializationFailed(.jsonSerializationFailed))
    }

    @Test(
        "Nulls in arrays stay if asked for, as in AFNetworking 3",
        arguments: [
            (#"[null,1,[null],{"a":null}]"#, #"[null,1,[null],{}]"#),
            (#"{"a":{"b":[null,{"c":null}]},"d":null}"#, #"{"a":{"b":[null,{}]}}"#),
            ("null", "null"), ("[]", "[]"),
        ])
    func nulls(text: String, expected: String) throws {
        let body = Data(text.utf8)
        for options in [.fragmentsAllowed, [.fragmentsAllowed, .mutableContainers]] as [JSONSerialization.ReadingOptions] {
            let object = try apply(.json(options: options, removesKeysWithNullValues: true, keepsNullsInArrays: true), body).get()
            #expect(try JSONValue(foundationObject: object).description == expected)
        }
        let value = try apply(.jsonValue(removesKeysWithNullValues: true, keepsNullsInArrays: true), body).get()
        #expect(value.description == expected)
        let all = try apply(.jsonValue(removesKeysWithNullValues: true), body).get()
        #expect(try JSONValue(foundationObject: apply(.json(removesKeysWithNullValues: true), body).get()) == all)
        #expect(try apply(.jsonValue(keepsNullsInArrays: true), body).get().description == text)
    }

    /// `{"t":"Größe"}` in UTF-8 and in ISO-8859-1, whatever the declared charset (RFC 8259 section 11).
    @Test(
        "Every reader of JSON takes valid UTF-8 for UTF-8",
        arguments: ["ISO-8859-1", "us-ascii", "windows-1252", "utf-8", "utf-16", "utf-32le", "iso-2022-jp", "shift_jis"],
        [String.Encoding.utf8, .isoLatin1])
    func everyReader(label: String, encoding: String.Encoding) async throws {
        struct Size: Decodable, Sendable, Equatable { let t: String }
        // Bytes that are not in their declared encoding, either.
        guard encoding == .utf8 || label == "ISO-8859-1" || label == "windows-1252" else { return }
        let text = #"{"t":"Größe"}"#
        let body = try #require(text.data(using: encoding))
        let server = try MockServer()
        defer { server.shutdown() }
        server.route("*") { request in
            .data(body, status: request.target == "/404" ? 404 : 200, headers: [("Content-Type", "application/json; charset=\(label)")])
        }
        let session = Session()
        let response = await session.request(server.url("/")).serializingDecodable(Size.self).response
        #expect(response.value == Size(t: "Größe"))
        #expect(response.debugDescription.contains(text))
        #expect(await session.request(server.url("/")).serializingString().response.value == text)
        #expect(await session.request(server.url("/")).serializingResponse(using: .jsonValue()).response.value == ["t": "Größe"])
        #expect(await session.download(server.url("/")).serializingDecodable(Size.self).response.value == Size(t: "Größe"))
        var streamed: [Size] = []
        for try await value in session.streamRequest(server.url("/")).streamTask().streamingDecodables(Size.self) { streamed.append(value) }
        #expect(streamed == [Size(t: "Größe")])
        let refused = await session.request(server.url("/404")).validate().serializingDecodable(Size.self).response
        #expect(try refused.error?.asFirewheelError?.decodeResponse(as: Size.self) == Size(t: "Größe"))
    }
}
