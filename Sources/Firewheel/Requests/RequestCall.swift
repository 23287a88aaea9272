import Foundation

/// A request's interface to its call in the engine.
protocol RequestCall: AnyObject, Sendable {
    /// `Request.id`.
    var id: UInt64 { get }
    var state: Request.State { get }
    /// The current state of the request.
    var snapshot: RequestSnapshot { get }
    /// The session's decoder, used when a call passes none.
    var decoder: SessionDecoder { get }
    /// The session's queue for serializers; nil: the library's threads.
    var serializationQueue: DispatchQueue? { get }

    func resume(_ request: Request)
    /// Builds and adapts the request ahead of `resume(_:)`, which then sends it.
    func prepare(_ request: Request)
    func suspend()
    /// - Parameter producesResumeData: Whether a download leaves what it has, to be resumed later.
    func cancel(producesResumeData: Bool)
    /// Ends the request with another error than that of a cancellation.
    func cancel(with error: FirewheelError)
    /// Attaches a response handler, and starts the request if the session starts requests immediately.
    func attach(_ handler: ResponseHandler, of request: Request)
    /// Attaches a handler before the others, to a request that is about to be cancelled.
    ///
    /// - Returns: False if others may have had their turn already. Then it was not attached.
    func putFirst(_ handler: ResponseHandler) -> Bool
    /// How far the request is.
    ///
    /// - Parameter make: Makes what is then kept; called at most once.
    func progress(_ make: () -> RequestProgress) -> RequestProgress
    /// The object that stands for the request in another product.
    var companion: (any AnyObject & Sendable)? { get }
    /// Changes the request's options.
    func configure(_ change: (inout RequestOptions) -> Void)
    /// - Parameter missed: An earlier event that the listener must still receive, given the current state.
    func listen(_ listener: EventListener, missed: (RequestSnapshot) -> RequestEvent?)
    /// Delivers an event of another product in turn with those of the request.
    func report(_ event: @escaping @Sendable () -> Void)
}

/// A request's options.
struct RequestOptions: Sendable {
    var validators: [Validator] = []
    /// Whether the validators are the session's, which are replaced by the request's own.
    var validatesAsSession = true
    /// Called with the result of each validation.
    var validationReport: (@Sendable (ValidatedResponse, (any Error)?) -> Void)?
    /// Whether the first response handler starts the request; nil: as the session says.
    var startsImmediately: Bool?
    /// In the order of their addition.
    var interceptors: [any RequestInterceptor] = []
    /// nil: only the session's credentials.
    var credential: Credential?
    /// nil: the session's.
    var redirectHandler: (any RedirectHandler)?
    /// In place of the session's.
    var cachedResponseHandler: OwnCachedResponseHandler?
    /// Called in order with the final response before its body is read.
    var responseGates: [ResponseGate] = []
    /// In seconds; nil means the timeout of the URLRequest or the session.
    var idleTimeout: TimeInterval?
    /// Whether the idle timeout ends with the response's head.
    var allowsQuietBody = false
    /// What the request accepts of the cache, in addition to what its cache policy does. It stands beside `allowsQuietBody`, because there
    /// it takes no further memory.
    var cacheLimits = CacheLimits()
    /// In seconds; nil means the session's timeout.
    var totalTimeout: TimeInterval?
    /// Whether the content codings of the response's body are undone; nil: as the session says.
    var decodesContent: Bool?
    /// In addition to the session's.
    var limits = TransferLimits()
    /// An object of another product that stands for the request, retained until its end.
    var companion: (any AnyObject & Sendable)?

    /// The validators, which report their results if somebody wants to know them.
    var reportingValidators: [Validator] {
        guard let report = validationReport else { return validators }
        return validators.map { validator in
            Validator(owner: validator.owner) { outcome in
                let error = validator.check(outcome)
                report(ValidatedResponse(outcome), error)
                return error
            }
        }
    }
}

/// A request's own handler of cached responses. An object, because every request copies its options, and few have one.
final class OwnCachedResponseHandler: Sendable {
    let handler: any CachedResponseHandler

    init(_ handler: any CachedResponseHandler) {
        self.handler = handler
    }
}

/// A caller's decision about a response before its body is read.
typealias ResponseGate = @Sendable (HTTPURLResponse) async -> Request.ResponseDisposition

/// The state of a request at one moment.
struct RequestSnapshot: Sendable {
    var state: Request.State
    var retryCount: Int
    var start: ClockReading?
    /// Whether a hop of the attempt has been passed to the transport.
    var hasTask: Bool
    /// Whether the outcome is final.
    var isSettled: Bool
    /// The attempt's outcome. Also set while it is validated and serialized, when a retry may still replace it.
    var outcome: Outcome?
    /// The error, once the outcome is final.
    var error: (any Error)?
    /// For a download: the data with which it can be resumed.
    var resumeData: Data?
    /// The requests of all attempts so far.
    var requests: [HopRequest] = []
    /// The request of the last hop.
    var lastHop: HopRequest?
    /// The outcomes of retried attempts, without bodies.
    var earlier: [Outcome] = []
    /// The final response of the current attempt, once its head has been received: not a redirect that is followed.
    var finalHead: (head: ResponseHead, target: TargetURI)?
    /// The last response head of any hop.
    var lastHead: (head: ResponseHead, target: TargetURI)?
}
