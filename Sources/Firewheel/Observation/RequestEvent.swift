import Foundation

/// An event of a request. Its ``RequestContext`` has the request, response and metrics known at that time.
///
/// The order for one request is:
/// ```
/// resume
/// ├─ attempt                                1 + retryCount times
/// │  ├─ adaptURLRequest(from:)              with adapters; or failToAdaptURLRequest, then retry or finish
/// │  ├─ createURLRequest                    or failToCreateURLRequest, then retry or finish
/// │  ├─ createTask(attempt:hop:)            hop 0
/// │  │  ├─ waitForConnectivity              each time that it begins to wait for the network
/// │  │  ├─ didUseCache                      with a response of the session's cache
/// │  │  ├─ redirect(to:)                    0 to 20 times, each followed by createTask with hop 1, 2 ... unless it ends first
/// │  │  ├─ receiveResponse                  unless the exchange failed before a final response
/// │  │  ├─ gatherMetrics
/// │  │  └─ completeTask(error:)
/// │  ├─ validate(error:)                    if there is a response and a validation
/// │  ├─ saveFile(URL)                       for a successful download, which is not retried after that
/// │  ├─ parseResponse(type:error:)          once per response handler, until one fails and is retried
/// │  └─ retry(delay:error:)                 followed by another attempt
/// ├─ finish(error:)                         exactly once, after all of the above
/// └─ parseResponse(type:error:)             once per response handler that was attached after the end
/// ```
/// `suspend`, `resume` and `cancel` occur when they are called, before `finish`. After `cancel` follow `completeTask`, if a task was
/// created, and `finish`.
///
/// Later versions may add events: a `switch` over it needs a `default`.
public enum RequestEvent: Sendable {
    /// It was started, or resumed after `suspend`.
    case resume
    /// It was suspended.
    case suspend
    /// It was cancelled.
    case cancel
    /// Adapters changed the original request, which is the payload.
    case adaptURLRequest(from: URLRequest)
    /// An adapter threw an error.
    case failToAdaptURLRequest(error: any Error)
    /// The request to send was created: `RequestContext.request`.
    case createURLRequest
    /// The request to send could not be created.
    case failToCreateURLRequest(error: any Error)
    /// An exchange was passed to the transport. Attempts count from 0 and increase with each retry; hops count from 0 in each attempt and
    /// increase with each redirect.
    case createTask(attempt: Int, hop: Int)
    /// There is no route to the server or its proxy, and the request waits for the network
    /// (`SessionConfiguration.waitsForConnectivity`).
    case waitForConnectivity
    /// The response of an exchange comes from the session's cache (``SessionConfiguration/cache``). The payload is never
    /// ``ResponseSource/network``.
    case didUseCache(ResponseSource)
    /// The server redirected it: `RequestContext.response` is the redirect, the payload the next request.
    case redirect(to: URLRequest)
    /// The head of the final response was received: `RequestContext.response`.
    case receiveResponse
    /// The metrics are available: `RequestContext.metrics`.
    case gatherMetrics
    /// The attempt's last exchange has ended. The error is the transport's, or that of a cancellation or timeout; nil if the response is
    /// complete.
    case completeTask(error: (any Error)?)
    /// The validations ran. The error is that of the first failed one.
    case validate(error: (any Error)?)
    /// A retrier requests another attempt, which begins after a delay in seconds. `RequestContext.retryCount` is the number of previous
    /// retries.
    case retry(delay: TimeInterval, error: any Error)
    /// The downloaded file was placed.
    case saveFile(URL)
    /// The outcome is final; the handlers follow.
    case finish(error: (any Error)?)
    /// A serializer made a response for a handler with this type of value.
    case parseResponse(type: String, error: (any Error)?)
}

extension RequestEvent: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// The event with its payload, with credentials redacted: `redirect(to: GET https://example.com/)`.
    public var description: String {
        func text(_ error: (any Error)?) -> String { error.map(FirewheelError.words) ?? "nil" }
        return switch self {
        case .resume: "resume"
        case .suspend: "suspend"
        case .cancel: "cancel"
        case .createURLRequest: "createURLRequest"
        case .waitForConnectivity: "waitForConnectivity"
        case .failToCreateURLRequest(let error): "failToCreateURLRequest(error: \(text(error)))"
        case .adaptURLRequest(let request): "adaptURLRequest(from: \(Redaction.line(of: request)))"
        case .failToAdaptURLRequest(let error): "failToAdaptURLRequest(error: \(text(error)))"
        case .createTask(let attempt, let hop): "createTask(attempt: \(attempt), hop: \(hop))"
        case .retry(let delay, let error): "retry(delay: \(delay), error: \(text(error)))"
        case .redirect(let request): "redirect(to: \(Redaction.line(of: request)))"
        case .didUseCache(let source): "didUseCache(\(source.word ?? "network"))"
        case .receiveResponse: "receiveResponse"
        case .gatherMetrics: "gatherMetrics"
        case .completeTask(let error): "completeTask(error: \(text(error)))"
        case .validate(let error): "validate(error: \(text(error)))"
        case .saveFile(let url): "saveFile(\(url.path))"
        case .finish(let error): "finish(error: \(text(error)))"
        case .parseResponse(let type, let error): "parseResponse(type: \(type), error: \(text(error)))"
        }
    }

    /// The ``description``, so that a debugger shows no secrets either.
    public var debugDescription: String { description }

    /// Empty, so that `dump` and debuggers show only the description: requests and errors contain credentials.
    public var customMirror: Mirror { Mirror(self, children: [:]) }
}
