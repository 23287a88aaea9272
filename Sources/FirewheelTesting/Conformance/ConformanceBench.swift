import Firewheel
import Foundation

/// The environment of a case: a transport, a server, and everything that was received. Used on the case's own thread, and by its receivers
/// on the transport's.
final class ConformanceBench: Sendable {
    let server: MockServer
    private let deadline: Deadline
    private let held: Guarded<(any Transport)?>
    private let recorders = Guarded<[ConformanceRecorder]>([])
    private let count = Guarded(0)
    private let streams = Guarded<[ConformanceStream]>([])
    private let files = Guarded<[URL]>([])
    private let exchanges = Guarded((ended: 0, problems: [String]()))
    let continueClock = ContinueClock()

    init(transport: any Transport, seconds: TimeInterval) throws {
        server = try MockServer()
        deadline = Deadline(after: seconds)
        held = Guarded(transport)
    }

    /// The seconds left.
    var remaining: TimeInterval { max(0, deadline.remaining) }

    func close() {
        held.with { $0 = nil }
        server.shutdown()
        for file in files.with({ $0 }) { try? FileManager.default.removeItem(at: file) }
    }

    /// Releases the transport, as a deallocated session does.
    func releaseTransport() { held.with { $0 = nil } }

    func withTransport<Result>(_ body: (any Transport) -> Result) throws -> Result {
        guard let transport = held.with({ $0 }) else { throw BrokenRule("the case has released its transport") }
        return body(transport)
    }

    // MARK: Requests

    /// A request to the server, with an id of its own.
    func request(
        _ path: String = "/", method: HTTPMethod = .get, headers: HTTPHeaders = [:], body: Data? = nil, to base: String? = nil,
        _ change: (inout TransportRequest) -> Void = { _ in }
    ) throws -> TransportRequest {
        let text = (base ?? server.baseURL) + path
        guard let target = TargetURI(text) else { throw BrokenRule("\(text) is no URL: the case is wrong") }
        let number = count.with { count in
            count += 1
            return count
        }
        var request = TransportRequest(
            id: TransportTaskID(request: UInt64(number)), method: method, target: target, headers: headers, body: body,
            idleTimeout: 30, allowsResend: false)
        change(&request)
        return request
    }

    /// A body whose reader must be closed once, however the request ends.
    func source(_ stream: ConformanceStream) -> BodySource {
        streams.with { $0.append(stream) }
        return .stream(stream)
    }

    /// A file with these bytes, which is removed at the end.
    func file(_ data: Data) throws -> URL {
        let file = FileManager.default.temporaryDirectory.appendingPathComponent("firewheel-conformance-\(UUID().uuidString)")
        files.with { $0.append(file) }
        try data.write(to: file)
        return file
    }

    /// A PUT with a body from a source.
    func upload(_ source: BodySource, to path: String = "/", _ change: (inout TransportRequest) -> Void = { _ in }) throws
        -> TransportRequest
    {
        try request(path, method: .put, headers: ["Content-Type": "a/b"]) {
            $0.bodySource = source
            change(&$0)
        }
    }

    /// Registers a route that a handler serves. The case fails with a broken rule that it throws.
    func exchange(_ path: String, _ handler: @escaping @Sendable (MockExchange) throws -> Void) {
        server.exchange(path) { [exchanges] exchange in
            let outcome = Result { try handler(exchange) }
            // In one step, so that who waits for the end sees the problem.
            exchanges.change { state in
                if case .failure(let error as BrokenRule) = outcome { state.problems.append(error.description) }
                state.ended += 1
            }
            try outcome.get()
        }
    }

    /// Waits until this many handlers of ``exchange(_:_:)`` have returned.
    func waitForExchanges(_ count: Int) throws {
        let isOver = exchanges.wait(timeout: remaining) { $0.ended >= count ? true : nil }
        try check(isOver == true, "the server waited in vain for the end of the connection of exchange \(count)")
        try checkExchanges()
    }

    /// Fails with the first broken rule that a handler of ``exchange(_:_:)`` has found.
    func checkExchanges() throws {
        if let problem = exchanges.with({ $0.problems.first }) { throw BrokenRule(problem) }
    }

    func recorder(_ reaction: @escaping @Sendable ([TransportEvent]) -> Void = { _ in }) -> ConformanceRecorder {
        let recorder = ConformanceRecorder(reaction)
        recorders.with { $0.append(recorder) }
        return recorder
    }

    @discardableResult
    func start(_ request: TransportRequest, on recorder: ConformanceRecorder? = nil) throws -> ConformanceRecorder {
        let recorder = recorder ?? self.recorder()
        recorder.expect(request)
        continueClock.restart()
        try withTransport { $0.start(request, receiver: recorder) }
        return recorder
    }

