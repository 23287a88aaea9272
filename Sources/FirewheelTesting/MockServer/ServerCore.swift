import Firewheel
import Foundation

/// The state shared by the server, its acceptor and its connections, under a single lock. User closures and blocking calls run outside it.
///
/// The threads retain the core and never the ``MockServer``, so that a released server shuts itself down.
final class ServerCore: Sendable {
    /// A connection's part of the shared state. Only its thread closes the descriptor, removing this entry in the same critical section: so
    /// the descriptor of an existing entry is valid while the lock is held.
    struct OpenConnection {
        enum Phase {
            case busy
            /// The last bytes of a response are about to be sent.
            case nearlyIdle
            case idle
        }

        let descriptor: Int32
        var phase = Phase.busy
        var closesWhenIdle = false
    }

    struct State {
        var script = MockScript()
        var log = RequestLog()
        var sendsContinue = true
        var waitsForBodies: (@Sendable (RecordedRequest) -> Void)?
        var connectionCount = 0
        var connections: [Int: OpenConnection] = [:]
        var threads = ThreadLedger()
        /// The number of threads that are running a route's handler.
        var handlers = 0
        var acceptor: Acceptor?
        var isShutDown = false

        /// - Returns: nil while more requests may arrive; an empty array if there will never be enough.
        mutating func takeRequests(_ count: Int) -> [RecordedRequest]? { log.take(count) ?? (isShutDown ? [] : nil) }

        mutating func willAnswer(_ answer: MockScript.Answer) {
            if case .handler = answer { handlers += 1 }
        }
    }

    let state = Guarded(State())
    private let recordsRequests: Bool
    private let threadName: String

    init(recordsRequests: Bool, port: Int) {
        self.recordsRequests = recordsRequests
        threadName = "mock-\(port)"
    }

    var isShutDown: Bool { state.with { $0.isShutDown } }
    var sendsContinue: Bool { state.with { $0.sendsContinue } }
    var waitsForBodies: (@Sendable (RecordedRequest) -> Void)? { state.with { $0.waitsForBodies } }

    // MARK: - Responses

    /// The response to a request whose body has not been read; nil if the body must be read first.
    func answerBeforeBody(_ request: RecordedRequest) -> MockResponse? {
        let answer = state.change { state in
            let answer = state.script.takeEarly(method: request.method, path: request.path)
            if case .nobody = answer { return answer }
            state.log.add(request, keep: recordsRequests)
            state.willAnswer(answer)
            return answer
        }
        switch answer {
        case .handler(let handler): return run(handler, request)
        case .response(let response): return response
        case .nobody: return nil
        }
    }

    /// The response to a complete request.
    func answer(_ request: RecordedRequest) -> MockResponse {
        let answer = state.change { state in
            state.log.add(request, keep: recordsRequests)
            let answer = state.script.take(method: request.method, path: request.path)
            state.willAnswer(answer)
            return answer
        }
        switch answer {
        case .handler(let handler): return run(handler, request)
        case .response(let response): return response
        case .nobody: return .text("MockServer: no route and no queued response for \(request.method) \(request.target)\n", status: 404)
        }
    }

    /// The code that takes over the exchange of a request, until ``endExchange(_:)``; nil if a response answers it.
    ///
    /// The request is counted here, not when the exchange ends: the client may have the whole response before that.
    func exchange(for request: RecordedRequest) -> MockScript.Exchange? {
        state.change { state in
            let exchange = state.script.exchange(method: request.method, path: request.path)
            if exchange != nil {
                state.handlers += 1
                state.log.begin()
            }
            return exchange
        }
    }

    func endExchange(_ request: RecordedRequest) {
        state.change { state in
            state.handlers -= 1
            state.log.end(request, keep: recordsRequests)
        }
    }

    private func run(_ handler: MockScript.Handler, _ request: RecordedRequest) -> MockResponse {
        defer { state.change { $0.handlers -= 1 } }
        return handler(request)
    }

    // MARK: - Connections

