import Foundation

// The messages of a WebSocket as async sequences.
extension WebSocketRequest {
    /// The messages as they arrive. Creating the sequence starts the request. Messages wait for the first sequence or handler, which gets
    /// all of them; others get those that arrive later.
    ///
    /// The server is held up when its messages are not read: the slowest reader sets the pace, and memory stays flat. Leaving the loop, or
    /// cancelling its task, cancels the request.
    public var messages: StreamOf<WebSocketMessage> {
        defer { follow() }
        return StreamOf(of: self, cancelsAutomatically: true) { MessageFraming() }
    }

    /// The values decoded from the messages as they arrive: from the UTF-8 of texts, and from the bytes of data. A message that cannot be
    /// decoded ends the sequence with `responseSerializationFailed(.decodingFailed)`.
    ///
    /// - Parameters:
    ///   - type: The type of the values.
    ///   - decoder: Default: nil, which means the ``SessionConfiguration/decoder`` of the session.
    public func streamMessages<Value: Decodable & Sendable>(
        of type: Value.Type = Value.self, decoder: (any DataDecoder)? = nil
    ) -> StreamOf<Value> {
        let decoder = decoder ?? call.decoder.decoder
        defer { follow() }
        return StreamOf(of: self, cancelsAutomatically: true) { MessageDecodingFraming(decoder) }
    }
}
