/// A JSON value (RFC 8259) that can be passed between threads, compared, and taken apart without casts.
///
/// ```swift
/// let users: JSONValue = ["users": [["name": "Ann", "age": 41]]]
/// users["users"][0]["name"]?.stringValue      // "Ann"
/// users["users"][0]["age"] == 41              // true
/// ```
///
/// What is parsed from data is kept as it is: numbers of any size and precision are exact, a missing member is not the same as `null`. Of
/// members with one name the last counts, as in `JSONSerialization`; names are compared as Swift compares strings.
public enum JSONValue: Sendable, Hashable {
    /// `null`; what a missing member gives is nil instead.
    case null
    /// `true` or `false`, which equal no number.
    case bool(Bool)
    /// A number of any size and precision, kept exactly: see ``JSONValue/Number``.
    case number(Number)
    /// Text, with its escape sequences undone.
    case string(String)
    /// The elements in their order.
    case array([JSONValue])
    /// The members by name. Their order is not kept.
    case object([String: JSONValue])

    /// How deep arrays and objects may be nested in what is parsed: Foundation's limit too.
    static let maximumDepth = 512
    /// How deep they may be where a level takes a call of Foundation's coders or casts: more have no room on a dispatch queue's thread.
    static let maximumRecursion = 100

    /// How many combining marks may stand in a row in the name of a member that is parsed: Unicode's own bound for text from anywhere (UAX
    /// #15, Stream-Safe Text Format). No language has as many.
    static let maximumMarks = 30

    /// Why something is no JSON value.
    public struct Failure: Error, Sendable, Equatable, CustomStringConvertible {
        /// The reason, in English, with its place.
        public let description: String
    }
}

// MARK: - Parts

extension JSONValue {
    /// The member of an object; nil if there is none of this name, or this is no object.
    public subscript(name: String) -> JSONValue? { objectValue?[name] }

    /// The element of an array; nil if there is none at this index, or this is no array.
    public subscript(index: Int) -> JSONValue? {
        guard case .array(let elements) = self, elements.indices.contains(index) else { return nil }
        return elements[index]
    }

    /// Whether this is `null`.
    public var isNull: Bool { self == .null }

    /// The Boolean, if this is one.
    public var boolValue: Bool? {
        if case .bool(let value) = self { return value }
        return nil
    }

    /// The string, if this is one.
    public var stringValue: String? {
        if case .string(let value) = self { return value }
        return nil
    }

    /// The elements, if this is an array.
    public var arrayValue: [JSONValue]? {
        if case .array(let value) = self { return value }
        return nil
    }

    /// The members, if this is an object.
    public var objectValue: [String: JSONValue]? {
        if case .object(let value) = self { return value }
        return nil
    }

    /// The number, if this is one: exact, whatever its size.
    public var numberValue: Number? {
        if case .number(let value) = self { return value }
        return nil
    }

    /// The number, if this is one that an `Int` holds exactly: 1 and 1.0 do, 1.5 and 1e30 do not.
    public var intValue: Int? { numberValue.flatMap { Int(exactly: $0) } }

    /// The number, if this is one, as the nearest `Double`; nil if it is too large for one.
    public var doubleValue: Double? { numberValue.flatMap { Double($0) } }
}

/// So that a chain of subscripts needs no question marks in between.
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
    /// `nil` is `null`.
    public init(nilLiteral: ()) { self = .null }
    /// `true` and `false` are themselves.
    public init(booleanLiteral value: Bool) { self = .bool(value) }
    /// An integer that fits into 64 bits with a sign, exactly.
    public init(integerLiteral value: Int64) { self = .number(Number(value)) }
    /// A literal too large for a `Double` is `null`.
    public init(floatLiteral value: Double) { self = Number(value).map(JSONValue.number) ?? .null }
    /// A string, with or without interpolation.
    public init(stringLiteral value: String) { self = .string(value) }
    /// An array with these elements.
    public init(arrayLiteral elements: JSONValue...) { self = .array(elements) }
    /// Of members with one name the last counts.
    public init(dictionaryLiteral members: (String, JSONValue)...) {
        self = .object(Dictionary(members, uniquingKeysWith: { _, last in last }))
    }
}

// MARK: - Text

extension JSONValue: CustomStringConvertible {
    /// The value as JSON, compact, with the names of members in sorted order.
    public var description: String {
        var text = ""
        // A stack of our own, since a value that a caller has nested may be deeper than the thread's.
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

    /// A string as RFC 8259 section 7 writes it, escaping only what has to be.
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
