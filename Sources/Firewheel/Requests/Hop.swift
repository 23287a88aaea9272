import Foundation

/// One exchange of an attempt that is over: what was sent, what came back, what was measured.
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

extension ResponseHead {
    func makeHTTPURLResponse(from target: TargetURI) -> HTTPURLResponse? {
        guard let url = URL(string: target.string) else { return nil }
        return HTTPURLResponse(url: url, statusCode: statusCode, httpVersion: httpVersion, headerFields: headers.dictionary)
    }
}
