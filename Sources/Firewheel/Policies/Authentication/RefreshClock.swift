import Foundation

/// The clock of an ``AuthenticationInterceptor``, replaced in tests.
struct RefreshClock: Sendable {
    let now: @Sendable () -> MonotonicInstant
    /// Waits for a positive number of seconds. Throws if the task is cancelled.
    let sleep: @Sendable (TimeInterval) async throws -> Void

    static let system = RefreshClock(
        now: { .now() },
        sleep: { seconds in
            let now = MonotonicInstant.now()
            // Clamped like instants.
            try await Task.sleep(nanoseconds: now.advanced(by: seconds).nanoseconds - now.nanoseconds)
        })
}
