import Foundation

/// Wraps ``Parameters`` as one `Encodable` value. A dictionary literal, and the same dictionary in a variable, which selects the
/// `Encodable` overload, then use the same encoder and have the same bytes.
struct ParameterTree: Encodable {
    /// The target format, which decides which types are supported.
    enum Dialect {
        case form
        case json
        case propertyList
    }

    private let value: Any
    private let dialect: Dialect
    private let depth: Int

    init(_ value: Any, as dialect: Dialect) {
        self.init(value, as: dialect, depth: 0)
    }

    fileprivate init(_ value: Any, as dialect: Dialect, depth: Int) {
        self.value = value
        self.dialect = dialect
        self.depth = depth
    }

    func encode(to encoder: any Encoder) throws {
        switch try shape(of: value, at: encoder.codingPath, depth: depth) {
        case .nothing:
            var container = encoder.singleValueContainer()
            try container.encodeNil()
        case .leaf(let leaf):
            var container = encoder.singleValueContainer()
            try container.encode(leaf)
        case .array(let elements):
            var container = encoder.unkeyedContainer()
            try fill(&container, with: elements, depth: depth + 1)
        case .dictionary(let fields):
            var container = encoder.container(keyedBy: ParameterKey.self)
            try fill(&container, with: fields, depth: depth + 1)
        }
    }

    // Nested values are written to nested containers, because encoding them as separate trees would use much more stack.

    private typealias Keyed = KeyedEncodingContainer<ParameterKey>

    private func fill(_ container: inout Keyed, with fields: [ParameterField], depth: Int) throws {
        guard depth <= ParameterFailure.maximumDepth else { throw ParameterFailure.tooDeep }
        for (name, value) in fields {
            let key = ParameterKey(stringValue: name)
            switch try shape(of: value, at: container.codingPath, key, depth: depth) {
            case .nothing: try container.encodeNil(forKey: key)
            case .leaf(let leaf): try container.encode(leaf, forKey: key)
            case .array(let elements):
                var nested = container.nestedUnkeyedContainer(forKey: key)
                try fill(&nested, with: elements, depth: depth + 1)
            case .dictionary(let fields):
                var nested = container.nestedContainer(keyedBy: ParameterKey.self, forKey: key)
                try fill(&nested, with: fields, depth: depth + 1)
            }
        }
    }

    private func fill(_ container: inout any UnkeyedEncodingContainer, with elements: [Any], depth: Int) throws {
        guard depth <= ParameterFailure.maximumDepth else { throw ParameterFailure.tooDeep }
        for value in elements {
            let key = ParameterKey(intValue: container.count)
            switch try shape(of: value, at: container.codingPath, key, depth: depth) {
            case .nothing: try container.encodeNil()
            case .leaf(let leaf): try container.encode(leaf)
            case .array(let elements):
                var nested = container.nestedUnkeyedContainer()
                try fill(&nested, with: elements, depth: depth + 1)
            case .dictionary(let fields):
                var nested = container.nestedContainer(keyedBy: ParameterKey.self)
                try fill(&nested, with: fields, depth: depth + 1)
            }
        }
    }
}

extension ParameterTree: CustomStringConvertible {
    /// Without the values, which may be secrets: `JSONEncoder` includes the description of what it could not encode in its error.
    var description: String { "Parameters" }
}

// MARK: - Kinds of values

extension ParameterTree {
    private enum Shape {
        case nothing
        case leaf(any Encodable)
        case array([Any])
        case dictionary([ParameterField])
    }

    private func shape(
        of value: Any, at path: @autoclosure () -> [any CodingKey], _ key: ParameterKey? = nil, depth: Int
    ) throws -> Shape {
        // A fast path for the most common types, because casts are much slower.
        let type = type(of: value)
        if type == String.self || type == Int.self || type == Bool.self || type == Double.self, let leaf = value as? any Encodable {
            return .leaf(leaf)
        }
        var value = value
        while let optional = value as? any ParameterOptional {
            guard let wrapped = optional.wrapped else { return .nothing }
            value = wrapped
        }
        if let shape = try swiftShape(of: value, depth: depth) ?? foundationShape(of: value, depth: depth) { return shape }
        let keys = path() + (key.map { [$0] } ?? [])
        throw ParameterFailure.unknownType(String(describing: Swift.type(of: value)), path: keys.text)
    }

