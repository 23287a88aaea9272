import Firewheel
import FirewheelTesting
import Foundation
import Testing

/// Requests to one HTTP/1.1 server use one connection each, up to `maximumConnectionsPerHost`.
@Suite("Concurrent requests to one server", .timeLimit(.minutes(5)))
struct ParallelRequestsTests {
    @Test("A first request that waits for its response, suspended or not, does not block other requests", arguments: [false, true])
    func slowFirst(isSuspended: Bool) async throws {
        let server = try MockServer()
        defer { server.shutdown() }
        let entered = Journal<Void>()
        let gate = DispatchSemaphore(value: 0)
        server.route("/slow") { _ in
            entered.add(())
            _ = gate.wait(timeout: .now() + 60)
            return .text("slow")
        }
        server.route("/fast") { _ in .text("fast") }
        var configuration = SessionConfiguration.default
        configuration.timeoutIntervalForRequest = 100
        let session = Session(configuration: configuration)
        let done = Journal<String?>()
        let slow = session.request(server.url("/slow")).responseString(queue: .global()) { done.add($0.value) }
        _ = try await entered.wait(for: 1)
        if isSuspended { slow.suspend() }
        let fast = await session.request(server.url("/fast")).serializingString().result
        #expect(kind(fast) == nil && done.count == 0)
        slow.resume()
        gate.signal()
        if kind(fast) == nil { #expect(try await done.wait(for: 1) == ["slow"]) }
        withExtendedLifetime(session) {}
    }
}
