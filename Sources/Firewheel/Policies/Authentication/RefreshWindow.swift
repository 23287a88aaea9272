import Foundation

/// A limit on the refreshes of an ``AuthenticationInterceptor`` within a time. Exceeding it is an error, so that a server that refuses
/// every credential does not cause endless refreshes.
public struct RefreshWindow: Sendable, Hashable {
    /// The length of the sliding window in seconds.
    public let interval: TimeInterval
    /// The maximum number of refreshes that may begin within the window.
    public let maximumAttempts: Int

    /// Creates a window with a length and a maximum number of refreshes.
    ///
    /// - Parameters:
    ///   - interval: The length of the window in seconds. Negative numbers count as 0, which means no limit; NaN counts as 30. Default: 30,
    ///     as in Alamofire.
    ///   - maximumAttempts: The maximum number of refreshes within it, including failed ones. 0 and negative numbers: none. Default: 5, as
    ///     in Alamofire.
    public init(interval: TimeInterval = 30, maximumAttempts: Int = 5) {
        self.interval = interval.isNaN ? 30 : max(0, interval)
        self.maximumAttempts = max(0, maximumAttempts)
    }
}
