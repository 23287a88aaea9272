import Foundation

/// The outcome of a request: the input of its responses, validators and serializers.
///
/// Foundation's `URLRequest` and `HTTPURLResponse` and the metrics are expensive compared to a request, so they are built on first access
/// and then shared.
final class Outcome: Sendable {
    /// The hops. The last one has the response, if that is final.
    let hops: [Hop]
    /// The request of an attempt that sent nothing: the one that was refused, or that adapters were given.
    private let unsent: URLRequest?
    let data: Data?
    /// The downloaded file's temporary location.
    let temporaryURL: URL?
    let destinationURL: URL?
    /// Keeps the temporary file until nobody can ask for it; nil if it was moved to a destination.
    private let kept: TemporaryFile?
    /// For a download that failed: the data with which it can be resumed.
    let resumeData: Data?
    /// The error with which the request ended.
    let error: (any Error)?
    let times: AttemptTimes
    /// Whether the body was not read yet.
    let isUnread: Bool

    private final class Built {
        var request: URLRequest??
        var response: HTTPURLResponse??
        var metrics: TaskMetrics??
    }

    /// One lock for all outcomes: what it protects is rarely used, and a lock for each would cost every request.
    private static let lock = Locked(0)
    // Accessed only by `withBuilt`, which holds the lock.
    private nonisolated(unsafe) var built: Built?

    private func withBuilt<Result: Sendable>(_ body: (Built) -> Result) -> Result {
        Self.lock.withLock { _ in
            let current = built ?? Built()
            built = current
            return body(current)
        }
    }

    init(
        hops: [Hop], unsent: URLRequest? = nil, data: Data? = nil, temporaryURL: URL? = nil, destinationURL: URL? = nil,
        kept: TemporaryFile? = nil, resumeData: Data? = nil, error: (any Error)? = nil, isUnread: Bool = false, times: AttemptTimes
    ) {
        self.hops = hops
        self.unsent = unsent
        self.isUnread = isUnread
        self.data = data
        self.temporaryURL = temporaryURL
        self.destinationURL = destinationURL
        self.kept = kept
        self.resumeData = resumeData
        self.error = error
        self.times = times
    }

    /// An outcome with the given values, for a response that a caller creates.
    init(
        request: URLRequest?, response: HTTPURLResponse?, metrics: TaskMetrics?, data: Data?, temporaryURL: URL?, destinationURL: URL?,
        resumeData: Data? = nil
    ) {
        hops = []
        unsent = nil
        self.data = data
        self.temporaryURL = temporaryURL
        self.destinationURL = destinationURL
        kept = nil
        self.resumeData = resumeData
        error = nil
        times = AttemptTimes(start: .now())
        isUnread = false
        withBuilt { built in
            built.request = .some(request)
            built.response = .some(response)
            built.metrics = .some(metrics)
        }
    }

    /// The downloaded file at its current location. Whoever passes this to the caller calls ``claimFile()`` instead.
    var file: URL? { destinationURL ?? temporaryURL }

    /// The same file for the caller, to whom it belongs from now on: nothing removes it.
    func claimFile() -> URL? {
        kept?.claim()
        return file
    }

    /// The last hop, if its response is the final one.
    private var finalHop: Hop? { hops.last.flatMap { $0.isFinal ? $0 : nil } }

    /// The final response's head.
    var head: ResponseHead? { finalHop?.head }

    /// The request as first sent, before redirects. If nothing was sent, the one that was refused or was to be adapted.
    var request: URLRequest? {
        if let request = withBuilt({ $0.request }) { return request }
        let request = hops.isEmpty ? unsent : hops.first?.request.makeURLRequest()
        withBuilt { $0.request = .some(request) }
        return request
    }

    /// The redacted URL of the last hop, if it is that of another resource than the first hop's.
    var redirectedTo: String? {
        guard let first = hops.first?.request.target, let last = hops.last?.request.target, first.string != last.string else { return nil }
        return Redaction.url(last.string)
    }

    /// The final response.
    var response: HTTPURLResponse? {
        if let response = withBuilt({ $0.response }) { return response }
        let response = finalHop?.makeHTTPURLResponse()
        // Concurrent callers must get the same object.
        return withBuilt { built in
            if let first = built.response { return first }
            built.response = .some(response)
            return response
        }
    }

