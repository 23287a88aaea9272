import Foundation

/// A request that has been built and checked, and can be sent as it is. A redirect makes another one from it.
struct PreparedRequest: Sendable {
    var method: HTTPMethod
    /// The URL as it was given, absolute, with its fragment.
    var url: String
    var target: TargetURI
    /// The session's headers with the request's own set over them.
    var headers: HTTPHeaders
    var body: Data?
    /// Seconds, see `SessionConfiguration.timeoutIntervalForRequest`.
    var idleTimeout: TimeInterval

    /// The request that a redirect asks for.
    func redirected(to next: RedirectPolicy.RedirectedRequest) -> PreparedRequest {
        var copy = self
        copy.method = next.method
        copy.url = next.url
        copy.target = next.target
        copy.headers = next.headers
        if !next.keepsBody { copy.body = nil }
        return copy
    }

    /// The request as Foundation has it. Building one costs as much as a fifth of a whole exchange, so it is done when somebody asks.
    func makeURLRequest() -> URLRequest? {
        guard let url = URL(string: url) ?? URL(string: target.string) else { return nil }
        var request = URLRequest(url: url)
        request.httpMethod = method.rawValue
        request.allHTTPHeaderFields = headers.dictionary
        request.httpBody = body
        request.timeoutInterval = idleTimeout
        return request
    }
}

/// One exchange of a request: what was sent, what came back, what was measured.
struct Hop: Sendable {
    let request: PreparedRequest
    let head: ResponseHead?
    let metrics: TransportMetrics

    func makeHTTPURLResponse() -> HTTPURLResponse? {
        guard let head, let url = URL(string: request.target.string) else { return nil }
        return HTTPURLResponse(url: url, statusCode: head.statusCode, httpVersion: head.httpVersion, headerFields: head.headers.dictionary)
    }
}
