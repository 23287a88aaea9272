import Firewheel
import Foundation
import Testing

#if canImport(Glibc)
    import Glibc

    @testable import FirewheelTesting
#endif

@Suite("Connections", .eachTransport, .timeLimit(.minutes(5)))
struct ConnectionTests {
    @Test("Twenty requests in sequence use one connection, and the metrics say which ones reused it")
    func keepAlive() async throws {
        let server = try MockServer()
        defer { server.shutdown() }
        server.route("*") { _ in .text("x") }
        let session = Session.onTest()
        for number in 0..<20 {
            let response = await session.request(server.url("/\(number)")).raw()
            #expect(response.text == "x")
            let hop = try #require(response.metrics?.transactionMetrics.first)
            #expect(hop.isReusedConnection == (number > 0))
            #expect((hop.connectStartDate == nil) == (number > 0))
        }
        #expect(server.connectionCount == 1)
    }

    @Test("A connection is reused after every kind of response that allows it")
    func mixed() async throws {
        let server = try MockServer()
        defer { server.shutdown() }
        let session = Session.onTest()
        let responses: [MockResponse] = [
            .text("a"), .text("b").framed(.chunked), .status(204), .status(304), .text("c", status: 404), .text("d").informational(103),
            .text("", status: 500),
            .text("e").framed(.chunked).trailer("X", "y"),
        ]
        for response in responses {
            server.enqueue(response)
            #expect(await session.request(server.url()).raw().kind == nil)
            server.enqueue(response)
            #expect(await session.post(server.url()).raw().kind == nil)
        }
        #expect(server.connectionCount == 1)
    }

    @Test("Connection: close from either side closes the connection (RFC 9112 section 9.6)")
    func closing() async throws {
        let server = try MockServer()
        defer { server.shutdown() }
        let session = Session.onTest()
        server.enqueue(.text("a").closing(), .text("b"), .text("c"))
        #expect(await session.request(server.url()).raw().text == "a")
        #expect(await session.request(server.url(), headers: ["Connection": "close"]).raw().text == "b")
        #expect(await session.request(server.url()).raw().text == "c")
        #expect(server.connectionCount == 3)
    }

