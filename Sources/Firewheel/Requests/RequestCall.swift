import Foundation

/// How a request reaches its call: all that this floor knows of the engine above it.
protocol RequestCall: AnyObject, Sendable {
    /// `Request.id`.
    var id: UInt64 { get }
    var state: Request.State { get }
    /// What is known of the request now.
    var snapshot: RequestSnapshot { get }
    /// What decodes bodies where a call names no decoder.
    var decoder: SessionDecoder { get }

    func resume(_ request: Request)
    func suspend()
    func cancel()
    /// Attaches a response handler, and starts the request if that is how the session wants it.
    func attach(_ handler: ResponseHandler, of request: Request)
    /// Changes how the request is made and judged.
    func configure(_ change: (inout RequestOptions) -> Void)
    /// - Parameter missed: What the listener has missed and has to hear, going by what is known.
    func listen(_ listener: EventListener, missed: (RequestSnapshot) -> RequestEvent?)
}

/// What a caller asks of one request beyond its handlers.
struct RequestOptions: Sendable {
    var validators: [Validator] = []
    /// Whether the validators are the session's, which the request's own replace.
    var validatesAsSession = true
    /// In the order in which they were added.
    var interceptors: [any RequestInterceptor] = []
    /// nil: only the session's credentials.
    var credential: Credential?
    /// nil: the session's.
    var redirectHandler: (any RedirectHandler)?
    /// Asked, in their order, about the final response before its body is read.
    var responseGates: [ResponseGate] = []
    /// Seconds; nil: the URLRequest's or the session's.
    var idleTimeout: TimeInterval?
    /// Seconds; nil: the session's.
    var totalTimeout: TimeInterval?
}

/// A caller's decision about a response before its body is read.
typealias ResponseGate = @Sendable (HTTPURLResponse) async -> Request.ResponseDisposition

/// What is known of a request at one moment.
struct RequestSnapshot: Sendable {
    var state: Request.State
    var retryCount: Int
    var start: ClockReading?
    /// Whether a hop of the attempt has been handed to the transport.
    var hasTask: Bool
    /// Whether the outcome is final.
    var isSettled: Bool
    /// What the attempt came to: there while it is validated and serialized, when a retry may still replace it.
    var outcome: Outcome?
    /// The error, once the outcome is final.
    var error: (any Error)?
    /// The requests of all attempts so far, the last one included.
    var requests: [HopRequest] = []
    /// The outcomes of the attempts that were retried, without their bodies.
    var earlier: [Outcome] = []
    /// The final response of the attempt under way, once its head is there: not a redirect that is followed.
    var finalHead: (head: ResponseHead, target: TargetURI)?
    /// The head that came last, of whatever hop.
    var lastHead: (head: ResponseHead, target: TargetURI)?
}
