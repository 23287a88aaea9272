import Foundation

/// The metrics of one attempt: its duration, and the metrics of each hop.
public struct TaskMetrics: Sendable {
    /// From the request's start to its last byte, including the wait in the session's queue.
    public let taskInterval: DateInterval
    /// The number of followed redirects.
    public let redirectCount: Int
    /// The metrics of each hop, in order.
    public let transactionMetrics: [TransactionMetrics]

    package init(taskInterval: DateInterval, redirectCount: Int, transactionMetrics: [TransactionMetrics]) {
        self.taskInterval = taskInterval
        self.redirectCount = redirectCount
        self.transactionMetrics = transactionMetrics
    }
}

extension TaskMetrics: CustomStringConvertible {
    /// The duration, and one line per hop.
    public var description: String {
        (["Metrics: \(milliseconds(taskInterval.duration)), redirects: \(redirectCount)"] + transactionMetrics.map { "  \($0)" })
            .joined(separator: "\n")
    }
}
