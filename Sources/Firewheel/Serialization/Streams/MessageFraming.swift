import Foundation

/// The messages of a WebSocket.
final class MessageFraming: StreamFraming<WebSocketMessage> {
    private var messages: [WebSocketMessage] = []
    private var next = 0

    override func append(_ messages: [WebSocketMessage]) { (self.messages, next) = (messages, 0) }

    override func advance() -> Bool {
        if next < messages.count { return true }
        messages = []
        return false
    }

    override func take() -> WebSocketMessage? {
        defer { next += 1 }
        return messages[next]
    }
}

/// A value decoded from each message of a WebSocket: from the UTF-8 of a text, or from the bytes of data.
final class MessageDecodingFraming<Element: Decodable>: StreamFraming<Element> {
    private let messages = MessageFraming()
    private let decoder: any DataDecoder

    init(_ decoder: any DataDecoder) {
        self.decoder = decoder
    }

    override var isLight: Bool { false }

    override func append(_ messages: [WebSocketMessage]) { self.messages.append(messages) }

    override func advance() -> Bool { messages.advance() }

    override func take() throws -> Element? {
        let bytes: Data
        switch messages.take() {
        case nil: return nil
        case .text(let text): bytes = Data(text.utf8)
        case .data(let data): bytes = data
        }
        return try parsing(bytes, or: .decodingFailed, as: FirewheelError.name(of: Element.self)) {
            try decoder.decodeChecked(Element.self, from: bytes)
        }
    }
}
