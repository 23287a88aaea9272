import Foundation

/// A scriptable HTTP/1.1 server for tests of HTTP clients: real sockets on the loopback address, in the test's own process.
///
/// A test says what to answer, with routes and with a queue, and looks afterwards at the requests as they were on the wire. Failures are
/// data too: a response can be given a ``MockFault``. A request for which there is neither a route nor a queued response gets a 404 that
/// says so; one that breaks the rules of RFC 9112 gets a 400 that says which.
///
/// ```swift
/// let server = try MockServer()
/// defer { server.shutdown() }
/// server.enqueue(.text("hello"))
/// // … a client gets server.url("/greeting") …
/// let request = try await server.takeRequest()
/// #expect(request.path == "/greeting")
/// ```
///
/// Each connection has a thread of its own, on which its routes' handlers run, so a handler may block. Any member may be called from any
/// thread. What waits for the client has an async form, which blocks no thread, and a blocking one for synchronous code.
public final class MockServer: Sendable {
    /// The loopback address to listen on.
    public enum Address: Sendable {
        /// 127.0.0.1
        case ipv4
        /// ::1
        case ipv6
    }

    /// The free port that the system chose.
    public let port: Int

    private let address: Address
    let core: ServerCore

    /// Binds a free port, and accepts connections from now on.
    ///
    /// - Parameters:
    ///   - address: The loopback address to listen on; IPv4 by default.
    ///   - recordsRequests: Whether to keep the requests for ``takeRequest(timeout:)``. Turn it off for a load test, whose requests nobody
    ///     takes.
    /// - Throws: ``MockServerError/system(call:code:)`` if the system gives no socket or no thread, or has no such address.
    public init(_ address: Address = .ipv4, recordsRequests: Bool = true) throws {
        let acceptor = try Acceptor(address)
        let core = ServerCore(recordsRequests: recordsRequests, port: acceptor.port)
        self.address = address
        self.core = core
        port = acceptor.port
        core.state.with { $0.acceptor = acceptor }
        guard core.startThread({ acceptor.run(for: core) }) else {
            core.state.with { $0.acceptor = nil }
            acceptor.close()
            throw MockServerError.system(call: "pthread_create", code: EAGAIN)
        }
    }

    deinit { core.shutdown(isLast: true) }

    /// "http://127.0.0.1:PORT" or "http://[::1]:PORT", without a slash at the end.
    public var baseURL: String {
        switch address {
        case .ipv4: "http://127.0.0.1:\(port)"
        case .ipv6: "http://[::1]:\(port)"
        }
    }

    /// ``baseURL`` followed by `path` as it is.
    public func url(_ path: String = "/") -> String { baseURL + path }

    // MARK: - What to answer

    /// Adds responses to the queue. They are used in order, one for each request that no route matches.
    public func enqueue(_ responses: MockResponse...) { enqueue(responses) }

    /// Adds responses to the queue; see ``enqueue(_:)-(MockResponse...)``.
    public func enqueue(_ responses: [MockResponse]) { core.state.with { $0.script.enqueue(responses) } }

    /// Answers the requests for a path. Routes go before the queue, and of several that match the latest registered wins.
    ///
    /// - Parameters:
    ///   - path: Compared with the target up to the "?", as sent. With a "*" at its end it matches every path that begins like it.
    ///   - method: Compared as sent, with regard to case; nil matches every method.
    ///   - beforeBody: Whether to answer as soon as the head is there. The request is then recorded without its body, and if it announces
    ///     one the connection is closed after the response. No "100 Continue" is sent. False by default.
    ///   - handler: Makes the response. Runs on the connection's thread, where it may block; ``shutdown()`` waits for it, but not forever.
    public func route(
        _ path: String, method: String? = nil, beforeBody: Bool = false, _ handler: @escaping @Sendable (RecordedRequest) -> MockResponse
    ) {
        let route = MockScript.Route(path: path, method: method, beforeBody: beforeBody, handler: handler)
        core.state.with { $0.script.add(route) }
    }

    /// Whether a request with `Expect: 100-continue` gets a "100 Continue" before its body is read (RFC 9110 §10.1.1). True by default.
    public var sendsContinue: Bool {
        get { core.sendsContinue }
        set { core.state.with { $0.sendsContinue = newValue } }
    }

    /// Reads the bodies of requests out of small buffers, so that a client is held up in the middle of one. To be called before anybody
    /// connects.
    ///
    /// - Parameter wait: Called on the connection's thread before each piece of a body is read, with what has come so far.
    package func readBodies(after wait: @escaping @Sendable (RecordedRequest) -> Void) {
        core.state.with { state in
            state.acceptor?.narrow()
            state.waitsForBodies = wait
        }
    }

    // MARK: - Ending

    /// Closes each connection that has answered a request and waits for the next, as a server does whose keep-alive time is over.
    ///
    /// A client that has read its whole response can rely on its connection being among them. They are closed when this returns, which
    /// takes a second at most.
    public func closeIdleConnections() { core.closeIdleConnections() }

    /// Closes the listener and all connections, whatever they are doing, and waits until no thread and no descriptor is left.
    ///
    /// May be called again, and from async code: what it waits for are the server's own threads, which need no other. Only a route's
    /// handler could be in need of the thread that waits, so one that has not returned after five seconds is left to end by itself. In a
    /// handler it does not wait, since the handler's own thread is one of those to wait for.
    ///
    /// A server that is deallocated shuts itself down.
    public func shutdown() { core.shutdown(isLast: false) }

    /// Threads and connections that have not ended, for the server's own tests.
    package var leftovers: (threads: Int, connections: Int) { core.state.with { ($0.threads.count, $0.connections.count) } }
}
