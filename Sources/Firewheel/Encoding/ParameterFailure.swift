/// Why parameters could not be encoded: the ``FirewheelError/underlyingError`` of a `parameterEncodingFailed`, unless a type's own
/// `encode(to:)`, a closure of the options, or `JSONEncoder` threw. It names types and keys, but no values, which may be secrets.
///
/// A `path` consists of keys separated by dots, such as `user.tags.0`; it is empty at the root.
public enum ParameterFailure: Error, Equatable, Sendable, CustomStringConvertible {
    /// The encoding does not support values of this type, given by its Swift name. Usually Alamofire's `invalidJSONObject`.
    case unknownType(String, path: String)
    /// The number is NaN or infinite. (For a `Double` in JSON the cause is the `EncodingError` of `JSONEncoder`.)
    case notFinite(path: String)
    /// Values are nested more than 128 levels deep.
    case tooDeep
    /// The date's year does not have four digits, as RFC 3339 and XML property lists require.
    case dateOutOfRange(path: String)
    /// The text contains a character that XML does not allow, not even escaped.
    case notInXML(path: String)
    /// The property list format can only be read.
    case unwritableFormat
    /// The root is not keyed, but a form is a list of keys and values. Alamofire's `invalidRootObject`.
    case rootNotKeyed
    /// The value is a fragment of JSON, neither an array nor a dictionary, and fragments are not allowed.
    case fragment
    /// The text contains a character that the chosen `String.Encoding` does not have.
    case notInStringEncoding

    /// The maximum nesting depth. Encoding is recursive, so deeper values could overflow the stack. This depth is safe for every encoding,
    /// including types' own `encode(to:)`, on the 512 KiB stacks of Apple platforms. A value that encodes itself as another counts as a
    /// level too.
    static let maximumDepth = 128

    /// The reason as text.
    public var description: String {
        switch self {
        case .unknownType(let type, let path): "a value of type \(type)\(Self.place(path)) cannot be encoded"
        case .notFinite(let path): "a number\(Self.place(path)) is infinite or not a number"
        case .tooDeep:
            "values are nested more than \(Self.maximumDepth) levels deep"
        case .dateOutOfRange(let path): "a date\(Self.place(path)) is outside of the years 1 to 9999"
        case .notInXML(let path): "a text\(Self.place(path)) holds a character that cannot be written in XML"
        case .unwritableFormat: "property lists can be written as XML and binary only"
        case .fragment: "the value is neither an array nor a dictionary, and its serializer does not have the option fragmentsAllowed"
        case .notInStringEncoding: "the text has a character that the serializer's stringEncoding does not have"
        case .rootNotKeyed: "the parameters have no keys: a dictionary or a type with named properties is needed"
        }
    }

    private static func place(_ path: String) -> String {
        path.isEmpty ? "" : " at \(path)"
    }
}

extension [any CodingKey] {
    /// `user.tags.0`
    var text: String { map(\.stringValue).joined(separator: ".") }
}
