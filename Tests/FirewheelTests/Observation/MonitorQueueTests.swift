import Firewheel
import FirewheelTesting
import Foundation
import Testing

/// The ways in which a monitor may declare its queue.
@Suite("Queues declared by monitors", .timeLimit(.minutes(5)))
struct MonitorQueueTests {
    private struct Plain: EventMonitor {
        let queue: DispatchQueue
        let journal: Journal<String>
        func request(_ context: RequestContext, did event: RequestEvent) { journal.add(currentName()) }
    }

    private struct Computed: EventMonitor {
        static let shared = makeQueue(named: "computed")
        let journal: Journal<String>
        var queue: DispatchQueue { Self.shared }
        func request(_ context: RequestContext, did event: RequestEvent) { journal.add(currentName()) }
    }

    private final class Inferred: EventMonitor {
        let queue = makeQueue(named: "inferred")
        let journal: Journal<String>
        init(journal: Journal<String>) { self.journal = journal }
        func request(_ context: RequestContext, did event: RequestEvent) { journal.add(currentName()) }
    }

    private struct Maybe: EventMonitor {
        let queue: DispatchQueue?
        let journal: Journal<String>
        func request(_ context: RequestContext, did event: RequestEvent) { journal.add(currentName()) }
    }

    private struct Undeclared: EventMonitor {
        let journal: Journal<String>
        func request(_ context: RequestContext, did event: RequestEvent) { journal.add(currentName()) }
    }

    private func labels(_ monitor: any EventMonitor, _ journal: Journal<String>) async throws -> Set<String> {
        let session = Session(
            transport: StubTransport { _ in [.response(ResponseHead(statusCode: 200)), .finish(body: Data("x".utf8))] },
            eventMonitors: [monitor])
        _ = try await session.request("http://a.test/").serializingString().value
        return Set(try await journal.wait(for: 8))
    }

    @Test("A monitor is called on a queue declared as DispatchQueue, whether stored, computed or inferred")
    func withoutQuestionMark() async throws {
        let (first, second, third) = (Journal<String>(), Journal<String>(), Journal<String>())
        #expect(try await labels(Plain(queue: makeQueue(named: "plain"), journal: first), first) == ["plain"])
        #expect(try await labels(Computed(journal: second), second) == ["computed"])
        #expect(try await labels(Inferred(journal: third), third) == ["inferred"])
    }

    @Test("A monitor is called on a queue declared as DispatchQueue?, and on a private queue for nil or without a declaration")
    func withQuestionMark() async throws {
        let (first, second, third) = (Journal<String>(), Journal<String>(), Journal<String>())
        #expect(try await labels(Maybe(queue: makeQueue(named: "maybe"), journal: first), first) == ["maybe"])
        #expect(try await labels(Maybe(queue: nil, journal: second), second) == ["its own"])
        #expect(try await labels(Undeclared(journal: third), third) == ["its own"])
        let monitor: any EventMonitor = Undeclared(journal: third)
        let queue = monitor.queue
        #expect(queue == nil)
    }

    @Test("A monitor of one request is called on its declared queue too")
    func ofOneRequest() async throws {
        let journal = Journal<String>()
        let session = Session(transport: StubTransport { _ in [.response(ResponseHead(statusCode: 200)), .finish(body: nil)] })
        let monitor = Plain(queue: makeQueue(named: "one"), journal: journal)
        _ = await session.request("http://a.test/").eventMonitor(monitor).serializingData().response
        #expect(Set(try await journal.wait(for: 8)) == ["one"])
    }
}

private let name = DispatchSpecificKey<String>()

/// A queue whose name can be read by the code that runs on it.
private func makeQueue(named text: String) -> DispatchQueue {
    let queue = DispatchQueue(label: text)
    queue.setSpecific(key: name, value: text)
    return queue
}

/// The name of the current queue.
private func currentName() -> String {
    DispatchQueue.getSpecific(key: name) ?? "its own"
}
