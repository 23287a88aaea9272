import Foundation

/// One exchange of an attempt, once it is over: what was sent, what came back, what was measured.
final class Hop: Sendable {
    let request: HopRequest
    let head: ResponseHead?
    let metrics: TransportMetrics

    init(request: HopRequest, head: ResponseHead?, metrics: TransportMetrics) {
        self.request = request
        self.head = head
        self.metrics = metrics
    }

    func makeHTTPURLResponse() -> HTTPURLResponse? { head?.makeHTTPURLResponse(from: request.target) }
}
