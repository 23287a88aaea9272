import Foundation
import Testing

@testable import Firewheel

/// `prepare()` builds and adapts a request ahead of `resume()`, which sends it.
@Suite("Requests that are built ahead of their start", .timeLimit(.minutes(5)))
struct PreparedRequestTests {
    private let url = "http://stub.test/"

    /// A session whose requests do not start by themselves.
    private let bench = EngineBench(startRequestsImmediately: false)

    @Test("It is built and adapted, but nothing is sent before resume(), which sends it as adapted")
    func builtAhead() async throws {
        let journal = Journal<String?>()
        let request = bench.session.request(url).adapt { request, _ in request.headers.add(name: "X-Adapted", value: "yes") }
        request.prepare()
        try await waitUntil("the request") { request.request != nil }
        await bench.settle()
        #expect(bench.transport.calls.isEmpty && request.isInitialized && request.taskCount == 1)
        #expect(request.request?.headers["X-Adapted"] == "yes")
        request.responseString(queue: bench.handlers) { journal.add($0.value) }
        request.resume()
        try await bench.started(request)
        bench.transport.deliver((bench.id(request), .end(body: "x")))
        #expect(try await journal.wait(for: 1) == ["x"])
        #expect(bench.transport.calls == [.start(bench.id(request))])
    }

    @Test("A failure to build ends it, and handlers that are attached later get the error")
    func failedAhead() async throws {
        let journal = Journal<FirewheelError.Kind?>()
        let request = bench.session.request("no url")
        request.prepare()
        try await waitUntil("the end") { request.isSettled }
        request.responseData(queue: bench.handlers) { journal.add(kind($0.error)) }
        #expect(try await journal.wait(for: 1) == [.invalidURL])
    }

    @Test("cancel() ends it like any other request")
    func cancelled() async throws {
        let journal = Journal<FirewheelError.Kind?>()
        let request = bench.session.request(url)
        request.prepare()
        request.responseData(queue: bench.handlers) { journal.add(kind($0.error)) }
        request.cancel()
        #expect(try await journal.wait(for: 1) == [.explicitlyCancelled])
        await bench.settle()
        #expect(bench.transport.calls.isEmpty)
    }

    @Test("A handler starts it in a session that starts requests immediately")
    func startedByHandler() async throws {
        let bench = EngineBench()
        let request = bench.session.request(url)
        request.prepare()
        try await waitUntil("the request") { request.request != nil }
        let journal = Journal<String?>()
        request.responseString(queue: bench.handlers) { journal.add($0.value) }
        try await bench.started(request)
        bench.transport.deliver((bench.id(request), .end(body: "x")))
        #expect(try await journal.wait(for: 1) == ["x"])
    }

    @Test("The resource timeout begins with resume()")
    func resourceTimeout() throws {
        var options = RequestOptions()
        options.totalTimeout = 10
        var machine = CallMachine(id: 1, rules: SessionRules(), savesToFile: false, sourceOwner: .library, options: options)
        let begun = ClockReading.now()
        guard case .start(let step, _, _, _) = machine.prepare(now: begun) else { throw WaitedInVain(what: "the start") }
        _ = machine.didBuild(MachineWorld.request, adapting: nil, in: step, now: begun.instant)
        #expect(machine.deadline == nil)
        _ = machine.suspend()
        #expect(machine.deadline == nil)
        let resumed = ClockReading(instant: begun.instant.advanced(by: 100), wall: 0)
        guard case .tell(.start(_, let deadline), _) = machine.resume(now: resumed) else { throw WaitedInVain(what: "the hop") }
        #expect(deadline == resumed.instant.advanced(by: 10))
    }

    @Test("An object that stands for a request is retained from its start to its end, and not before")
    func companion() async throws {
        final class Companion: Sendable {
            let journal: Journal<Bool>
            init(_ journal: Journal<Bool>) { self.journal = journal }
            deinit { journal.add(true) }
        }
        let releases = Journal<Bool>()
        let request = bench.session.request(url)
        request.keep(Companion(releases))
        #expect(request.companion is Companion)
        request.resume()
        try await bench.started(request)
        #expect(request.companion is Companion)
        bench.transport.deliver((bench.id(request), .end(body: "")))
        #expect(try await releases.wait(for: 1) == [true])
        #expect(request.companion == nil)
    }
}
