import Foundation

/// A snapshot of a request: a value that does not change as the request continues.
public struct RequestContext: Sendable {
    /// `Request.id`, which identifies all events of one request.
    public let id: UInt64
    /// The number of retries so far: the number of the attempt, counting from 0.
    public let retryCount: Int
    /// The session's `SessionConfiguration.baseURL`.
    public let baseURL: URL?
    /// The session's `SessionConfiguration.headers`.
    public let headers: HTTPHeaders

    /// What logs have to say about the session; nil for nothing, also once it has been said. A context does not hold the session's facts,
    /// because they hold its monitors, which may keep contexts.
    let warning: Locked<String?>?

    /// When the attempt began, which is before its adapters ran; nil if that is not known.
    let attemptStart: MonotonicInstant?

    private let values: Values

    /// Foundation's values are expensive compared to an exchange, so each is built on first access and then shared.
    struct Values: Sendable {
        var request: Deferred<URLRequest?>?
        var response: Deferred<HTTPURLResponse?>?
        var metrics: Deferred<TaskMetrics?>?
        var data: Data?
        /// The size of the whole body, if `data` is only its beginning.
        var bodySize: Int?
        var fileURL: URL?
        /// The first error of a serializer in this attempt, which the outcome does not contain.
        var serializationError: (any Error)?
    }

    init(
        id: UInt64, retryCount: Int, attemptStart: MonotonicInstant? = nil, baseURL: URL?, headers: HTTPHeaders,
        warning: Locked<String?>? = nil, values: Values
    ) {
        self.id = id
        self.retryCount = retryCount
        self.attemptStart = attemptStart
        self.baseURL = baseURL
        self.headers = headers
        self.warning = warning
        self.values = values
    }

    /// Creates a context, for tests of monitors, adapters and retriers.
    public init(
        id: UInt64, retryCount: Int = 0, request: URLRequest? = nil, response: HTTPURLResponse? = nil, metrics: TaskMetrics? = nil,
        data: Data? = nil, fileURL: URL? = nil, baseURL: URL? = nil, headers: HTTPHeaders = [:]
    ) {
        let values = Values(
            request: Deferred { request }, response: Deferred { response }, metrics: Deferred { metrics }, data: data, fileURL: fileURL)
        self.init(id: id, retryCount: retryCount, baseURL: baseURL, headers: headers, values: values)
    }

    /// The request as first sent, before redirects; nil until it has been built, or if that failed.
    public var request: URLRequest? { values.request?.value }
    /// The last response whose head was received, including redirects; nil without one.
    public var response: HTTPURLResponse? { values.response?.value }
    /// The attempt's metrics, once it has ended.
    public var metrics: TaskMetrics? { values.metrics?.value }
    /// The received body, once the attempt has ended (``RequestEvent/gatherMetrics``); nil without a body, and for a download.
    public var data: Data? { values.data }
    /// The downloaded file, once it is at its destination (``RequestEvent/saveFile(_:)``). Without a destination it may be removed with the
    /// request.
    public var fileURL: URL? { values.fileURL }

    /// The request as an equivalent curl command, as returned by `Request.cURLDescription(includingCredentials:)`. Before the request has
    /// been built, a text that says so.
    ///
    /// - Parameter includingCredentials: Whether credentials are shown. Default: false, which replaces them by `<redacted>`.
    public func cURLDescription(includingCredentials: Bool = false) -> String {
        request.map { CURLCommand.text(for: $0, showsSecrets: includingCredentials) } ?? CURLCommand.unavailable
    }

    var serializationError: (any Error)? { values.serializationError }

    /// The size of the whole body, in bytes.
    var bodySize: Int? { values.bodySize ?? values.data?.count }

    /// The same context with only the beginning of the body.
    func keeping(bodyBytes limit: Int) -> RequestContext {
        guard let data = values.data, data.count > limit else { return self }
        var values = values
        values.bodySize = data.count
        // A copy, because a slice would keep the whole.
        values.data = Data(Array(data.prefix(limit)))
        return RequestContext(
            id: id, retryCount: retryCount, attemptStart: attemptStart, baseURL: baseURL, headers: headers, warning: warning,
            values: values)
    }
}

extension RequestContext: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// The id, the method, the URL with secrets redacted, and the status, if known.
    public var description: String {
        var parts = ["request \(id)"]
        if retryCount > 0 { parts.append("retry \(retryCount)") }
        if let request { parts.append("\(Redaction.line(of: request))") }
        if let response { parts.append("(\(response.statusCode))") }
        return parts.joined(separator: " ")
    }

    /// The ``description``, so that a debugger shows no secrets either.
    public var debugDescription: String { description }

    /// Empty, so that `dump` and debuggers show only the description: the parts contain credentials.
    public var customMirror: Mirror { Mirror(self, children: [:]) }
}
