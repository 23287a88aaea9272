import Foundation

/// An event of a request.
public struct TransportEvent: Sendable {
    /// What can happen to a request. In order: any number of `interim`s, at most one `response`, any number of `chunk`s, or of `messages`
    /// and `webSocket`s, exactly one `finished`. A `sent` can come anywhere before the end, a `question` and `waitingForConnectivity`
    /// anywhere before the response.
    public enum Kind: Sendable {
        /// The head of an interim response (``TransportRequest/reportsInterim``).
        case interim(ResponseHead)
        /// How many bytes of the request's body have been passed to the network stack so far (``TransportRequest/reportsSent``), without
        /// their framing. The number falls if the request is sent again.
        case sent(Int64)
        /// There is no route to the server or its proxy, and the request waits for the network
        /// (``TransportRequest/waitsForConnectivity``). Once each time that it begins to wait.
        case waitingForConnectivity
        /// The exchange stands still until ``Transport/answer(_:_:)``.
        case question(TransportQuestion)
        /// The head of the final response, and when it was received. Omitted if the end follows at once, unless the head is held.
        case response(ResponseHead, at: MonotonicInstant)
        /// A piece of the body (``TransportRequest/Delivery/chunks``).
        case chunk(Data)
        /// Messages of an open WebSocket (``TransportRequest/webSocket``), to be acknowledged together: with 64 bytes for each, and those
        /// of its data or of its text as UTF-8.
        case messages([WebSocketMessage])
        /// What else happens on an open WebSocket.
        case webSocket(WebSocketEvent)
        /// The end of the request.
        case finished(TransportResult)
    }

    /// The request that the event belongs to.
    public var id: TransportTaskID
    /// What happened.
    public var kind: Kind
    /// With a chunk of a body that is decoded: how many bytes of the coded body have been received so far, without their framing. nil for
    /// other events, and if the transport does not know it. Default: nil.
    public var encodedCount: Int64?

    /// Creates an event for a request's receiver.
    public init(id: TransportTaskID, kind: Kind) {
        self.id = id
        self.kind = kind
    }
}

/// How a request ended.
public struct TransportResult: Sendable {
    private final class Storage: @unchecked Sendable {
        // Sound because it is changed only by a result that has the only reference to it.
        var error: TransportError?
        var head: ResponseHead?
        var body: Data?
        var trailers: HTTPHeaders
        var metrics: TransportMetrics

        init(error: TransportError?, head: ResponseHead?, body: Data?, trailers: HTTPHeaders, metrics: TransportMetrics) {
            self.error = error
            self.head = head
            self.body = body
            self.trailers = trailers
            self.metrics = metrics
        }

        func copy() -> Storage { Storage(error: error, head: head, body: body, trailers: trailers, metrics: metrics) }
    }

    // A reference, because a result is large and passes through many hands.
    private var storage: Storage
    private var ownStorage: Storage {
        mutating get {
            if !isKnownUniquelyReferenced(&storage) { storage = storage.copy() }
            return storage
        }
    }

    /// nil if the exchange was complete.
    public var error: TransportError? {
        get { storage.error }
        set { ownStorage.error = newValue }
    }

    /// The final response's head, if one was received.
    public var head: ResponseHead? {
        get { storage.head }
        set { ownStorage.head = newValue }
    }

    /// The body received so far (``TransportRequest/Delivery/whole``); nil if there was none.
    public var body: Data? {
        get { storage.body }
        set { ownStorage.body = newValue }
    }

    /// The trailer fields behind the body (RFC 9110 section 6.5), without those that trailers may not have. Empty if the transport cannot
    /// know them.
    public var trailers: HTTPHeaders {
        get { storage.trailers }
        set { ownStorage.trailers = newValue }
    }

    /// The transport's measurements of the exchange, also of a failed one.
    public var metrics: TransportMetrics {
        get { storage.metrics }
        set { ownStorage.metrics = newValue }
    }

    /// The end of a request.
    ///
    /// - Parameters:
    ///   - error: Why the exchange failed. Default: nil, for a complete exchange.
    ///   - head: The final response's head. Default: nil, if none was received.
    ///   - body: The body, if it is delivered as a whole. Default: nil, for no body.
    ///   - trailers: The trailer fields. Default: none.
    ///   - metrics: The measurements; at least start and end.
    public init(
        error: TransportError? = nil, head: ResponseHead? = nil, body: Data? = nil, trailers: HTTPHeaders = [:], metrics: TransportMetrics
    ) {
        storage = Storage(error: error, head: head, body: body, trailers: trailers, metrics: metrics)
    }
}
