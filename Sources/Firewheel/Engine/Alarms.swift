import Dispatch

/// Rings for requests at instants: when they will have taken too long as a whole, and when a retry is due. One timer for all of a session.
final class Alarms: Sendable {
    private struct State: Sendable {
        var instants: [UInt64: MonotonicInstant] = [:]
        /// When the timer goes off. Alarms that were taken back are not looked for: it may go off for nothing.
        var next: MonotonicInstant?
        var timer: Timer?
    }

    private struct Timer: @unchecked Sendable {
        // Sound because objects of Dispatch may be used by any thread; this one is only used under the lock.
        let source: any DispatchSourceTimer
    }

    private let queue = DispatchQueue(label: "firewheel.alarms")
    private let state = Locked(State())
    private let ring: @Sendable (UInt64) -> Void

    /// - Parameter ring: Called with the id of a request, on a queue of its own.
    init(ring: @escaping @Sendable (UInt64) -> Void) {
        self.ring = ring
    }

    deinit {
        state.withLock { $0.timer?.source.cancel() }
    }

    /// Sets the alarm of a request. One that is to ring earlier stays: who is rung for too early asks for the next.
    func set(_ id: UInt64, at instant: MonotonicInstant) {
        state.withLock { state in
            if let earlier = state.instants[id], earlier <= instant { return }
            state.instants[id] = instant
            if let next = state.next, next <= instant { return }
            schedule(&state, at: instant)
        }
    }

    /// Takes an alarm back. The timer is left as it is.
    func clear(_ id: UInt64) {
        state.withLock { $0.instants[id] = nil }
    }

    private func schedule(_ state: inout State, at instant: MonotonicInstant) {
        state.next = instant
        let deadline = DispatchTime(uptimeNanoseconds: instant.nanoseconds)
        if let timer = state.timer { return timer.source.schedule(deadline: deadline) }
        let timer = Timer(source: DispatchSource.makeTimerSource(queue: queue))
        timer.source.setEventHandler { [weak self] in self?.goOff() }
        timer.source.schedule(deadline: deadline)
        timer.source.activate()
        state.timer = timer
    }

    private func goOff() {
        let now = MonotonicInstant.now()
        let due = state.withLock { state in
            let due = state.instants.filter { $0.value <= now }.map(\.key)
            for id in due { state.instants[id] = nil }
            state.next = nil
            if let next = state.instants.values.min() { schedule(&state, at: next) }
            return due
        }
        for id in due { ring(id) }
    }
}
