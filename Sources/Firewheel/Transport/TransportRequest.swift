import Foundation

/// One request of HTTP, complete: nothing is added to it but `Host`, what the protocol's framing needs, and `Accept: */*` if it has no
/// `Accept`.
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
    /// Sent as it is. The response to HEAD has no body (RFC 9110 section 9.3.2), and POST, PUT and PATCH without a body say that its length
    /// is 0 (section 8.6).
    public var method: HTTPMethod
    /// Where it goes: absolute, checked, and sent as it is (RFC 9112 section 3.2).
    public var target: TargetURI
    /// All valid: names are tokens, no value has CR, LF or NUL. `Content-Length` and `Transfer-Encoding` are the transport's to set.
    public var headers: HTTPHeaders
    /// The body's bytes; nil is none. Empty is a body of length 0.
    public var body: Data?
    /// How the body of the response is handed over; by default whole.
    public var delivery: Delivery
    /// Which heads of final responses wait for ``Transport/proceed(_:_:)``; by default none.
    public var heldHeads: HeldHeads
    /// Seconds without a byte in either direction; 0 is no limit. By default 60.
    public var idleTimeout: TimeInterval
    /// Seconds for lookup, connecting and TLS together; nil: `idleTimeout`.
    public var connectTimeout: TimeInterval?
    /// The instant at which the request has failed, on the monotonic clock; nil is never.
    public var deadline: MonotonicInstant?
    /// The most bytes that the decoded body may have; nil is no limit.
    public var maximumBodySize: Int?
    /// Whether the transport may send the request again by itself when a reused connection turns out to be dead. False for what is not
    /// idempotent (RFC 9110 section 9.2.2).
    public var allowsResend: Bool

    /// A request made by hand, for tests of a transport.
    ///
    /// - Parameters:
    ///   - id: Unique among the transport's requests.
    ///   - method: Sent as it is.
    ///   - target: Where it goes.
    ///   - headers: Valid ones, in the order in which they are sent. Default: none.
    ///   - body: Default: nil, no body.
    ///   - delivery: How the body of the response is handed over. Default: whole.
    ///   - heldHeads: Which heads wait for ``Transport/proceed(_:_:)``. Default: none.
    ///   - idleTimeout: Seconds without a byte in either direction; 0 is no limit. Default: 60.
    ///   - connectTimeout: Seconds for lookup, connecting and TLS together. Default: nil, as `idleTimeout`.
    ///   - deadline: When the request has failed. Default: nil, never.
    ///   - maximumBodySize: The most bytes of the decoded body. Default: nil, no limit.
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
        self.body = body
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
    /// The id, the method and the URL with its secrets redacted.
    public var description: String { "request \(id) \(method.rawValue) \(Redaction.url(target.string))" }

    /// Nothing besides the description, which `dump` and debuggers show: the parts hold credentials.
    public var customMirror: Mirror { Mirror(self, children: [:]) }
}
