import Firewheel
import Foundation
import Testing

/// Random values through every conversion of ``JSONValue``, and random bytes into the parser.
@Suite("Random JSON")
struct JSONRandomTests {
    private static func number(_ generator: inout SeededGenerator) -> JSONValue {
        switch Int.random(in: 0..<4, using: &generator) {
        case 0: .number(.init(Int64(bitPattern: generator.next())))
        case 1: .number(.init(generator.next()))
        case 2: JSONValue.Number(Double(bitPattern: generator.next())).map(JSONValue.number) ?? 0
        default: .number(.init(Int.random(in: -100...100, using: &generator)))
        }
    }

    private static func text(_ generator: inout SeededGenerator) -> String {
        var text = ""
        for _ in 0..<Int.random(in: 0..<8, using: &generator) {
            let limit: UInt32 = Bool.random(using: &generator) ? 0x7F : 0x10FFFF
            if let scalar = Unicode.Scalar(UInt32.random(in: 0...limit, using: &generator)) { text.unicodeScalars.append(scalar) }
        }
        return text
    }

    private static func value(_ generator: inout SeededGenerator, depth: Int = 0) -> JSONValue {
        switch Int.random(in: 0..<(depth < 5 ? 8 : 4), using: &generator) {
        case 0: return .null
        case 1: return .bool(.random(using: &generator))
        case 2: return number(&generator)
        case 3: return .string(text(&generator))
        case 4, 5: return .array((0..<Int.random(in: 0..<5, using: &generator)).map { _ in value(&generator, depth: depth + 1) })
        default:
            var members: [String: JSONValue] = [:]
            for _ in 0..<Int.random(in: 0..<5, using: &generator) { members[text(&generator)] = value(&generator, depth: depth + 1) }
            return .object(members)
        }
    }

    @Test("1,000 random JSON values survive text, Foundation's parser and objects, and Codable")
    func roundTrip() throws {
        var generator = SeededGenerator(state: 8259)
        for _ in 0..<1000 {
            let value = JSONValue.array([Self.value(&generator)])
            let data = Data(value.description.utf8)
            #expect(try JSONValue(data: data) == value)
            #expect(try JSONValue(foundationObject: value.foundationObject) == value)
            #expect(try JSONDecoder().decode(JSONValue.self, from: JSONEncoder().encode(value)) == value)
            // Foundation's parser reads the text as the same value.
            let object = try JSONSerialization.jsonObject(with: data)
            #expect(try JSONValue(foundationObject: object) == value, "\(value)")
        }
    }

    @Test("20,000 damaged JSON texts give a value or an error, and Foundation accepts those with a value")
    func damaged() throws {
        var generator = SeededGenerator(state: 404)
        let pieces = Array(#"[]{}",:\u0d8e+-.1Entf "#.utf8) + [0x00, 0x80, 0xC3, 0xFF, 0x0A]
        var taken = 0
        for _ in 0..<20_000 {
            var bytes = Array(Self.value(&generator, depth: 3).description.utf8)
            for _ in 0..<Int.random(in: 0..<3, using: &generator) where !bytes.isEmpty {
                bytes[Int.random(in: bytes.indices, using: &generator)] = pieces.randomElement(using: &generator) ?? 0
            }
            guard let value = try? JSONValue(data: Data(bytes)) else { continue }
            taken += 1
            #expect(try JSONValue(data: Data(value.description.utf8)) == value)
        }
        #expect(taken > 1000 && taken < 20_000)
    }
}
