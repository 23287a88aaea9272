/// Why a stream or a connection was ended (RFC 9113 section 7).
struct HTTP2ErrorCode: RawRepresentable, Hashable, Sendable {
    static let noError = HTTP2ErrorCode(rawValue: 0)
    static let protocolError = HTTP2ErrorCode(rawValue: 1)
    static let internalError = HTTP2ErrorCode(rawValue: 2)
    static let flowControlError = HTTP2ErrorCode(rawValue: 3)
    static let refusedStream = HTTP2ErrorCode(rawValue: 7)
    static let cancel = HTTP2ErrorCode(rawValue: 8)
    static let enhanceYourCalm = HTTP2ErrorCode(rawValue: 11)
    static let http11Required = HTTP2ErrorCode(rawValue: 13)

    private static let names = [
        "NO_ERROR", "PROTOCOL_ERROR", "INTERNAL_ERROR", "FLOW_CONTROL_ERROR", "SETTINGS_TIMEOUT", "STREAM_CLOSED", "FRAME_SIZE_ERROR",
        "REFUSED_STREAM", "CANCEL", "COMPRESSION_ERROR", "CONNECT_ERROR", "ENHANCE_YOUR_CALM", "INADEQUATE_SECURITY", "HTTP_1_1_REQUIRED",
    ]

    let rawValue: UInt32

    /// The RFC's name, or the number of an unknown code.
    var name: String {
        rawValue < UInt32(Self.names.count) ? Self.names[Int(rawValue)] : "0x" + String(rawValue, radix: 16)
    }
}

/// What a server says when it stops to accept requests on a connection (RFC 9113 section 6.8).
struct HTTP2GoAway: Equatable, Sendable {
    /// The last stream that it has processed or may process.
    var lastStream: Int32
    var code: HTTP2ErrorCode
    /// What it adds for whoever looks for the reason, on one line and at most 200 characters.
    var text: String
}
