/// Why a WebSocket was closed (RFC 6455 section 7.4).
public struct WebSocketCloseCode: RawRepresentable, Sendable, Hashable {
    /// The number of the close frame.
    public let rawValue: UInt16

    /// Creates a code, such as one of an application: 3000 to 4999.
    public init(rawValue: UInt16) {
        self.rawValue = rawValue
    }

    private init(_ rawValue: UInt16) {
        self.rawValue = rawValue
    }

    /// 1000: the purpose of the connection is fulfilled.
    public static let normalClosure = WebSocketCloseCode(1000)
    /// 1001: the endpoint goes away, such as a server that is shut down.
    public static let goingAway = WebSocketCloseCode(1001)
    /// 1002: the peer has broken the protocol.
    public static let protocolError = WebSocketCloseCode(1002)
    /// 1003: the endpoint does not accept this kind of data.
    public static let unsupportedData = WebSocketCloseCode(1003)
    /// 1005: the peer's close frame has no code. It is never sent.
    public static let noStatusReceived = WebSocketCloseCode(1005)
    /// 1006: the connection ended without a close frame. It is never sent.
    public static let abnormalClosure = WebSocketCloseCode(1006)
    /// 1007: the content of a message is not what its type says, such as text that is not UTF-8.
    public static let invalidFramePayloadData = WebSocketCloseCode(1007)
    /// 1008: a message violates the endpoint's policy.
    public static let policyViolation = WebSocketCloseCode(1008)
    /// 1009: a message is too large.
    public static let messageTooBig = WebSocketCloseCode(1009)
    /// 1010: the server has not accepted an extension that the client needs.
    public static let mandatoryExtensionMissing = WebSocketCloseCode(1010)
    /// 1011: the endpoint has met an unexpected condition.
    public static let internalServerError = WebSocketCloseCode(1011)
    /// 1012: the server restarts.
    public static let serviceRestart = WebSocketCloseCode(1012)
    /// 1013: the server is overloaded; the client may try again later.
    public static let tryAgainLater = WebSocketCloseCode(1013)
    /// 1014: a gateway has received an invalid response.
    public static let badGateway = WebSocketCloseCode(1014)
    /// 1015: the TLS handshake failed. It is never sent.
    public static let tlsHandshakeFailure = WebSocketCloseCode(1015)

    /// Whether a close frame may have the code: those that IANA has registered for it, and 3000 to 4999, which are for libraries and
    /// applications (RFC 6455 section 7.4.2).
    var isSendable: Bool {
        switch rawValue {
        case 1000...1003, 1007...1014, 3000...4999: true
        default: false
        }
    }
}

extension WebSocketCloseCode: CustomStringConvertible {
    /// The number.
    public var description: String { String(rawValue) }
}
