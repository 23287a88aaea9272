import Foundation

/// The time as an ``AuthenticationInterceptor`` knows it; tests have one of their own.
struct RefreshClock: Sendable {
    let now: @Sendable () -> MonotonicInstant
    /// Waits so many seconds, which are more than 0. Throws if the task is cancelled.
    let sleep: @Sendable (TimeInterval) async throws -> Void

    static let system = RefreshClock(
        now: { .now() },
        sleep: { seconds in
            let now = MonotonicInstant.now()
            // Bounded, as instants are.
            try await Task.sleep(nanoseconds: now.advanced(by: seconds).nanoseconds - now.nanoseconds)
        })
}
