import Foundation

/// Something that a request did. What is known by then (request, response, metrics) is in the ``RequestContext`` that comes with it.
///
/// In this order, for one request:
/// ```
/// resume
/// ├─ createURLRequest                       or failToCreateURLRequest, then finish
/// │  └─ createTask(attempt: 0)
/// │     ├─ redirect(to:)                    0 to 20 times, each followed by createTask(attempt: 1), (attempt: 2) ... unless it ends first
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
