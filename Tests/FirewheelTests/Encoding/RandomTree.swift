import Foundation

@testable import Firewheel

/// A random value that can be given as `Encodable` and as the plain Swift value that stands in `Parameters`.
indirect enum RandomTree: Encodable, Sendable {
    case null
    case bool(Bool)
    case int(Int)
    case double(Double)
    case text(String)
    case set(Set<String>)
    case array([RandomTree])
    case object([String: RandomTree])

    func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        switch self {
        case .null: try container.encodeNil()
        case .bool(let value): try container.encode(value)
        case .int(let value): try container.encode(value)
        case .double(let value): try container.encode(value)
        case .text(let value): try container.encode(value)
        case .set(let value): try container.encode(value)
        case .array(let value): try container.encode(value)
        case .object(let value): try container.encode(value)
        }
    }

    var plain: any Sendable {
        switch self {
        case .null: Int?.none
        case .bool(let value): value
        case .int(let value): value
        case .double(let value): value
        case .text(let value): value
        case .set(let value): value
        case .array(let value): value.map(\.plain)
        case .object(let value): value.mapValues(\.plain)
        }
    }

    /// The texts of a set in a form's order.
    static func ordered(_ set: Set<String>) -> [String] {
        set.sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
    }

    /// The kinds of values and keys in a tree.
    struct Style: Sendable {
        /// Any key, including the empty one.
        var hasOddKeys = true
        /// Whether an array may hold arrays, sets and dictionaries.
        var nestsInArrays = true
        var hasNulls = true

        func value(_ generator: inout SeededGenerator, depth: Int = 0, inArray: Bool = false) -> RandomTree {
            switch Int.random(in: 0..<(depth < 4 && (nestsInArrays || !inArray) ? 11 : 5), using: &generator) {
            case 0: hasNulls ? .null : .int(0)
            case 1: .bool(.random(using: &generator))
            case 2: .int(.random(in: -1_000_000...1_000_000, using: &generator))
            case 3: .double(Double(Int.random(in: -1000...1000, using: &generator)) / 8)
            case 4: .text(text(&generator))
            case 5, 6, 7:
                .array(
                    (0..<Int.random(in: 0..<4, using: &generator)).map { _ in value(&generator, depth: depth + 1, inArray: true) })
            case 8: .set(Set((0..<Int.random(in: 0..<4, using: &generator)).map { _ in text(&generator) }))
            default: .object(object(&generator, depth: depth + 1))
            }
        }

        func object(_ generator: inout SeededGenerator, depth: Int = 0) -> [String: RandomTree] {
            var object: [String: RandomTree] = [:]
            for _ in 0..<Int.random(in: 0..<5, using: &generator) {
                object[key(&generator)] = value(&generator, depth: depth)
            }
            return object
        }

        private func key(_ generator: inout SeededGenerator) -> String {
            let text = text(&generator)
            // Form parsers read an empty key and a number as array elements, and a bracket as the end of a key.
            return hasOddKeys ? text : "k" + text.filter { $0 != "[" && $0 != "]" }
        }

        private func text(_ generator: inout SeededGenerator) -> String {
            let alphabet = Array("abcXYZ019 -._~!*'();:@&=+$,/?#[]%\"\\äß東👩‍👩‍👧‍👦🇩🇪é\n\t") + ["e\u{301}"]
            return String((0..<Int.random(in: 0..<6, using: &generator)).map { _ in alphabet.randomElement(using: &generator) ?? "-" })
        }
    }
}
