/// What a transport measured of one exchange: one request and its response, or one hop of a redirect.
///
/// What the transport does not know is nil, never guessed.
public struct TransportMetrics: Sendable {
    /// When the transport took the request up.
    public var start: MonotonicInstant
    /// When the exchange was over.
    public var end: MonotonicInstant
    /// When the lookup of the host's name began; nil if none was made for this exchange.
    public var domainLookupStart: MonotonicInstant?
    /// When the name's addresses were there.
    public var domainLookupEnd: MonotonicInstant?
    /// When connecting began, by TCP; nil on a reused connection, as are the next three.
    public var connectStart: MonotonicInstant?
    /// When the connection stood, TLS included.
    public var connectEnd: MonotonicInstant?
    /// When TLS began; nil without TLS.
    public var secureConnectionStart: MonotonicInstant?
    /// When TLS stood.
    public var secureConnectionEnd: MonotonicInstant?
    /// When the request began to be sent.
    public var requestStart: MonotonicInstant?
    /// When the last byte of the request had been handed over for sending.
    public var requestEnd: MonotonicInstant?
    /// When the first byte of the response was received.
    public var responseStart: MonotonicInstant?
    /// When the last one was, or the exchange ended without it.
    public var responseEnd: MonotonicInstant?
    /// `"http/1.1"`, `"h2"`: the ALPN name.
    public var networkProtocolName: String?
    /// Whether a proxy was between.
    public var isProxyConnection: Bool?
    /// Whether an earlier exchange used the same connection.
    public var isReusedConnection: Bool?
    /// This end's IP address, in text.
    public var localAddress: String?
    /// This end's TCP port.
    public var localPort: Int?
    /// The other end's IP address, in text: the proxy's, if there is one.
    public var remoteAddress: String?
    /// The other end's TCP port.
    public var remotePort: Int?
    /// `"TLSv1.3"`.
    public var tlsProtocolVersion: String?
    /// `"TLS_AES_256_GCM_SHA384"`.
    public var tlsCipherSuite: String?
    /// Bytes of the request line and header fields.
    public var requestHeaderBytesSent: Int64?
    /// Bytes of the body.
    public var requestBodyBytesSent: Int64?
    /// Bytes of the status line and header fields.
    public var responseHeaderBytesReceived: Int64?
    /// Bytes of the body as they came over the network.
    public var responseBodyBytesReceived: Int64?
    /// Bytes of the body after its content coding was undone.
    public var responseBodyBytesAfterDecoding: Int64?

    /// Metrics that say only when the exchange began and ended; the rest is nil until it is set.
    public init(start: MonotonicInstant, end: MonotonicInstant) {
        self.start = start
        self.end = end
    }
}
