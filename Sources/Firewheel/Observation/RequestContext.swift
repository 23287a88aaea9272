import Foundation

/// What is known of a request at one moment of its life: a value, which does not change as the request goes on.
public struct RequestContext: Sendable {
    /// `Request.id`: the same for all that happens to one request.
    public let id: UInt64
    /// How often the request has been retried so far: the number of its attempt, counting from 0.
    public let retryCount: Int
    /// The session's `SessionConfiguration.baseURL`.
    public let baseURL: URL?
    /// The session's `SessionConfiguration.headers`.
    public let headers: HTTPHeaders

    private let values: Values

    /// Foundation's values cost more to build than an exchange to make, so each is built when somebody looks at it, once for all who do.
    struct Values: Sendable {
        var request: Deferred<URLRequest?>?
        var response: Deferred<HTTPURLResponse?>?
        var metrics: Deferred<TaskMetrics?>?
        var data: Data?
        var fileURL: URL?
        /// The first error of a serializer in this attempt, which no outcome knows of.
        var serializationError: (any Error)?
    }

    init(id: UInt64, retryCount: Int, baseURL: URL?, headers: HTTPHeaders, values: Values) {
        self.id = id
        self.retryCount = retryCount
        self.baseURL = baseURL
        self.headers = headers
        self.values = values
    }

    /// A context of your own making, for tests of monitors, adapters and retriers.
    public init(
        id: UInt64, retryCount: Int = 0, request: URLRequest? = nil, response: HTTPURLResponse? = nil, metrics: TaskMetrics? = nil,
        data: Data? = nil, fileURL: URL? = nil, baseURL: URL? = nil, headers: HTTPHeaders = [:]
    ) {
        let values = Values(
            request: Deferred { request }, response: Deferred { response }, metrics: Deferred { metrics }, data: data, fileURL: fileURL)
        self.init(id: id, retryCount: retryCount, baseURL: baseURL, headers: headers, values: values)
    }

    /// The request as first sent, before redirects; nil until it has been built, and if it could not be.
    public var request: URLRequest? { values.request?.value }
    /// The response whose head came last, that of a redirect too; nil while there is none.
    public var response: HTTPURLResponse? { values.response?.value }
    /// The metrics of the attempt, once it is over.
    public var metrics: TaskMetrics? { values.metrics?.value }
    /// The body that was received, once the attempt is over (``RequestEvent/gatherMetrics``). nil where there is none, and for a download.
    public var data: Data? { values.data }
    /// The downloaded file, once it is where it stays (``RequestEvent/saveFile(_:)``).
    public var fileURL: URL? { values.fileURL }

    /// The request as a command of curl that sends the same, as `Request.cURLDescription(includingCredentials:)` gives it. A text that says
    /// so while the request has not been built.
    ///
    /// - Parameter includingCredentials: Whether credentials are shown. Default: false, and they read `<redacted>`.
    public func cURLDescription(includingCredentials: Bool = false) -> String {
        request.map { CURLCommand.text(for: $0, showsSecrets: includingCredentials) } ?? CURLCommand.unavailable
    }

    var serializationError: (any Error)? { values.serializationError }
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
