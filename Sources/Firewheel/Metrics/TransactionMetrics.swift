import Foundation

/// The metrics of one hop: its request and response, and when each phase began and ended.
///
/// The names are those of `URLSessionTaskTransactionMetrics`. Values unknown to the transport are nil; the phases of connecting are nil on
/// a reused connection.
public struct TransactionMetrics: Sendable {
    /// The source of the response.
    public enum ResourceFetchType: Sendable, Hashable {
        /// The network. URLSession's type for pushed responses does not occur.
        case networkLoad
        /// The session's cache.
        case localCache
    }

    /// The request of this hop.
    public let request: URLRequest
    /// The hop's response.
    public let response: HTTPURLResponse?
    /// When the transport began with the request. It may have waited in the session's queue before.
    public let fetchStartDate: Date?
    /// When the name lookup began. nil if none was needed: for an IP address or a cached name.
    public let domainLookupStartDate: Date?
    /// When the name lookup was complete.
    public let domainLookupEndDate: Date?
    /// When connecting began. Its end includes the TLS handshake, as in URLSession.
    public let connectStartDate: Date?
    /// When the connection was ready for the request, TLS included. nil if it could not be made.
    public let connectEndDate: Date?
    /// When agreeing with the proxy on the connection to the server began: the proxy's own TLS, and the request to connect. It is a part of
    /// connecting. nil without a proxy, for http through a proxy without TLS, and on a reused connection.
    public let proxyConnectStartDate: Date?
    /// When the proxy had connected to the server, or was ready for the request; nil if it failed.
    public let proxyConnectEndDate: Date?
    /// When the TLS handshake began; nil for http.
    public let secureConnectionStartDate: Date?
    /// When the TLS handshake was complete; nil for http, and if it failed.
    public let secureConnectionEndDate: Date?
    /// When the request began to be sent.
    public let requestStartDate: Date?
    /// When the last byte of the request was passed to the network stack.
    public let requestEndDate: Date?
    /// When the first byte of the response was received.
    public let responseStartDate: Date?
    /// When the last byte of the response was received, or the exchange ended without it.
    public let responseEndDate: Date?
    /// `"http/1.1"`, `"h2"`.
    public let networkProtocolName: String?
    /// Whether the connection went through a proxy.
    public let isProxyConnection: Bool?
    /// Whether an earlier request had used the same connection.
    public let isReusedConnection: Bool?
    /// Whether the response came from the network or from the session's cache, as in URLSession.
    public let resourceFetchType: ResourceFetchType
    /// Where the response comes from. A response that the server has confirmed is ``ResponseSource/revalidated(age:)``, and its
    /// ``resourceFetchType`` is the network.
    public let source: ResponseSource
    /// The IP address of the local end of the connection, as text.
    public let localAddress: String?
    /// The TCP port of the local end of the connection.
    public let localPort: Int?
    /// The IP address of the remote end of the connection, as text: the proxy's, if there is one. For a Unix socket
    /// (``SessionConfiguration/unixSocketPath``) its path, or its abstract name behind `@`.
    public let remoteAddress: String?
    /// The TCP port of the remote end of the connection; nil for a Unix socket.
    public let remotePort: Int?
    /// The family of ``remoteAddress``: ``AddressFamily/ipv4`` or ``AddressFamily/ipv6``. nil for a Unix socket.
    public var addressFamily: AddressFamily? { remoteAddress.flatMap { AddressFamily(of: $0) } }
    /// The host and port that ``SessionConfiguration/hosts`` has for those of the URL, such as `127.0.0.1:8443`: they are connected to, or
    /// the proxy is asked to connect to them. nil if it has none.
    public var connectedHost: String? { details?.connectedHost }
    /// `"TLSv1.3"`.
    public let negotiatedTLSProtocolVersion: String?
    /// `"TLS_AES_256_GCM_SHA384"`.
    public let negotiatedTLSCipherSuite: String?
    /// Whether the connection's TLS handshake resumed the session of an earlier connection, which is quicker than a full handshake. On a
    /// reused connection it tells how the connection was made. nil without TLS, and on `URLSessionTransport`.
    public let isTLSSessionResumed: Bool?
    /// The server's certificates, its own first: the chain that was verified, with the authority at its end.
    ///
    /// For a server that was trusted although its chain could not be verified (``DisabledTrustEvaluator``), the certificates from which a
    /// chain could be built. On a reused connection, and on one that resumed a TLS session, those of the full handshake. Empty without TLS,
    /// if the handshake failed, and on `URLSessionTransport`. The certificates are parsed each time that this is read.
    public var peerCertificateChain: [Certificate] { details?.chain.compactMap { try? Certificate(der: $0) } ?? [] }
    /// The subject of the client certificate that the server has asked for and received, as ``Certificate/subject``.
    ///
    /// On a reused connection, and on one that resumed a TLS session, that of the full handshake. nil without one, also if
    /// ``TLSConfiguration/identities`` has one that the server did not ask for, and on `URLSessionTransport`.
    public var clientCertificateSubject: String? { details?.clientSubject }
    private let details: ConnectionDetails?
    /// Bytes of the request line and header fields.
    public let countOfRequestHeaderBytesSent: Int64?
    /// Bytes of the request's body.
    public let countOfRequestBodyBytesSent: Int64?
    /// Bytes of the status line and header fields.
    public let countOfResponseHeaderBytesReceived: Int64?
    /// Bytes of the body as received from the network.
    public let countOfResponseBodyBytesReceived: Int64?
    /// Bytes of the body after decoding its content coding.
    public let countOfResponseBodyBytesAfterDecoding: Int64?

