/// How a request asks to be driven: all that it knows of the engine above it.
protocol RequestDriver: AnyObject, Sendable {
    /// Who listens to every request of the session.
    var sessionFacts: SessionFacts { get }
    /// Takes a request that was resumed for the first time.
    func start(_ request: Request)
    /// Takes note of a request that has a handler and has not been started, so that the handler is called if the session goes.
    func watchUnstarted(_ request: Request)
    /// Brings the transport in line with the state of a request that was suspended, resumed or cancelled.
    func reconcile(_ request: Request)
    /// Serves response handlers that were attached after the end.
    func deliverResponses(of request: Request)
    /// Says that bytes of the body which came in chunks have been used up.
    func acknowledge(_ id: TransportTaskID, bytes: Int)
    /// Ends a request whose body could not be kept.
    func fail(_ request: Request, with error: FirewheelError)
}