    var metrics: TaskMetrics? {
        if let metrics = withBuilt({ $0.metrics }) { return metrics }
        let metrics = makeMetrics()
        withBuilt { $0.metrics = .some(metrics) }
        return metrics
    }

    /// The input of the serializers' rules.
    var facts: ResponseFacts {
        guard let first = hops.first else { return ResponseFacts(request, response) }
        // Read once, because each response passes here.
        let head = head
        return ResponseFacts(
            method: first.request.method, statusCode: head?.statusCode, isNotModified: head?.statusCode == 304 && isNotModified,
            headers: head?.headers ?? [:])
    }

    /// Whether the final response is a 304 to a conditional field of the caller's, the session's or an adapter's.
    var isNotModified: Bool {
        guard let finalHop, finalHop.head?.statusCode == 304 else { return false }
        return finalHop.request.headers.asksWhetherModified(finalHop.request.method)
    }

    var statusCode: Int? { head?.statusCode ?? (hops.isEmpty ? response?.statusCode : nil) }

    var headers: HTTPHeaders { head?.headers ?? (hops.isEmpty ? response?.headers : nil) ?? [:] }

    /// Whether the head says that there is no body.
    var announcesNoBody: Bool {
        guard let first = finalHop, let head else { return true }
        // Another protocol follows a 101 (RFC 9110 section 15.2.2).
        if first.request.method == .head || [101, 204, 304].contains(head.statusCode) { return true }
        return head.headers.singleton("Content-Length").flatMap { Int64($0) } == 0
    }

    /// Where the final response comes from.
    var source: ResponseSource { head?.mark.source ?? .network }

    /// The trailer fields of the final response.
    var trailers: HTTPHeaders { finalHop?.trailers ?? [:] }

    /// The outcome with another file and error.
    func with(temporaryURL: URL?, destinationURL: URL?, error: (any Error)?) -> Outcome {
        Outcome(
            hops: hops, unsent: unsent, data: data, temporaryURL: temporaryURL, destinationURL: destinationURL,
            kept: temporaryURL == nil ? nil : kept, resumeData: resumeData, error: error, times: times)
    }

    /// The outcome of a failed download that can be resumed.
    func with(resumeData: Data?) -> Outcome {
        let error = error.map { error in (error as? FirewheelError)?.with(resumeData: resumeData) ?? error }
        return Outcome(hops: hops, unsent: unsent, data: data, resumeData: resumeData, error: error, times: times)
    }

    /// The outcome of a download whose file stays in the temporary folder.
    func with(kept: TemporaryFile) -> Outcome {
        Outcome(hops: hops, data: data, temporaryURL: kept.url, kept: kept, error: nil, times: times)
    }

    /// The outcome without body and file, to be kept for a retried attempt.
    func withoutBody() -> Outcome {
        Outcome(hops: hops, times: times)
    }

    func with(error: any Error) -> Outcome {
        with(temporaryURL: temporaryURL, destinationURL: destinationURL, error: error)
    }

    private func makeMetrics() -> TaskMetrics? {
        let transactions = hops.compactMap { hop in
            hop.request.makeURLRequest().map {
                TransactionMetrics(
                    request: $0, response: hop.makeHTTPURLResponse(), source: hop.head?.mark.source ?? .network, measured: hop.metrics,
                    clock: times.start)
            }
        }
        guard !transactions.isEmpty else { return nil }
        let start = times.start.date(of: times.start.instant)
        let end = times.start.date(of: times.completed ?? times.start.instant)
        return TaskMetrics(
            taskInterval: DateInterval(start: start, end: max(start, end)), redirectCount: hops.dropLast().count { $0.isRedirect },
            transactionMetrics: transactions)
    }
}

/// When the stages of a request were reached.
struct AttemptTimes: Sendable {
    /// The first `resume()`.
    let start: ClockReading
    /// When the head of the final response arrived.
    var initialResponse: MonotonicInstant?
    var completed: MonotonicInstant?

    func timeline(serialized: MonotonicInstant?) -> Timeline {
        let completedTime = start.wallTime(of: completed ?? start.instant)
        return Timeline(
            requestStartTime: start.wall,
            initialResponseTime: initialResponse.map(start.wallTime) ?? completedTime,
            requestCompletedTime: completedTime,
            serializationCompletedTime: serialized.map(start.wallTime) ?? completedTime)
    }
}