    init(
        request: URLRequest, response: HTTPURLResponse?, source: ResponseSource = .network, measured: TransportMetrics, clock: ClockReading
    ) {
        func date(_ instant: MonotonicInstant?) -> Date? {
            instant.map(clock.date)
        }
        self.request = request
        self.response = response
        fetchStartDate = date(measured.start)
        domainLookupStartDate = date(measured.domainLookupStart)
        domainLookupEndDate = date(measured.domainLookupEnd)
        connectStartDate = date(measured.connectStart)
        connectEndDate = date(measured.connectEnd)
        secureConnectionStartDate = date(measured.secureConnectionStart)
        secureConnectionEndDate = date(measured.secureConnectionEnd)
        requestStartDate = date(measured.requestStart)
        requestEndDate = date(measured.requestEnd)
        responseStartDate = date(measured.responseStart)
        responseEndDate = date(measured.responseEnd)
        networkProtocolName = measured.networkProtocolName
        isProxyConnection = measured.isProxyConnection
        isReusedConnection = measured.isReusedConnection
        resourceFetchType = source.isFromServer ? .networkLoad : .localCache
        self.source = source
        localAddress = measured.localAddress
        localPort = measured.localPort
        remoteAddress = measured.remoteAddress
        remotePort = measured.remotePort
        negotiatedTLSProtocolVersion = measured.tlsProtocolVersion
        negotiatedTLSCipherSuite = measured.tlsCipherSuite
        isTLSSessionResumed = measured.isTLSSessionResumed
        details = measured.details
        proxyConnectStartDate = date(details?.proxyStart)
        proxyConnectEndDate = date(details?.proxyEnd)
        countOfRequestHeaderBytesSent = measured.requestHeaderBytesSent
        countOfRequestBodyBytesSent = measured.requestBodyBytesSent
        countOfResponseHeaderBytesReceived = measured.responseHeaderBytesReceived
        countOfResponseBodyBytesReceived = measured.responseBodyBytesReceived
        countOfResponseBodyBytesAfterDecoding = measured.responseBodyBytesAfterDecoding
    }
}

extension TransactionMetrics: CustomStringConvertible, CustomReflectable {
    /// One line: the request, the connection, and the duration of each phase. Credentials in the URL are redacted.
    public var description: String {
        var parts = [Redaction.line(of: request)]
        if let status = response?.statusCode { parts.append("status \(status)") }
        if let networkProtocolName { parts.append(networkProtocolName) }
        if let remoteAddress, let remotePort {
            parts.append("to \(isProxyConnection == true ? "the proxy " : "")\(remoteAddress) port \(remotePort)")
        } else if let remoteAddress {
            parts.append("to \(remoteAddress.onOneLine)")
        }
        if let connectedHost { parts.append("host replaced by \(connectedHost)") }
        if isReusedConnection == true { parts.append("reused connection") }
        if let word = source.word { parts.append(word) }
        func phase(_ name: String, _ start: Date?, _ end: Date?) {
            if let start, let end { parts.append("\(name) \(milliseconds(end.timeIntervalSince(start)))") }
        }
        phase("lookup", domainLookupStartDate, domainLookupEndDate)
        phase("connect", connectStartDate, connectEndDate)
        phase("proxy", proxyConnectStartDate, proxyConnectEndDate)
        phase(isTLSSessionResumed == true ? "resumed TLS" : "TLS", secureConnectionStartDate, secureConnectionEndDate)
        phase("first byte", requestStartDate, responseStartDate)
        phase("response", responseStartDate, responseEndDate)
        return parts.joined(separator: ", ")
    }

    /// Empty, so that `dump` and debuggers show only the description: the request and the response contain credentials.
    public var customMirror: Mirror { Mirror(self, children: [:]) }
}

func milliseconds(_ seconds: TimeInterval) -> String {
    String(format: "%.3f ms", seconds * 1000)
}
