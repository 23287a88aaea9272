import Dispatch
import Foundation

/// A pool of threads for code that may block: a caller's closures, and file access.
///
/// It runs as many pieces of work at once as there are processors. Work that waits longer than ``patience`` gets an additional thread, so
/// that blocked work never holds up other work.
final class WorkerPool: Sendable {
    typealias Work = @Sendable () -> Void

    static let shared = WorkerPool()

    /// The seconds that work waits for a busy thread before it gets an additional one.
    static let patience: TimeInterval = 0.005
    /// The seconds that an idle thread waits for more work before it ends.
    private static let linger: TimeInterval = 1

    private struct State {
        var waiting = Fifo<(work: Work, due: MonotonicInstant)>()
        /// All threads, including those being started.
        var threads = 0
        /// The threads that are running work.
        var busy = 0
        /// Whether a thread sleeps until the first waiting work is due.
        var isWatched = false

        /// The threads that will take waiting work before they sleep, or can be woken to do so.
        var ready: Int { threads - busy - (isWatched ? 1 : 0) }
    }

    private let width: Int
    /// Starts a thread; false if the process has none left.
    private let start: @Sendable (@escaping Work) -> Bool
    private let condition = NSCondition()
    // Used only while holding `condition`.
    private nonisolated(unsafe) var state = State()

    /// - Parameters:
    ///   - width: The number of pieces of work that run at once.
    ///   - start: Starts a thread; false if there is none left. Replaced in tests.
    init(
        width: Int = max(4, ProcessInfo.processInfo.activeProcessorCount),
        start: @escaping @Sendable (@escaping Work) -> Bool = WorkerPool.startThread
    ) {
        self.width = width
        self.start = start
    }

    /// Runs work on a thread that may block. Pieces of work run concurrently and in no particular order.
    func run(_ work: @escaping Work) {
        let call = condition.withLock {
            state.waiting.append((work, .now().advanced(by: Self.patience)))
            return summon()
        }
        carryOut(call)
    }

    /// Enough to decode the deepest JSON that Foundation parses (512 levels) into recursive types. Only used pages take memory.
    private static let stackSize = 4 << 20

    static func startThread(_ work: @escaping Work) -> Bool {
        PlatformThread.start(name: "firewheel.work", stackSize: stackSize) {
            PlatformThread.detach(PlatformThread.current)
            work()
        }
    }

    /// How a thread is found for waiting work.
    private enum Call {
        case none
        /// An idle thread is woken.
        case wake
        /// A thread is started, which is already counted.
        case start
    }

    /// Makes sure that a thread takes the waiting work: an idle one, or else a new one. Must be called while holding `condition`.
    private func summon() -> Call {
        let isFull = state.busy >= width
        if state.waiting.isEmpty || (isFull && state.isWatched) { return .none }
        // Beyond the width one thread is enough: it watches, and summons the next before it takes work.
        let wanted = isFull ? 1 : min(state.waiting.count, width - state.busy)
        if state.ready >= wanted { return .wake }
        state.threads += 1
        return .start
    }

    /// Called without holding `condition`, which the thread that wakes up needs at once.
    private func carryOut(_ call: Call) {
        switch call {
        case .none: break
        case .wake: condition.signal()
        case .start: startThread()
        }
    }

    /// Starts a thread that is already counted. If that fails and no other thread takes the waiting work, Dispatch runs it.
    private func startThread() {
        guard !start({ self.takeWork() }) else { return }
        let stranded = condition.withLock { () -> Fifo<(work: Work, due: MonotonicInstant)> in
            state.threads -= 1
            guard state.ready == 0, !state.isWatched else { return Fifo() }
            defer { state.waiting = Fifo() }
            return state.waiting
        }
        var rest = stranded
        while let (work, _) = rest.popFirst() { DispatchQueue.global().async(execute: work) }
    }

    /// The body of a thread.
    private func takeWork() {
        var isBusy = false
        while let work = next(after: isBusy) {
            isBusy = true
            #if canImport(ObjectiveC)
                autoreleasepool { work() }
            #else
                work()
            #endif
        }
    }

    /// The next work for a thread; nil if it has been idle long enough to end.
    private func next(after wasBusy: Bool) -> Work? {
        condition.lock()
        if wasBusy { state.busy -= 1 }
        var deadline: Date?
        var hasWaited = false
        while true {
            // Work is not referred to while it waits: another thread may run it meanwhile, and releasing it here, while holding
            // `condition`, could call `run`.
            if let due = state.waiting.first?.due {
                if state.busy < width || due <= .now(), let first = state.waiting.popFirst() {
                    state.busy += 1
                    let call = summon()
                    condition.unlock()
                    carryOut(call)
                    return first.work
                }
                if !state.isWatched {
                    watch(until: due)
                    continue
                }
            }
            if hasWaited {
                state.threads -= 1
                condition.unlock()
                return nil
            }
            let end = deadline ?? Date(timeIntervalSinceNow: Self.linger)
            deadline = end
            hasWaited = !condition.wait(until: end)
        }
    }

    /// Sleeps without holding `condition`, which is held before and after. Nothing needs to wake the thread, because threads that become
    /// free take work themselves.
    private func watch(until due: MonotonicInstant) {
        state.isWatched = true
        condition.unlock()
        Thread.sleep(forTimeInterval: due.seconds(since: .now()))
        condition.lock()
        state.isWatched = false
    }
}

extension WorkerPool {
    /// Runs a serializer, which may block or be slow: on the session's queue for serializers, if it has one.
    static func runSerializer(on queue: DispatchQueue?, _ work: @escaping Work) {
        if let queue { queue.async(execute: work) } else { shared.run(work) }
    }
}
