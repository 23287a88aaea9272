import Firewheel
import Foundation

/// A scriptable HTTP/1.1 server for tests of HTTP clients: real sockets on the loopback address, in the test's own process.
///
/// A test configures responses with routes and a queue, and inspects the requests as they were on the wire. Responses may include failures:
/// see ``MockFault``. A request without a route and a queued response gets a 404 that explains this; one that violates RFC 9112 gets a 400
/// that names the rule.
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
/// Each connection has its own thread, on which its routes' handlers run. All members may be used from any thread; those that wait block
/// the calling thread.
public final class MockServer: Sendable {
    /// The loopback address to listen on.
    public enum Address: Sendable {
        /// 127.0.0.1
        case ipv4
        /// ::1
        case ipv6
    }

    /// The port, chosen by the system.
    public let port: Int
    /// The certificate of a server with TLS; nil without TLS. A session with this certificate among its `tls.authorities` trusts it.
    public let certificate: Certificate?

    /// "http://127.0.0.1:PORT" or "http://[::1]:PORT", without a trailing slash; with TLS "https".
    public let baseURL: String
    /// The TLS-terminating proxy that clients connect to; nil without TLS.
    private let front: (any MockFront)?
    let core: ServerCore

    /// Binds a free port and starts to accept connections.
    ///
    /// - Parameters:
    ///   - address: The loopback address to listen on. Default: IPv4.
    ///   - recordsRequests: Whether to keep requests for `takeRequest(timeout:)`. Turn it off for load tests that do not take them.
    /// - Throws: ``MockServerError/system(call:code:)`` if the system has no socket or thread left, or no such address.
    public convenience init(_ address: Address = .ipv4, recordsRequests: Bool = true) throws {
        try self.init(address, recordsRequests: recordsRequests, host: address.host) { _ in nil }
    }

    /// - Parameters:
    ///   - host: That of URLs.
    ///   - makeFront: Makes a TLS-terminating proxy for the server's port, with its certificate; nil for none.
    init(
        _ address: Address, recordsRequests: Bool, host: String,
        makeFront: (_ port: Int) throws -> (front: any MockFront, certificate: Certificate)?
    ) throws {
        let acceptor = try Acceptor(address)
        let core = ServerCore(recordsRequests: recordsRequests, port: acceptor.port)
        core.state.with { $0.acceptor = acceptor }
        guard core.startThread({ acceptor.run(for: core) }) else {
            core.state.with { $0.acceptor = nil }
            acceptor.close()
            throw MockServerError.system(call: "pthread_create", code: EAGAIN)
        }
        do {
            let made = try makeFront(acceptor.port)
            (front, certificate) = (made?.front, made?.certificate)
        } catch {
            core.shutdown(isLast: true)
            throw error
        }
        port = front?.port ?? acceptor.port
        baseURL = "\(front == nil ? "http" : "https")://\(host):\(port)"
        self.core = core
    }

    deinit {
        front?.stop()
        core.shutdown(isLast: true)
    }

    /// ``baseURL`` followed by the unmodified `path`.
    public func url(_ path: String = "/") -> String { baseURL + path }

    // MARK: - Responses

    /// Adds responses to the queue. They are used in order for requests that no route matches.
    public func enqueue(_ responses: MockResponse...) { enqueue(responses) }

    /// Adds responses to the queue; see ``enqueue(_:)-(MockResponse...)``.
    public func enqueue(_ responses: [MockResponse]) { core.state.with { $0.script.enqueue(responses) } }

    /// Registers a route. Routes take precedence over the queue; of several matching ones the last registered wins.
    ///
    /// - Parameters:
    ///   - path: Compared with the target before the "?", as sent. With a trailing "*" it matches every path with this prefix.
    ///   - method: Compared as sent, case-sensitively; nil matches every method.
    ///   - beforeBody: Whether to respond as soon as the head has arrived. The request is then recorded without its body, and if it has one
    ///     the connection is closed after the response. No "100 Continue" is sent. Default: false.
    ///   - handler: Makes the response. Runs on the connection's thread; ``shutdown()`` waits for it.
    public func route(
        _ path: String, method: String? = nil, beforeBody: Bool = false, _ handler: @escaping @Sendable (RecordedRequest) -> MockResponse
    ) {
        add(MockScript.Route(path: path, method: method, responder: .handler(handler, beforeBody: beforeBody)))
    }

    /// Registers a route whose handler reads the request's body and sends the response itself, in any order.
    ///
    /// The request is recorded when the handler returns or throws, with what was read of its body. Then the connection stays open if body
    /// and response are complete, and is closed otherwise. No "100 Continue" is sent unless the handler does.
    ///
    /// - Parameters:
    ///   - path: As for ``route(_:method:beforeBody:_:)``.
    ///   - method: Compared as sent, case-sensitively; nil matches every method.
    ///   - handler: Runs on the connection's thread. An error that it throws closes the connection.
    public func exchange(_ path: String, method: String? = nil, _ handler: @escaping @Sendable (MockExchange) throws -> Void) {
        add(MockScript.Route(path: path, method: method, responder: .exchange(handler)))
    }

    private func add(_ route: MockScript.Route) { core.state.with { $0.script.add(route) } }

    /// Whether a request with `Expect: 100-continue` gets a "100 Continue" before its body is read (RFC 9110 §10.1.1). Default: true.
    public var sendsContinue: Bool {
        get { core.sendsContinue }
        set { core.state.with { $0.sendsContinue = newValue } }
    }

    /// Reads request bodies through small buffers, so that a client blocks within one. Must be called before the first connection.
    ///
    /// - Parameter wait: Called on the connection's thread before each piece of a body is read, with the request so far.
    package func readBodies(after wait: @escaping @Sendable (RecordedRequest) -> Void) {
        core.state.with { state in
            state.acceptor?.narrow()
            state.waitsForBodies = wait
        }
    }

    // MARK: - Ending

    /// Closes all idle connections, like a server whose keep-alive timeout is exceeded.
    ///
    /// This includes the connection of every client that has read its whole response. They are closed on return.
    public func closeIdleConnections() { core.closeIdleConnections() }

    /// Closes the listener and all connections in any state, and waits until no thread and no descriptor is left.
    ///
    /// May be called repeatedly. In a route's handler it does not wait, because it would wait for its own thread. Deallocation shuts the
    /// server down as well.
    public func shutdown() {
        front?.stop()
        core.shutdown(isLast: false)
    }

    /// The remaining threads and connections, for the server's own tests.
    package var leftovers: (threads: Int, connections: Int) { core.state.with { ($0.threads.count, $0.connections.count) } }
}

/// A TLS-terminating proxy in front of a server.
protocol MockFront: Sendable {
    var port: Int { get }

    /// Ends all connections, and returns when no thread and no descriptor is left.
    func stop()
}

extension MockServer.Address {
    /// As in a URL.
    var host: String {
        switch self {
        case .ipv4: "127.0.0.1"
        case .ipv6: "[::1]"
        }
    }
}
