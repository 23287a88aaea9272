import Foundation

/// Differences between URLSession on Apple platforms and FoundationNetworking.
enum URLSessionPlatform {
    /// An effectively unlimited number of seconds that no implementation overflows on.
    static let noLimit: TimeInterval = 100_000_000

    #if canImport(Security)
        /// The features that only URLSession on Apple's systems supports.
        static let features: Set<TransportRequest.Feature> = [.trust, .versionsOfTLS, .proxy, .waitsForConnectivity]
    #else
        /// FoundationNetworking asks no delegate about servers.
        static let features: Set<TransportRequest.Feature> = []
    #endif

    #if canImport(Darwin)
        /// Whether a running task can be suspended.
        static let canSuspend = true

        /// Whether a second body stream is asked for only because a reused connection was dead. The system also does so for a proxy's
        /// credentials, or to try another version of HTTP.
        static let resendsOnlyDeadConnections = false

        /// The `timeoutInterval` for an idle timeout, for which 0 means no limit. It does not run while a task is suspended.
        static func timeoutInterval(_ seconds: TimeInterval) -> TimeInterval {
            seconds > 0 ? min(seconds, noLimit) : noLimit
        }
    #else
        /// FoundationNetworking sends the request of a suspended and resumed task again, and delivers its body twice.
        static let canSuspend = false

        /// Whether a second body stream is asked for only because a reused connection was dead.
        static let resendsOnlyDeadConnections = true

        /// The `timeoutInterval` for an idle timeout, for which 0 means no limit. Rounded up, because FoundationNetworking truncates
        /// fractions, even to an immediate timeout.
        static func timeoutInterval(_ seconds: TimeInterval) -> TimeInterval {
            seconds > 0 ? min(seconds, noLimit).rounded(.up) : noLimit
        }
    #endif
}
