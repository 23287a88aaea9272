import Foundation

/// A complete HTTP request. The transport adds only `Host`, the fields of the message framing, and `Accept: */*` if there is no `Accept`.
public struct TransportRequest: Sendable {
    /// How the response body is delivered.
    public enum Delivery: Sendable, Hashable {
        /// As a whole, in the `finished` event.
        case whole
        /// In `chunk` events as it arrives, each to be acknowledged.
        case chunks
    }

    /// Identifies the request in events and calls. Unique within the transport.
    public var id: TransportTaskID
    /// Sent as it is. The response to HEAD has no body (RFC 9110 section 9.3.2). POST, PUT and PATCH without a body are sent with a content
    /// length of 0 (section 8.6).
    public var method: HTTPMethod
    /// The request target: absolute, validated, and sent as it is (RFC 9112 section 3.2).
    public var target: TargetURI
    /// Validated header fields: names are tokens, no value has CR, LF or NUL. The transport sets `Content-Length` and `Transfer-Encoding`.
    public var headers: HTTPHeaders
    /// Where the body comes from; nil for no body. Empty data is a body of length 0. A body that has begun to be sent goes on while the
    /// response is read. The end of the response ends it, unless the status is 2xx: then it goes on until nothing of it was sent for a
    /// second.
    public var bodySource: BodySource?
    /// The body if it is in memory; nil for none, and for one from another source.
    public var body: Data? {
        get { if case .data(let data) = bodySource { data } else { nil } }
        set { bodySource = newValue.map { .data($0) } }
    }
    /// Whether the body waits for the server's consent (`Expect: 100-continue`, RFC 9110 section 10.1.1): until a 100 arrives, a final
    /// response, or a second has passed. After a final response it is not sent, and the connection is closed. Without effect if there is no
    /// body, or an empty one. A hint: a transport may send the body at once, as ``URLSessionTransport`` does. The default is false.
    public var expectsContinue = false
    /// How the response body is delivered. The default is whole.
    public var delivery: Delivery
    /// About how many bytes of `chunk` events may be unacknowledged before a transport stops reading. Less makes a slow client's server
    /// slow sooner. The default is 1 MiB.
    public var receiveWindow = 1 << 20
    /// Which heads of final responses are held until ``Transport/proceed(_:_:)``. The default is none.
    public var heldHeads: HeldHeads
    /// The idle timeout: seconds without a byte in either direction; 0 means no limit. The default is 60.
    public var idleTimeout: TimeInterval
    /// Whether the response's body may be quiet for as long as it likes, as that of a feed: then the idle timeout ends with the head. The
    /// default is false.
    public var allowsQuietBody = false
    /// The connect timeout: seconds for name lookup, connecting and TLS together; nil means `idleTimeout`.
    public var connectTimeout: TimeInterval?
    /// The longest wait for a connection in seconds; nil, 0, negative numbers and NaN mean no limit. Transports that open a connection for
    /// each request, or cannot tell when one waits, ignore it. The default is nil.
    public var connectionWaitTimeout: TimeInterval?
    /// Whether the request waits for the network if there is no route to the server, or to its proxy: see
    /// `SessionConfiguration.waitsForConnectivity`. It is reported as ``TransportEvent/Kind/waitingForConnectivity``, and only the deadline
    /// limits it. The default is false.
    public var waitsForConnectivity = false
    /// When the request times out, on the monotonic clock; nil means never.
    public var deadline: MonotonicInstant?
    /// The most bytes of the body as it is handed over; nil means no limit.
    public var maximumBodySize: Int?
    /// Whether the content codings of the response's body are undone (RFC 9110 section 8.4), unless one of them is unknown. Otherwise the
    /// body is handed over as it was sent. The default is true.
    public var decodesContent = true
    /// Whether `sent` events report how much of the body was sent. The default is false.
    public var reportsSent = false
    /// Whether interim responses (1xx, RFC 9110 section 15.2) are reported. The default is false.
    public var reportsInterim = false
    /// What is offered to the server if the request opens a WebSocket (RFC 6455); nil for other requests. The default is nil.
    ///
    /// Such a request is a GET without a body, with an http or https URL and without the fields of the handshake, which the transport adds.
    /// Only a 101 opens the WebSocket. Its head is reported like that of any response, and other responses have their bodies. Then come
    /// ``TransportEvent/Kind/messages(_:)`` and ``TransportEvent/Kind/webSocket(_:)``. The request ends with the WebSocket, without an
    /// error if the client has closed it, or the server with 1000, 1001 or no code.
    public var webSocket: WebSocketOffer? {
        get { apartWebSocket }
        set { apartWebSocket = newValue }
    }
    @Apart private var apartWebSocket: WebSocketOffer?
    /// Whether the request opens a WebSocket.
    var opensWebSocket: Bool { _apartWebSocket.isThere }
    /// How the request uses the session's cache; nil without one.
    var cacheUse: CacheUse?
    /// What the connection is made with. The default is ``TransportRoute/direct``.
    public var route = TransportRoute.direct
    /// Whether the transport may resend the request by itself if a reused connection turns out to be dead. False for methods that are not
    /// idempotent (RFC 9110 section 9.2.2).
    public var allowsResend: Bool

    /// Creates a request, for tests of a transport.
    ///
    /// - Parameters:
    ///   - id: Unique among the transport's requests.
    ///   - method: The method, sent unchanged.
    ///   - target: The URL of the request.
    ///   - headers: Valid fields, in the order in which they are sent. Default: none.
    ///   - body: The body as bytes; set ``bodySource`` for others. Default: nil, no body.
    ///   - delivery: How the body of the response is delivered. Default: as a whole.
    ///   - heldHeads: Which heads wait for ``Transport/proceed(_:_:)``. Default: none.
    ///   - idleTimeout: Seconds without a byte in either direction; 0 is no limit. Default: 60.
    ///   - connectTimeout: Seconds for lookup, connecting and TLS together. Default: nil, which means `idleTimeout`.
    ///   - deadline: The time at which the request fails. Default: nil, no deadline.
    ///   - maximumBodySize: The maximum size of the decoded body in bytes. Default: nil, no limit.
    ///   - allowsResend: Whether it may be sent again on another connection. Default: false.
    public init(
        id: TransportTaskID, method: HTTPMethod, target: TargetURI, headers: HTTPHeaders = [:], body: Data? = nil,
        delivery: Delivery = .whole, heldHeads: HeldHeads = .none,
        idleTimeout: TimeInterval = 60, connectTimeout: TimeInterval? = nil, deadline: MonotonicInstant? = nil, maximumBodySize: Int? = nil,
        allowsResend: Bool = false
    ) {
        self.id = id
        self.method = method
        self.target = target
        self.headers = headers
        bodySource = body.map { .data($0) }
        self.delivery = delivery
        self.heldHeads = heldHeads
        self.idleTimeout = idleTimeout
        self.connectTimeout = connectTimeout
        self.deadline = deadline
        self.maximumBodySize = maximumBodySize
        self.allowsResend = allowsResend
    }
}

extension TransportRequest: CustomStringConvertible, CustomReflectable {
    /// The id, the method and the URL with secrets redacted.
    public var description: String { "request \(id) \(method.rawValue) \(Redaction.url(target.string))" }

    /// Empty, so that `dump` and debuggers show only the description: the parts contain credentials.
    public var customMirror: Mirror { Mirror(self, children: [:]) }
}
