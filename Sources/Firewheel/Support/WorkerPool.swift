import Dispatch
import Foundation

/// Threads for code that may block: a caller's closures, and files.
///
/// As many threads as there are processors take work at once. Work that waits longer than ``patience`` because all of them are busy gets a
/// further thread, so that blocked work never holds up other work, however much of it there is.
final class WorkerPool: Sendable {
    typealias Work = @Sendable () -> Void

    static let shared = WorkerPool()

    /// How long work waits for a busy thread before it gets a further one.
    static let patience: TimeInterval = 0.005
    /// How long a thread waits for more to do before it ends.
    private static let linger: TimeInterval = 1

    private struct State {
        var waiting = Fifo<(work: Work, due: MonotonicInstant)>()
        /// All threads, those that are being started included.
        var threads = 0
        /// Those that run work.
        var busy = 0
        /// Whether a thread sleeps until the first work that waits is due.
        var isWatched = false

        /// Threads that will look at what waits before they sleep, or can be woken to do so.
        var ready: Int { threads - busy - (isWatched ? 1 : 0) }
    }

    private let width: Int
    /// Starts a thread; false if there is none left.
    private let start: @Sendable (@escaping Work) -> Bool
    private let condition = NSCondition()
    // Only touched while holding `condition`.
    private nonisolated(unsafe) var state = State()

    /// - Parameters:
    ///   - width: How many threads take work at once.
    ///   - start: How threads are started, and false if there is none left; for tests.
    init(
        width: Int = max(4, ProcessInfo.processInfo.activeProcessorCount),
        start: @escaping @Sendable (@escaping Work) -> Bool = WorkerPool.startThread
    ) {
        self.width = width
        self.start = start
    }

    /// Runs work on a thread where it may block. Pieces of work run in no particular order, and several at once.
    func run(_ work: @escaping Work) {
        let needsThread = condition.withLock {
            state.waiting.append((work, .now().advanced(by: Self.patience)))
            return summon()
        }
        if needsThread { startThread() }
    }

    static func startThread(_ work: @escaping Work) -> Bool {
        PlatformThread.start(name: "firewheel.work") {
            PlatformThread.detach(PlatformThread.current)
            work()
        }
    }

    /// Makes sure that somebody looks at what waits: a ready thread, or else a new one. To be called while holding `condition`.
    ///
    /// - Returns: Whether a thread has to be started; it is counted already.
    private func summon() -> Bool {
        let isFull = state.busy >= width
        if state.waiting.isEmpty || (isFull && state.isWatched) { return false }
        // Beyond the width one thread is enough: it watches, and summons the next before it takes work.
        let wanted = isFull ? 1 : min(state.waiting.count, width - state.busy)
        if state.ready >= wanted {
            condition.signal()
            return false
        }
        state.threads += 1
        return true
    }

    /// Starts a thread that has been counted. If there is none left, and nobody else looks at what waits, that goes to Dispatch.
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

    /// What a thread does all its life.
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

    /// The next work for a thread; nil if it has waited long enough and is to end.
    private func next(after wasBusy: Bool) -> Work? {
        condition.lock()
        if wasBusy { state.busy -= 1 }
        var deadline: Date?
        var hasWaited = false
        while true {
            if let first = state.waiting.first {
                if state.busy < width || first.due <= .now() {
                    _ = state.waiting.popFirst()
                    state.busy += 1
                    let needsThread = summon()
                    condition.unlock()
                    if needsThread { startThread() }
                    return first.work
                }
                if !state.isWatched {
                    watch(until: first.due)
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

    /// Sleeps without holding `condition`, which is held before and after. Nothing needs to wake the thread: who has become free takes work
    /// by himself.
    private func watch(until due: MonotonicInstant) {
        state.isWatched = true
        condition.unlock()
        Thread.sleep(forTimeInterval: due.seconds(since: .now()))
        condition.lock()
        state.isWatched = false
    }
}
