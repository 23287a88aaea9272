import FirewheelTesting
import Foundation
import Testing

@testable import Firewheel

/// `deduplicatesRequests`: of identical requests that are under way at the same time one goes to the network.
@Suite("Identical requests", .timeLimit(.minutes(5)))
struct DeduplicationTests {
    private func bench(_ answer: @escaping CacheBench.Answer = { _, _ in [.wait] }) -> CacheBench {
        CacheBench(configuration: .with { $0.deduplicatesRequests = true }, answer)
    }

    /// Starts requests of which the first is sent before the others are made.
    private func start(_ count: Int, _ bench: CacheBench) async throws -> [(request: DataRequest, task: DataTask<Data>)] {
        var started: [(DataRequest, DataTask<Data>)] = []
        for index in 0..<count {
            let request = bench.session.request("http://cache.test/a")
            started.append((request, request.serializingData()))
            if index == 0 { try await waitUntil("the first is sent") { bench.count > 0 } }
            // A request that waits has been given to the transport.
            try await waitUntil("it has begun") { bench.recorder.words.count { $0 == "createTask 0.0" } > index }
        }
        return started
    }

    private static let fresh: [StubTransport.Step] = .of("one", ["Cache-Control": "max-age=60"])

    @Test("the others are answered with the stored response of the first")
    func shared() async throws {
        let bench = bench()
        let tasks = try await start(20, bench)
        bench.stub.send(Self.fresh, to: bench.stub.requests[0].id)
        for (index, started) in tasks.enumerated() {
            let response = await started.task.response
            #expect(response.value == Data("one".utf8) && response.source == (index == 0 ? .network : .cache(age: 0)))
        }
        #expect(bench.count == 1)
    }