    /// The end of a request that was started.
    func end(of request: TransportRequest, on recorder: ConformanceRecorder) throws -> TransportResult {
        guard let result = recorder.wait(request.id, seconds: remaining, { $0.result }) else {
            throw BrokenRule("\(request.method) \(request.target.string) never finished")
        }
        return result
    }

    /// Starts a request and waits for its end.
    func fetch(_ request: TransportRequest) throws -> TransportResult {
        try end(of: request, on: try start(request))
    }

    /// Starts a request, waits for its end, and expects a success.
    func succeed(_ request: TransportRequest) throws -> (head: ResponseHead, body: Data?) {
        let result = try fetch(request)
        try check(result.error == nil, "\(request.method) \(request.target.string) failed with \(Self.describe(result.error))")
        guard let head = result.head else { throw BrokenRule("a complete exchange has no head") }
        return (head, result.body)
    }

    /// Starts a request, waits for its end and expects one of these failures.
    @discardableResult
    func fail(_ request: TransportRequest, with codes: URLError.Code...) throws -> TransportResult {
        let result = try fetch(request)
        try Self.checkFailure(result, codes)
        return result
    }

    /// Starts a request, waits for its end and expects a failure other than a timeout.
    @discardableResult
    func failAtOnce(_ request: TransportRequest) throws -> TransportResult {
        let result = try fetch(request)
        guard case .failed(let code, _) = result.error else {
            throw BrokenRule("the exchange ended with \(Self.describe(result.error)), not with a failure")
        }
        try check(code != .timedOut, "the exchange failed only by its timeout")
        return result
    }

    static func checkFailure(_ result: TransportResult, _ codes: [URLError.Code]) throws {
        let names = codes.map { "\($0.rawValue)" }.joined(separator: " or ")
        guard case .failed(let code, _) = result.error else {
            throw BrokenRule("the exchange ended with \(describe(result.error)), not with the failure \(names)")
        }
        try check(codes.contains(code), "the failure is \(code.rawValue), not \(names)")
    }

    static func describe(_ error: TransportError?) -> String {
        switch error {
        case .failed(let code, let text): "the failure \(code.rawValue) (\(text))"
        case .bodyTooLarge: "bodyTooLarge"
        case .bodyNotRepeatable(let reason): "bodyNotRepeatable (\(reason))"
        case .proxyConnectFailed(_, let head, _, let reason): "proxyConnectFailed \(head.statusCode) (\(reason))"
        case .webSocketClosed(let code, let reason): "webSocketClosed \(code) (\(reason))"
        case .webSocketViolated(let code, let reason): "webSocketViolated \(code) (\(reason))"
        case nil: "success"
        }
    }

    // MARK: Waiting

    /// Polls until a condition holds.
    func wait(for what: String, within seconds: TimeInterval? = nil, _ condition: () -> Bool) throws {
        let end = Deadline(after: min(seconds ?? remaining, remaining))
        while !condition() {
            guard end.remaining > 0 else { throw BrokenRule("waited in vain for \(what)") }
            usleep(2000)
        }
    }

    /// Waits until a number has not changed for that long, and returns it.
    func settled(for seconds: TimeInterval = 1, _ number: () -> Int) -> Int {
        var last = number()
        var quiet = Deadline(after: seconds)
        while quiet.remaining > 0, remaining > 0 {
            usleep(5000)
            let now = number()
            if now != last {
                last = now
                quiet = Deadline(after: seconds)
            }
        }
        return last
    }

    func receivedRequest() throws -> RecordedRequest {
        do {
            return try server.takeRequest(timeout: remaining)
        } catch {
            throw BrokenRule("the server was waiting for a request in vain")
        }
    }

    func expectConnections(_ count: Int) throws {
        try check(
            server.waitForOpenConnections(count, timeout: min(30, remaining)),
            "\(server.openConnectionCount) connections are open at the server, not \(count)")
    }

    // MARK: Rules for every case

    /// Fails for events that are not allowed. Another request is sent first: it flushes pending events of earlier ones, and shows whether
    /// the transport still works.
    func judge() throws {
        if held.with({ $0 }) != nil {
            server.route("/fence") { _ in .text("fence") }
            let fence = try succeed(try request("/fence"))
            try checkSame("the body of a further request", fence.body, Data("fence".utf8))
        }
        try checkExchanges()
        for stream in streams.with({ $0 }) {
            if let problem = stream.problem(within: min(10, remaining)) { throw BrokenRule(problem) }
        }
        for recorder in recorders.with({ $0 }) {
            if let violation = recorder.violations.first { throw BrokenRule(violation) }
        }
    }
}
