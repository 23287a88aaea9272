import FirewheelTesting
import Foundation
import Testing

@testable import Firewheel

/// Handlers of event sources: their order, their queues, and the one call at the end.
@Suite(.eachTransport, .timeLimit(.minutes(5)))
struct EventSourceHandlerTests {
    /// What handlers were called with.
    private final class Journal: Sendable {
        private let lines = Locked<[String]>([])
        private let end = OneShot<Bool>()

        func note(_ line: String) { lines.withLock { $0.append(line) } }
        func finish() { end.fulfill(true) }

        /// The calls up to the end.
        var all: [String] {
            get async {
                _ = await end.value
                return lines.withLock { $0 }
            }
        }
    }

    @Test func theOrderOverTwoConnections() async throws {
        let (bench, attached) = (try EventBench(), DispatchSemaphore(value: 0))
        let answers = Locked([MockResponse.events("data: 1\n\ndata: 2\n\n"), .events("data: 3\n\n")])
        // No response comes before all handlers are attached: the first one that is given events starts the source.
        bench.server.route("/") { _ in
            attached.wait()
            attached.signal()
            return answers.withLock { $0.isEmpty ? .status(204) : $0.removeFirst() }
        }
        let journal = Journal()
        // Different queues: the order holds over them.
        _ = bench.source()
            .onOpen(queue: .global()) { journal.note("open \($0.statusCode)") }
            .onClose(queue: DispatchQueue(label: "close")) { error in
                journal.note("close \(error == nil)")
                journal.finish()
            }
            .onEvent(queue: DispatchQueue(label: "first")) { journal.note("first \($0.data)") }
            .onEvent(queue: DispatchQueue(label: "second")) { journal.note("second \($0.data)") }
        attached.signal()
        let all = await journal.all
        #expect(all.filter { !$0.hasPrefix("second") } == ["open 200", "first 1", "first 2", "open 200", "first 3", "close true"])
        #expect(all.contains("second 3"))
    }

    @Test("A handler of the open connection that is attached late waits for the running handler")
    func lateOnOpen() async throws {
        let bench = try EventBench()
        let (journal, running, goesOn) = (Journal(), Latch(), DispatchSemaphore(value: 0))
        let isOpened = DispatchSemaphore(value: 0)
        bench.server.exchange("/") { exchange in
            guard exchange.request.header("Last-Event-ID") == nil else { return try exchange.send(.status(204)) }
            try exchange.sendHead(headers: [("Content-Type", "text/event-stream")])
            try exchange.sendChunk(Data("id: 1\ndata: 1\n\n".utf8))
            // The handler is not called when the source is closed before its turn.
            #expect(isOpened.wait(timeout: .now() + 60) == .success)
            try exchange.endChunks()
        }
        let source = bench.source().onEvent(queue: .global()) { _ in
            journal.note("begin")
            running.open()
            goesOn.wait()
            journal.note("end")
        }
        await running.wait()
        let queue = DispatchQueue(label: "open")
        source.onOpen(queue: queue) { _ in
            journal.note("open")
            isOpened.signal()
        }
        // What it is called with at once has been called by now.
        queue.sync {}
        goesOn.signal()
        source.onClose(queue: .global()) { _ in journal.finish() }
        #expect(await journal.all == ["begin", "end", "open"])
    }

    @MainActor @Test func handlersOfTheMainActor() async throws {
        let bench = try EventBench()
        bench.respond(.events("data: 1\n\n"))
        let journal = Journal()
        var events: [String] = []
        bench.source()
            .onEvent { event in
                MainActor.assertIsolated()
                events.append(event.data)
            }
            .onOpen { journal.note("open \($0.statusCode)") }
            .onClose { _ in journal.finish() }
        #expect(await journal.all == ["open 200"])
        #expect(events == ["1"])
    }

    @Test func theErrorOfTheEndComesOnce() async throws {
        let bench = try EventBench()
        bench.server.enqueue(.status(404))
        let journal = Journal()
        let source = bench.source().onEvent(queue: .global()) { _ in journal.note("event") }.onClose(queue: .global()) { error in
            journal.note("close \((error as? FirewheelError)?.responseCode ?? 0)")
            journal.finish()
        }
        #expect(await journal.all == ["close 404"])
        source.close()
        let late = Journal()
        source.onClose(queue: .global()) { error in
            late.note("close \((error as? FirewheelError)?.responseCode ?? 0)")
            late.finish()
        }
        #expect(await late.all == ["close 404"])
        #expect(await journal.all == ["close 404"])
    }

