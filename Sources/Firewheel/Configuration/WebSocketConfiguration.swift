import Foundation

/// The options of a WebSocket.
public struct WebSocketConfiguration: Sendable, Hashable {
    /// The most bytes of a received message, after decompression. A larger one ends the connection with
    /// ``WebSocketCloseCode/messageTooBig``, before it is read. The default is 16 MiB.
    public var maximumMessageSize = 16 << 20
    /// The most bytes of a received data frame, as it is sent; nil for no other limit than that of the message. The default is nil.
    public var maximumFrameSize: Int?
    /// Whether compression is offered: permessage-deflate (RFC 7692). The server decides. The default is true.
    public var compresses = true
    /// The seconds without a byte from the server after which a ping asks whether the connection is alive; nil, 0 and negative numbers mean
    /// that none does. It runs only while the connection is read. The default is 30.
    public var pingInterval: TimeInterval? = 30
    /// The seconds after a ping without a byte from the server after which the connection counts as lost: the request fails with
    /// `transportFailed(.timedOut)`. 0 and negative numbers mean no limit. The default is 10.
    public var pongTimeout: TimeInterval = 10
    /// The seconds that ``WebSocketRequest/close(code:reason:)`` waits for the server's close frame, counted from the last byte that was
    /// sent. Then the connection is closed without it, and the request fails with `transportFailed(.timedOut)` if messages before the close
    /// were not sent. 0 and negative numbers mean no limit. The default is 5.
    public var closeTimeout: TimeInterval = 5

    /// Creates the default options.
    public init() {}
}
