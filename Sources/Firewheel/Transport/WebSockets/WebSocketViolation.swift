/// A peer's violation of the protocol or of a limit, for which the connection fails (RFC 6455 section 7.1.7).
struct WebSocketViolation: Error, Equatable, Sendable {
    /// The code of the close frame that says so to the peer.
    let code: WebSocketCloseCode
    /// A clause without a subject: what the peer has sent.
    let reason: String

    init(_ code: WebSocketCloseCode, _ reason: String) {
        self.code = code
        self.reason = reason
    }

    static let reservedBits = WebSocketViolation(.protocolError, "a frame with a reserved bit set that no extension defines")
    static let fragmentedControl = WebSocketViolation(.protocolError, "a control frame in fragments")
    static let longControl = WebSocketViolation(.protocolError, "a control frame of more than 125 bytes")
    static let nothingToContinue = WebSocketViolation(.protocolError, "a continuation frame without a message to continue")
    static let unfinishedMessage = WebSocketViolation(.protocolError, "a new message before the end of the last one")
    static let longForm = WebSocketViolation(.protocolError, "a frame whose length is not in its shortest form")
    static let impossibleLength = WebSocketViolation(.protocolError, "a frame with a length of more than 63 bits")
    static let shortClose = WebSocketViolation(.protocolError, "a close frame with half a code")
    static let notUTF8 = WebSocketViolation(.invalidFramePayloadData, "text that is not UTF-8")
    static let reasonNotUTF8 = WebSocketViolation(.invalidFramePayloadData, "a close frame with a reason that is not UTF-8")
    static let notDeflate = WebSocketViolation(.invalidFramePayloadData, "a compressed message that cannot be decompressed")
    static let outOfMemory = WebSocketViolation(.internalServerError, "a message for which there is no memory")

    static func unknownOpcode(_ opcode: UInt8) -> Self { Self(.protocolError, "a frame with the unknown opcode \(opcode)") }

    static func masking(isMasked: Bool) -> Self {
        Self(.protocolError, isMasked ? "a frame with a mask, which only clients use" : "a frame without the mask that clients must use")
    }

    static func invalidCode(_ code: UInt16) -> Self { Self(.protocolError, "a close frame with the invalid code \(code)") }

    static func messageTooLarge(limit: Int) -> Self { Self(.messageTooBig, "a message of more than \(limit) bytes") }

    static func frameTooLarge(limit: Int) -> Self { Self(.messageTooBig, "a frame of more than \(limit) bytes") }
}
