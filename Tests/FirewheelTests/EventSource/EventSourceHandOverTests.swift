import FirewheelTesting
import Foundation
import Testing

@testable import Firewheel

/// Which events a source has handed over when it ends or is suspended: those have been dealt with, and `lastEventID` is that of the last.
@Suite("Events handed over", .eachTransport, .timeLimit(.minutes(5)))
struct EventSourceHandOverTests {
    private static func stream(_ numbers: some Sequence<Int>) -> String {
        numbers.map { "id: \($0)\ndata: \($0)\n\n" }.joined()
    }

    /// Sends events in one piece once it is told to, and keeps the connection open.
    private func serve(_ numbers: some Sequence<Int>, _ bench: EventBench, when goesOn: DispatchSemaphore) {
        let stream = Data(Self.stream(numbers).utf8)
        bench.server.exchange("/") { exchange in
            try exchange.sendHead(headers: [("Content-Type", "text/event-stream")])
            goesOn.wait()
            try exchange.sendChunk(stream)
            exchange.waitForDisconnection()
        }
    }

    enum Ending: CaseIterable {
        case close, cancelAllRequests, cancelOfTheRequest
    }

    private func end(_ source: EventSource, _ bench: EventBench, by ending: Ending) async {
        let done = OneShot<Bool>()
        switch ending {
        case .close: return source.close()
        case .cancelAllRequests: bench.session.cancelAllRequests(completingOnQueue: .global()) { done.fulfill(true) }
        case .cancelOfTheRequest: return await bench.each { $0.cancel() }
        }
        _ = await done.value
    }

    @Test("An event that was read and not handed to every handler does not count", arguments: Ending.allCases)
    func skippedHandler(ending: Ending) async throws {
        let (bench, goesOn) = (try EventBench(), DispatchSemaphore(value: 0))
        serve(1...2, bench, when: goesOn)
        let (first, second, closed) = (Journal<String>(), Journal<String>(), OneShot<Bool>())
        let blocked = DispatchQueue(label: "blocked")
        blocked.suspend()
        let source = bench.source(lastEventID: "0")
        source.onClose(queue: .global()) { _ in closed.fulfill(true) }
            .onEvent(queue: .global()) { first.add($0.data) }.onEvent(queue: blocked) { second.add($0.data) }
        goesOn.signal()
        #expect(try await first.wait(for: 1) == ["1"])
        await end(source, bench, by: ending)
        blocked.resume()
        _ = await closed.value
        #expect(first.entries == ["1"] && second.entries == [])
        #expect(source.lastEventID == "0")
    }

    @Test("The ID is that of the event with which the last handler is called")
    func withinHandlers() async throws {
        let (bench, goesOn) = (try EventBench(), DispatchSemaphore(value: 0))
        serve(1...3, bench, when: goesOn)
        let (source, ids) = (bench.source(), Journal<String?>())
        source.onEvent(queue: .global()) { _ in ids.add(source.lastEventID) }.onEvent(queue: .global()) { _ in ids.add(source.lastEventID) }
        goesOn.signal()
        #expect(try await ids.wait(for: 6) == [nil, "1", "1", "2", "2", "3"])
        source.close()
    }

    @Test("Whoever closes a source at any moment goes on after the last event that was handed over", arguments: [true, false])
    func closingAtAnyMoment(withHandler: Bool) async throws {
        let bench = try EventBench()
        bench.server.exchange("/") { exchange in
            try exchange.sendHead(headers: [("Content-Type", "text/event-stream")])
            try exchange.sendChunk(Data(Self.stream(1...500).utf8))
            exchange.waitForDisconnection()
        }
        for round in 0..<TestDepth.choose(30, deep: 1_000) {
            let (source, received, closed) = (bench.source(), Journal<String>(), OneShot<Bool>())
            source.onClose(queue: .global()) { _ in closed.fulfill(true) }
            var task: Task<Void, any Error>?
            if withHandler {
                source.onEvent(queue: .global()) { received.add($0.data) }
            } else {
                task = Task { for try await event in source { received.add(event.data) } }
            }
            _ = try await received.wait(for: 1)
            for _ in 0..<round { await Task.yield() }
            source.close()
            _ = await closed.value
            try await task?.value
            #expect(source.lastEventID == received.entries.last)
        }
    }
    // MARK: Suspension

    /// Nothing more comes of the same piece than what came before the suspension.
    @Test("Events that have arrived are held back while the request is suspended", arguments: [true, false])
    func suspension(withHandler: Bool) async throws {
        let (bench, goesOn) = (try EventBench(), DispatchSemaphore(value: 0))
        serve(1...3, bench, when: goesOn)
        let (source, received) = (bench.source(), Journal<String>())
        if withHandler {
            let session = bench.session
            source.onEvent(queue: DispatchQueue(label: "handler")) { event in
                // Noted once the requests are suspended: those that the test makes then must not be among them.
                defer { received.add(event.data) }
                guard event.data == "1" else { return }
                let isSuspended = DispatchSemaphore(value: 0)
                session.withAllRequests { requests in
                    for request in requests { request.suspend() }
                    isSuspended.signal()
                }
                isSuspended.wait()
            }
        } else {
            Task {
                for try await event in source {
                    if event.data == "1" { await bench.each { $0.suspend() } }
                    received.add(event.data)
                }
            }
        }
        goesOn.signal()
        _ = try await received.wait(for: 1)
        try await roundTrips(bench)
        #expect(received.entries == ["1"] && source.state == .open && source.lastEventID == "1")
        await bench.each { $0.resume() }
        #expect(try await received.wait(for: 3) == ["1", "2", "3"])
        source.close()
    }

    @Test("An event that waits for its handler's queue is held back as well", arguments: [true, false])
    func suspensionOfAQueuedEvent(isResumed: Bool) async throws {
        let (bench, goesOn) = (try EventBench(), DispatchSemaphore(value: 0))
        serve(1...2, bench, when: goesOn)
        let (first, second, closed) = (Journal<String>(), Journal<String>(), OneShot<Bool>())
        let blocked = DispatchQueue(label: "blocked")
        blocked.suspend()
        let source = bench.source()
        source.onClose(queue: .global()) { _ in closed.fulfill(true) }
            .onEvent(queue: .global()) { first.add($0.data) }.onEvent(queue: blocked) { second.add($0.data) }
        goesOn.signal()
        _ = try await first.wait(for: 1)
        await bench.each { $0.suspend() }
        blocked.resume()
        try await roundTrips(bench)
        blocked.sync {}
        #expect(second.entries == [] && source.lastEventID == nil)
        if isResumed {
            await bench.each { $0.resume() }
            #expect(try await second.wait(for: 2) == ["1", "2"])
        }
        source.close()
        _ = await closed.value
        #expect(second.count == (isResumed ? 2 : 0))
    }

    /// Gives what should not happen the time to happen.
    private func roundTrips(_ bench: EventBench) async throws {
        bench.server.route("/other") { _ in .text("x") }
        for _ in 0..<3 { #expect(await bench.session.request(bench.server.url("/other")).raw().statusCode == 200) }
    }
}
