import Foundation

extension JSONValue {
    /// The value as `JSONSerialization` would return it: `[String: Any]`, `[Any]`, `String`, `NSNumber`, `NSNull`.
    ///
    /// A number without an exact Foundation type becomes the nearest `NSDecimalNumber`, or the nearest `Double` if the exponent is out of
    /// range: infinity for 1e400.
    public var foundationObject: Any {
        // Loops are in separate functions to reduce the stack use of the recursion.
        switch self {
        case .null: NSNull()
        case .bool(let value): NSNumber(value: value)
        case .string(let value): value
        case .number(let number): Self.object(number)
        case .array(let elements): Self.objects(elements)
        case .object(let members): Self.objects(members)
        }
    }

    private static func objects(_ elements: [JSONValue]) -> [Any] {
        var objects: [Any] = []
        objects.reserveCapacity(elements.count)
        for element in elements { objects.append(element.foundationObject) }
        return objects
    }

    private static func objects(_ members: [String: JSONValue]) -> [String: Any] {
        var objects: [String: Any] = [:]
        objects.reserveCapacity(members.count)
        for (name, value) in members { objects[name] = value.foundationObject }
        return objects
    }

    private static func object(_ number: Number) -> NSNumber {
        switch number.exactForm {
        case .int64(let value): NSNumber(value: value)
        case .uint64(let value): NSNumber(value: value)
        case .double(let value): NSNumber(value: value)
        case .decimal(let value): NSDecimalNumber(decimal: value)
        case nil: number.nearest
        }
    }

    /// Converts a value of `JSONSerialization` or a property list: dictionaries with string keys, arrays, strings, numbers, Booleans,
    /// `NSNull`.
    ///
    /// - Throws: ``Failure`` for any other type, for a number that is not finite, and for nesting of more than 512 levels.
    public init(foundationObject object: Any) throws {
        self = try FoundationTree(array: JSONValue.array, object: JSONValue.object, scalar: Self.scalar).convert(object)
    }

    private static func scalar(_ object: Any) throws -> JSONValue {
        switch object {
        case let value as JSONValue: value
        case is NSNull: .null
        case let value as Bool where type(of: object) == Bool.self: .bool(value)
        case let value as String: .string(value)
        case let value as NSNumber: try number(value)
        case let value as any BinaryInteger: .number(Number(value))
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
