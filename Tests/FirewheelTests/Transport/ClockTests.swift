import Firewheel
import FirewheelTesting
import Foundation
import Testing

/// Which waiting counts towards which timeout.
@Suite("Timeouts and suspension", .timeLimit(.minutes(5)))
struct ClockTests {
    @Test("A request suspended while it is queued has its whole idle timeout when its turn comes")
    func suspendedInTheQueue() async throws {
        let server = try MockServer()
        defer { server.shutdown() }
        // Never idle, but longer under way than the idle timeout.
        server.route("/slow") { _ in .text("slow and steady").throttled(bytes: 1, every: 0.5) }
        server.route("/next") { _ in .text("next").delayed(head: 0.5) }
        var configuration = SessionConfiguration()
        configuration.maximumConnectionsPerHost = 1
        configuration.timeoutIntervalForRequest = 6
        let session = Session(configuration: configuration)
        let slow = session.request(server.url("/slow")).serializingString()
        let request = session.request(server.url("/next"))
        let next = request.serializingString()
        request.suspend()
        request.resume()
        #expect(try await slow.value == "slow and steady")
        #expect(try await next.value == "next")
        withExtendedLifetime(session) {}
    }

    @Test("The resource timeout runs while a request is suspended between two hops")
    func heldBetweenHops() async throws {
        var configuration = SessionConfiguration()
        configuration.timeoutIntervalForResource = 0.5
        let stub = StubTransport { request in
            request.target.string == "http://stub.test/" ? [.wait] : [.response(ResponseHead(statusCode: 200)), .finish()]
        }
        let session = Session(configuration: configuration, transport: stub)
        let request = session.request("http://stub.test/")
        let task = request.serializingData()
        request.suspend()
        let id = try #require(stub.requests.first?.id)
        stub.send([.response(ResponseHead(statusCode: 302, headers: ["Location": "/next"])), .finish()], to: id)
        let error = await task.response.error as? FirewheelError
        #expect(error?.kind == .transportFailed(.timedOut))
        #expect(stub.requests.count == 1)
        withExtendedLifetime(session) {}
    }

    @Test("A request that was never started fails with sessionInvalidated when its session is released")
    func neverStarted() async throws {
        var session: Session? = Session(transport: StubTransport(), startRequestsImmediately: false)
        let request = try #require(session).request("http://stub.test/")
        let task = request.serializingData()
        #expect(request.isInitialized)
        session = nil
        let error = await task.response.error as? FirewheelError
        #expect(error?.kind == .sessionInvalidated)
        let late = await request.serializingData().response.error as? FirewheelError
        #expect(late?.kind == .sessionInvalidated)
    }

    @Test("A resource timeout of 0 is no limit, like an idle timeout of 0")
    func noLimit() async throws {
        var configuration = SessionConfiguration()
        configuration.timeoutIntervalForResource = 0
        configuration.timeoutIntervalForRequest = 0
        let stub = StubTransport { _ in [.response(ResponseHead(statusCode: 200)), .finish(body: Data("x".utf8))] }
        let session = Session(configuration: configuration, transport: stub)
        #expect(try await session.request("http://stub.test/").serializingString().value == "x")
        #expect(stub.requests.first?.deadline == nil)
    }
}
