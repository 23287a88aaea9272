import Foundation

/// A response from the cache, as it is handed over.
struct CachedAnswer: Sendable {
    let head: ResponseHead
    let body: CacheBody
    var source: ResponseSource { head.mark.source }
    var metrics: TransportMetrics
    /// The error instead of a response.
    var error: TransportError?

    /// A stored response. nil if the request asks for a part that it does not have.
    ///
    /// - Parameters:
    ///   - setsCookies: Whether the server has just sent its `Set-Cookie` fields.
    ///   - fields: Further fields of the head.
    ///   - metrics: Those of the exchange that has confirmed it, or has failed; nil without one.
    init?(
        _ entry: CacheEntry, to request: CacheRequest, source: ResponseSource, setsCookies: Bool = false,
        metrics: TransportMetrics? = nil, adding fields: [HTTPHeader] = []
    ) {
        var head = entry.response.served(age: source.age ?? 0, isValidated: source.isFromServer)
        head.mark = ResponseMark(source, hasStoredCookies: !setsCookies)
        if !fields.isEmpty { head.headers = HTTPHeaders(received: Array(head.headers) + fields) }
        // A `Range` of a HEAD has no meaning (RFC 9110 section 14.2).
        if request.method == .get, let range = request.range {
            guard let part = StoredRange(range, of: entry) else { return nil }
            body = entry.body.part(part.range)
            self.head = part.head(of: head)
        } else {
            body = request.method == .head ? .empty : entry.body
            self.head = head
        }
        let now = MonotonicInstant.now()
        self.metrics = metrics ?? TransportMetrics(start: now, end: now)
    }

    /// The answer to a request that the cache cannot answer, and that must not reach the network.
    init(unsatisfiableBy mode: CacheUse.Mode) {
        var head = ResponseHead(statusCode: 504)
        head.mark = ResponseMark(.cache(age: 0), hasStoredCookies: false)
        self.head = head
        body = .empty
        let now = MonotonicInstant.now()
        metrics = TransportMetrics(start: now, end: now)
        // RFC 9111 section 5.2.1.7 has the status for `only-if-cached`; the cache policy of a `URLRequest` means an error.
        if mode == .storedOnly {
            error = .failed(.resourceUnavailable, "the cachePolicy allows no loading, and the cache has no response to the request")
        }
    }

    /// The end of the exchange.
    ///
    /// - Parameter whole: The body, if it is handed over with it.
    func finished(_ id: TransportTaskID, whole: Data? = nil, error: TransportError? = nil) -> TransportEvent {
        var metrics = metrics
        metrics.end = max(metrics.end, .now())
        let error = error ?? self.error
        let result = TransportResult(
            error: error, head: self.error == nil ? head : nil, body: whole?.isEmpty == false && error == nil ? whole : nil,
            metrics: metrics)
        return TransportEvent(id: id, kind: .finished(result))
    }
}