    @Test(
        "the others are sent as soon as the first turns out to be of no use for them",
        arguments: [
            ["Cache-Control": "no-store"], ["Cache-Control": "no-cache"], ["Cache-Control": "max-age=0"], [:],
            ["Cache-Control": "max-age=9", "Vary": "*"],
            ["Cache-Control": "max-age=9", "Content-Length": "99999999"],
        ] as [HTTPHeaders])
    func useless(_ fields: HTTPHeaders) async throws {
        let bench = bench()
        let tasks = try await start(3, bench)
        // Only the head: they do not wait for the body.
        bench.stub.send([.response(ResponseHead(statusCode: 200, headers: fields))], to: bench.stub.requests[0].id)
        try await waitUntil("the others are sent") { bench.count == 3 }
        for request in bench.stub.requests.dropFirst() { bench.stub.send(Self.fresh, to: request.id) }
        for started in tasks.dropFirst() { #expect(await started.task.response.source == .network) }
        bench.stub.send([.finish()], to: bench.stub.requests[0].id)
        #expect(await tasks[0].task.response.statusCode == 200)
    }

    @Test("none waits for a request that was answered while it was to become the first")
    func answeredMeanwhile() async throws {
        let bench = CacheBench { _, _ in Self.fresh }
        let transport = CachingTransport(over: bench.stub, cache: bench.cache, background: CacheBackground(.init()))
        func request(_ number: UInt64) throws -> TransportRequest {
            var request = TransportRequest(
                id: TransportTaskID(request: number), method: .get, target: try #require(TargetURI("http://cache.test/a")), idleTimeout: 0)
            request.cacheUse = CacheUse(.useProtocolCachePolicy, isDeduplicated: true)
            return request
        }
        let sent = try request(1)
        let asked = CacheRequest(sent, mode: .rules)
        let (journal, second) = (Journal<TransportEvent>(), Journal<TransportEvent>())
        let use = try #require(sent.cacheUse)
        let flight = try #require(CacheFlight(sent, asked, use))
        let exchange = CacheExchange(sent, asked, CachedBodyTests.Receiver(journal), of: transport, flight: flight)
        // Two reasons to go on came at once: the first had an answer, and the second finds none.
        exchange.play(CachedAnswer(unsatisfiableBy: .rules))
        transport.goOn(exchange, .again)
        transport.start(try request(2), receiver: CachedBodyTests.Receiver(second))
        try await waitUntil("the other is answered") { second.entries.contains(where: \.isEnd) }
        try await waitUntil("the first is answered") { journal.entries.contains(where: \.isEnd) }
        #expect(bench.count == 1)
    }

    @Test("a failure of the first is its own")
    func failure() async throws {
        let bench = bench()
        let tasks = try await start(3, bench)
        bench.stub.send([.fail(.failed(.networkConnectionLost, "lost"))], to: bench.stub.requests[0].id)
        try await waitUntil("the others are sent") { bench.count == 3 }
        for request in bench.stub.requests.dropFirst() { bench.stub.send(Self.fresh, to: request.id) }
        #expect(await tasks[0].task.response.error != nil)
        for started in tasks.dropFirst() { #expect(await started.task.response.error == nil) }
    }

    @Test("a stale response that stands in for the first does not hold up the others")
    func standIn() async throws {
        let bench = bench { _, number in
            number == 1 ? .of("old", ["Cache-Control": "max-age=5, stale-if-error=60", "ETag": "\"1\""]) : [.wait]
        }
        _ = await bench.get()
        bench.wait(6)
        for failure in [[StubTransport.Step].of(status: 503, [:]), [.fail(.failed(.cannotConnectToHost, "refused"))]] {
            let known = bench.count
            let tasks = (0..<3).map { _ in bench.session.request("http://cache.test/a").serializingData() }
            try await waitUntil("the first is sent") { bench.count == known + 1 }
            // Those that are sent for the others fail as well.
            let isDone = Locked(false)
            let failing = Task {
                var sent = known
                while !isDone.withLock({ $0 }) {
                    let requests = bench.stub.requests
                    for request in requests.dropFirst(sent) { bench.stub.send(failure, to: request.id) }
                    sent = requests.count
                    await Task.yield()
                }
            }
            for task in tasks { #expect(await task.response.value == Data("old".utf8)) }
            isDone.withLock { $0 = true }
            await failing.value
        }
    }

    @Test("requests that wait are suspended, resumed and cancelled while the first ends")
    func racingCalls() async throws {
        for round in 0..<50 {
            let bench = bench()
            let tasks = try await start(4, bench)
            await onThreads(3) { index in
                switch index {
                case 0: bench.stub.send(.of(["Cache-Control": round % 2 == 0 ? "no-store" : "max-age=60"]), to: bench.stub.requests[0].id)
                case 1:
                    tasks[1].request.suspend()
                    tasks[1].request.resume()
                default: tasks[2].request.cancel()
                }
            }
            #expect(await tasks[0].task.response.error == nil)
            _ = await tasks[2].task.response
            // The others have been sent, or have got the stored response.
            let isDone = Locked(false)
            let answering = Task {
                var sent = 1
                while !isDone.withLock({ $0 }) {
                    let requests = bench.stub.requests
                    for request in requests.dropFirst(sent) { bench.stub.send(Self.fresh, to: request.id) }
                    sent = requests.count
                    await Task.yield()
                }
            }
            for index in [1, 3] { #expect(await tasks[index].task.response.error == nil) }
            isDone.withLock { $0 = true }
            await answering.value
            // Nothing is left that would hold up another one.
            let late = bench.session.request("http://cache.test/a", headers: ["Cache-Control": "no-store"]).serializingData()
            let known = bench.count
            try await waitUntil("it is sent") { bench.count > known || bench.stub.requests.last?.headers["Cache-Control"] == "no-store" }
            if let id = bench.stub.requests.last?.id { bench.stub.send(Self.fresh, to: id) }
            #expect(await late.response.error == nil)
        }
    }

    @Test("if the first is cancelled or suspended, another takes its place", arguments: [true, false])
    func replaced(_ isCancelled: Bool) async throws {
        let bench = bench()
        let tasks = try await start(3, bench)
        if isCancelled { tasks[0].request.cancel() } else { tasks[0].request.suspend() }
        try await waitUntil("another is sent") { bench.count == 2 }
        bench.stub.send(Self.fresh, to: bench.stub.requests[1].id)
        for started in tasks.dropFirst() { #expect(await started.task.response.value == Data("one".utf8)) }
        #expect(bench.count == 2)
        tasks[0].request.cancel()
    }

    @Test("one that waits can be cancelled, suspended and resumed, and times out")
    func waiting() async throws {
        let bench = bench()
        let tasks = try await start(3, bench)
        tasks[1].request.cancel()
        tasks[2].request.suspend()
        #expect(kind(await tasks[1].task.response.error) == .explicitlyCancelled)
        let brief = bench.session.request("http://cache.test/a").timeout(total: 0.2).serializingData()
        #expect(kind(await brief.response.error) == .transportFailed(.timedOut))
        bench.stub.send(.of(["Cache-Control": "no-store"]), to: bench.stub.requests[0].id)
        #expect(await tasks[0].task.response.error == nil)
        #expect(bench.count == 1)
        tasks[2].request.resume()
        try await waitUntil("it is sent") { bench.count == 2 }
        bench.stub.send(Self.fresh, to: bench.stub.requests[1].id)
        #expect(await tasks[2].task.response.value == Data("one".utf8))
    }

    @Test("one that waits is sent after its own idle timeout")
    func impatient() async throws {
        let bench = bench()
        let patient = bench.session.request("http://cache.test/a").timeout(idle: 0)
        let first = patient.serializingData()
        try await waitUntil("the first is sent") { bench.count == 1 }
        let second = bench.session.request("http://cache.test/a").timeout(idle: 0.05).serializingData()
        try await waitUntil("the second is sent") { bench.count == 2 }
        bench.stub.send(Self.fresh, to: bench.stub.requests[1].id)
        #expect(await second.response.value == Data("one".utf8))
        patient.cancel()
        #expect(kind(await first.response.error) == .explicitlyCancelled)
    }

    @Test("requests with other fields, methods or URLs are not identical")
    func others() async throws {
        let bench = bench()
        let session = bench.session
        let requests = [
            session.request("http://cache.test/a"), session.request("http://cache.test/a", headers: ["X-A": "1"]),
            session.request("http://cache.test/b"), session.head("http://cache.test/a"), session.post("http://cache.test/a"),
            session.request("http://cache.test/a", headers: ["Cache-Control": "no-cache"]),
        ]
        let tasks = requests.map { $0.serializingData() }
        try await waitUntil("all are sent") { bench.count == requests.count }
        for request in requests { request.cancel() }
        for task in tasks { #expect(kind(await task.response.error) == .explicitlyCancelled) }
    }

    @Test("by default identical requests are all sent")
    func byDefault() async throws {
        let bench = CacheBench { _, _ in [.wait] }
        let first = bench.session.request("http://cache.test/a").serializingData()
        let second = bench.session.request("http://cache.test/a").serializingData()
        try await waitUntil("both are sent") { bench.count == 2 }
        for request in bench.stub.requests { bench.stub.send(Self.fresh, to: request.id) }
        #expect(await first.response.error == nil)
        #expect(await second.response.error == nil)
    }

    @Test("it is an error without a cache")
    func withoutCache() async {
        let bench = CacheBench(configuration: .with { $0.deduplicatesRequests = true }, usesCache: false) { _, _ in Self.fresh }
        let response = await bench.session.request("http://cache.test/a").serializingData().response
        #expect(kind(response.error) == .transportFailed(.resourceUnavailable) && bench.count == 0)
    }

    @Test("the session's end ends those that wait")
    func end() async throws {
        let bench = bench()
        let tasks = try await start(3, bench)
        bench.session.invalidate()
        for started in tasks { #expect(kind(await started.task.response.error) == .sessionInvalidated) }
    }

    @Test("many identical requests from many threads, of which some are cancelled")
    func storm() async throws {
        let bench = bench { _, number in .of("\(number)", ["Cache-Control": number % 3 == 0 ? "no-store" : "max-age=60"]) }
        await withTaskGroup(of: Void.self) { group in
            for index in 0..<300 {
                group.addTask {
                    let request = bench.session.request("http://cache.test/\(index % 4)")
                    let task = request.serializingData()
                    if index % 5 == 0 { request.cancel() }
                    let response = await task.response
                    #expect(response.error == nil || kind(response.error) == .explicitlyCancelled)
                    if index % 7 == 0, let url = URL(string: "http://cache.test/\(index % 4)") { bench.cache.remove(for: url) }
                }
            }
        }
    }
}
