import Foundation

/// What is known of a task as a whole: its hops, one for the request and one for every redirect that was followed.
public struct TaskMetrics: Sendable {
    /// From the request's start to its last byte, waiting in the session's queue included.
    public let taskInterval: DateInterval
    /// The number of redirects that were followed.
    public let redirectCount: Int
    /// One for every hop, in their order.
    public let transactionMetrics: [TransactionMetrics]
}

extension TaskMetrics: CustomStringConvertible {
    /// The duration and one line a hop.
    public var description: String {
        (["Metrics: \(milliseconds(taskInterval.duration)), redirects: \(redirectCount)"] + transactionMetrics.map { "  \($0)" })
            .joined(separator: "\n")
    }
}
