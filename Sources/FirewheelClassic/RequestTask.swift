import Firewheel

/// What programs ask the `URLSessionTask` of a request for.
public struct RequestTask: Sendable {
    /// A number that is unique within the process: `Request.id`.
    public let taskIdentifier: UInt64
    /// The request as first sent; nil until it has been built.
    public let originalRequest: URLRequest?
    /// The response, once its head has been received.
    public let response: URLResponse?

    init(_ context: RequestContext) {
        taskIdentifier = context.id
        originalRequest = context.request
        response = context.response
    }

    /// - Parameter response: One that the request has not got yet.
    init(_ context: RequestContext, receiving response: URLResponse) {
        taskIdentifier = context.id
        originalRequest = context.request
        self.response = response
    }

    init(_ request: Request) {
        taskIdentifier = request.id
        originalRequest = request.request
        response = request.response
    }
}

extension RequestTask: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// The number, the method, the URL with secrets redacted, and the status, if known.
    public var description: String {
        let line = originalRequest.map { " \(Redaction.line(of: $0))" } ?? ""
        let status = (response as? HTTPURLResponse).map { " (\($0.statusCode))" } ?? ""
        return "task \(taskIdentifier)\(line)\(status)"
    }

    /// The ``description``, so that a debugger and a printed notification show no secrets either.
    public var debugDescription: String { description }

    /// Empty, so that `dump` and debuggers show only the description: the parts contain credentials.
    public var customMirror: Mirror { Mirror(self, children: [:]) }
}

extension Request {
    /// The request as it is now, for code such as `request.task?.response`; nil before it was started.
    public var task: RequestTask? { isInitialized ? nil : RequestTask(self) }
}
