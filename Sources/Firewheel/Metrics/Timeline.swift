import Foundation

/// When a request started, received its first response, completed, and was serialized.
///
/// Times are seconds since the reference date (1 January 2001, 00:00 UTC). They come from a monotonic clock paired once with the wall
/// clock, so that intervals are never negative, even if the system's time is set. The names are Alamofire 4's.
public struct Timeline: Sendable, Hashable {
    /// When the request was first resumed.
    public let requestStartTime: TimeInterval
    /// When the response's head was received; the same as `requestCompletedTime` without one.
    public let initialResponseTime: TimeInterval
    /// When the last byte was received, or the request failed.
    public let requestCompletedTime: TimeInterval
    /// When the response was serialized.
    public let serializationCompletedTime: TimeInterval

    /// Creates a timeline from times in seconds since the reference date. A time earlier than the one before it is replaced by that one, so
    /// that no interval is negative.
    ///
    /// - Parameters:
    ///   - requestStartTime: When the request was first resumed. Default: 0.
    ///   - initialResponseTime: When the head of the response was received. Default: 0.
    ///   - requestCompletedTime: When the last byte was received. Default: 0.
    ///   - serializationCompletedTime: When the response was serialized. Default: 0.
    public init(
        requestStartTime: TimeInterval = 0, initialResponseTime: TimeInterval = 0,
        requestCompletedTime: TimeInterval = 0, serializationCompletedTime: TimeInterval = 0
    ) {
        self.requestStartTime = requestStartTime
        self.initialResponseTime = max(initialResponseTime, requestStartTime)
        self.requestCompletedTime = max(requestCompletedTime, self.initialResponseTime)
        self.serializationCompletedTime = max(serializationCompletedTime, self.requestCompletedTime)
    }

    /// Seconds from the start to the first response.
    public var latency: TimeInterval { initialResponseTime - requestStartTime }
    /// Seconds from the start to completion.
    public var requestDuration: TimeInterval { requestCompletedTime - requestStartTime }
    /// Seconds from completion to the end of serialization.
    public var serializationDuration: TimeInterval { serializationCompletedTime - requestCompletedTime }
    /// Seconds from the start to the end of serialization.
    public var totalDuration: TimeInterval { serializationCompletedTime - requestStartTime }
}

extension Timeline: CustomStringConvertible {
    /// The four intervals in seconds.
    public var description: String {
        func seconds(_ value: TimeInterval) -> String { String(format: "%.3f secs", value) }
        return "Timeline: { \"Latency\": \(seconds(latency)), \"Request Duration\": \(seconds(requestDuration)), "
            + "\"Serialization Duration\": \(seconds(serializationDuration)), \"Total Duration\": \(seconds(totalDuration)) }"
    }
}
