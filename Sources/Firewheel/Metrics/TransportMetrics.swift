import Foundation

/// A transport's measurements of one exchange.
///
/// Values unknown to the transport are nil.
public struct TransportMetrics: Sendable {
    /// When the transport began with the request.
    public var start: MonotonicInstant
    /// When the exchange ended.
    public var end: MonotonicInstant
    /// When the name lookup began; nil if there was none for this exchange.
    public var domainLookupStart: MonotonicInstant?
    /// When the name lookup ended.
    public var domainLookupEnd: MonotonicInstant?
    /// When the TCP connect began; nil on a reused connection, as are the next three.
    public var connectStart: MonotonicInstant?
    /// When the connection was established, including TLS.
    public var connectEnd: MonotonicInstant?
    /// When the TLS handshake began; nil without TLS.
    public var secureConnectionStart: MonotonicInstant?
    /// When the TLS handshake ended.
    public var secureConnectionEnd: MonotonicInstant?
    /// When the request began to be sent.
    public var requestStart: MonotonicInstant?
    /// When the last byte of the request was passed to the network stack.
    public var requestEnd: MonotonicInstant?
    /// When the first byte of the response was received.
    public var responseStart: MonotonicInstant?
    /// When the last byte was received, or the exchange ended without it.
    public var responseEnd: MonotonicInstant?
    /// `"http/1.1"`, `"h2"`: the ALPN name.
    public var networkProtocolName: String?
    /// Whether a proxy was used.
    public var isProxyConnection: Bool?
    /// Whether the connection was used by an earlier exchange.
    public var isReusedConnection: Bool?
    /// The local IP address, as text.
    public var localAddress: String?
    /// The local TCP port.
    public var localPort: Int?
    /// The remote IP address, as text: the proxy's, if there is one. For a Unix socket its path, or its abstract name behind `@`.
    public var remoteAddress: String?
    /// The remote TCP port; nil for a Unix socket.
    public var remotePort: Int?
    /// `"TLSv1.3"`.
    public var tlsProtocolVersion: String?
    /// `"TLS_AES_256_GCM_SHA384"`.
    public var tlsCipherSuite: String?
    /// Whether the connection's TLS handshake resumed an earlier session, so that the server showed no certificate. nil without TLS.
    public var isTLSSessionResumed: Bool?
    /// The certificates of the server and of those who have signed it, each in DER, the server's own first. Empty without TLS.
    public var peerCertificateChain: [Data] {
        get { details?.chain ?? [] }
        set { details = ConnectionDetails(details, chain: newValue) }
    }
    /// The subject of the certificate that was shown to the server; nil if none was.
    public var clientCertificateSubject: String? {
        get { details?.clientSubject }
        set { details = ConnectionDetails(details, clientSubject: .some(newValue)) }
    }
    /// When agreeing with the proxy on the connection to the server began: its own TLS, and the request to connect. nil if there was
    /// nothing to agree on, and on a reused connection.
    public var proxyConnectStart: MonotonicInstant? {
        get { details?.proxyStart }
        set { details = ConnectionDetails(details, proxyStart: .some(newValue)) }
    }
    /// When it ended; nil if it has failed.
    public var proxyConnectEnd: MonotonicInstant? {
        get { details?.proxyEnd }
        set { details = ConnectionDetails(details, proxyEnd: .some(newValue)) }
    }
    /// The host and port that ``SessionConfiguration/hosts`` has for those of the URL, such as `127.0.0.1:8443`; nil if it has none.
    public var connectedHost: String? {
        get { details?.connectedHost }
        set { details = ConnectionDetails(details, connectedHost: .some(newValue)) }
    }
    /// What few connections have, in one object, because metrics are copied several times for every request.
    var details: ConnectionDetails?
    /// Bytes of the request line and header fields.
    public var requestHeaderBytesSent: Int64?
    /// Bytes of the body.
    public var requestBodyBytesSent: Int64?
    /// Bytes of the status line and header fields.
    public var responseHeaderBytesReceived: Int64?
    /// Bytes of the body as received from the network.
    public var responseBodyBytesReceived: Int64?
    /// Bytes of the body after decoding its content coding.
    public var responseBodyBytesAfterDecoding: Int64?

    /// Creates metrics with only the start and end of the exchange; the other values are nil until set.
    public init(start: MonotonicInstant, end: MonotonicInstant) {
        self.start = start
        self.end = end
    }
}

/// The certificates that a server and a client have shown each other, shared by all requests on their connection, the times of a proxy, and
/// the host that is connected to.
final class ConnectionDetails: Sendable {
    let chain: [Data]
    let clientSubject: String?
    let proxyStart: MonotonicInstant?
    let proxyEnd: MonotonicInstant?
    let connectedHost: String?

    init(
        chain: [Data], clientSubject: String?, proxyStart: MonotonicInstant? = nil, proxyEnd: MonotonicInstant? = nil,
        connectedHost: String? = nil
    ) {
        (self.chain, self.clientSubject, self.proxyStart, self.proxyEnd) = (chain, clientSubject, proxyStart, proxyEnd)
        self.connectedHost = connectedHost
    }

    /// The same with the certificates of another.
    func withCertificates(of other: ConnectionDetails) -> ConnectionDetails {
        ConnectionDetails(self, chain: other.chain, clientSubject: .some(other.clientSubject))
    }

    /// Others, with the values that are given.
    convenience init(
        _ former: ConnectionDetails?, chain: [Data]? = nil, clientSubject: String?? = nil, proxyStart: MonotonicInstant?? = nil,
        proxyEnd: MonotonicInstant?? = nil, connectedHost: String?? = nil
    ) {
        self.init(
            chain: chain ?? former?.chain ?? [], clientSubject: clientSubject ?? former?.clientSubject,
            proxyStart: proxyStart ?? former?.proxyStart, proxyEnd: proxyEnd ?? former?.proxyEnd,
            connectedHost: connectedHost ?? former?.connectedHost)
    }
}
