import Foundation

// Access to the received requests. Each wait exists twice: for async code, and for synchronous code, whose thread it blocks.

extension MockServer {
    /// Takes the oldest request that has not been taken. If there is none, suspends until one arrives.
    ///
    /// A request can be taken once it has arrived completely, or when its ``exchange(_:method:_:)`` has ended. Each request is taken once,
    /// in that order; tasks that wait are served in the order in which they began to wait.
    ///
    /// - Parameter timeout: The maximum wait in seconds. Default: 20.
    /// - Throws: ``MockServerError/noRequest`` on timeout, or at once if the server is shut down and no request is left;
    ///   `CancellationError` as soon as the task is cancelled, with no request taken.
    public func takeRequest(timeout: TimeInterval = 20) async throws -> RecordedRequest {
        let request = try await core.state.wait(timeout: timeout) { $0.takeRequests(1) }
        guard let request = request?.first else { throw MockServerError.noRequest }
        return request
    }

    /// Takes a number of requests, the oldest first, and suspends until all of them have arrived.
    ///
    /// They are taken together: on timeout or cancellation none is taken. Other tasks can take requests in the meantime.
    ///
    /// - Parameters:
    ///   - count: How many requests.
    ///   - timeout: The maximum wait in seconds. Default: 20.
    /// - Throws: The errors of `takeRequest(timeout:)`.
    public func takeRequests(_ count: Int, timeout: TimeInterval = 20) async throws -> [RecordedRequest] {
        guard count > 0 else { return [] }
        let requests = try await core.state.wait(timeout: timeout) { $0.takeRequests(count) }
        guard let requests, !requests.isEmpty else { throw MockServerError.noRequest }
        return requests
    }

    /// Takes the oldest request that has not been taken. If there is none, blocks the thread until one arrives. For synchronous XCTest
    /// tests and for routes' handlers.
    ///
    /// - Parameter timeout: The maximum wait in seconds. Default: 20.
    /// - Throws: ``MockServerError/noRequest`` on timeout, or at once if the server is shut down and no request is left.
    @available(*, noasync, message: "This blocks one of the few threads that async code has: use `try await takeRequest()`.")
    public func takeRequest(timeout: TimeInterval = 20) throws -> RecordedRequest {
        let request = core.state.wait(timeout: timeout) { $0.takeRequests(1) }
        guard let request = request?.first else { throw MockServerError.noRequest }
        return request
    }

    /// Suspends until ``requestCount`` is at least this number.
    ///
    /// - Parameters:
    ///   - count: How many requests, from the start of the server on.
    ///   - timeout: The maximum wait in seconds. Default: 20.
    /// - Returns: False on timeout or if the task is cancelled.
    public func waitForRequests(_ count: Int, timeout: TimeInterval = 20) async -> Bool {
        await isTrue(within: timeout) { $0.log.count >= count }
    }

    /// Blocks the thread until ``requestCount`` is at least this number.
    ///
    /// - Parameters:
    ///   - count: How many requests, from the start of the server on.
    ///   - timeout: The maximum wait in seconds. Default: 20.
    /// - Returns: False on timeout.
    @available(*, noasync, message: "This blocks one of the few threads that async code has: use `await waitForRequests(_:)`.")
    public func waitForRequests(_ count: Int, timeout: TimeInterval = 20) -> Bool {
        core.state.wait(timeout: timeout) { $0.log.count >= count ? true : nil } ?? false
    }

    /// Suspends until exactly this many connections are open.
    ///
    /// - Parameters:
    ///   - count: How many connections.
    ///   - timeout: The maximum wait in seconds. Default: 20.
    /// - Returns: False on timeout or if the task is cancelled.
    public func waitForOpenConnections(_ count: Int, timeout: TimeInterval = 20) async -> Bool {
        await isTrue(within: timeout) { $0.connections.count == count }
    }

    /// Blocks the thread until exactly this many connections are open.
    ///
    /// - Parameters:
    ///   - count: How many connections.
    ///   - timeout: The maximum wait in seconds. Default: 20.
    /// - Returns: False on timeout.
    @available(*, noasync, message: "This blocks one of the few threads that async code has: use `await waitForOpenConnections(_:)`.")
    public func waitForOpenConnections(_ count: Int, timeout: TimeInterval = 20) -> Bool {
        core.state.wait(timeout: timeout) { $0.connections.count == count ? true : nil } ?? false
    }

    private func isTrue(within timeout: TimeInterval, _ condition: @escaping @Sendable (ServerCore.State) -> Bool) async -> Bool {
        let outcome = try? await core.state.wait(timeout: timeout) { condition($0) ? true : nil }
        return outcome ?? false
    }

    // MARK: - Current state

    /// The number of requests that have arrived completely, taken or not. A request to a handler of ``exchange(_:method:_:)`` counts when
    /// the handler is called, and can be taken when it has returned.
    public var requestCount: Int { core.state.with { $0.log.count } }

    /// The number of connections accepted so far.
    public var connectionCount: Int { core.state.with { $0.connectionCount } }

    /// The number of connections that are open on the server side.
    public var openConnectionCount: Int { core.state.with { $0.connections.count } }

    /// The number of connections on which a whole response has been sent and no further request has come.
    package var idleConnectionCount: Int { core.state.with { $0.connections.values.filter { $0.phase == .idle }.count } }
}
