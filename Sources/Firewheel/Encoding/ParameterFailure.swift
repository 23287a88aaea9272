/// Why parameters could not be encoded: the ``FirewheelError/underlyingError`` of a `parameterEncodingFailed`, unless a type's own
/// `encode(to:)`, a closure among the options, or `JSONEncoder` threw. It names types and keys, never values, which may be secrets.
///
/// A `path` names the place by its keys, separated by dots, such as `user.tags.0`; it is empty at the root.
public enum ParameterFailure: Error, Equatable, Sendable, CustomStringConvertible {
    /// The encoding has no form for values of this type, which is named as Swift names it. Alamofire's `invalidJSONObject` is mostly this
    /// one.
    case unknownType(String, path: String)
    /// A number that is not a number, or infinite. (For a `Double` in JSON the cause is the `EncodingError` of `JSONEncoder`.)
    case notFinite(path: String)
    /// Values are nested more than 128 levels deep.
    case tooDeep
    /// A date whose year has not four digits, which is what RFC 3339 and the XML of a property list give it.
    case dateOutOfRange(path: String)
    /// A text with a character that may not stand in XML, not even escaped.
    case notInXML(path: String)
    /// The format of property list is one that can only be read.
    case unwritableFormat
    /// A form is a list of keys and values: something else stands at the root. Alamofire's `invalidRootObject`.
    case rootNotKeyed

    /// How deep values may be nested. Encoding is recursive: without a limit it overflows the stack, which ends the program. At this depth
    /// every encoding, and a type's own `encode(to:)`, has room to spare in the 512 kB that Apple's systems give a thread, a value that
    /// encodes itself as another counting as a level too.
    static let maximumDepth = 128

    /// The reason in words.
    public var description: String {
        switch self {
        case .unknownType(let type, let path): "a value of type \(type)\(Self.place(path)) cannot be encoded"
        case .notFinite(let path): "a number\(Self.place(path)) is infinite or not a number"
        case .tooDeep:
            "values are nested more than \(Self.maximumDepth) levels deep"
        case .dateOutOfRange(let path): "a date\(Self.place(path)) is outside of the years 1 to 9999"
        case .notInXML(let path): "a text\(Self.place(path)) holds a character that cannot be written in XML"
        case .unwritableFormat: "property lists can be written as XML and binary only"
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
