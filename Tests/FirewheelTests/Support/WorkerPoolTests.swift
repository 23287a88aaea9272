import Foundation
import Testing

@testable import Firewheel

/// Threads for blocking work: all of it is done once, and blocked work does not delay other work.
@Suite("Worker pool", .timeLimit(.minutes(5)))
struct WorkerPoolTests {
    @Test("Work added to the worker pool by many threads is done exactly once", arguments: [1, 4])
    func once(width: Int) async throws {
        let (pool, done) = (WorkerPool(width: width), Journal<Int>())
        await onThreads(8) { thread in
            for number in 0..<2_000 {
                pool.run {
                    if number.isMultiple(of: 500) { usleep(10_000) }
                    done.add(thread * 2_000 + number)
                }
            }
        }
        let all = try await done.wait(for: 16_000)
        #expect(all.sorted() == Array(0..<16_000))
    }

    @Test("200 blocked pieces of work in the worker pool do not block another one")
    func blocked() async throws {
        let (pool, gate, entered, done) = (WorkerPool(), DispatchSemaphore(value: 0), Journal<Int>(), Journal<Bool>())
        for number in 0..<200 {
            pool.run {
                entered.add(number)
                gate.wait()
                done.add(false)
            }
        }
        pool.run { done.add(true) }
        #expect(try await done.wait(for: 1) == [true])
        #expect(try await entered.wait(for: 200).count == 200)
        for _ in 0..<200 { gate.signal() }
        #expect(try await done.wait(for: 201).count == 201)
    }

    @Test("Blocked work in the worker pool does not keep later work from running")
    func chained() async throws {
        let (pool, done) = (WorkerPool(width: 2), Journal<Int>())
        let gates = (0...50).map { _ in DispatchSemaphore(value: 0) }
        for number in 0..<50 {
            pool.run {
                gates[number + 1].wait()
                done.add(number)
                gates[number].signal()
            }
        }
        pool.run { gates[50].signal() }
        #expect(try await done.wait(for: 50) == Array((0..<50).reversed()))
    }

    @Test("Work whose release adds work does not block the worker pool, although a watching thread has seen it")
    func release() async throws {
        let (pool, done) = (WorkerPool(width: 1), Journal<Int>())
        for round in 1...20 {
            let added = AddedOnRelease { pool.run { done.add(round) } }
            // Shorter than the patience, so that the first thread is free before the watching one wakes.
            pool.run { usleep(2_000) }
            pool.run { withExtendedLifetime(added) {} }
        }
        #expect(try await done.wait(for: 20).count == 20)
    }

    private final class AddedOnRelease: Sendable {
        private let add: @Sendable () -> Void

        init(add: @escaping @Sendable () -> Void) { self.add = add }

        deinit { add() }
    }

    @Test("The worker pool does all work even if the system cannot start a thread", arguments: [0, 1, 3])
    func noThreads(available: Int) async throws {
        let left = Locked(available)
        let pool = WorkerPool(width: 4) { work in
            let isLeft = left.withLock { left in
                left -= 1
                return left >= 0
            }
            return isLeft && WorkerPool.startThread(work)
        }
        let (gate, done) = (DispatchSemaphore(value: 0), Journal<Int>())
        for number in 0..<20 {
            pool.run {
                if number < 3 { gate.wait() }
                done.add(number)
            }
        }
        #expect(try await done.wait(for: 17).allSatisfy { $0 >= 3 })
        for _ in 0..<3 { gate.signal() }
        #expect(try await done.wait(for: 20).sorted() == Array(0..<20))
    }

    @Test("The worker pool releases what a piece of work captured when it is done")
    func released() async throws {
        final class Captured: Sendable {}
        let pool = WorkerPool()
        let wasReleased = { () -> @Sendable () -> Bool in
            let captured = Captured()
            pool.run { withExtendedLifetime(captured) {} }
            return { [weak captured] in captured == nil }
        }()
        try await waitUntil("the release") { wasReleased() }
    }
}

@Suite("Worker queue", .timeLimit(.minutes(5)))
struct WorkerQueueTests {
    @Test("A worker queue runs work one at a time, in the order in which each thread added it")
    func order() async throws {
        let (queue, inside, done) = (WorkerQueue(), Locked((now: 0, most: 0)), Journal<[Int]>())
        await onThreads(8) { thread in
            for number in 0..<500 {
                queue.async {
                    queue.assertIsCurrent()
                    inside.withLock { $0 = ($0.now + 1, max($0.most, $0.now + 1)) }
                    sched_yield()
                    inside.withLock { $0.now -= 1 }
                    done.add([thread, number])
                }
            }
        }
        let all = try await done.wait(for: 4_000)
        #expect(inside.withLock { $0.most } == 1)
        for thread in 0..<8 { #expect(all.filter { $0[0] == thread }.map { $0[1] } == Array(0..<500)) }
    }

    @Test("The rest of work runs beside later work, which does not wait for it")
    func rest() async throws {
        let (queue, gate, done) = (WorkerQueue(), DispatchSemaphore(value: 0), Journal<Int>())
        queue.async(
            { 1 },
            then: { value in
                gate.wait()
                done.add(value)
            })
        for number in 2...100 {
            queue.async(
                {
                    queue.assertIsCurrent()
                    return number
                }, then: { if $0 == 100 { gate.signal() } })
        }
        #expect(try await done.wait(for: 1) == [1])
        queue.async { done.add(2) }
        #expect(try await done.wait(for: 2) == [1, 2])
    }

    @Test("A hundred blocked worker queues do not block another one")
    func blocked() async throws {
        let (gate, done) = (DispatchSemaphore(value: 0), Journal<Int>())
        let queues = (0..<100).map { _ in WorkerQueue() }
        for queue in queues {
            queue.async {
                gate.wait()
                done.add(1)
            }
        }
        WorkerQueue().async { done.add(0) }
        #expect(try await done.wait(for: 1) == [0])
        for _ in queues { gate.signal() }
        #expect(try await done.wait(for: 101).count == 101)
    }
}

#if os(Linux)
    /// In a process of its own, to count its threads.
    @Suite("Threads of the worker pool", .serialized, .timeLimit(.minutes(5)))
    struct WorkerPoolThreadTests {
        private static var count: Int { ProcessFacts.threadNames.filter { $0 == "firewheel.work" }.count }

        @Test("Idle threads of the worker pool end, and short work needs few threads")
        func lifetime() async {
            await #expect(processExitsWith: .success) {
                ProcessFacts.giveUp(after: 200)
                let (pool, gate, done) = (WorkerPool(width: 4), DispatchSemaphore(value: 0), Journal<Void>())
                for _ in 0..<1_000 { pool.run { done.add(()) } }
                _ = try await done.wait(for: 1_000)
                for _ in 0..<50 {
                    pool.run {
                        gate.wait()
                        done.add(())
                    }
                }
                try await waitUntil("a thread for each") { Self.count >= 50 }
                for _ in 0..<50 { gate.signal() }
                _ = try await done.wait(for: 1_050)
                try await waitUntil("their end") { Self.count == 0 }
                pool.run { done.add(()) }
                _ = try await done.wait(for: 1_051)
            }
        }
    }
#endif
