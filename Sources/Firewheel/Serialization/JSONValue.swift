/// A JSON value (RFC 8259): Sendable, comparable, and accessible without casts.
///
/// ```swift
/// let users: JSONValue = ["users": [["name": "Ann", "age": 41]]]
/// users["users"][0]["name"]?.stringValue      // "Ann"
/// users["users"][0]["age"] == 41              // true
/// ```
///
/// Parsed values are exact: numbers of any size and precision, and a missing member is distinct from `null`. Of members with the same name
/// the last counts, as in `JSONSerialization`; names are compared like Swift strings.
public enum JSONValue: Sendable, Hashable {
    /// `null`; a missing member is nil instead.
    case null
    /// `true` or `false`, which are not equal to any number.
    case bool(Bool)
    /// A number of any size and precision, kept exactly: see ``JSONValue/Number``.
    case number(Number)
    /// A string with its escape sequences decoded.
    case string(String)
    /// The elements in their order.
    case array([JSONValue])
    /// The members by name. Their order is not kept.
    case object([String: JSONValue])

    /// The maximum nesting depth of parsed text, the same as Foundation's.
    static let maximumDepth = 512
    /// The maximum nesting depth where each level recurses through Foundation's coders, limited by the stack of dispatch queues.
    static let maximumRecursion = 100

    /// The maximum number of consecutive combining marks in a parsed member name: the limit of Unicode's Stream-Safe Text Format (UAX #15).
    /// No language needs more.
    static let maximumMarks = 30

    /// Why a value is not a valid JSON value.
    public struct Failure: ParserFailure, Sendable, Equatable {
        /// The reason in English, with its position.
        public let description: String
    }
}

// MARK: - Parts

extension JSONValue {
    /// The member of an object; nil if there is none of this name, or if this is not an object.
    public subscript(name: String) -> JSONValue? { objectValue?[name] }

    /// The element of an array; nil if the index is out of range, or if this is not an array.
    public subscript(index: Int) -> JSONValue? {
        guard case .array(let elements) = self, elements.indices.contains(index) else { return nil }
        return elements[index]
    }

    /// Whether this is `null`.
    public var isNull: Bool { self == .null }

    /// The Boolean; nil for other values.
    public var boolValue: Bool? {
        if case .bool(let value) = self { return value }
        return nil
    }

    /// The string; nil for other values.
    public var stringValue: String? {
        if case .string(let value) = self { return value }
        return nil
    }

    /// The elements of an array; nil for other values.
    public var arrayValue: [JSONValue]? {
        if case .array(let value) = self { return value }
        return nil
    }

    /// The members of an object; nil for other values.
    public var objectValue: [String: JSONValue]? {
        if case .object(let value) = self { return value }
        return nil
    }

    /// The exact number; nil for other values.
    public var numberValue: Number? {
        if case .number(let value) = self { return value }
        return nil
    }

    /// The number if an `Int` represents it exactly, as for 1 and 1.0, but not for 1.5 and 1e30; otherwise nil.
    public var intValue: Int? { numberValue.flatMap { Int(exactly: $0) } }

    /// The number as the nearest `Double`; nil if it is out of range, and for other values.
    public var doubleValue: Double? { numberValue.flatMap { Double($0) } }
}

/// Allows chains of subscripts without optional chaining.
extension Optional where Wrapped == JSONValue {
    /// The member of an object, if there is one.
    public subscript(name: String) -> JSONValue? { self?[name] }
    /// The element of an array, if there is one.
    public subscript(index: Int) -> JSONValue? { self?[index] }
}

// MARK: - Literals

extension JSONValue: ExpressibleByNilLiteral, ExpressibleByBooleanLiteral, ExpressibleByIntegerLiteral, ExpressibleByFloatLiteral,
    ExpressibleByStringInterpolation, ExpressibleByArrayLiteral, ExpressibleByDictionaryLiteral
{
    /// `nil` becomes `null`.
    public init(nilLiteral: ()) { self = .null }
    /// `true` and `false` become the JSON values of the same name.
    public init(booleanLiteral value: Bool) { self = .bool(value) }
    /// An integer that fits into a signed 64-bit integer, exactly.
    public init(integerLiteral value: Int64) { self = .number(Number(value)) }
    /// A literal out of the range of `Double` is `null`.
    public init(floatLiteral value: Double) { self = Number(value).map(JSONValue.number) ?? .null }
    /// A string, with or without interpolation.
    public init(stringLiteral value: String) { self = .string(value) }
    /// An array with these elements.
    public init(arrayLiteral elements: JSONValue...) { self = .array(elements) }
    /// Of members with the same name the last counts.
    public init(dictionaryLiteral members: (String, JSONValue)...) {
        self = .object(Dictionary(members, uniquingKeysWith: { _, last in last }))
    }
}

// MARK: - Text

extension JSONValue: CustomStringConvertible {
    /// The value as compact JSON, with sorted member names.
    public var description: String {
        var text = ""
        // Uses an explicit stack, because the caller's value may be nested deeper than a thread's stack allows.
        var pending: [Piece] = [.value(self)]
        while let piece = pending.popLast() {
            switch piece {
            case .text(let piece): text += piece
            case .value(.null): text += "null"
            case .value(.bool(let value)): text += value ? "true" : "false"
            case .value(.number(let value)): text += value.description
            case .value(.string(let value)): text += Self.quoted(value)
            case .value(.array(let elements)):
                text += "["
                pending.append(.text("]"))
                for (index, element) in elements.enumerated().reversed() {
                    pending.append(.value(element))
                    if index > 0 { pending.append(.text(",")) }
                }
            case .value(.object(let members)):
                text += "{"
                pending.append(.text("}"))
                for (index, member) in members.sorted(by: { $0.key < $1.key }).enumerated().reversed() {
                    pending.append(.value(member.value))
                    pending.append(.text((index > 0 ? "," : "") + Self.quoted(member.key) + ":"))
                }
            }
        }
        return text
    }

    private enum Piece {
        case value(JSONValue)
        case text(String)
    }

    /// A string as JSON (RFC 8259 section 7), with only the required escapes.
    private static func quoted(_ string: String) -> String {
        var text = "\""
        for scalar in string.unicodeScalars {
            switch scalar {
            case "\"": text += "\\\""
            case "\\": text += "\\\\"
            case "\n": text += "\\n"
            case "\r": text += "\\r"
            case "\t": text += "\\t"
            case _ where scalar.value < 0x20:
                let digits = String(scalar.value, radix: 16)
                text += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
            default: text.unicodeScalars.append(scalar)
            }
        }
        return text + "\""
    }
}