    /// Registers a connection and starts its thread.
    func admit(_ descriptor: Int32) {
        let number = state.change { state -> Int? in
            guard !state.isShutDown else { return nil }
            defer { state.connectionCount += 1 }
            state.connections[state.connectionCount] = OpenConnection(descriptor: descriptor)
            return state.connectionCount
        }
        guard let number else { return PlatformSocket.close(descriptor) }
        let isStarted = startThread { [self] in
            var connection = MockConnection(number: number, descriptor: descriptor, core: self)
            connection.run()
        }
        if !isStarted { close(number, descriptor, reset: true) }
    }

    func close(_ number: Int, _ descriptor: Int32, reset: Bool) {
        state.change { state in
            state.connections[number] = nil
            if reset { PlatformSocket.resetOnClose(descriptor) }
            PlatformSocket.close(descriptor)
        }
    }

    func becomeBusy(_ number: Int) { state.with { $0.connections[number]?.phase = .busy } }

    func becomeNearlyIdle(_ number: Int) { state.with { $0.connections[number]?.phase = .nearlyIdle } }

    /// - Returns: False if the idle connection must be closed.
    func becomeIdle(_ number: Int) -> Bool {
        state.with { state in
            state.connections[number]?.phase = .idle
            return !state.isShutDown && state.connections[number]?.closesWhenIdle == false
        }
    }

    func closeIdleConnections() {
        let closing = state.with { state in
            state.connections.filter { $0.value.phase != .busy }.map { number, connection in
                state.connections[number]?.closesWhenIdle = true
                if connection.phase == .idle { PlatformSocket.interrupt(connection.descriptor) }
                return number
            }
        }
        // A nearly idle connection waits for its client to read; one that does not read must not block the test.
        state.wait(timeout: 5) { state in closing.allSatisfy { state.connections[$0] == nil } ? () : nil }
    }

    // MARK: - Threads

    /// Starts a thread that ``shutdown(isLast:)`` waits for.
    ///
    /// - Returns: False if the system has no threads left.
    func startThread(_ body: @escaping @Sendable () -> Void) -> Bool {
        state.with { $0.threads.willStart() }
        let isStarted = PlatformThread.start(name: threadName) { [self] in
            let thread = PlatformThread.current
            state.with { $0.threads.didStart(thread) }
            body()
            let leftovers = state.change { $0.threads.didEnd(thread) }
            if let previous = leftovers.join { PlatformThread.join(previous) }
            if leftovers.detachesSelf { PlatformThread.detach(thread) }
        }
        if !isStarted { state.change { $0.threads.didNotStart() } }
        return isStarted
    }

    /// Closes everything and waits until all threads have ended.
    ///
    /// - Parameter isLast: Whether this cannot be called again, because the server is being deallocated.
    func shutdown(isLast: Bool) {
        let thread = PlatformThread.current
        let (script, isOwnThread) = state.change { state in
            state.isShutDown = true
            for connection in state.connections.values { PlatformSocket.interrupt(connection.descriptor) }
            state.acceptor?.wake()
            // A route may hold the last reference to a user's object, which must be released outside the lock.
            let script = state.script
            state.script = MockScript()
            // A route's handler that shuts the server down cannot wait for its own thread.
            let isOwnThread = state.threads.isRunning(thread)
            if isLast, isOwnThread { state.threads.abandon() }
            return (script, isOwnThread)
        }
        withExtendedLifetime(script) {}
        guard !isOwnThread else { return }
        // Threads in handlers are not waited for: a handler is the user's code and may itself wait for this thread, which would be a
        // deadlock.
        state.wait(timeout: nil) { $0.threads.count <= $0.handlers ? () : nil }
        state.wait(timeout: 5) { $0.threads.isEmpty || $0.threads.isAbandoned ? () : nil }
        state.with { if !$0.threads.isEmpty { $0.threads.abandon() } }
        if let last = state.with({ $0.threads.takeEnded() }) { PlatformThread.join(last) }
    }
}
