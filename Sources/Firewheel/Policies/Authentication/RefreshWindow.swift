import Foundation

/// How many refreshes an ``AuthenticationInterceptor`` makes within a time. One more is an error, so that a server which refuses every
/// credential is not asked for ever.
public struct RefreshWindow: Sendable, Hashable {
    /// The length of the window in seconds, which ends at the present.
    public let interval: TimeInterval
    /// How many refreshes may begin in it.
    public let maximumAttempts: Int

    /// A window of this length, for at most this many refreshes.
    ///
    /// - Parameters:
    ///   - interval: The length of the window in seconds. Negative counts as 0, which is no bound; not a number as 30. Default: 30, as in
    ///     Alamofire.
    ///   - maximumAttempts: How many refreshes may begin within it, those that fail included. 0 and negative: none. Default: 5, as in
    ///     Alamofire.
    public init(interval: TimeInterval = 30, maximumAttempts: Int = 5) {
        self.interval = interval.isNaN ? 30 : max(0, interval)
        self.maximumAttempts = max(0, maximumAttempts)
    }
}
