import Foundation

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// One request's transfer: what was received. Owned by a driver and used on its queue only.
final class URLSessionTransfer {
    /// The most chunk bytes that may be unacknowledged, in addition to what URLSession has read.
    private static let window = 1 << 20

    let request: TransportRequest
    let task: URLSessionDataTask
    /// The body, if it is sent from streams.
    let upload: URLSessionUpload?
    private let receiver: any TransportReceiver
    private let clock = ClockReading.now()
    private var timer: (any DispatchSourceTimer)?
    /// nil once the head has come, and for requests with an idle timeout of URLSession's own.
    var headTimer: URLSessionHeadTimer?
    private var head: ResponseHead?
    private var body = Data()
    private var bodyCount = 0
    /// Chunk bytes that were delivered and not acknowledged yet.
    private var outstanding = 0
    private var isWindowFull = false
    private var isPaused = false
    private var isSuspended = false
    /// The state of the client's decision about a held head, with the data that arrived in the meantime.
    private var hold = Hold.none
    private var hasRejectedChallenge = false
    /// Tells URLSession whether the server is trusted; nil if it does not ask.
    private var judgment: ((_ isTrusted: Bool) -> Void)?
    /// How often it has asked.
    private(set) var judgments = 0
    private var sent: Int64 = 0
    private var measured: TransportMetrics?

    init(_ request: TransportRequest, receiver: any TransportReceiver, task: URLSessionDataTask, upload: URLSessionUpload?) {
        self.request = request
        self.receiver = receiver
        self.task = task
        self.upload = upload
    }

    // MARK: Timers

    /// Sets the only timer: for the request's deadline, or for an earlier end.
    func setTimer(at instant: MonotonicInstant, on queue: SerialQueue, _ handler: @escaping @Sendable () -> Void) {
        timer?.cancel()
        let new = DispatchSource.makeTimerSource(queue: queue.queue)
        new.schedule(deadline: DispatchTime(uptimeNanoseconds: instant.nanoseconds))
        new.setEventHandler(handler: handler)
        new.resume()
        timer = new
    }

    /// Cancels the timer and releases what the ended transfer holds.
    func letGo() {
        timer?.cancel()
        timer = nil
        headTimer = nil
        endJudging(isTrusted: false)
        upload?.end()
        guard case .head(let held) = hold else { return }
        hold = .none
        held.allow?(.cancel)
    }

    // MARK: Trust

    /// Whether URLSession waits for a verdict about the server.
    var isJudged: Bool { judgment != nil }

    func beginJudging(_ judgment: @escaping (_ isTrusted: Bool) -> Void) {
        self.judgment = judgment
        judgments += 1
    }

    func ask(_ question: TransportQuestion) { send(.question(question)) }

    func endJudging(isTrusted: Bool) {
        let judgment = judgment
        self.judgment = nil
        judgment?(isTrusted)
    }

    // MARK: Sent data

    /// - Parameter total: What URLSession says has been sent.
    func didSend(_ total: Int64) {
        if !isPaused { headTimer?.restart() }
        let now = upload?.sent(ofTotal: total) ?? total
        // No event may come while a head is held.
        guard request.reportsSent, !isHeld, now != sent else { return }
        sent = now
        send(.sent(now))
    }

    // MARK: Received data

    func didReceive(_ head: ResponseHead) {
        self.head = head
        headTimer = nil
        send(.response(head, at: .now()))
        guard request.heldHeads.contains(head.statusCode) else { return }
        hold = .head(URLSessionHeld())
        applySuspension()
    }

    /// Whether the body is wanted as it was sent, and URLSession undoes its coding.
    var isDecodedAnyway: Bool {
        guard let head, !request.decodesContent, request.method != .head, ![204, 304].contains(head.statusCode) else { return false }
        return !ContentCoding.applied(in: head.headers.values(for: "Content-Encoding")).isEmpty
    }

    static let wasDecoded = TransportError.failed(
        .cannotDecodeContentData, "URLSession always undoes the body's content coding (decodesContent cannot be false)")

    enum Appetite { case goOn, enough, tooLarge }

