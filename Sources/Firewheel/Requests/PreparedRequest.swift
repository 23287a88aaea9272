import Foundation

/// A request that has been built and checked, and can be sent as it is. A redirect makes another one from it.
///
/// A class because it is passed on a lot and never changed.
final class PreparedRequest: Sendable {
    let method: HTTPMethod
    /// The URL as it was given, absolute, with its fragment.
    let url: String
    let target: TargetURI
    /// The session's headers with the request's own set over them.
    let headers: HTTPHeaders
    let body: Data?
    /// Seconds, see `SessionConfiguration.timeoutIntervalForRequest`.
    let idleTimeout: TimeInterval

    init(method: HTTPMethod, url: String, target: TargetURI, headers: HTTPHeaders, body: Data?, idleTimeout: TimeInterval) {
        self.method = method
        self.url = url
        self.target = target
        self.headers = headers
        self.body = body
        self.idleTimeout = idleTimeout
    }

    /// The request that a redirect asks for.
    func redirected(to next: RedirectPolicy.RedirectedRequest) -> PreparedRequest {
        PreparedRequest(
            method: next.method, url: next.url, target: next.target, headers: next.headers, body: next.keepsBody ? body : nil,
            idleTimeout: idleTimeout)
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
final class Hop: Sendable {
    let request: PreparedRequest
    let head: ResponseHead?
    let metrics: TransportMetrics

    init(request: PreparedRequest, head: ResponseHead?, metrics: TransportMetrics) {
        self.request = request
        self.head = head
        self.metrics = metrics
    }

    func makeHTTPURLResponse() -> HTTPURLResponse? {
        guard let head, let url = URL(string: request.target.string) else { return nil }
        return HTTPURLResponse(url: url, statusCode: head.statusCode, httpVersion: head.httpVersion, headerFields: head.headers.dictionary)
    }
}
