import Foundation

/// A message of a WebSocket (RFC 6455 section 5.6). It is whole, whatever frames it was sent in.
enum WebSocketMessage: Sendable, Hashable {
    /// Text, sent as UTF-8.
    case text(String)
    /// Bytes.
    case data(Data)
}