    @Test func noHandlerIsCalledAfterClosing() async throws {
        let bench = try EventBench()
        bench.server.enqueue(.events((0..<100).map { "data: \($0)\n\n" }.joined()))
        let journal = Journal()
        let source = bench.source()
        source.onClose(queue: .global()) { _ in
            journal.note("close")
            journal.finish()
        }
        .onEvent(queue: .global()) { event in
            journal.note(event.data)
            if event.data == "3" { source.close() }
        }
        #expect(await journal.all == ["0", "1", "2", "3", "close"])
        #expect(source.lastEventID == nil && source.state == .closed)
    }

    /// A source with a handler goes on without a reference; without one it is closed.
    @Test func releasingASource() async throws {
        let bench = try EventBench()
        bench.respond(.events("data: x\n\n"))
        let (journal, unused) = (Journal(), Journal())
        _ = bench.source().onEvent(queue: .global()) { journal.note($0.data) }.onClose(queue: .global()) { _ in journal.finish() }
        #expect(await journal.all == ["x"])
        _ = bench.source().onClose(queue: .global()) { error in
            unused.note("close \(error == nil)")
            unused.finish()
        }
        #expect(await unused.all == ["close true"])
        #expect(bench.server.requestCount == 2)
    }

    @Test func aSourceIsReleasedWhenItIsClosed() async throws {
        let bench = try EventBench()
        bench.respond(.events("data: x\n\n"))
        weak var feed: EventFeed?
        do {
            let made = EventFeed(lastEventID: nil, maximumEventSize: 100, reconnection: .never, registry: RequestSeriesRegistry()) { _ in
                bench.session.streamRequest(bench.server.url())
            }
            feed = made
            let ended = OneShot<Bool>()
            EventSource(made).onEvent(queue: .global()) { _ in }.onClose(queue: .global()) { _ in ended.fulfill(true) }
            _ = await ended.value
        }
        for _ in 0..<6_000 where feed != nil { try await Task.sleep(for: .milliseconds(5)) }
        #expect(feed == nil)
    }

    // MARK: Releasing

    /// Attaches handlers that refer to their source, each as an owner that closes the source when it is released.
    private final class Owner: Sendable {
        let source: EventSource

        init(_ source: EventSource) {
            self.source = source
        }

        deinit { source.close() }
    }

    /// Waits until an object has been released.
    private func isReleased(_ object: () -> AnyObject?) async throws -> Bool {
        for _ in 0..<6_000 where object() != nil { try await Task.sleep(for: .milliseconds(5)) }
        return object() == nil
    }

    @Test(arguments: ["event", "open", "close"])
    func aHandlerThatRefersToItsSourceIsReleasedWithTheEnd(handler: String) async throws {
        let bench = try EventBench()
        bench.respond(.events("data: x\n\n"))
        let ended = OneShot<Bool>()
        weak var released: EventSource?
        do {
            let source = bench.source()
            released = source
            let owner = Owner(source)
            switch handler {
            case "event": source.onEvent(queue: .global()) { _ in _ = owner.source.state }
            case "open": source.onOpen(queue: .global()) { _ in _ = owner.source.state }
            default: source.onClose(queue: .global()) { _ in _ = owner.source.state }
            }
            source.onEvent(queue: .global()) { _ in }.onClose(queue: .global()) { _ in ended.fulfill(true) }
        }
        _ = await ended.value
        #expect(try await isReleased { released })
    }

    @Test func handlersOfAClosedSourceAreNotKept() async throws {
        let bench = try EventBench()
        weak var released: EventSource?
        do {
            let source = bench.source()
            released = source
            source.close()
            source.onOpen(queue: .global()) { _ in _ = source.state }.onEvent(queue: .global()) { _ in _ = source.state }
        }
        #expect(try await isReleased { released })
    }

    @Test func aClosedSourceReleasesItsSession() async throws {
        weak var released: Session?
        let source: EventSource
        do {
            let session = Session.onTest()
            released = session
            source = session.eventSource("http://127.0.0.1/")
        }
        #expect(released != nil)
        source.close()
        #expect(try await isReleased { released })
    }
}
