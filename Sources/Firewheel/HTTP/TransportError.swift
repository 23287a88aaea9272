import Foundation

/// Why an exchange failed.
public enum TransportError: Error, Sendable, Equatable {
    /// A failure with the code that URLSession reports, and an explanation.
    case failed(URLError.Code, String)
    /// The body exceeded `maximumBodySize`.
    case bodyTooLarge
    /// The request would have to be sent again for the given reason, and its body was begun and cannot be produced again.
    case bodyNotRepeatable(String)
    /// The server has closed a WebSocket with another code than 1000 and 1001.
    case webSocketClosed(WebSocketCloseCode, reason: String)
    /// The server has broken the WebSocket protocol or exceeded a limit: the code with which the client has closed the connection, and an
    /// explanation.
    case webSocketViolated(WebSocketCloseCode, String)
    /// The proxy has refused to connect to the server, with the head of its response, the beginning of the body, and an explanation.
    indirect case proxyConnectFailed(proxy: TargetURI, ResponseHead, Data, String)
}
