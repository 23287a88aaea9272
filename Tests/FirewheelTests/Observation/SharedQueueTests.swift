import Dispatch
import Firewheel
import FirewheelTesting
import Foundation
import Testing

/// Monitors that share a queue.
@Suite("Event monitors that share a queue", .timeLimit(.minutes(5)))
struct SharedQueueTests {
    private struct Named: EventMonitor {
        let name: String
        let queue: DispatchQueue?
        let journal: Journal<String>

        func request(_ context: RequestContext, did event: RequestEvent) {
            journal.add("\(name) \(event.word)")
        }
    }

    private static let events = [
        "resume", "createURLRequest", "createTask 0.0", "receiveResponse", "gatherMetrics", "completeTask", "parseResponse String",
        "finish",
    ]

    @Test("On a shared serial queue each event reaches all monitors, in order of installing, before the next event")
    func serial() async throws {
        let queue = DispatchQueue(label: "monitors")
        let journal = Journal<String>()
        // Held up, so that all events are there before the first is told.
        queue.suspend()
        let session = Session(
            transport: StubTransport { _ in [.response(ResponseHead(statusCode: 200, headers: [:])), .finish(body: Data("x".utf8))] },
            eventMonitors: ["a", "b"].map { Named(name: $0, queue: queue, journal: journal) })
        let request = session.request("http://a.test/").eventMonitor(Named(name: "c", queue: queue, journal: journal))
        #expect(try await request.serializingString().value == "x")
        queue.async { journal.add("mine") }
        queue.resume()
        let entries = try await journal.wait(for: Self.events.count * 3 + 1)
        // The last event may come behind the caller's own work, since it is told after the response.
        let told = entries.filter { $0 != "mine" }
        #expect(told == Self.events.flatMap { event in ["a", "b", "c"].map { "\($0) \(event)" } })
        withExtendedLifetime(session) {}
    }

    @Test("On a concurrent queue each monitor gets its events in order, and a blocked one does not delay the others")
    func concurrent() async throws {
        let queue = DispatchQueue(label: "monitors", attributes: .concurrent)
        let (gate, journal) = (DispatchSemaphore(value: 0), Journal<String>())
        let blocked = ClosureEventMonitor(queue: queue) { _, event in
            if case .resume = event { gate.wait() }
            journal.add("blocked \(event.word)")
        }
        let session = Session(
            transport: StubTransport { _ in [.response(ResponseHead(statusCode: 200, headers: [:])), .finish(body: Data("x".utf8))] },
            eventMonitors: [blocked, Named(name: "free", queue: queue, journal: journal)])
        #expect(try await session.request("http://a.test/").serializingString().value == "x")
        #expect(try await journal.wait(for: Self.events.count) == Self.events.map { "free \($0)" })
        gate.signal()
        let all = try await journal.wait(for: Self.events.count * 2)
        #expect(all.suffix(Self.events.count) == Self.events.map { "blocked \($0)" })
        withExtendedLifetime(session) {}
    }
}
