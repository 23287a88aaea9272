/// What moves bytes: takes requests as values, answers with events, and knows nothing of sessions, retries, redirects or serializers.
///
/// `CurlTransport` is the one on Linux, ``URLSessionTransport`` the one on Apple's systems. A transport of your own has to keep these rules,
/// which `TransportConformance` of `FirewheelTesting` checks:
/// - Every request that was started ends with exactly one `finished` event, unless it was cancelled: then events may stop at any time.
/// - Events of one request come in order. They may come on any thread, one batch at a time to one receiver.
/// - Ids that are unknown, or over already, are ignored.
/// - A redirect is a response like any other. So is a 401.
/// - No method blocks.
/// - A transport that is released ends its requests as `failed(.cancelled, …)` and closes its connections.
public protocol Transport: AnyObject, Sendable {
    /// Starts requests, in their order. The receiver is kept until each has finished or been cancelled.
    func start(_ requests: [TransportRequest], receiver: any TransportReceiver)

    /// Ends requests wherever they are. No event needs to follow.
    func cancel(_ ids: [TransportTaskID])

    /// Stops the transfer of a request in both directions until ``resume(_:)``, so that the server feels it. No timeout runs meanwhile but the request's deadline.
    func pause(_ id: TransportTaskID)

    /// Goes on where ``pause(_:)`` stopped: no byte is lost, none comes twice.
    func resume(_ id: TransportTaskID)

    /// Says that so many bytes of `chunk` events have been used up. A transport stops reading while more than a bounded number is outstanding. A number below 1 does
    /// nothing.
    func acknowledge(_ id: TransportTaskID, bytes: Int)

    /// Closes the connections that no request is on, and leaves the others alone. Requests that start later use none of them. A transport that keeps no
    /// connections need not have it.
    func closeIdleConnections()
}

extension Transport {
    public func closeIdleConnections() {}
}

/// Receives the events of a transport.
public protocol TransportReceiver: AnyObject, Sendable {
    /// Takes a batch of events. Called on the transport's own thread: it may not block, nor run a user's code.
    func receive(_ events: [TransportEvent])
}

/// Names a request across the door of the transport. A request has a new one for every attempt, so that what comes late from an earlier attempt is known for what it is.
public struct TransportTaskID: Hashable, Sendable, CustomStringConvertible {
    /// `Request.id`.
    public let request: UInt64
    /// Counts redirects and further attempts from 0.
    public let attempt: Int

    public init(request: UInt64, attempt: Int) {
        self.request = request
        self.attempt = attempt
    }

    public var description: String { "\(request).\(attempt)" }
}

/// One request of HTTP, complete: nothing is added to it but `Host`, what the protocol's framing needs, and `Accept: */*` if it has no `Accept`.
public struct TransportRequest: Sendable {
    /// How the body of the response is handed over.
    public enum Delivery: Sendable, Hashable {
        /// Whole, in the `finished` event.
        case whole
        /// In `chunk` events as it comes, each to be acknowledged.
        case chunks
    }

    /// By which its events and the calls that concern it name it: no other request of the transport has it.
    public var id: TransportTaskID
    /// Sent as it is. The response to HEAD has no body (RFC 9110 section 9.3.2), and POST, PUT and PATCH without a body say that its length is 0 (section 8.6).
    public var method: HTTPMethod
    /// Where it goes: absolute, checked, and sent as it is (RFC 9112 section 3.2).
    public var target: TargetURI
    /// All valid: names are tokens, no value has CR, LF or NUL. `Content-Length` and `Transfer-Encoding` are the transport's to set.
    public var headers: HTTPHeaders
    /// The body's bytes; nil is none. Empty is a body of length 0.
    public var body: Data?
    /// How the body of the response is handed over; by default whole.
    public var delivery: Delivery
    /// Seconds without a byte in either direction; 0 is no limit. By default 60.
    public var idleTimeout: TimeInterval
    /// Seconds for lookup, connecting and TLS together; nil: `idleTimeout`.
    public var connectTimeout: TimeInterval?
    /// The instant at which the request has failed, on the monotonic clock (`DispatchTime.uptimeNanoseconds`); nil is never.
    public var deadline: UInt64?
    /// The most bytes that the decoded body may have; nil is no limit.
    public var maximumBodySize: Int?
    /// Whether the transport may send the request again by itself when a reused connection turns out to be dead. False for what is not idempotent (RFC 9110 section 9.2.2).
    public var allowsResend: Bool

    public init(
        id: TransportTaskID, method: HTTPMethod, target: TargetURI, headers: HTTPHeaders = [:], body: Data? = nil,
        delivery: Delivery = .whole,
        idleTimeout: TimeInterval = 60, connectTimeout: TimeInterval? = nil, deadline: UInt64? = nil, maximumBodySize: Int? = nil,
        allowsResend: Bool = false
    ) {
        self.id = id
        self.method = method
        self.target = target
        self.headers = headers
        self.body = body
        self.delivery = delivery
        self.idleTimeout = idleTimeout
        self.connectTimeout = connectTimeout
        self.deadline = deadline
        self.maximumBodySize = maximumBodySize
        self.allowsResend = allowsResend
    }
}

extension TransportRequest: CustomStringConvertible, CustomReflectable {
    /// The id, the method and the URL with its secrets redacted.
    public var description: String { "request \(id) \(method.rawValue) \(Redaction.url(target.string))" }

    /// Nothing besides the description, which `dump` and debuggers show: the parts hold credentials.
    public var customMirror: Mirror { Mirror(self, children: [:]) }
}

/// Something that happened to a request.
public struct TransportEvent: Sendable {
    public enum Kind: Sendable {
        /// The head of the final response, at an instant of the monotonic clock. Left out where the end follows at once.
        case response(ResponseHead, at: UInt64)
        /// A piece of the body (``TransportRequest/Delivery/chunks``).
        case chunk(Data)
        /// The end. Indirect because it is much larger than the others, and events are passed on a lot.
        indirect case finished(TransportResult)
    }

    public var id: TransportTaskID
    public var kind: Kind

    public init(id: TransportTaskID, kind: Kind) {
        self.id = id
        self.kind = kind
    }
}

/// How a request ended.
public struct TransportResult: Sendable {
    /// nil if the exchange was complete.
    public var error: TransportError?
    /// The final response's head, if one was received.
    public var head: ResponseHead?
    /// The body (``TransportRequest/Delivery/whole``), as far as received; nil if there was none.
    public var body: Data?
    public var metrics: TransportMetrics

    public init(error: TransportError? = nil, head: ResponseHead? = nil, body: Data? = nil, metrics: TransportMetrics) {
        self.error = error
        self.head = head
        self.body = body
        self.metrics = metrics
    }
}

/// Why an exchange failed.
public enum TransportError: Error, Sendable, Equatable {
    /// With the code that URLSession on Apple's systems reports, and an explanation.
    case failed(URLError.Code, String)
    /// The body had more bytes than `maximumBodySize`.
    case bodyTooLarge
}
