import Foundation

/// What a request for a WebSocket offers to the server, and how the connection is used (``TransportRequest/webSocket``).
public struct WebSocketOffer: Sendable, Hashable {
    /// The subprotocols, the preferred one first (RFC 6455 section 1.9). Empty for none.
    public var protocols: [String]
    /// The limits and timeouts of the connection.
    public var configuration: WebSocketConfiguration

    /// Creates an offer.
    ///
    /// - Parameters:
    ///   - protocols: Default: none.
    ///   - configuration: Default: the default options.
    public init(protocols: [String] = [], configuration: WebSocketConfiguration = WebSocketConfiguration()) {
        self.protocols = protocols
        self.configuration = configuration
    }
}

/// What a client does with an open WebSocket: see ``Transport/send(_:_:)``.
public enum WebSocketCommand: Sendable {
    /// Sends a message behind those before it. When it was passed to the network stack, ``WebSocketEvent/sent(tickets:)`` names the ticket,
    /// a number that the client chooses.
    case message(WebSocketMessage, ticket: Int)
    /// Sends a ping. The answer is ``WebSocketEvent/pong(ticket:roundTrip:)``.
    case ping(ticket: Int)
    /// Sends the messages before it, closes the connection, and waits for the server's close frame. The code is one that may be sent (RFC
    /// 6455 section 7.4), and the reason has at most 123 bytes as UTF-8. Without a code there is no reason.
    case close(WebSocketCloseCode?, reason: String)
}

/// What happens on an open WebSocket besides messages.
public enum WebSocketEvent: Sendable, Hashable {
    /// Messages were passed to the network stack.
    case sent(tickets: [Int])
    /// A ping was answered.
    ///
    /// - Parameter roundTrip: In seconds.
    case pong(ticket: Int, roundTrip: TimeInterval)
    /// The server has closed the connection.
    ///
    /// - Parameter code: nil if its close frame has none.
    case closed(WebSocketCloseCode?, reason: String)
}
