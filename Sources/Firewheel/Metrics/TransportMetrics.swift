/// What a transport measured of one exchange: one request and its response, or one hop of a redirect.
///
/// Instants are nanoseconds on the monotonic clock (`DispatchTime.uptimeNanoseconds`). What the transport does not know is nil, never guessed.
public struct TransportMetrics: Sendable {
    /// When the transport took the request up.
    public var start: UInt64
    /// When the exchange was over.
    public var end: UInt64
    public var domainLookupStart: UInt64?
    public var domainLookupEnd: UInt64?
    public var connectStart: UInt64?
    public var connectEnd: UInt64?
    public var secureConnectionStart: UInt64?
    public var secureConnectionEnd: UInt64?
    public var requestStart: UInt64?
    public var requestEnd: UInt64?
    public var responseStart: UInt64?
    public var responseEnd: UInt64?
    /// `"http/1.1"`, `"h2"`: the ALPN name.
    public var networkProtocolName: String?
    public var isProxyConnection: Bool?
    public var isReusedConnection: Bool?
    public var localAddress: String?
    public var localPort: Int?
    public var remoteAddress: String?
    public var remotePort: Int?
    /// `"TLSv1.3"`.
    public var tlsProtocolVersion: String?
    /// `"TLS_AES_256_GCM_SHA384"`.
    public var tlsCipherSuite: String?
    public var requestHeaderBytesSent: Int64?
    public var requestBodyBytesSent: Int64?
    public var responseHeaderBytesReceived: Int64?
    public var responseBodyBytesReceived: Int64?
    public var responseBodyBytesAfterDecoding: Int64?

    public init(start: UInt64, end: UInt64) {
        self.start = start
        self.end = end
    }
}
