import Foundation

/// One exchange of an attempt, once it is over: what was sent, what came back, what was measured.
final class Hop: Sendable {
    let request: HopRequest
    let head: ResponseHead?
    /// Whether its response was judged to be the final one. That of a redirect is not, also if the request ended before the next hop.
    let isFinal: Bool
    let metrics: TransportMetrics

    init(request: HopRequest, head: ResponseHead?, isFinal: Bool, metrics: TransportMetrics) {
        self.request = request
        self.head = head
        self.isFinal = isFinal
        self.metrics = metrics
    }

    /// Whether its response led to another resource.
    var isRedirect: Bool { head.map { (300...399).contains($0.statusCode) } ?? false }

    func makeHTTPURLResponse() -> HTTPURLResponse? { head?.makeHTTPURLResponse(from: request.target) }
}
