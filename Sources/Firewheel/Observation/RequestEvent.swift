import Foundation

/// Something that a request did. What is known by then (request, response, metrics) is in the ``RequestContext`` that comes with it.
///
/// In this order, for one request:
/// ```
/// resume
/// ├─ attempt                                1 + retryCount times
/// │  ├─ adaptURLRequest(from:)              where there are adapters; or failToAdaptURLRequest, then retry or finish
/// │  ├─ createURLRequest                    or failToCreateURLRequest, then retry or finish
/// │  ├─ createTask(attempt:hop:)            hop 0
/// │  │  ├─ redirect(to:)                    0 to 20 times, each followed by createTask with hop 1, 2 ... unless it ends first
/// │  │  ├─ receiveResponse                  unless the exchange failed before a final response came
/// │  │  ├─ gatherMetrics
/// │  │  └─ completeTask(error:)
/// │  ├─ validate(error:)                    if there is something to validate, and it could be
/// │  ├─ saveFile(URL)                       a download that succeeded: it is not retried any more
/// │  ├─ parseResponse(type:error:)          once for each response handler, until one fails and is retried
/// │  └─ retry(delay:error:)                 then another attempt follows
/// ├─ finish(error:)                         once, always, and all of the above has happened by then
/// └─ parseResponse(type:error:)             once for each response handler that was attached after the end
/// ```
/// `suspend`, `resume` and `cancel` come when they are called, before `finish`. After `cancel` what was under way ends with `completeTask`
/// if it had begun, and `finish`.
///
/// More may come with later versions: a `switch` over it needs a `default`.
public enum RequestEvent: Sendable {
    /// It was started, or goes on after `suspend`.
    case resume
    /// It was suspended.
    case suspend
    /// It was cancelled.
    case cancel
    /// Adapters changed the request that was made, which is the payload.
    case adaptURLRequest(from: URLRequest)
    /// An adapter threw.
    case failToAdaptURLRequest(error: any Error)
    /// The request to be sent was made: `RequestContext.request`.
    case createURLRequest
    /// The request to be sent could not be made.
    case failToCreateURLRequest(error: any Error)
    /// An exchange was handed to the transport. Attempts count from 0, a retry is the next one; hops from 0 in each attempt, a redirect is
    /// the next one.
    case createTask(attempt: Int, hop: Int)
    /// The server redirected it: `RequestContext.response` is the redirect, the payload the request that is sent next.
    case redirect(to: URLRequest)
    /// The head of the final response came: `RequestContext.response`.
    case receiveResponse
    /// The metrics are known: `RequestContext.metrics`.
    case gatherMetrics
    /// The last exchange of the attempt is over; the error is the transport's, or says that it was cut short. nil: the response is
    /// complete.
    case completeTask(error: (any Error)?)
    /// The validations ran; the error is that of the first that refused the response.
    case validate(error: (any Error)?)
    /// A retrier wants another attempt, which begins after a delay in seconds. `RequestContext.retryCount` counts those before it.
    case retry(delay: TimeInterval, error: any Error)
    /// The downloaded file is where it stays.
    case saveFile(URL)
    /// Its outcome is final, after all that could change it; its handlers follow.
    case finish(error: (any Error)?)
    /// A serializer made a response of it, for a handler of this type of value.
    case parseResponse(type: String, error: (any Error)?)
}

extension RequestEvent: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// The event with its payload, credentials redacted: `redirect(to: GET https://example.com/)`.
    public var description: String {
        func text(_ error: (any Error)?) -> String { error.map(FirewheelError.sentence) ?? "nil" }
        return switch self {
        case .resume: "resume"
        case .suspend: "suspend"
        case .cancel: "cancel"
        case .createURLRequest: "createURLRequest"
        case .failToCreateURLRequest(let error): "failToCreateURLRequest(error: \(text(error)))"
        case .adaptURLRequest(let request): "adaptURLRequest(from: \(Redaction.line(of: request)))"
        case .failToAdaptURLRequest(let error): "failToAdaptURLRequest(error: \(text(error)))"
        case .createTask(let attempt, let hop): "createTask(attempt: \(attempt), hop: \(hop))"
        case .retry(let delay, let error): "retry(delay: \(delay), error: \(text(error)))"
        case .redirect(let request): "redirect(to: \(Redaction.line(of: request)))"
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

    /// Nothing besides the description, which `dump` and debuggers show: requests and errors hold credentials.
    public var customMirror: Mirror { Mirror(self, children: [:]) }
}
