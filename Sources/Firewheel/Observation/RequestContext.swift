import Foundation

/// What is known of a request at one moment of its life: a value, which does not change as the request goes on.
public struct RequestContext: Sendable {
    /// `Request.id`: the same for all that happens to one request.
    public let id: UInt64
    /// How often the request has been retried so far.
    public let retryCount: Int
    /// The session's `SessionConfiguration.baseURL`.
    public let baseURL: URL?
    /// The session's `SessionConfiguration.headers`.
    public let headers: HTTPHeaders

    /// When the attempt began, which is before its adapters ran; nil if that is not known.
    let attemptStart: MonotonicInstant?

    private let values: Values

    /// Foundation's values cost more to build than an exchange to make, so each is built when somebody looks at it, once for all who do.
    struct Values: Sendable {
        var request: Deferred<URLRequest?>?
        var response: Deferred<HTTPURLResponse?>?
        var metrics: Deferred<TaskMetrics?>?
    }

    init(
        id: UInt64, retryCount: Int, attemptStart: MonotonicInstant? = nil, baseURL: URL?, headers: HTTPHeaders, values: Values
    ) {
        self.id = id
        self.retryCount = retryCount
        self.attemptStart = attemptStart
        self.baseURL = baseURL
        self.headers = headers
        self.values = values
    }

    /// A context of your own making, for tests of monitors, adapters and retriers.
    public init(
        id: UInt64, retryCount: Int = 0, request: URLRequest? = nil, response: HTTPURLResponse? = nil, metrics: TaskMetrics? = nil,
        baseURL: URL? = nil, headers: HTTPHeaders = [:]
    ) {
        let values = Values(request: Deferred { request }, response: Deferred { response }, metrics: Deferred { metrics })
        self.init(id: id, retryCount: retryCount, baseURL: baseURL, headers: headers, values: values)
    }

    /// The request as first sent, before redirects; nil until it has been built, and if it could not be.
    public var request: URLRequest? { values.request?.value }
    /// The response whose head came last, that of a redirect too; nil while there is none.
    public var response: HTTPURLResponse? { values.response?.value }
    /// The metrics of the attempt, once it is over.
    public var metrics: TaskMetrics? { values.metrics?.value }
}

extension RequestContext: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// The id, the method, the URL with its secrets redacted, and the status once there is one.
    public var description: String {
        var parts = ["request \(id)"]
        if retryCount > 0 { parts.append("retry \(retryCount)") }
        if let request { parts.append("\(Redaction.line(of: request))") }
        if let response { parts.append("(\(response.statusCode))") }
        return parts.joined(separator: " ")
    }

    public var debugDescription: String { description }

    /// Nothing besides the description, which `dump` and debuggers show: the parts hold credentials.
    public var customMirror: Mirror { Mirror(self, children: [:]) }
}
