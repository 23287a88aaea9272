/// The interface to the network: takes requests as values and reports events. It knows nothing of sessions, retries, redirects or
/// serializers.
///
/// `SocketTransport` is the implementation on Linux, ``URLSessionTransport`` the one on Apple platforms. A transport of your own must
/// follow these rules, which `TransportConformance` of `FirewheelTesting` checks:
/// - Every started request ends with exactly one `finished` event, unless it was cancelled: then events may stop at any time.
/// - Events of one request are in order. They may come on any thread, one batch at a time for each receiver.
/// - Unknown ids, and those of finished requests, are ignored.
/// - A redirect is a response like any other. So is a 401.
/// - What a request asks for and the transport cannot do fails with an error that says so, before anything is sent.
/// - A held head (``TransportRequest/heldHeads``) is reported at once, and no event follows until ``proceed(_:_:)``.
/// - No method blocks.
/// - A released transport ends its requests with `failed(.cancelled, …)` and closes its connections.
public protocol Transport: AnyObject, Sendable {
    /// Starts a request. The receiver is retained until the request has finished or been cancelled.
    func start(_ request: TransportRequest, receiver: any TransportReceiver)

    /// Cancels a request at any stage. No event needs to follow.
    func cancel(_ id: TransportTaskID)

    /// Pauses a request in both directions until ``resume(_:)``, with back-pressure on the server. No timeout runs in the meantime except
    /// the request's deadline.
    func pause(_ id: TransportTaskID)

    /// Resumes a request after ``pause(_:)`` without losing or repeating a byte.
    func resume(_ id: TransportTaskID)

    /// Decides about the body behind a held head (``TransportRequest/heldHeads``), and lets the request continue. Ignored if no head is
    /// held.
    func proceed(_ id: TransportTaskID, _ body: TransportRequest.HeldBody)

    /// Acknowledges bytes of `chunk` events that have been consumed. A transport stops reading while more than a bounded number is
    /// unacknowledged. Numbers below 1 are ignored.
    func acknowledge(_ id: TransportTaskID, bytes: Int)

    /// Answers a question (``TransportEvent/Kind/question(_:)``). Ignored if none was asked. A transport that asks none need not implement
    /// it.
    func answer(_ id: TransportTaskID, _ answer: TransportAnswer)

    /// Uses an open WebSocket (``TransportRequest/webSocket``). Commands of one WebSocket are carried out in order. Ignored before the 101,
    /// after the end, and for other requests. A transport that opens no WebSockets need not implement it; one that passes requests on to
    /// another transport must pass these on, too.
    func send(_ id: TransportTaskID, _ command: WebSocketCommand)

    /// Closes idle connections and leaves those in use alone. Requests started later use none of the closed ones. A transport without a
    /// connection pool need not implement it.
    func closeIdleConnections()
}

extension Transport {
    /// Does nothing, which is correct for a transport that asks no questions.
    public func answer(_ id: TransportTaskID, _ answer: TransportAnswer) {}

    /// Does nothing, which is correct for a transport that opens no WebSockets.
    public func send(_ id: TransportTaskID, _ command: WebSocketCommand) {}

    /// Does nothing, which is correct for a transport without idle connections.
    public func closeIdleConnections() {}
}

/// Receives the events of a transport.
public protocol TransportReceiver: AnyObject, Sendable {
    /// Receives a batch of events. Called on the transport's thread: must not block or run the caller's code.
    func receive(_ events: [TransportEvent])
}