    private func swiftShape(of value: Any, depth: Int) -> Shape? {
        switch value {
        case let array as any ParameterArray: return .array(array.elements)
        case let dictionary as any ParameterDictionary:
            if let fields = dictionary.fields { return .dictionary(fields) }
            // In a form, keys are text like all values. Elsewhere a key is a string, and a number is not.
            return dialect == .form ? (value as? any Encodable).map(Shape.leaf) : nil
        case let set as any UnorderedElements: return shape(ofSet: set.elements, depth: depth)
        case is Date, is Data: return dialect == .json ? nil : (value as? any Encodable).map(Shape.leaf)
        case let encodable as any Encodable: return .leaf(encodable)
        case let text as any StringProtocol: return .leaf(String(text))
        case let character as Character: return .leaf(String(character))
        default: return nil
        }
    }

    /// Foundation classes that correspond to Swift types, for example from `JSONSerialization`. They are not `Encodable`.
    private func foundationShape(of value: Any, depth: Int) throws -> Shape? {
        switch value {
        case is NSNull: return .nothing
        case let number as NSNumber: return .leaf(number.encodable)
        case let text as String: return .leaf(text)
        case let date as Date: return swiftShape(of: date, depth: depth)
        case let data as Data: return swiftShape(of: data, depth: depth)
        case let url as URL: return .leaf(url)
        case let uuid as UUID: return .leaf(uuid)
        case let hashable as AnyHashable where type(of: value) == AnyHashable.self:
            return try swiftShape(of: hashable.base, depth: depth) ?? foundationShape(of: hashable.base, depth: depth)
        default: break
        }
        try FoundationNesting.check(value, depth: depth)
        switch value {
        case let dictionary as [String: Any]: return dictionary.fields.map(Shape.dictionary)
        case let array as [Any]: return .array(array)
        case let set as Set<AnyHashable>: return shape(ofSet: set.map { $0 }, depth: depth)
        default: return nil
        }
    }

    /// Not an array, because the encoder must know that the elements are unordered.
    private func shape(ofSet elements: [Any], depth: Int) -> Shape {
        .leaf(ParameterSet(trees: elements.map { ParameterTree($0, as: dialect, depth: depth + 1) }))
    }
}

extension NSNumber {
    fileprivate var encodable: any Encodable {
        if isBoolean { return boolValue }
        if let decimal = self as? NSDecimalNumber { return decimal.decimalValue }
        switch UInt8(bitPattern: objCType.pointee) {
        case UInt8(ascii: "d"): return doubleValue
        case UInt8(ascii: "f"): return floatValue
        case UInt8(ascii: "Q"): return uint64Value
        default: return int64Value
        }
    }
}

// MARK: - Swift containers with any content

private struct ParameterKey: CodingKey {
    let stringValue: String
    let intValue: Int?

    init(stringValue: String) {
        self.stringValue = stringValue
        intValue = nil
    }

    init(intValue: Int) {
        stringValue = String(intValue)
        self.intValue = intValue
    }
}

/// A set of values that need not be `Encodable`.
private struct ParameterSet: Encodable, UnorderedElements {
    let trees: [ParameterTree]
    var shape: EncodingShape { .set }
    var elements: [Any] { trees }

    func encode(to encoder: any Encoder) throws {
        try trees.encode(to: encoder)
    }
}

private protocol ParameterOptional {
    var wrapped: Any? { get }
}

extension Optional: ParameterOptional {
    fileprivate var wrapped: Any? { self }
}

private protocol ParameterArray {
    var elements: [Any] { get }
}

extension Array: ParameterArray {
    fileprivate var elements: [Any] { self }
}

private protocol ParameterDictionary {
    /// The entries of the dictionary, if its keys are strings.
    var fields: [ParameterField]? { get }
}

private typealias ParameterField = (name: String, value: Any)

extension Dictionary: ParameterDictionary {
    fileprivate var fields: [ParameterField]? {
        guard Key.self == String.self || Key.self == AnyHashable.self else { return nil }
        var fields: [ParameterField] = []
        fields.reserveCapacity(count)
        for (key, value) in self {
            guard let name = key as? String else { return nil }
            fields.append((name, value))
        }
        return fields
    }
}
