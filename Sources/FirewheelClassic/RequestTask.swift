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

    init(_ request: Request) {
        taskIdentifier = request.id
        originalRequest = request.request
        response = request.response
    }
}

extension Request {
    /// The request as it is now, for code such as `request.task?.response`; nil before it was started.
    public var task: RequestTask? { isInitialized ? nil : RequestTask(self) }
}