    func didReceive(_ data: Data) -> Appetite {
        if keep(data) { return .goOn }
        if isDiscarding {
            bodyCount += data.count
            return bodyCount > URLSessionHeld.mostDiscarded ? .enough : .goOn
        }
        if let limit = request.maximumBodySize, data.count > limit - bodyCount { return .tooLarge }
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
        return .goOn
    }

    /// Records that URLSession asked for a credential and was given none.
    func didRejectChallenge() {
        hasRejectedChallenge = true
    }

    // MARK: Flow control

    func acknowledge(_ bytes: Int) {
        outstanding = max(0, outstanding - max(0, bytes))
        guard isWindowFull, outstanding <= Self.window / 2 else { return }
        isWindowFull = false
        applySuspension()
    }

    func setPaused(_ paused: Bool) {
        isPaused = paused
        if paused { headTimer?.pause() } else { headTimer?.restart() }
        applySuspension()
    }

    /// Suspends or resumes the task on changes only, because a task counts its suspensions.
    private func applySuspension() {
        let shouldSuspend = isPaused || isWindowFull || isHeld
        guard URLSessionPlatform.canSuspend, shouldSuspend != isSuspended else { return }
        isSuspended = shouldSuspend
        if shouldSuspend { task.suspend() } else { task.resume() }
    }

    // MARK: Held heads

    private enum Hold {
        /// The head is not held, or the client wants the body.
        case none
        case head(URLSessionHeld)
        /// The body is discarded.
        case discarding
    }

    /// Whether data is kept until the client has decided and the request is not paused.
    var isHeld: Bool { if case .head = hold { true } else { false } }
    var isDiscarding: Bool { if case .discarding = hold { true } else { false } }

    private func changeHeld(_ change: (inout URLSessionHeld) -> Void) {
        guard case .head(var held) = hold else { return }
        // Avoids a copy of the kept data.
        hold = .none
        change(&held)
        hold = .head(held)
    }

    func hold(_ allow: @escaping @Sendable (URLSession.ResponseDisposition) -> Void) { changeHeld { $0.allow = allow } }

    func decide(_ body: TransportRequest.HeldBody) { changeHeld { $0.decision = $0.decision ?? body } }

    func keepEnd(_ error: TransportError?) { changeHeld { $0.end(error) } }

    /// Keeps data if the head is held: FoundationNetworking delivers it without waiting. True if it was kept.
    private func keep(_ data: Data) -> Bool {
        guard isHeld else { return false }
        changeHeld { held in
            if !held.keep(data) { task.cancel() }
        }
        return true
    }

    /// Ends the hold if the client has decided and the request is not paused. Returns what arrived in the meantime.
    func takeHeld() -> URLSessionHeld? {
        guard !isPaused, case .head(let held) = hold, let decision = held.decision else { return nil }
        hold = decision == .discard ? .discarding : .none
        applySuspension()
        held.allow?(.allow)
        return held
    }

    // MARK: Completion

    /// The error for a task's end.
    func meaning(of error: (any Error)?) -> TransportError? {
        guard let error else {
            return head == nil ? .failed(.badServerResponse, "not an HTTP response") : nil
        }
        let known = TransportError(urlSessionError: error)
        // FoundationNetworking cancels a task whose challenge was rejected, after it has delivered the 401 as a response.
        if hasRejectedChallenge, head != nil, case .failed(.cancelled, _) = known { return nil }
        return known
    }

    func finish(_ error: TransportError?) {
        var metrics = measured ?? TransportMetrics(start: clock.instant, end: clock.instant)
        metrics.end = max(.now(), metrics.start)
        metrics.responseBodyBytesAfterDecoding = head == nil ? nil : Int64(bodyCount)
        if let name = metrics.networkProtocolName { head?.httpVersion = Self.version(name) }
        let result = TransportResult(error: error, head: head, body: body.isEmpty ? nil : body, metrics: metrics)
        send(.finished(result))
    }

    /// The HTTP version of an ALPN name, the only version information that URLSession gives.
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
        func waitsForConnectivity() {
            send(.waitingForConnectivity)
        }

        func take(_ metrics: URLSessionTaskMetrics) {
            // The last one: with redirects off there are several only if URLSession retried.
            measured = metrics.transactionMetrics.last.map { TransportMetrics($0, clock: clock) }
        }
    #endif
}
