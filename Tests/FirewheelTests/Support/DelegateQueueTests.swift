import Foundation
import Testing

@testable import Firewheel

/// A serial queue whose turn a calling thread may borrow.
@Suite("Delegate queue", .timeLimit(.minutes(5)))
struct DelegateQueueTests {
    private let queue = DelegateQueue(label: "test.delegate")

    /// Counts the blocks that run at once.
    private final class Room: Sendable {
        private let state = Locked((inside: 0, visits: 0, most: 0))

        var visits: Int { state.withLock { $0.visits } }
        var most: Int { state.withLock { $0.most } }

        func visit() {
            state.withLock { state in
                state.inside += 1
                state.visits += 1
                state.most = max(state.most, state.inside)
            }
            sched_yield()
            state.withLock { $0.inside -= 1 }
        }
    }

    /// Returns after all earlier work of the queue.
    private func drain(_ queue: DelegateQueue) async {
        await withCheckedContinuation { continuation in queue.async { continuation.resume() } }
    }

    /// Borrows the queue's turn as soon as it is idle.
    private func borrow(_ work: () -> Void) {
        while !queue.runIfIdle({
            work()
            return true
        }) { usleep(1000) }
    }

    @Test("A delegate queue runs blocks one at a time, each once, in the order in which each thread added them")
    func order() async throws {
        let (queue, room, done) = (queue, Room(), Journal<[Int]>())
        await onThreads(8) { thread in
            for number in 0..<500 {
                queue.async {
                    room.visit()
                    done.add([thread, number])
                }
            }
        }
        await drain(queue)
        #expect(room.most == 1 && done.count == 4000)
        for thread in 0..<8 { #expect(done.entries.filter { $0[0] == thread }.map { $0[1] } == Array(0..<500)) }
    }

    @Test("An idle delegate queue lends its turn to the calling thread, and takes it back")
    func borrowed() async throws {
        let queue = queue
        let done = Journal<String>()
        await onThreads(1) { _ in
            let thread = pthread_self()
            for round in 0..<3 {
                let hasRun = queue.runIfIdle {
                    queue.assertIsCurrent()
                    done.add("\(round) \(pthread_equal(thread, pthread_self()) != 0)")
                    return round != 1
                }
                done.add("\(hasRun)")
            }
        }
        #expect(done.entries == ["0 true", "true", "1 true", "false", "2 true", "true"])
        await withCheckedContinuation { continuation in
            queue.async {
                queue.assertIsCurrent()
                continuation.resume()
            }
        }
    }

    @Test("While a block runs, on its own thread or a borrowing one, the delegate queue's turn is not lent")
    func busy() async throws {
        let (queue, entered, done) = (queue, DispatchSemaphore(value: 0), Journal<String>())
        let leave = DispatchSemaphore(value: 0)
        @Sendable func stay() {
            entered.signal()
            leave.wait()
        }
        await onThreads(1) { _ in
            queue.async { stay() }
            entered.wait()
            #expect(!queue.runIfIdle { done.add("beside the queue") == () })
            // Also while something waits.
            queue.async { done.add("later") }
            #expect(!queue.runIfIdle { done.add("beside and before") == () })
            leave.signal()
        }
        await drain(queue)
        #expect(done.entries == ["later"])
        await onThreads(2) { thread in
            if thread == 0 {
                while !queue.runIfIdle({ stay() == () }) { usleep(1000) }
            } else {
                entered.wait()
                #expect(!queue.runIfIdle { done.add("beside a borrower") == () })
                leave.signal()
            }
        }
        #expect(done.entries == ["later"])
    }

    @Test("A block that holds the delegate queue's turn cannot borrow it again")
    func reentrancy() async throws {
        let (queue, done) = (queue, Journal<String>())
        borrow { #expect(!queue.runIfIdle { done.add("inside a borrower") == () }) }
        queue.async { #expect(!queue.runIfIdle { done.add("inside work") == () }) }
        await drain(queue)
        #expect(done.count == 0)
    }

    @Test("Blocks added while the turn is lent run afterwards on the delegate queue's thread, in order")
    func fromBorrower() async throws {
        let (queue, done) = (queue, Journal<String>())
        borrow {
            for number in 0..<3 {
                queue.async {
                    queue.assertIsCurrent()
                    done.add("\(number)")
                }
            }
            usleep(20_000)
            done.add("borrower")
        }
        await drain(queue)
        #expect(done.entries == ["borrower", "0", "1", "2"])
    }

    @Test("A block added to a delegate queue from inside a block runs after those already waiting")
    func fromWork() async throws {
        let (queue, done) = (queue, Journal<Int>())
        queue.async {
            queue.async { done.add(1) }
            usleep(20_000)
            done.add(0)
        }
        _ = try await done.wait(for: 2)
        #expect(done.entries == [0, 1])
        borrow {
            queue.async {
                queue.async { done.add(4) }
                done.add(2)
            }
            queue.async { done.add(3) }
        }
        #expect(try await done.wait(for: 5) == [0, 1, 2, 3, 4])
    }

    @Test("With many threads adding to and borrowing a delegate queue, one block runs at a time and all run")
    func storm() async throws {
        let (queue, room, lent) = (queue, Room(), Locked(0))
        await onThreads(8) { thread in
            for number in 0..<1000 {
                if (number + thread).isMultiple(of: 3) {
                    if queue.runIfIdle({
                        queue.assertIsCurrent()
                        room.visit()
                        return true
                    }) {
                        lent.withLock { $0 += 1 }
                    }
                } else {
                    queue.async {
                        queue.assertIsCurrent()
                        room.visit()
                        if number.isMultiple(of: 5) { queue.async { room.visit() } }
                    }
                }
            }
        }
        // Blocks added from inside were added before this.
        await drain(queue)
        await drain(queue)
        var put = 0
        for thread in 0..<8 {
            for number in 0..<1000 where !(number + thread).isMultiple(of: 3) { put += number.isMultiple(of: 5) ? 2 : 1 }
        }
        #expect(room.most == 1)
        #expect(room.visits == put + lent.withLock { $0 })
    }

    @Test("With a target queue of the caller, a delegate queue's blocks run only there and one at a time", arguments: [true, false])
    func target(isConcurrent: Bool) async throws {
        let mark = DispatchSpecificKey<Bool>()
        let target = DispatchQueue(label: "test.target", attributes: isConcurrent ? .concurrent : [])
        target.setSpecific(key: mark, value: true)
        let queue = DelegateQueue(label: "test.delegate", target: target)
        let (room, done) = (Room(), Journal<Bool?>())
        #expect(!queue.runIfIdle { done.add(nil) == () })
        await onThreads(4) { _ in
            for _ in 0..<100 {
                queue.async {
                    queue.assertIsCurrent()
                    room.visit()
                    done.add(DispatchQueue.getSpecific(key: mark))
                }
            }
        }
        await drain(queue)
        #expect(done.entries == Array(repeating: true, count: 400) && room.most == 1)
    }

    @Test("Two delegate queues on one serial target take turns with each other and with its other work")
    func turns() async throws {
        let target = DispatchQueue(label: "test.target")
        let (greedy, modest) = (DelegateQueue(label: "test.greedy", target: target), DelegateQueue(label: "test.modest", target: target))
        let works = Journal<String>()
        @Sendable func goOn(_ times: Int) {
            works.add("greedy")
            if times > 0 { greedy.async { goOn(times - 1) } }
        }
        target.suspend()
        greedy.async { goOn(100) }
        modest.async { works.add("modest") }
        target.async { works.add("target") }
        target.resume()
        #expect(try await works.wait(for: 103).prefix(3) == ["greedy", "modest", "target"])
    }

    #if os(Linux) || os(macOS)
        @Test("A delegate queue's assertIsCurrent ends a program that calls it on another thread, idle or busy")
        func assertion() async {
            await #expect(processExitsWith: .failure) { DelegateQueue(label: "test.delegate").assertIsCurrent() }
            await #expect(processExitsWith: .failure) {
                let queue = DelegateQueue(label: "test.delegate")
                await withCheckedContinuation { continuation in
                    queue.async {
                        continuation.resume()
                        sleep(30)
                    }
                }
                queue.assertIsCurrent()
            }
        }
    #endif
}
