import Foundation

/// A message of a WebSocket (RFC 6455 section 5.6). It is whole, whatever frames it was sent in.
public enum WebSocketMessage: Sendable, Hashable {
    /// Text, sent as UTF-8.
    case text(String)
    /// Bytes.
    case data(Data)
}

extension WebSocketMessage {
    /// The size of the data, or of the text as UTF-8.
    var byteCount: Int {
        switch self {
        case .text(let text): text.utf8.count
        case .data(let data): data.count
        }
    }

    /// How much of a receive window it takes: its bytes, and something for itself, so that empty ones count, too.
    var cost: Int { byteCount + Self.overhead }

    /// About what the value itself takes in memory.
    private static var overhead: Int { 64 }
}
