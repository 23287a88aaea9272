import Foundation

extension JSONValue {
    /// The value as `JSONSerialization` would give it: `[String: Any]`, `[Any]`, `String`, `NSNumber`, `NSNull`.
    ///
    /// A number that Foundation has no exact type for becomes the nearest `NSDecimalNumber`, or the nearest `Double` if its exponent is beyond that one's:
    /// infinity for 1e400.
    public var foundationObject: Any {
        switch self {
        case .null: return NSNull()
        case .bool(let value): return NSNumber(value: value)
        case .string(let value): return value
        case .array(let elements): return elements.map(\.foundationObject)
        case .object(let members): return members.mapValues(\.foundationObject)
        case .number(let number):
            switch number.exactForm {
            case .int64(let value): return NSNumber(value: value)
            case .uint64(let value): return NSNumber(value: value)
            case .double(let value): return NSNumber(value: value)
            case .decimal(let value): return NSDecimalNumber(decimal: value)
            case nil: return number.nearest
            }
        }
    }

    /// The value of what `JSONSerialization` or a property list gives: dictionaries with strings for keys, arrays, strings, numbers, Booleans, `NSNull`.
    ///
    /// - Throws: ``Failure`` for any other type, for a number that is not finite, and for what is nested more than 512 levels deep.
    public init(foundationObject object: Any) throws {
        try self.init(object, depth: 0)
    }

    private init(_ object: Any, depth: Int) throws {
        guard depth <= Self.maximumDepth else { throw Failure(description: "more than \(Self.maximumDepth) nested arrays and objects") }
        switch object {
        case let value as JSONValue: self = value
        case is NSNull: self = .null
        case let value as Bool where type(of: object) == Bool.self: self = .bool(value)
        case let value as String: self = .string(value)
        case let value as NSNumber: self = try Self.number(value)
        case let value as any BinaryInteger: self = .number(Number(value))
        case let value as [Any]: self = .array(try value.map { try JSONValue($0, depth: depth + 1) })
        case let value as [String: Any]: self = .object(try value.mapValues { try JSONValue($0, depth: depth + 1) })
        default: throw Failure(description: "a value of type \(type(of: object)), which JSON has no form for")
        }
    }

    private static func number(_ number: NSNumber) throws -> JSONValue {
        if number.isBoolean { return .bool(number.boolValue) }
        let exact: Number?
        switch (number as? NSDecimalNumber, UInt8(bitPattern: number.objCType.pointee)) {
        case (let decimal?, _): exact = Number(decimal.decimalValue)
        case (_, UInt8(ascii: "d")), (_, UInt8(ascii: "f")): exact = Number(number.doubleValue)
        case (_, UInt8(ascii: "Q")): exact = Number(number.uint64Value)
        default: exact = Number(number.int64Value)
        }
        guard let exact else { throw Failure(description: "\(number), which is no number that JSON has a form for") }
        return .number(exact)
    }
}
