/// How long a loop sleeps in `epoll_wait`.
enum LoopSleep {
    /// The milliseconds from one instant to another, at most a minute; -1, for ever, without one.
    static func milliseconds(from current: MonotonicInstant, until instant: MonotonicInstant?) -> Int32 {
        guard let instant else { return -1 }
        guard instant > current else { return 0 }
        // Rounded up, because waking too early would spin.
        return Int32(min((instant.nanoseconds - current.nanoseconds + 999_999) / 1_000_000, 60_000))
    }
}
