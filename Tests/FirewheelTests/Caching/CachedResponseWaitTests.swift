import FirewheelTesting
import Foundation
import Testing

@testable import Firewheel

/// A point that code waits at until it is opened.
final class Door: Sendable {
    private let state = Locked<(isOpen: Bool, waiting: [CheckedContinuation<Void, Never>])>((false, []))
    private let reached = Locked(false)

    var isReached: Bool { reached.withLock(\.self) }

    func wait() async {
        await withCheckedContinuation { continuation in
            let isOpen = state.withLock { state in
                if !state.isOpen { state.waiting.append(continuation) }
                return state.isOpen
            }
            reached.withLock { $0 = true }
            if isOpen { continuation.resume() }
        }
    }

    func open() {
        let waiting = state.withLock { state in
            defer { state = (true, []) }
            return state.waiting
        }
        for continuation in waiting { continuation.resume() }
    }

    /// Waits there, and agrees.
    var handler: ResponseCacher {
        .modify { _, response in
            await self.wait()
            return response
        }
    }
}

/// A request waits for its handler's answer. What happens in the meantime counts.
@Suite("While a handler of cached responses is asked", .timeLimit(.minutes(5)))
struct CachedResponseWaitTests {
    private static let fresh: [StubTransport.Step] = .of("one", ["Cache-Control": "max-age=60"])

    @Test("the request waits for the answer, so that the next one finds what was stored")
    func waits() async throws {
        let door = Door()
        let bench = CacheBench { _, _ in Self.fresh }
        let isOver = Locked(false)
        let request = bench.session.get("http://cache.test/a").cacheResponse(using: door.handler).response(queue: .global()) { _ in
            isOver.withLock { $0 = true }
        }
        try await waitUntil("it is asked") { door.isReached }
        #expect(request.state == .resumed && bench.cache.entries.isEmpty)
        request.suspend()
        door.open()
        try await waitUntil("it is stored") { bench.cache.entries.count == 1 }
        #expect(await bench.get().source == .cache(age: 0))
        #expect(request.state == .suspended && !isOver.withLock(\.self))
        request.resume()
        try await waitUntil("it ends") { isOver.withLock(\.self) }
    }

    @Test("a request that is cancelled while its handler is asked ends, and its response is not stored")
    func cancelled() async throws {
        let (door, isCancelled) = (Door(), Locked(false))
        let bench = CacheBench { _, _ in Self.fresh }
        let request = bench.session.get("http://cache.test/a").cacheResponse(
            using: .modify { _, response in
                await withTaskCancellationHandler {
                    await door.wait()
                } onCancel: {
                    isCancelled.withLock { $0 = true }
                }
                return response
            })
        let task = request.serializingData()
        try await waitUntil("it is asked") { door.isReached }
        request.cancel()
        #expect(kind(await task.response.error) == .explicitlyCancelled)
        try await waitUntil("the handler knows it") { isCancelled.withLock(\.self) }
        door.open()
        #expect(await bench.get().source == .network)
        #expect(bench.count == 2)
    }