    @Test("Two sessions share no connection")
    func sessionsApart() async throws {
        let server = try MockServer()
        defer { server.shutdown() }
        server.route("*") { _ in .text("x") }
        let (one, two) = (Session.onTest(), Session.onTest())
        for session in [one, two, one, two] { #expect(await session.request(server.url()).raw().text == "x") }
        #expect(server.connectionCount == 2)
    }

    @Test("maximumConnectionsPerHost limits the connections to a host, and other requests wait", arguments: [1, 3])
    func limit(limit: Int) async throws {
        let server = try MockServer()
        defer { server.shutdown() }
        let atOnce = Gauge()
        server.route("*") { _ in
            atOnce.enter()
            // As many as may come do, however late their requests are started.
            for _ in 0..<20_000 where atOnce.most < limit { usleep(1_000) }
            usleep(20_000)
            atOnce.leave()
            return .text("x")
        }
        let session = Session.onTest(configuration: .with { $0.maximumConnectionsPerHost = limit })
        let successes = await withTaskGroup(of: Bool.self) { group in
            for number in 0..<20 { group.addTask { await session.request(server.url("/\(number)")).raw().text == "x" } }
            return await group.reduce(0) { $0 + ($1 ? 1 : 0) }
        }
        #expect(successes == 20)
        #expect(atOnce.most == limit)
        #expect(server.connectionCount == limit)
    }

    @Test("A maximumConnectionsPerHost below 1 counts as 1", arguments: [0, -5])
    func leastLimit(limit: Int) async throws {
        let server = try MockServer()
        defer { server.shutdown() }
        server.route("*") { _ in .text("x") }
        let session = Session.onTest(configuration: .with { $0.maximumConnectionsPerHost = limit })
        async let first = session.request(server.url()).raw().text
        async let second = session.request(server.url()).raw().text
        #expect(await [first, second] == ["x", "x"])
        #expect(server.connectionCount == 1)
    }

    @Test("Requests to a slow server do not block those to another")
    func otherHosts() async throws {
        let (slow, fast) = (try MockServer(), try MockServer())
        defer {
            slow.shutdown()
            fast.shutdown()
        }
        slow.route("*") { _ in MockResponse.text("slow").delayed(head: 30) }
        fast.route("*") { _ in .text("fast") }
        let session = Session.onTest(configuration: .with { $0.maximumConnectionsPerHost = 2 })
        let held = (0..<6).map { _ in session.request(slow.url()).serializingData() }
        for _ in 0..<20 {
            let (response, seconds) = await session.request(fast.url()).timed()
            #expect(response.text == "fast")
            #expect(seconds < 25)
        }
        for task in held { task.cancel() }
    }

    @Test("Connecting to a closed port fails at once with cannotConnectToHost")
    func refused() async throws {
        let socket = try BoundSocket(listening: false)
        let (response, seconds) = await once { $0.request("http://127.0.0.1:\(socket.port)/") }
        #expect(response.kind == .transportFailed(.cannotConnectToHost))
        #expect((response.error as? FirewheelError)?.isConnectivity == true)
        #expect(response.statusCode == nil)
        #expect(seconds < 40)
    }

    @Test("A host name that does not exist is cannotFindHost (top-level domain invalid, RFC 2606)")
    func unresolvable() async throws {
        let response = await once(.with { $0.connectTimeout = 50 }) { $0.request("http://-nope.invalid/") }.response
        #expect(response.kind == .transportFailed(.cannotFindHost))
        #expect((response.error as? FirewheelError)?.isConnectivity == true)
    }

    @Test("Connecting that takes too long ends by connectTimeout, which may be a fraction of a second")
    func connectTimeout() async throws {
        let socket = try BoundSocket(listening: true)
        // Without a full backlog connecting would not hang, and nothing would be tested.
        try #require(socket.fillBacklog())
        let session = Session.onTest(configuration: .with { $0.connectTimeout = 0.4 })
        let (response, seconds) = await session.request("http://127.0.0.1:\(socket.port)/").timed()
        #expect(response.kind == .transportFailed(.timedOut))
        #expect(seconds >= 0.35 && seconds < 40)
        let hop = try #require(response.metrics?.transactionMetrics.first)
        #expect(hop.requestStartDate == nil && hop.responseStartDate == nil)
    }

    @Test("Invalidating a session closes its idle connections, even if it is still held")
    func invalidated() async throws {
        let server = try MockServer()
        defer { server.shutdown() }
        server.route("*") { _ in .text("x") }
        let session = Session.onTest()
        _ = await session.request(server.url()).raw()
        #expect(server.openConnectionCount == 1)
        session.invalidate()
        try await waitUntil("the end of the connection") { server.openConnectionCount == 0 }
        withExtendedLifetime(session) {}
    }

    @Test("The session can be used after the server has closed every pooled connection")
    func poolClosed() async throws {
        let server = try MockServer()
        defer { server.shutdown() }
        server.route("*") { _ in .text("x") }
        let session = Session.onTest()
        for round in 1...5 {
            let texts = await withTaskGroup(of: String?.self) { group in
                for _ in 0..<20 { group.addTask { await session.post(server.url()).raw().text } }
                return await group.reduce(into: [String?]()) { $0.append($1) }
            }
            #expect(texts == Array(repeating: "x", count: 20), "round \(round)")
            server.closeIdleConnections()
            #expect(await server.waitForOpenConnections(0, timeout: 10))
        }
        #expect(server.requestCount == 100)
    }
}

/// Counts how many are inside at once.
final class Gauge: Sendable {
    private let lock = NSLock()
    // Only touched while holding `lock`.
    private nonisolated(unsafe) var state = (now: 0, most: 0)

    var most: Int { lock.withLock { state.most } }

    func enter() { lock.withLock { state = (state.now + 1, max(state.most, state.now + 1)) } }
    func leave() { lock.withLock { state.now -= 1 } }
}

/// A reserved port of the loopback address without a listener.
final class BoundSocket {
    let port: Int
    private let descriptor: Int32
    private var fillers: [Int32] = []

    /// - Parameter listening: Whether connections queue until the backlog is full; otherwise they are refused.
    init(listening: Bool) throws {
        (descriptor, port) = try listening ? Loopback.listen(backlog: 0) : Loopback.bind()
    }

    deinit { for descriptor in fillers + [descriptor] { close(descriptor) } }

    /// Connects until a connection is no longer accepted.
    ///
    /// - Returns: False if the system accepts all of them.
    func fillBacklog() -> Bool {
        for _ in 0..<16 {
            let filler = socket(AF_INET, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue) | Int32(SOCK_NONBLOCK.rawValue), 0)
            guard filler >= 0 else { return false }
            fillers.append(filler)
            var address = sockaddr_in()
            address.sin_family = sa_family_t(AF_INET)
            address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
            address.sin_port = UInt16(port).bigEndian
            _ = withUnsafePointer(to: &address) { pointer in
                pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { connect(filler, $0, socklen_t(MemoryLayout<sockaddr_in>.size)) }
            }
            var poller = pollfd(fd: filler, events: Int16(POLLOUT), revents: 0)
            if poll(&poller, 1, 200) == 0 { return true }
        }
        return false
    }
}
