/// A request method (RFC 9110 section 9.1): any token, case-sensitive.
public struct HTTPMethod: RawRepresentable, Hashable, Sendable, CustomStringConvertible {
    /// `CONNECT`, RFC 9110 section 9.3.6.
    public static let connect = HTTPMethod(rawValue: "CONNECT")
    /// `DELETE`, RFC 9110 section 9.3.5.
    public static let delete = HTTPMethod(rawValue: "DELETE")
    /// `GET`, RFC 9110 section 9.3.1.
    public static let get = HTTPMethod(rawValue: "GET")
    /// `HEAD`, RFC 9110 section 9.3.2.
    public static let head = HTTPMethod(rawValue: "HEAD")
    /// `OPTIONS`, RFC 9110 section 9.3.7.
    public static let options = HTTPMethod(rawValue: "OPTIONS")
    /// `PATCH`, RFC 5789.
    public static let patch = HTTPMethod(rawValue: "PATCH")
    /// `POST`, RFC 9110 section 9.3.3.
    public static let post = HTTPMethod(rawValue: "POST")
    /// `PUT`, RFC 9110 section 9.3.4.
    public static let put = HTTPMethod(rawValue: "PUT")
    /// `QUERY`, a safe method with a body, from a draft of the HTTP working group.
    public static let query = HTTPMethod(rawValue: "QUERY")
    /// `TRACE`, RFC 9110 section 9.3.8.
    public static let trace = HTTPMethod(rawValue: "TRACE")

    /// The method as it is sent.
    public let rawValue: String

    /// A method of any name. If it is not a token, the request fails with `urlRequestValidationFailed(.invalidMethod)`.
    public init(rawValue: String) {
        self.rawValue = rawValue
    }

    /// The ``rawValue``.
    public var description: String { rawValue }

    /// Whether the request is not meant to change anything (RFC 9110 section 9.2.1).
    var isSafe: Bool {
        switch self {
        case .get, .head, .options, .trace, .query: true
        default: false
        }
    }

    /// Whether repeating the request has the same effect as sending it once (RFC 9110 section 9.2.2).
    var isIdempotent: Bool {
        switch self {
        case .get, .head, .put, .delete, .options, .trace, .query: true
        default: false
        }
    }

    /// Whether a request of this method without a body is sent with `Content-Length: 0` (RFC 9110 section 8.6).
    var anticipatesBody: Bool {
        switch self {
        case .post, .put, .patch: true
        default: false
        }
    }
}

extension StringProtocol {
    /// Whether this is a token (RFC 9110 section 5.6.2), the form of methods and field names.
    var isHTTPToken: Bool {
        utf8.withContiguousStorageIfAvailable { bytes in !bytes.isEmpty && bytes.allSatisfy(\.isHTTPTokenByte) }
            ?? (!isEmpty && utf8.allSatisfy(\.isHTTPTokenByte))
    }
}

extension UInt8 {
    /// Whether the byte is allowed in a token (tchar, RFC 9110 section 5.6.2).
    var isHTTPTokenByte: Bool {
        switch self {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "0")...UInt8(ascii: "9"): true
        case UInt8(ascii: "!"), UInt8(ascii: "#")...UInt8(ascii: "'"), UInt8(ascii: "*"), UInt8(ascii: "+"): true
        case UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "^")...UInt8(ascii: "`"), UInt8(ascii: "|"), UInt8(ascii: "~"): true
        default: false
        }
    }
}
