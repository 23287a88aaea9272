import Foundation

extension Session {
    /// Creates a WebSocket (RFC 6455).
    ///
    /// - Parameters:
    ///   - url: A ws or wss URL, or an http or https one, which means the same. A relative URL is resolved against the session's `baseURL`.
    ///     The scheme of the request's own URL is ws or wss, and that of its response http or https.
    ///   - protocols: The subprotocols to offer, the preferred one first. The server chooses one of them, or none:
    ///     ``WebSocketRequest/negotiatedProtocol``. Default: none, or those of a `Sec-WebSocket-Protocol` in `headers`.
    ///   - headers: Fields of the handshake, which override the session's of the same name. Those that the handshake sets itself, such as
    ///     `Sec-WebSocket-Key`, are an error. Default: none.
    ///   - configuration: Limits and timeouts. Default: those of ``WebSocketConfiguration/init()``.
    ///   - interceptor: Adapts and retries the handshake, after the session's interceptor. Default: nil.
    ///   - requestModifier: Changes the request of the handshake. Default: nil.
    /// - Returns: The request, which reports all errors to its sequences and handlers.
    public func webSocket(
        _ url: any URLConvertible, protocols: [String] = [], headers: HTTPHeaders? = nil,
        configuration: WebSocketConfiguration = WebSocketConfiguration(), interceptor: (any RequestInterceptor)? = nil,
        requestModifier: RequestModifier? = nil
    ) -> WebSocketRequest {
        let source = RequestSource.url(url, method: .get, headers: headers, encode: nil, modifier: requestModifier)
        return webSocketRequest(source, WebSocketOffer(protocols: protocols, configuration: configuration), interceptor)
    }
}
