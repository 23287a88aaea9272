import Foundation

/// How much of one body of a request has been transferred, and who watches it.
///
/// Never falls within an attempt, even if the body is sent again after a redirect or a challenge. The exception is the end of a body that
/// its coding has made larger.
final class TransferProgress: Sendable {
    private final class Watcher: Sendable {
        let queue: DispatchQueue
        let closure: @Sendable (Progress) -> Void
        /// Whether the closure is about to be called. It then sees what is reported in the meantime, so a slow one holds up nothing.
        let isCalled = Locked(false)

        init(queue: DispatchQueue, closure: @escaping @Sendable (Progress) -> Void) {
            self.queue = queue
            self.closure = closure
        }

        func call(_ progress: Shared) {
            let isNew = isCalled.withLock { isCalled in
                defer { isCalled = true }
                return !isCalled
            }
            guard isNew else { return }
            queue.async {
                self.isCalled.withLock { $0 = false }
                self.closure(progress.object)
            }
        }
    }

    private struct Shared: @unchecked Sendable {
        // Sound because `Progress` is documented as safe to use from any thread. Where it has no lock (`Quirks/UnlockedProgress`) it is
        // changed under one, and a reader sees whole integers, which may be of two moments.
        let object: Progress
    }

    private struct State {
        var attempt = 0
        var completed: Int64 = 0
        /// How many of the completed bytes are received again.
        var repeated: Int64 = 0
        /// The size of the body; -1 if it is not known, as in Foundation.
        var total: Int64 = -1
        /// Whether the bytes of a coded body were counted, whose decoded size is known at its end.
        var countsCoded = false
        /// Whether there is no body: nobody is called.
        var hasNoBody = false
        /// Whether the completed bytes are those of an earlier download, which no response has confirmed yet.
        var isOffered = false
        var watchers: [Watcher] = []
        var streams: [UInt64: AsyncStream<Progress>.Continuation] = [:]
        var lastStream: UInt64 = 0
        var isOver = false
        /// Whether a thread is publishing. It goes on with what is reported in the meantime, so that nothing overtakes.
        var isPublishing = false
        var hasNews = false
    }

    private let shared: Shared
    private let state = Locked(State())

    /// - Parameter object: The object that shows the progress.
    init(_ object: Progress) {
        shared = Shared(object: object)
    }

    deinit {
        // Those of a request that was never started would wait for ever.
        for stream in state.withLock({ Array($0.streams.values) }) { stream.finish() }
    }

    var object: Progress { shared.object }

    // MARK: Watchers

    func watch(on queue: DispatchQueue, _ closure: @escaping @Sendable (Progress) -> Void) {
        let watcher = Watcher(queue: queue, closure: closure)
        let isOver = state.withLock { state in
            if !state.isOver { state.watchers.append(watcher) }
            return state.isOver
        }
        // Whoever comes late still sees the end.
        if isOver, !state.withLock({ $0.hasNoBody }) { watcher.call(shared) }
    }

    func stream(_ policy: AsyncStream<Progress>.Continuation.BufferingPolicy) -> AsyncStream<Progress> {
        let (stream, continuation) = AsyncStream.makeStream(of: Progress.self, bufferingPolicy: policy)
        let number = state.withLock { state -> UInt64? in
            guard !state.isOver else { return nil }
            state.lastStream += 1
            state.streams[state.lastStream] = continuation
            return state.lastStream
        }
        guard let number else {
            if !state.withLock({ $0.hasNoBody }) { continuation.yield(shared.object) }
            continuation.finish()
            return stream
        }
        continuation.onTermination = { [weak self] _ in
            _ = self?.state.withLock { $0.streams.removeValue(forKey: number) }
        }
        return stream
    }

    // MARK: Reports

    /// A new attempt begins again at 0, unless it goes on where the last one stopped.
    func begin(attempt: Int, total: Int64?, hasBody: Bool = true, goesOn: Bool = false) {
        publish { state in
            guard attempt > state.attempt || state.completed == 0 || state.isOffered, !goesOn else { return }
            state.attempt = attempt
            state.completed = 0
            state.repeated = 0
            state.isOffered = false
            state.countsCoded = false
            state.total = total ?? -1
            state.hasNoBody = !hasBody
        }
    }

