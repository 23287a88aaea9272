import Foundation

/// What is known of one hop of a task: one request, its response, and when each phase began and ended.
///
/// The names are those of `URLSessionTaskTransactionMetrics`. What the transport cannot know is nil, never invented; the phases of
/// connecting are nil on a reused connection.
public struct TransactionMetrics: Sendable {
    /// Where the response came from.
    public enum ResourceFetchType: Sendable, Hashable {
        case networkLoad
    }

    /// The request of this hop.
    public let request: URLRequest
    /// The response to it.
    public let response: HTTPURLResponse?
    /// When the transport took the request up. It may have waited in the session's queue before.
    public let fetchStartDate: Date?
    /// When the lookup of the host's name began. nil if none was needed: an address, or a name that was looked up less than a minute ago.
    public let domainLookupStartDate: Date?
    public let domainLookupEndDate: Date?
    /// When connecting began, TLS included in its end as URLSession does.
    public let connectStartDate: Date?
    public let connectEndDate: Date?
    public let secureConnectionStartDate: Date?
    public let secureConnectionEndDate: Date?
    /// When the request began to be sent.
    public let requestStartDate: Date?
    /// When the last byte of the request had been handed over for sending.
    public let requestEndDate: Date?
    /// When the first byte of the response was received.
    public let responseStartDate: Date?
    public let responseEndDate: Date?
    /// `"http/1.1"`, `"h2"`.
    public let networkProtocolName: String?
    public let isProxyConnection: Bool?
    public let isReusedConnection: Bool?
    public let resourceFetchType: ResourceFetchType
    public let localAddress: String?
    public let localPort: Int?
    public let remoteAddress: String?
    public let remotePort: Int?
    /// `"TLSv1.3"`.
    public let negotiatedTLSProtocolVersion: String?
    /// `"TLS_AES_256_GCM_SHA384"`.
    public let negotiatedTLSCipherSuite: String?
    /// Bytes of the request line and header fields.
    public let countOfRequestHeaderBytesSent: Int64?
    public let countOfRequestBodyBytesSent: Int64?
    /// Bytes of the status line and header fields.
    public let countOfResponseHeaderBytesReceived: Int64?
    /// Bytes of the body as they came over the network.
    public let countOfResponseBodyBytesReceived: Int64?
    /// Bytes of the body after its content coding was undone.
    public let countOfResponseBodyBytesAfterDecoding: Int64?

    init(request: URLRequest, response: HTTPURLResponse?, measured: TransportMetrics, clock: ClockReading) {
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
        resourceFetchType = .networkLoad
        localAddress = measured.localAddress
        localPort = measured.localPort
        remoteAddress = measured.remoteAddress
        remotePort = measured.remotePort
        negotiatedTLSProtocolVersion = measured.tlsProtocolVersion
        negotiatedTLSCipherSuite = measured.tlsCipherSuite
        countOfRequestHeaderBytesSent = measured.requestHeaderBytesSent
        countOfRequestBodyBytesSent = measured.requestBodyBytesSent
        countOfResponseHeaderBytesReceived = measured.responseHeaderBytesReceived
        countOfResponseBodyBytesReceived = measured.responseBodyBytesReceived
        countOfResponseBodyBytesAfterDecoding = measured.responseBodyBytesAfterDecoding
    }
}

extension TransactionMetrics: CustomStringConvertible, CustomReflectable {
    /// One line: what was asked, over which connection, and how long each phase took. Credentials in the URL are redacted.
    public var description: String {
        var parts = [Redaction.line(of: request)]
        if let status = response?.statusCode { parts.append("status \(status)") }
        if let networkProtocolName { parts.append(networkProtocolName) }
        if let remoteAddress, let remotePort { parts.append("to \(remoteAddress) port \(remotePort)") }
        if isReusedConnection == true { parts.append("reused connection") }
        func phase(_ name: String, _ start: Date?, _ end: Date?) {
            if let start, let end { parts.append("\(name) \(milliseconds(end.timeIntervalSince(start)))") }
        }
        phase("lookup", domainLookupStartDate, domainLookupEndDate)
        phase("connect", connectStartDate, connectEndDate)
        phase("TLS", secureConnectionStartDate, secureConnectionEndDate)
        phase("first byte", requestStartDate, responseStartDate)
        phase("response", responseStartDate, responseEndDate)
        return parts.joined(separator: ", ")
    }

    /// Nothing besides the description, which `dump` and debuggers show: the request and the response hold credentials.
    public var customMirror: Mirror { Mirror(self, children: [:]) }
}

func milliseconds(_ seconds: TimeInterval) -> String {
    String(format: "%.3f ms", seconds * 1000)
}
