import Foundation

/// A finished exchange of an attempt: its request, response head and metrics.
final class Hop: Sendable {
    let request: HopRequest
    let head: ResponseHead?
    /// Whether its response is the final one. A redirect's is not, even if the request ended before the next hop.
    let isFinal: Bool
    /// The trailer fields behind the response's body.
    let trailers: HTTPHeaders
    let metrics: TransportMetrics

    init(request: HopRequest, head: ResponseHead?, isFinal: Bool, trailers: HTTPHeaders = [:], metrics: TransportMetrics) {
        self.request = request
        self.head = head
        self.isFinal = isFinal
        self.trailers = trailers
        self.metrics = metrics
    }

    /// Whether its response is a redirect.
    var isRedirect: Bool { head.map { (300...399).contains($0.statusCode) } ?? false }

    func makeHTTPURLResponse() -> HTTPURLResponse? { head?.makeHTTPURLResponse(from: request.target) }
}
