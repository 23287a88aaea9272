import Foundation

/// A value that `JSONEncoder` writes as usual, except that unordered collections are sorted by their elements' text: sets, and dictionaries
/// that Swift encodes as a list of keys and values because their keys are neither strings nor integers.
struct OrderedJSON: Encodable, CustomStringConvertible {
    private let value: any Encodable

    init(_ value: any Encodable) {
        self.value = value
    }

    /// Without the value, which may be a secret: `JSONEncoder` includes the description of what it could not encode in its error.
    var description: String { "Parameters" }

    // Called recursively at every level, which must use little stack: hence the many small functions.
    func encode(to encoder: any Encoder) throws {
        switch kind {
        case .known(let value): try Self.encodeWhole(value, to: encoder)
        case .unordered(let elements): try Self.encode(elements, to: encoder)
        case .other: try value.encode(to: OrderingEncoder(base: encoder))
        }
    }

    private enum Kind {
        /// A value with a special treatment in JSONEncoder.
        case known(any Encodable)
        /// The sorted elements of an unordered collection.
        case unordered([OrderedJSON])
        case other
    }

    private var kind: Kind {
        switch value {
        // JSONEncoder has strategies for these.
        case is Date, is Data, is URL, is Decimal: return .known(value)
        // JSONEncoder recognizes such a dictionary by its type, and exempts its keys from the key strategy.
        case let dictionary as any StringDictionary: return .known(dictionary.ordered)
        case let unordered as any UnorderedElements:
            guard let group = unordered.shape.unorderedGroup, let elements = unordered.elements as? [any Encodable] else { return .other }
            return .unordered(elements.sorted(inGroupsOf: group, byText: Self.text).map(OrderedJSON.init))
        default: return .other
        }
    }

    private static func encodeWhole(_ value: any Encodable, to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(value)
    }

    private static func encode(_ elements: [OrderedJSON], to encoder: any Encoder) throws {
        var container = encoder.unkeyedContainer()
        for element in elements { try element.encode(to: container.superEncoder()) }
    }

    /// The sort key of an element. An element without one, because it contains a number that is not finite, comes first.
    private static func text(of element: any Encodable) -> [UInt8] {
        (try? canonical.sortingText(of: element)) ?? []
    }

    private static let canonical = URLEncodedFormEncoder(arrayEncoding: .indexInBrackets, boolEncoding: .literal, nilEncoding: .null)
}

private protocol StringDictionary {
    var ordered: [String: OrderedJSON] { get }
}

extension Dictionary: StringDictionary where Key == String, Value: Encodable {
    fileprivate var ordered: [String: OrderedJSON] { mapValues(OrderedJSON.init) }
}

// MARK: - Proxy encoder

/// Forwards what a value encodes to JSONEncoder, wrapping its parts in ``OrderedJSON``.
private struct OrderingEncoder: Encoder {
    let base: any Encoder
    var codingPath: [any CodingKey] { base.codingPath }
    var userInfo: [CodingUserInfoKey: Any] { base.userInfo }

    func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedEncodingContainer<Key> {
        KeyedEncodingContainer(OrderingKeyedContainer(base: base.container(keyedBy: type)))
    }

    func unkeyedContainer() -> any UnkeyedEncodingContainer { OrderingUnkeyedContainer(base: base.unkeyedContainer()) }
    func singleValueContainer() -> any SingleValueEncodingContainer {
        OrderingSingleValueContainer(encoder: base, base: base.singleValueContainer())
    }

    /// Whether values of a type have no parts, so that the containers write them directly.
    ///
    /// Other values get the encoder of their position instead: going through JSONEncoder's containers at every level would use much more
    /// stack.
    static func isPlain(_ type: Any.Type) -> Bool { plain.contains(ObjectIdentifier(type)) }

    private static let plain: Set<ObjectIdentifier> = Set(
        ([
            Bool.self, String.self, Double.self, Float.self, Int.self, Int8.self, Int16.self, Int32.self, Int64.self, UInt.self, UInt8.self,
            UInt16.self, UInt32.self, UInt64.self,
        ] as [Any.Type]).map { ObjectIdentifier($0) })
}

private struct OrderingKeyedContainer<Key: CodingKey>: KeyedEncodingContainerProtocol {
    var base: KeyedEncodingContainer<Key>
    var codingPath: [any CodingKey] { base.codingPath }

    mutating func encodeNil(forKey key: Key) throws { try base.encodeNil(forKey: key) }
    mutating func encode<T: Encodable>(_ value: T, forKey key: Key) throws {
        if OrderingEncoder.isPlain(T.self) {
            try base.encode(value, forKey: key)
        } else {
            try OrderedJSON(value).encode(to: base.superEncoder(forKey: key))
        }
    }

    mutating func nestedContainer<NestedKey: CodingKey>(
        keyedBy keyType: NestedKey.Type, forKey key: Key
    ) -> KeyedEncodingContainer<NestedKey> {
        KeyedEncodingContainer(OrderingKeyedContainer<NestedKey>(base: base.nestedContainer(keyedBy: keyType, forKey: key)))
    }

    mutating func nestedUnkeyedContainer(forKey key: Key) -> any UnkeyedEncodingContainer {
        OrderingUnkeyedContainer(base: base.nestedUnkeyedContainer(forKey: key))
    }

    mutating func superEncoder() -> any Encoder { OrderingEncoder(base: base.superEncoder()) }
    mutating func superEncoder(forKey key: Key) -> any Encoder { OrderingEncoder(base: base.superEncoder(forKey: key)) }
}

private struct OrderingUnkeyedContainer: UnkeyedEncodingContainer {
    var base: any UnkeyedEncodingContainer
    var codingPath: [any CodingKey] { base.codingPath }
    var count: Int { base.count }

    mutating func encodeNil() throws { try base.encodeNil() }

    mutating func encode<T: Encodable>(_ value: T) throws {
        if OrderingEncoder.isPlain(T.self) {
            try base.encode(value)
        } else {
            try OrderedJSON(value).encode(to: base.superEncoder())
        }
    }

    mutating func nestedContainer<NestedKey: CodingKey>(keyedBy keyType: NestedKey.Type) -> KeyedEncodingContainer<NestedKey> {
        KeyedEncodingContainer(OrderingKeyedContainer<NestedKey>(base: base.nestedContainer(keyedBy: keyType)))
    }

    mutating func nestedUnkeyedContainer() -> any UnkeyedEncodingContainer {
        OrderingUnkeyedContainer(base: base.nestedUnkeyedContainer())
    }

    mutating func superEncoder() -> any Encoder { OrderingEncoder(base: base.superEncoder()) }
}

private struct OrderingSingleValueContainer: SingleValueEncodingContainer {
    let encoder: any Encoder
    var base: any SingleValueEncodingContainer
    var codingPath: [any CodingKey] { base.codingPath }

    mutating func encodeNil() throws { try base.encodeNil() }

    mutating func encode<T: Encodable>(_ value: T) throws {
        if OrderingEncoder.isPlain(T.self) {
            try base.encode(value)
        } else {
            try OrderedJSON(value).encode(to: encoder)
        }
    }
}
