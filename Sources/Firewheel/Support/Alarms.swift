import Dispatch

/// A timer shared by many, such as all requests of a session. It fires for a request when its resource timeout is exceeded or its retry is
/// due.
final class Alarms: Sendable {
    private struct State: Sendable {
        var queue = AlarmQueue()
        /// When the timer fires. Clearing an alarm does not change it, so it may fire with nothing due.
        var next: MonotonicInstant?
        var timer: Timer?
    }

    private struct Timer: @unchecked Sendable {
        // Sound because Dispatch objects may be used from any thread, and this one is only used under the lock.
        let source: any DispatchSourceTimer
    }

    private let queue = DispatchQueue(label: "firewheel.alarms")
    private let state = Locked(State())
    private let ring: @Sendable (UInt64) -> Void

    /// - Parameter ring: Called with the id of an alarm, such as that of its request, on a private queue.
    init(ring: @escaping @Sendable (UInt64) -> Void) {
        self.ring = ring
        DispatchTimers.areOpen
    }

    deinit {
        state.withLock { $0.timer?.source.cancel() }
    }

    /// Sets the alarm of a request. An earlier one stays: a call whose alarm fires too early sets the next one.
    func set(_ id: UInt64, at instant: MonotonicInstant) {
        state.withLock { state in
            guard state.queue.set(id, at: instant) else { return }
            if let next = state.next, next <= instant { return }
            schedule(&state, at: instant)
        }
    }

    /// Clears an alarm without rescheduling the timer.
    func clear(_ id: UInt64) {
        state.withLock { $0.queue.clear(id) }
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
            let due = state.queue.takeDue(at: now)
            state.next = nil
            if let next = state.queue.next { schedule(&state, at: next) }
            return due
        }
        for id in due { ring(id) }
    }
}
