import Foundation

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// One request on its way: what has been received of it. Owned by a driver and only touched on its queue.
final class URLSessionTransfer {
    /// The most bytes of chunks that may be under way to a receiver that takes its time, beside what URLSession itself has read by then.
    private static let window = 1 << 20

    let request: TransportRequest
    let task: URLSessionDataTask
    private let receiver: any TransportReceiver
    private let clock = ClockReading.now()
    private var deadlineTimer: (any DispatchSourceTimer)?
    private var head: ResponseHead?
    private var body = Data()
    private var bodyCount = 0
    /// Bytes handed over in chunks and not acknowledged yet.
    private var outstanding = 0
    private var isWindowFull = false
    private var isPaused = false
    private var isSuspended = false
    private var hasRejectedChallenge = false
    private var measured: TransportMetrics?

    init(_ request: TransportRequest, receiver: any TransportReceiver, task: URLSessionDataTask) {
        self.request = request
        self.receiver = receiver
        self.task = task
    }

    // MARK: Time

    func startDeadline(on queue: SerialQueue, _ handler: @escaping @Sendable () -> Void) {
        guard let deadline = request.deadline else { return }
        let timer = DispatchSource.makeTimerSource(queue: queue.queue)
        timer.schedule(deadline: DispatchTime(uptimeNanoseconds: deadline))
        timer.setEventHandler(handler: handler)
        timer.resume()
        deadlineTimer = timer
    }

    func stopDeadline() {
        deadlineTimer?.cancel()
        deadlineTimer = nil
    }

    // MARK: What is received

    func didReceive(_ head: ResponseHead) {
        self.head = head
        send(.response(head, at: Instant.now().nanoseconds))
    }

    /// - Returns: False if the body is larger than it may be.
    func didReceive(_ data: Data) -> Bool {
        if let limit = request.maximumBodySize, data.count > limit - bodyCount { return false }
        bodyCount += data.count
        switch request.delivery {
        case .whole:
            body.append(data)
        case .chunks:
            outstanding += data.count
            send(.chunk(data))
            if outstanding >= Self.window {
                isWindowFull = true
                applySuspension()
            }
        }
        return true
    }

    /// URLSession asked for a credential and was given none.
    func didRejectChallenge() {
        hasRejectedChallenge = true
    }

    // MARK: Flow

    func acknowledge(_ bytes: Int) {
        outstanding = max(0, outstanding - max(0, bytes))
        guard isWindowFull, outstanding <= Self.window / 2 else { return }
        isWindowFull = false
        applySuspension()
    }

    func setPaused(_ paused: Bool) {
        isPaused = paused
        applySuspension()
    }

    /// A task counts its suspensions, so that only changes are passed on.
    private func applySuspension() {
        let shouldSuspend = isPaused || isWindowFull
        guard URLSessionPlatform.canSuspend, shouldSuspend != isSuspended else { return }
        isSuspended = shouldSuspend
        if shouldSuspend { task.suspend() } else { task.resume() }
    }

    // MARK: The end

    /// What a task's end means.
    func meaning(of error: (any Error)?) -> TransportError? {
        guard let error else {
            return head == nil ? .failed(.badServerResponse, "the response is none of HTTP") : nil
        }
        let known = TransportError(urlSessionError: error)
        // FoundationNetworking cancels a task whose challenge is rejected, after it has handed over the 401 as a response.
        if hasRejectedChallenge, head != nil, case .failed(.cancelled, _) = known { return nil }
        return known
    }

    func finish(_ error: TransportError?) {
        var metrics = measured ?? TransportMetrics(start: clock.instant.nanoseconds, end: 0)
        metrics.end = max(Instant.now().nanoseconds, metrics.start)
        metrics.responseBodyBytesAfterDecoding = head == nil ? nil : Int64(bodyCount)
        if let name = metrics.networkProtocolName { head?.httpVersion = Self.version(name) }
        let result = TransportResult(error: error, head: head, body: body.isEmpty ? nil : body, metrics: metrics)
        send(.finished(result))
    }

    /// From an ALPN name, which is all that URLSession says of the version.
    private static func version(_ protocolName: String) -> String {
        switch protocolName {
        case "h2": "HTTP/2"
        case "h3": "HTTP/3"
        default: protocolName.uppercased()
        }
    }

    private func send(_ kind: TransportEvent.Kind) {
        receiver.receive([TransportEvent(id: request.id, kind: kind)])
    }

    #if canImport(Darwin)
        func take(_ metrics: URLSessionTaskMetrics) {
            // The last one: with redirects off there are more only if URLSession tried again.
            measured = metrics.transactionMetrics.last.map { TransportMetrics($0, clock: clock) }
        }
    #endif
}
