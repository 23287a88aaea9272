/// What moves bytes: takes requests as values, answers with events, and knows nothing of sessions, retries, redirects or serializers.
///
/// `CurlTransport` is the one on Linux, ``URLSessionTransport`` the one on Apple's systems. A transport of your own has to keep these
/// rules, which `TransportConformance` of `FirewheelTesting` checks:
/// - Every request that was started ends with exactly one `finished` event, unless it was cancelled: then events may stop at any time.
/// - Events of one request come in order. They may come on any thread, one batch at a time to one receiver.
/// - Ids that are unknown, or over already, are ignored.
/// - A redirect is a response like any other. So is a 401.
/// - A head that the request holds (``TransportRequest/heldHeads``) comes at once, and no event follows until ``proceed(_:_:)``.
/// - No method blocks.
/// - A transport that is released ends its requests as `failed(.cancelled, …)` and closes its connections.
public protocol Transport: AnyObject, Sendable {
    /// Starts a request. The receiver is kept until it has finished or been cancelled.
    func start(_ request: TransportRequest, receiver: any TransportReceiver)

    /// Ends a request wherever it is. No event needs to follow.
    func cancel(_ id: TransportTaskID)

    /// Stops the transfer of a request in both directions until ``resume(_:)``, so that the server feels it. No timeout runs meanwhile but
    /// the request's deadline.
    func pause(_ id: TransportTaskID)

    /// Goes on where ``pause(_:)`` stopped: no byte is lost, none comes twice.
    func resume(_ id: TransportTaskID)

    /// Answers for a head that was held (``TransportRequest/heldHeads``): the request goes on. Ignored for a request whose head is not
    /// held, or no longer.
    func proceed(_ id: TransportTaskID, _ body: TransportRequest.HeldBody)

    /// Says that so many bytes of `chunk` events have been used up. A transport stops reading while more than a bounded number is
    /// outstanding. A number below 1 does nothing.
    func acknowledge(_ id: TransportTaskID, bytes: Int)

    /// Closes the connections that no request is on, and leaves the others alone. Requests that start later use none of them. A transport
    /// that keeps no connections need not have it.
    func closeIdleConnections()
}

extension Transport {
    /// Does nothing, which is right for a transport that keeps no connections.
    public func closeIdleConnections() {}
}

/// Receives the events of a transport.
public protocol TransportReceiver: AnyObject, Sendable {
    /// Takes a batch of events. Called on the transport's own thread: it may not block, nor run a user's code.
    func receive(_ events: [TransportEvent])
}
