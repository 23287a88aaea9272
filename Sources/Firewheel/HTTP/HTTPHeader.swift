import Foundation

/// One header field.
public struct HTTPHeader: Hashable, Sendable {
    /// The field's name, in the case in which it is sent; names are compared without regard to case (RFC 9110 section 5.1).
    public let name: String
    /// The field's value; in a received field, without surrounding white space (RFC 9110 section 5.5).
    public let value: String
    /// Whether each character of the value is one byte (ISO-8859-1) and is sent as such. Otherwise the value is sent as UTF-8.
    let isObsText: Bool

    /// Creates a field whose value is sent as UTF-8. Nothing is checked here: a request with an invalid field fails with `invalidHeader`.
    public init(name: String, value: String) {
        self.name = name
        self.value = value
        isObsText = false
    }

    /// The value of a received field as text: its bytes as UTF-8 if they are valid UTF-8, otherwise ``value``.
    ///
    /// A received ``value`` has one character for each byte (ISO-8859-1, RFC 9110 section 5.5), so that `X-Message: Überlauf` in UTF-8
    /// begins with `Ã`. Some servers send such fields, although HTTP has no charset for them.
    public var decodedValue: String { FieldOctets.text(FieldOctets.received(value)) }

    /// A field whose value is sent as these bytes (obs-text, RFC 9110 section 5.5).
    init(name: String, octets: [UInt8]) {
        let text = FieldOctets.utf8(octets)
        self.name = name
        value = text ?? FieldOctets.latin1(octets)
        isObsText = text == nil
    }
}

extension HTTPHeader: CustomStringConvertible, CustomReflectable {
    /// `Name: value`; the value of a field that carries credentials is redacted.
    public var description: String {
        "\(name): \(Redaction.value(of: self))"
    }

    /// What `dump` and debuggers show: the name, and the value redacted as in the description.
    public var customMirror: Mirror {
        Mirror(self, children: ["name": name, "value": Redaction.value(of: self)], displayStyle: .struct)
    }
}

extension HTTPHeader {
    /// Whether the field may be sent: the name is a token, and the value has no CR, LF or NUL, which would allow header injection (RFC 9110
    /// section 5.5).
    var isValid: Bool {
        name.isHTTPToken && value.utf8.allSatisfy { $0 != 0 && $0 != 0x0A && $0 != 0x0D }
    }
}

// MARK: - Factories

extension HTTPHeader {
    /// An `Accept` field.
    public static func accept(_ value: String) -> HTTPHeader { HTTPHeader(name: "Accept", value: value) }
    /// An `Accept-Charset` field.
    public static func acceptCharset(_ value: String) -> HTTPHeader { HTTPHeader(name: "Accept-Charset", value: value) }
    /// An `Accept-Language` field. The session's default lists the user's languages: ``defaultAcceptLanguage``.
    public static func acceptLanguage(_ value: String) -> HTTPHeader { HTTPHeader(name: "Accept-Language", value: value) }
    /// An `Accept-Encoding` field. The session's default lists the decodable codings: ``defaultAcceptEncoding``.
    public static func acceptEncoding(_ value: String) -> HTTPHeader { HTTPHeader(name: "Accept-Encoding", value: value) }
    /// An `Authorization` field for the Basic scheme (RFC 7617), in UTF-8.
    public static func authorization(username: String, password: String) -> HTTPHeader {
        authorization("Basic " + Data("\(username):\(password)".utf8).base64EncodedString())
    }
    /// An `Authorization` field for a bearer token (RFC 6750).
    public static func authorization(bearerToken: String) -> HTTPHeader { authorization("Bearer \(bearerToken)") }
    /// An `Authorization` field.
    public static func authorization(_ value: String) -> HTTPHeader { HTTPHeader(name: "Authorization", value: value) }
    /// A `Content-Disposition` field.
    public static func contentDisposition(_ value: String) -> HTTPHeader { HTTPHeader(name: "Content-Disposition", value: value) }
    /// A `Content-Encoding` field.
    public static func contentEncoding(_ value: String) -> HTTPHeader { HTTPHeader(name: "Content-Encoding", value: value) }
    /// A `Content-Type` field.
    public static func contentType(_ value: String) -> HTTPHeader { HTTPHeader(name: "Content-Type", value: value) }
    /// A `User-Agent` field.
    public static func userAgent(_ value: String) -> HTTPHeader { HTTPHeader(name: "User-Agent", value: value) }
    /// A `Sec-WebSocket-Protocol` field.
    public static func websocketProtocol(_ value: String) -> HTTPHeader { HTTPHeader(name: "Sec-WebSocket-Protocol", value: value) }
}