    /// A download is to go on with what there is of the file.
    func offer(_ completed: Int64, of total: Int64?) {
        publish { state in
            // Bytes may have come in the meantime.
            guard state.completed == 0 else { return }
            state.completed = completed
            state.total = total ?? -1
            state.isOffered = true
        }
    }

    /// Somebody asks for the progress of a body of which a part was transferred, perhaps more by now.
    func catchUp(attempt: Int, completed: Int64, total: Int64?) {
        publish { state in
            guard attempt >= state.attempt else { return }
            state.attempt = attempt
            state.completed = max(state.completed, completed)
            state.total = total ?? -1
        }
    }

    /// A download goes on at an offset, or begins again at 0.
    func begin(at offset: Int64) {
        publish { state in
            state.isOffered = false
            state.repeated = offset > 0 ? max(0, state.completed - offset) : 0
            state.completed = offset + state.repeated
        }
    }

    /// Sets what is complete by now.
    func report(_ completed: Int64) {
        publish { $0.completed = max($0.completed, completed) }
    }

    /// Sets what has been received of a coded body by now, and its size. At the end the size of the decoded body takes their place.
    func reportCoded(_ completed: Int64, of total: Int64) {
        publish { state in
            if state.isOffered { (state.completed, state.isOffered) = (0, false) }
            state.countsCoded = true
            state.completed = max(state.completed, completed)
            state.total = max(state.completed, total)
        }
    }

    /// - Parameters:
    ///   - added: The number of bytes that were received.
    ///   - total: The size of the body; nil if it is not known.
    func report(adding added: Int64, of total: Int64?) {
        publish { state in
            let repeated = min(added, state.repeated)
            state.repeated -= repeated
            state.completed += added - repeated
            state.total = total ?? -1
        }
    }

    /// The request has ended. No closure is called after those that are about to be.
    ///
    /// - Parameters:
    ///   - completed: What was transferred in the end, if it is known.
    ///   - isWhole: Whether the body is complete.
    ///   - hasNoBody: Whether it is known by now that there was none.
    func finish(_ completed: Int64?, isWhole: Bool, hasNoBody: Bool = false) {
        publish { state in
            if hasNoBody { state.hasNoBody = true }
            if let completed, !state.countsCoded {
                state.completed = max(state.completed, completed)
            } else if let completed, isWhole {
                (state.completed, state.total) = (completed, completed)
            }
            guard isWhole else { return }
            // Foundation's fraction of 0 bytes would never be 1, not even in a parent.
            if state.completed == 0 { state.completed = 1 }
            if state.total < state.completed { state.total = state.completed }
        }
        // Released outside the lock, because they may hold anything.
        let (watchers, streams) = state.withLock { state in
            defer {
                state.watchers = []
                state.streams = [:]
            }
            state.isOver = true
            return (state.watchers, Array(state.streams.values))
        }
        for stream in streams { stream.finish() }
        withExtendedLifetime(watchers) {}
    }

    /// Changes the numbers, and shows them unless another thread does.
    ///
    /// Where nobody observes the object, it has the numbers when this returns: a parent that the next request is added to must not still
    /// be changed by this one.
    private func publish(_ change: (inout State) -> Void) {
        let isFree = state.withLock { state -> Bool in
            let (completed, total) = (state.completed, state.total)
            change(&state)
            guard !state.isOver, state.completed != completed || state.total != total else { return false }
            if !Progress.callsObservers { shared.object.set(completed: state.completed, total: state.total) }
            state.hasNews = true
            defer { state.isPublishing = true }
            return !state.isPublishing
        }
        guard isFree else { return }
        while let news = takeNews() {
            if Progress.callsObservers { shared.object.set(completed: news.completed, total: news.total) }
            for watcher in news.watchers { watcher.call(shared) }
            for stream in news.streams { stream.yield(shared.object) }
        }
    }

    private struct News: Sendable {
        let completed: Int64
        let total: Int64
        let watchers: [Watcher]
        let streams: [AsyncStream<Progress>.Continuation]
    }

    private func takeNews() -> News? {
        state.withLock { state in
            guard state.hasNews else {
                state.isPublishing = false
                return nil
            }
            state.hasNews = false
            return News(
                completed: state.completed, total: state.total, watchers: state.hasNoBody ? [] : state.watchers,
                streams: state.hasNoBody ? [] : Array(state.streams.values))
        }
    }
}
