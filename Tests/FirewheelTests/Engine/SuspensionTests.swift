import Firewheel
import FirewheelTesting
import Foundation
import Testing

/// `suspend()` stops a request at any stage, `resume()` continues it, and the transport is told in the right order.
@Suite("Suspending and resuming", .timeLimit(.minutes(5)))
struct SuspensionTests {
    private let url = "http://stub.test/"

    @Test("suspend() before the start holds the request back, even when a handler is attached")
    func heldBack() async throws {
        let bench = EngineBench()
        let journal = Journal<String?>()
        let request = bench.session.request(url).suspend()
        request.responseString(queue: bench.handlers) { journal.add($0.value) }
        await bench.settle()
        #expect(bench.transport.calls.isEmpty && request.isSuspended)
        request.resume()
        try await bench.started(request)
        bench.transport.deliver((bench.id(request), .end(body: "x")))
        #expect(try await journal.wait(for: 1) == ["x"])
    }

    @Test("suspend() while the request is being built holds it back or pauses its transfer")
    func whileBuilding() async throws {
        let bench = EngineBench()
        let gate = DispatchSemaphore(value: 0)
        let entered = Journal<Bool>()
        // A modifier runs on a queue of the session.
        let request = bench.session.request(
            url,
            requestModifier: { _ in
                entered.add(true)
                _ = gate.wait(timeout: .now() + 60)
            }
        ).resume()
        _ = try await entered.wait(for: 1)
        request.suspend()
        gate.signal()
        // The request is available once it has been built.
        try await waitUntil("the request") { request.request != nil }
        await bench.settle()
        #expect(bench.transport.calls.isEmpty)
        request.resume()
        try await bench.started(request)
        #expect(bench.transport.calls == [.start(bench.id(request))])
    }

    @Test("The transport is paused and resumed once for each change of state")
    func told() async throws {
        let bench = EngineBench()
        let request = bench.session.request(url).resume()
        let id = bench.id(request)
        try await bench.started(request)
        request.suspend().suspend()
        try await waitUntil("the pause") { bench.transport.calls.contains(.pause(id)) }
        request.resume().resume()
        try await waitUntil("the resume") { bench.transport.calls.contains(.resume(id)) }
        request.cancel()
        await bench.settle()
        #expect(bench.transport.calls == [.start(id), .pause(id), .resume(id), .cancel(id)])
    }

    @Test("A redirect received while suspended is followed after resume()")
    func betweenHops() async throws {
        let bench = EngineBench()
        let journal = Journal<Int?>()
        let request = bench.session.request(url).responseData(queue: bench.handlers) { journal.add($0.statusCode) }
        try await bench.started(request)
        request.suspend()
        bench.transport.deliver((bench.id(request), .end(302, ["Location": "/next"])))
        await bench.settle()
        #expect(!bench.transport.calls.contains(.start(bench.id(request, 1))))
        request.resume()
        try await bench.started(request, 1)
        bench.transport.deliver((bench.id(request, 1), .end(204)))
        #expect(try await journal.wait(for: 1) == [204])
        #expect(!bench.transport.calls.contains(.resume(bench.id(request, 1))))
    }

    @Test("A request cancelled while suspended calls its handler, and tells the transport nothing else")
    func cancelledWhileSuspended() async throws {
        let bench = EngineBench()
        let journal = Journal<FirewheelError.Kind?>()
        let before = bench.session.request(url).suspend()
        before.responseData(queue: bench.handlers) { journal.add(kind($0.error)) }
        before.cancel()
        #expect(try await journal.wait(for: 1) == [.explicitlyCancelled])
        let running = bench.session.request(url).responseData(queue: bench.handlers) { journal.add(kind($0.error)) }
        try await bench.started(running)
        running.suspend()
        await bench.settle()
        running.cancel()
        #expect(try await journal.wait(for: 2) == [.explicitlyCancelled, .explicitlyCancelled])
        await bench.settle()
        let id = bench.id(running)
        #expect(bench.transport.calls == [.start(id), .pause(id), .cancel(id)])
    }

    @Test("When eight threads suspend and resume a running request, the transport's last command matches its state")
    func hammered() async throws {
        let bench = EngineBench()
        for round in 0..<40 {
            let journal = Journal<Bool>()
            let request = bench.session.request(url).responseData(queue: bench.handlers) { journal.add($0.error == nil) }
            try await bench.started(request)
            await onThreads(8) { thread in
                var generator = SeededGenerator(state: UInt64(round * 8 + thread))
                for _ in 0..<200 { _ = Bool.random(using: &generator) ? request.suspend() : request.resume() }
            }
            try await agree(request, bench)
            try await finish(request, bench, journal)
        }
    }

    @Test("When eight threads suspend and resume a starting request, it starts once and matches the transport's state")
    func hammeredAtStart() async throws {
        let bench = EngineBench(startRequestsImmediately: false)
        for round in 0..<300 {
            let journal = Journal<Bool>()
            // Half of them are built on the caller's thread, half on the session's queue.
            let request = bench.session.request(url, requestModifier: round.isMultiple(of: 2) ? nil : { @Sendable _ in })
            request.responseData(queue: bench.handlers) { journal.add($0.error == nil) }
            await onThreads(8) { thread in
                var generator = SeededGenerator(state: UInt64(round * 8 + thread))
                for _ in 0..<10 { _ = Bool.random(using: &generator) ? request.suspend() : request.resume() }
            }
            try await agree(request, bench)
            try await finish(request, bench, journal)
        }
    }

    /// Checks that the transport knows a request's state after all pending work.
    private func agree(_ request: Request, _ bench: EngineBench, _ location: SourceLocation = #_sourceLocation) async throws {
        let id = bench.id(request)
        if request.isResumed { try await bench.started(request) }
        await bench.settle()
        // The thread that starts the transfer also sends its state, and may be a worker thread that drain() does not wait for.
        try await waitUntil("the transport to know", location) {
            let calls = bench.transport.calls(of: request)
            return (calls.isEmpty || calls.last == .pause(id)) == request.isSuspended
        }
        let calls = bench.transport.calls(of: request)
        if let first = calls.first { #expect(first == .start(id), sourceLocation: location) }
        // After the start, pauses and resumes alternate.
        for (index, call) in calls.dropFirst().enumerated() {
            #expect(call == (index.isMultiple(of: 2) ? .pause(id) : .resume(id)), sourceLocation: location)
        }
        let isPaused = calls.isEmpty || calls.last == .pause(id)
        #expect(isPaused == request.isSuspended, "told \(calls.suffix(2)), is \(request.state)", sourceLocation: location)
    }

    private func finish(_ request: Request, _ bench: EngineBench, _ journal: Journal<Bool>) async throws {
        request.resume()
        try await bench.started(request)
        bench.transport.deliver((bench.id(request), .end(body: "x")))
        #expect(try await journal.wait(for: 1) == [true])
        #expect(bench.transport.calls(of: request).filter { $0 == .start(bench.id(request)) }.count == 1)
    }
}
