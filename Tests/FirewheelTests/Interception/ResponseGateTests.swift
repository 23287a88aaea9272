import Firewheel
import FirewheelTesting
import Foundation
import Testing

/// Decisions before the body is read, and timeouts of one request.
@Suite("Response gates, and limits of a single request", .timeLimit(.minutes(5)))
struct ResponseGateTests {
    @Test("A gate that allows the response lets data requests and downloads read the body")
    func allowed() async throws {
        let server = try MockServer()
        defer { server.shutdown() }
        server.route("*") { _ in .text("body") }
        let seen = Journal<Int>()
        let request = Session().request(server.url("/")).onHTTPResponse { response async in
            seen.add(response.statusCode)
            return .allow
        }
        #expect(try await request.serializingString().value == "body")
        let file = try await Session().download(server.url("/")).onHTTPResponse { _ async in .allow }.serializingDownloadedFileURL().value
        #expect(try String(contentsOf: file, encoding: .utf8) == "body")
        try FileManager.default.removeItem(at: file)
        #expect(seen.entries == [200])
    }

    @Test("Gate closures may be written in every form, and a closure without an answer is not a gate")
    func spellings() async throws {
        let stub = StubTransport { _ in [.response(ResponseHead(statusCode: 200)), .finish(body: Data("x".utf8))] }
        let session = Session(transport: stub)
        let url = "http://stub.test/"
        #expect(try await session.request(url).onHTTPResponse { _ in .allow }.serializingString().value == "x")
        let several = session.request(url).onHTTPResponse { response in
            guard response.statusCode == 200 else { return .allow }
            return .cancel
        }
        #expect(kind(await several.serializingString().response.error) == .explicitlyCancelled)
        let none = session.request(url).onHTTPResponse { response in _ = response.statusCode }
        #expect(try await none.serializingString().value == "x")
    }

    @Test("A gate that cancels ends an endless body unread and closes its connection")
    func cancelled() async throws {
        let server = try MockServer(recordsRequests: false)
        defer { server.shutdown() }
        server.route("*") { _ in MockResponse.text("x").failing(.endlessBody) }
        let request = Session().request(server.url("/")).onHTTPResponse { _ async in .cancel }
        let response = await request.serializingData().response
        #expect(kind(response.error) == .explicitlyCancelled && request.isCancelled && (response.data ?? Data()).isEmpty)
        #expect((response.error as? FirewheelError)?.response?.statusCode == 200)
        #expect(await server.waitForOpenConnections(0))
    }

    @Test("Gates are asked in order up to the first that cancels, and not about followed redirects")
    func order() async throws {
        let server = try MockServer()
        defer { server.shutdown() }
        server.enqueue(.redirect(to: "/next"))
        server.enqueue(.text("there"))
        let asked = Journal<String>()
        let request = Session().request(server.url("/"))
            .onHTTPResponse { response async in
                asked.add("first \(response.statusCode)")
                return .allow
            }
            .onHTTPResponse { _ async in
                asked.add("second")
                return .cancel
            }
            .onHTTPResponse { _ async in
                asked.add("third")
                return .allow
            }
        #expect(kind(await request.serializingString().response.error) == .explicitlyCancelled)
        #expect(asked.entries == ["first 200", "second"])
    }

    @Test("A gate that never answers does not delay a cancel or the resource timeout")
    func neverAnswering() async throws {
        let server = try MockServer()
        defer { server.shutdown() }
        server.route("*") { _ in .text("body") }
        let asked = Journal<Int>()
        func request() -> DataRequest {
            Session().request(server.url("/")).onHTTPResponse { _ async in
                asked.add(1)
                try? await Task.sleep(nanoseconds: 1_000_000_000_000)
                return .allow
            }
        }
        #expect(kind(await request().timeout(total: 0.1).serializingString().response.error) == .transportFailed(.timedOut))
        // On a busy machine the gate may not be asked before the timeout.
        let before = asked.count
        let cancelled = request()
        let task = cancelled.serializingString()
        _ = try await asked.wait(for: before + 1)
        cancelled.cancel()
        #expect(kind(await task.response.error) == .explicitlyCancelled)
    }

    @Test("No gate is asked after a cancel, even if an earlier one answers then")
    func afterACancel() async throws {
        let stub = StubTransport { _ in [.response(ResponseHead(statusCode: 200)), .finish(body: Data("x".utf8))] }
        let asked = Journal<Int>()
        let request = Session(transport: stub).request("http://stub.test/")
            .onHTTPResponse { _ async in
                asked.add(1)
                try? await Task.sleep(nanoseconds: 1_000_000_000_000)
                return .allow
            }
            .onHTTPResponse { _ async in
                asked.add(2)
                return .allow
            }
        let task = request.serializingString()
        _ = try await asked.wait(for: 1)
        request.cancel()
        _ = await task.response
        // The first gate answers when its task is cancelled.
        for _ in 0..<100 { await Task.yield() }
        #expect(asked.entries == [1])
    }

    @Test("An onHTTPResponse closure without an answer is told of the response and decides nothing")
    func telling() async throws {
        let server = try MockServer()
        defer { server.shutdown() }
        server.enqueue(.text("body"))
        let seen = Journal<Int>()
        let queue = DispatchQueue(label: "test")
        let request = Session().request(server.url("/")).onHTTPResponse(on: queue) { seen.add($0.statusCode) }
        #expect(try await request.serializingString().value == "body")
        #expect(try await seen.wait(for: 1) == [200])
    }

    // MARK: Limits

    @Test("A request's own idle timeout takes precedence over the session's")
    func idle() async throws {
        let server = try MockServer()
        defer { server.shutdown() }
        server.route("*") { _ in .failure(.noAnswer) }
        let start = DispatchTime.now()
        let error = await Session().request(server.url("/")).timeout(idle: 0.2).serializingData().response.error
        #expect(kind(error) == .transportFailed(.timedOut))
        #expect(DispatchTime.now().uptimeNanoseconds - start.uptimeNanoseconds < 20_000_000_000)
    }

    @Test("A request's own resource timeout takes precedence over the session's, and 0 means none")
    func total() async throws {
        var configuration = SessionConfiguration.default
        configuration.timeoutIntervalForResource = 0.15
        let server = try MockServer()
        defer { server.shutdown() }
        server.route("/slow") { _ in MockResponse.text("slow").delayed(head: 0.4) }
        // No response can be faster than the timeout, however late that is noticed.
        server.route("/never") { _ in .failure(.noAnswer) }
        let session = Session(configuration: configuration)
        #expect(try await session.request(server.url("/slow")).timeout(total: 0).serializingString().value == "slow")
        #expect(kind(await session.request(server.url("/never")).serializingString().response.error) == .transportFailed(.timedOut))
        let short = await Session().request(server.url("/never")).timeout(total: 0.1).serializingString().response
        #expect(kind(short.error) == .transportFailed(.timedOut))
    }

    @Test(
        "Negative, infinite and NaN timeouts do not trap",
        arguments: [-1, .nan, .infinity, -.infinity, .greatestFiniteMagnitude, .leastNonzeroMagnitude] as [TimeInterval])
    func odd(seconds: TimeInterval) async throws {
        let stub = StubTransport { _ in [.response(ResponseHead(statusCode: 200)), .finish(body: Data("x".utf8))] }
        let response = await Session(transport: stub).request("http://stub.test/").timeout(idle: seconds, total: seconds)
            .retry { _, _ in .retryWithDelay(seconds) }.serializingString().response
        #expect(response.value == "x" || kind(response.error) == .transportFailed(.timedOut))
    }
}