    @Test("a handler that does not answer holds a request up until its total timeout, a suspended one as well", arguments: [false, true])
    func timeout(isSuspended: Bool) async throws {
        let (door, asking) = (Door(), Locked<DataRequest?>(nil))
        let bench = CacheBench { _, _ in Self.fresh }
        let request = bench.session.get("http://cache.test/a").timeout(total: 1).cacheResponse(
            using: .modify { _, response in
                if isSuspended { asking.withLock { $0.take() }?.suspend() }
                await door.wait()
                return response
            })
        asking.withLock { $0 = request }
        let response = await request.serializingData().response
        #expect(kind(response.error) == .transportFailed(.timedOut))
        if door.isReached {
            let words = bench.cache.explain(URLRequest(url: try #require(URL(string: "http://cache.test/a"))))
            #expect(words.contains("because its handler did not answer in time"))
        }
        door.open()
        #expect(await bench.get().source == .network)
    }

    @Test("a slow answer neither replaces nor removes what arrived later", arguments: [true, false])
    func newer(isStored: Bool) async throws {
        let door = Door()
        let bench = CacheBench { _, number in .of("\(number)", ["Cache-Control": "max-age=60"]) }
        let first = bench.session.get("http://cache.test/a").cacheResponse(
            using: .modify { _, response in
                await door.wait()
                return isStored ? response : nil
            }
        ).serializingData()
        try await waitUntil("it is asked") { door.isReached }
        bench.wait(1)
        #expect(await bench.get().value == Data("2".utf8))
        door.open()
        #expect(await first.response.value == Data("1".utf8))
        let stored = await bench.get()
        #expect(stored.value == Data("2".utf8) && stored.source == .cache(age: 0))
    }

    @Test("a clock that was set back in the meantime does not keep the older response")
    func clock() async throws {
        let bench = CacheBench { _, number in .of("\(number)", ["Cache-Control": "max-age=60"]) }
        _ = await bench.get()
        bench.wait(-1000)
        _ = await bench.session.get("http://cache.test/a").cacheResponse(using: .modify { _, response in response }).serializingData()
            .response
        #expect(await bench.get().value == Data("2".utf8))
    }

    @Test("a redirect is followed after the answer")
    func redirect() async throws {
        let door = Door()
        let bench = CacheBench(handler: door.handler) { request, _ in
            request.target.string.hasSuffix("/a")
                ? .of("gone", status: 301, ["Location": "/b", "Cache-Control": "max-age=60"]) : Self.fresh
        }
        let task = bench.session.get("http://cache.test/a").serializingData()
        try await waitUntil("it is asked") { door.isReached }
        #expect(bench.count == 1)
        door.open()
        #expect(await task.response.value == Data("one".utf8))
        #expect(bench.cache.entries.count == 2)
    }

    @Test("what is removed, or changed by an unsafe request, while the handler is asked is not stored", arguments: [true, false])
    func removed(byCache: Bool) async throws {
        let door = Door()
        let bench = CacheBench { _, _ in Self.fresh }
        let task = bench.session.get("http://cache.test/a").cacheResponse(using: door.handler).serializingData()
        try await waitUntil("it is asked") { door.isReached }
        if byCache { bench.cache.removeAll() } else { _ = await bench.get(method: .put) }
        door.open()
        #expect(await task.response.value == Data("one".utf8))
        #expect(bench.cache.entries.isEmpty)
        let words = bench.cache.explain(URLRequest(url: try #require(URL(string: "http://cache.test/a"))))
        #expect(words.contains("because what was stored for its URL was removed while it was under way"))
    }

    @Test("identical requests wait for the answer, and share a response that it makes fresh")
    func deduplicated() async throws {
        let (tasks, door, bench) = try await identical { $0.with(["Cache-Control": "max-age=60"]) }
        door.open()
        for (index, task) in tasks.enumerated() { #expect(await task.response.source == (index == 0 ? .network : .cache(age: 0))) }
        #expect(bench.count == 1)
    }

    @Test("identical requests go on if the answer is no, and one takes the place of a first that is cancelled", arguments: [true, false])
    func deduplicatedInVain(isCancelled: Bool) async throws {
        let (tasks, door, bench) = try await identical { _ in nil }
        if isCancelled { tasks[0].cancel() } else { door.open() }
        try await waitUntil("others are sent") { bench.count > 1 }
        door.open()
        for task in tasks.dropFirst() { #expect(await task.response.source == .network) }
        #expect(bench.count == 6 && bench.cache.entries.isEmpty)
        _ = await tasks[0].response
    }

    /// Six requests for the same, of which the first one's handler is asked.
    private func identical(
        _ answer: @escaping @Sendable (CachedURLResponse) -> CachedURLResponse?
    ) async throws -> ([DataTask<Data>], Door, CacheBench) {
        let door = Door()
        let handler = ResponseCacher.modify { _, response in
            await door.wait()
            return answer(response)
        }
        let bench = CacheBench(configuration: .with { $0.deduplicatesRequests = true }, handler: handler) { _, _ in .of("one", [:]) }
        let first = bench.session.get("http://cache.test/a").serializingData()
        try await waitUntil("it is asked") { door.isReached }
        let others = (0..<5).map { _ in bench.session.get("http://cache.test/a").serializingData() }
        try await waitUntil("they have begun") { bench.recorder.words.count { $0 == "createTask 0.0" } == 6 }
        return ([first] + others, door, bench)
    }

    @Test("what is revalidated in the background is asked about, one revalidation at a time", arguments: [true, false])
    func background(isStored: Bool) async throws {
        let door = Door()
        let handler = ResponseCacher.modify { _, response in
            guard response.data == Data("2".utf8) else { return response }
            await door.wait()
            return isStored ? response : nil
        }
        let bench = CacheBench(handler: handler) { _, number in
            .of("\(number)", ["Cache-Control": number == 1 ? "max-age=5, stale-while-revalidate=60" : "max-age=60"])
        }
        _ = await bench.get()
        bench.wait(6)
        #expect(await bench.get().source == .stale(age: 6, because: .revalidating))
        try await waitUntil("it is asked") { door.isReached }
        for _ in 0..<3 { #expect(await bench.get().source == .stale(age: 6, because: .revalidating)) }
        #expect(bench.count == 2)
        door.open()
        try await waitUntil("it is done") { bench.cache.entries.first?.isFresh == (isStored ? true : nil) }
    }
}
