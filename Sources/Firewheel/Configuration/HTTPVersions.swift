/// Which versions of HTTP a session speaks.
public enum HTTPVersions: Sendable, Hashable, CaseIterable {
    /// HTTP/2 where the server offers it in the TLS handshake (ALPN, RFC 9113 section 3.2), HTTP/1.1 elsewhere and for http URLs.
    case automatic
    /// HTTP/1.1 only.
    case http1Only
    /// HTTP/2 only, from the first byte, for http URLs too: for servers that are known to speak it (RFC 9113 section 3.3). An https server
    /// that does not offer it is an error. A server that asks for HTTP/1.1 (`HTTP_1_1_REQUIRED`) gets it.
    case http2PriorKnowledge
}
