import Foundation

/// Something that a request did. What is known by then (request, response, metrics) is in the ``RequestContext`` that comes with it.
///
/// In this order, for one request:
/// ```
/// resume
/// ├─ createURLRequest                       or failToCreateURLRequest, then finish
/// │  └─ createTask(attempt: 0)
/// │     ├─ redirect(to:)                    0 to 20 times, each followed by createTask(attempt: 1), (attempt: 2) ...
/// │     ├─ receiveResponse                  unless the exchange failed before a final response came
/// │     ├─ gatherMetrics
/// │     ├─ completeTask(error:)
/// │     ├─ validate(error:)                 if there is something to validate, and it could be
/// │     └─ saveFile(URL)                    a download that succeeded
/// ├─ finish(error:)                         once, always, and all of the above has happened by then
/// └─ parseResponse(type:error:)             once for each response handler, also for those attached later
/// ```
/// `suspend`, `resume` and `cancel` come when they are called, before `finish` or between the `parseResponse` of handlers. After `cancel` what was under way
/// ends with `completeTask` if it had begun, and `finish`.
///
/// More may come with later versions: a `switch` over it needs a `default`.
public enum RequestEvent: Sendable {
    /// It was started, or goes on after `suspend`.
    case resume
    /// It was suspended.
    case suspend
    /// It was cancelled.
    case cancel
    /// The request to be sent was made: `RequestContext.request`.
    case createURLRequest
    /// The request to be sent could not be made.
    case failToCreateURLRequest(error: any Error)
    /// An exchange was handed to the transport; the number counts redirects from 0.
    case createTask(attempt: Int)
    /// The server redirected it: `RequestContext.response` is the redirect, the payload the request that is sent next.
    case redirect(to: URLRequest)
    /// The head of the final response came: `RequestContext.response`.
    case receiveResponse
    /// The metrics are known: `RequestContext.metrics`.
    case gatherMetrics
    /// The exchange is over; the error is the transport's, or says that it was cut short. nil: the response is complete.
    case completeTask(error: (any Error)?)
    /// The validations ran; the error is that of the first that refused the response.
    case validate(error: (any Error)?)
    /// The downloaded file is where it stays.
    case saveFile(URL)
    /// Its outcome is settled; its handlers follow.
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
        case .createTask(let attempt): "createTask(attempt: \(attempt))"
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

    public var debugDescription: String { description }

    /// Nothing besides the description, which `dump` and debuggers show: requests and errors hold credentials.
    public var customMirror: Mirror { Mirror(self, children: [:]) }
}
