import FirewheelTesting
import Foundation
import Testing

@Suite("MockServer: connections", .timeLimit(.minutes(5)))
struct MockServerConnectionTests {
    private let get = "GET / HTTP/1.1\r\nHost: a\r\n\r\n"

    @Test("MockServer's closeIdleConnections closes idle connections as soon as their response is read")
    func closeIdleConnections() throws {
        let server = try MockServer()
        server.route("/") { _ in .text("x") }
        for round in 1...100 {
            let connections = try (0..<3).map { _ in try RawConnection(port: server.port) }
            for connection in connections { #expect(connection.exchange(get).body == "x") }
            server.closeIdleConnections()
            #expect(server.openConnectionCount == 0)
            for connection in connections { #expect(connection.readToEnd() == ("", .closed)) }
            #expect(server.connectionCount == 3 * round)
        }
    }

    @Test("MockServer leaves connections that are not idle alone")
    func busyConnections() async throws {
        let server = try MockServer()
        server.enqueue(.text("done").delayed(head: 0.05))
        let (busy, fresh) = (try RawConnection(port: server.port), try RawConnection(port: server.port))
        busy.send(get)
        #expect(await server.waitForOpenConnections(2))
        _ = try await server.takeRequest()
        server.closeIdleConnections()
        #expect(busy.readResponse().body == "done")
        #expect(fresh.exchange(get).head.hasPrefix("HTTP/1.1 404"))
    }

    @Test("MockServer serves 300 connections at once")
    func manyConnections() throws {
        let server = try MockServer()
        // Each answer waits until all the requests are there.
        server.route("/") { [weak server] _ in server?.waitForRequests(300, timeout: 30) == true ? .text("x") : .status(500) }
        let connections = try (0..<300).map { _ in try RawConnection(port: server.port) }
        for connection in connections { connection.send(get) }
        for connection in connections { #expect(connection.readResponse().body == "x") }
        #expect(server.openConnectionCount == 300)
        server.shutdown()
        #expect(server.leftovers == (0, 0))
        for connection in connections { #expect(connection.readToEnd() == ("", .closed)) }
    }

    @Test("Many connections one after the other leave no thread or descriptor in MockServer")
    func sequence() async throws {
        let server = try MockServer(recordsRequests: false)
        server.route("/") { _ in .status(204).closing() }
        for _ in 0..<300 {
            let connection = try RawConnection(port: server.port)
            connection.send(get)
            #expect(connection.readToEnd().end == .closed)
        }
        #expect(await server.waitForOpenConnections(0))
        #expect(server.requestCount == 300)
        await #expect(throws: MockServerError.noRequest) { try await server.takeRequest(timeout: 0) }
    }

    @Test(
        "MockServer shuts down promptly in any state, and leaves nothing behind",
        arguments: [
            .failure(.noAnswer), .text("x").delayed(head: 60), .text("x").delayed(body: 60), .failure(.endlessBody),
            .failure(.endlessBody).framed(.chunked).throttled(bytes: 1, every: 60), .failure(.endlessHeaders),
            .failure(.closeIdle(after: 60)), .text("xx").throttled(bytes: 1, every: 60), .text("idle"),
        ] as [MockResponse])
    func shutdown(response: MockResponse) async throws {
        let server = try MockServer()
        server.enqueue(response)
        let (connection, silent, halfway) = try (
            RawConnection(port: server.port), RawConnection(port: server.port), RawConnection(port: server.port)
        )
        connection.send(get)
        halfway.send("GET / HT")
        _ = try await server.takeRequest()
        #expect(await server.waitForOpenConnections(3))
        #if os(Linux)
            // The acceptor and three connections, a thread and a socket each: what is looked for afterwards can be seen now.
            try expectTraces(8, of: server.port)
        #endif
        let start = ContinuousClock.now
        server.shutdown()
        // The interrupted response would take a minute.
        #expect(ContinuousClock.now - start < .seconds(30))
        #expect(server.leftovers == (0, 0))
        #expect(silent.readToEnd().end == .closed)
        server.shutdown()
        expectRefused(server.port)
        #if os(Linux)
            try expectTraces(0, of: server.port)
        #endif
    }

    @Test("MockServer can shut down while connections arrive")
    func shutdownAmidArrivals() async throws {
        for _ in 0..<20 {
            let server = try MockServer()
            server.route("/") { _ in .text("x") }
            await onThreads(4) { [get] worker in
                guard worker > 0 else {
                    _ = server.waitForRequests(20)
                    return server.shutdown()
                }
                while let connection = try? RawConnection(port: server.port), connection.exchange(get).body == "x" {}
            }
            #expect(server.leftovers == (0, 0))
            #expect(server.requestCount >= 20)
        }
    }

    @Test("A released MockServer shuts itself down, also from its own handler")
    func deallocation() throws {
        var server: MockServer? = try MockServer()
        let port = try #require(server?.port)
        server?.route("/") { [weak server] _ in
            server?.shutdown()
            return .text("too late")
        }
        let connection = try RawConnection(port: port)
        connection.send(get)
        #expect(connection.readToEnd().end == .closed)
        server = nil
        expectRefused(port)

        let holder = Holder(try MockServer())
        let otherPort = try #require(holder.server?.port)
        holder.server?.route("/") { _ in
            holder.server = nil
            return .text("too late")
        }
        let other = try RawConnection(port: otherPort)
        other.send(get)
        #expect(other.readToEnd().end == .closed)
        #expect(holder.server == nil)
    }

    /// A free port may at once become that of another test's server, and on its own thread a server ends a moment later: looks more than once.
    private func expectRefused(_ port: Int) {
        let deadline = ContinuousClock.now + .seconds(30)
        while (try? RawConnection(port: port)) != nil {
            guard ContinuousClock.now < deadline else {
                Issue.record("Port \(port) still accepts connections.")
                return
            }
        }
    }

    /// Unchecked: the variable is only touched under the lock.
    private final class Holder: @unchecked Sendable {
        private let lock = NSLock()
        private var held: MockServer?

        init(_ server: MockServer) { held = server }

        var server: MockServer? {
            get { lock.withLock { held } }
            set {
                // The held objects are released after the lock, since their deinit may be slow.
                let old = lock.withLock { () -> MockServer? in
                    defer { held = newValue }
                    return held
                }
                withExtendedLifetime(old) {}
            }
        }
    }

    #if os(Linux)
        /// A thread gets its name a moment after its start, and leaves the system's table a moment after its end: this looks again until they agree.
        private func expectTraces(_ count: Int, of port: Int) throws {
            let deadline = ContinuousClock.now + .seconds(30)
            var found = try traces(of: port)
            while found.count != count, ContinuousClock.now < deadline { found = try traces(of: port) }
            #expect(found.count == count, "\(found)")
        }

        /// A server's resources as the system reports them: its threads by name, and its descriptors by their socket's port.
        private func traces(of port: Int) throws -> [String] {
            let threads = try FileManager.default.contentsOfDirectory(atPath: "/proc/self/task").filter {
                (try? String(contentsOfFile: "/proc/self/task/\($0)/comm", encoding: .utf8)) == "mock-\(port)\n"
            }
            let descriptors = try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").filter {
                Int32($0).flatMap(RawConnection.localPort) == port
            }
            return threads.map { "thread \($0)" } + descriptors.map { "descriptor \($0)" }
        }
    #endif
}
