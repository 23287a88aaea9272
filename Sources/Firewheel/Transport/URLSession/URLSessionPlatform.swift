import Foundation

/// What differs between URLSession on Apple's systems and FoundationNetworking.
enum URLSessionPlatform {
    /// Seconds that are as good as without end, and that no implementation overflows on: about three years.
    static let noLimit: TimeInterval = 100_000_000

    #if canImport(Darwin)
        /// Whether a task may be suspended while it runs.
        static let canSuspend = true

        /// The `timeoutInterval` for an idle timeout, in which 0 is no limit. Suspended tasks do not run it.
        static func timeoutInterval(_ seconds: TimeInterval) -> TimeInterval {
            seconds > 0 ? min(seconds, noLimit) : noLimit
        }
    #else
        /// Not here: a task that is suspended and resumed sends its request again, and its body comes twice.
        static let canSuspend = false

        /// The `timeoutInterval` for an idle timeout, in which 0 is no limit. Fractions are cut off here, down to an instant failure, hence
        /// rounded up.
        static func timeoutInterval(_ seconds: TimeInterval) -> TimeInterval {
            seconds > 0 ? min(seconds, noLimit).rounded(.up) : noLimit
        }
    #endif
}
