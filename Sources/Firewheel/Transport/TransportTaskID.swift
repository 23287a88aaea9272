/// Names one exchange of a request across the door of the transport. A request has a new one for every attempt and every hop, so that what
/// comes late from an earlier one is known for what it is.
public struct TransportTaskID: Hashable, Sendable, CustomStringConvertible {
    /// `Request.id`.
    public let request: UInt64
    /// Counts the attempts of the request, which are 1 more than its retries, from 0.
    public let attempt: Int
    /// Counts the hops of the attempt, which are 1 more than the redirects that were followed and the challenges that were answered, from
    /// 0.
    public let hop: Int

    /// The name of one exchange.
    ///
    /// - Parameters:
    ///   - request: `Request.id`.
    ///   - attempt: From 0, the default.
    ///   - hop: From 0, the default.
    public init(request: UInt64, attempt: Int = 0, hop: Int = 0) {
        self.request = request
        self.attempt = attempt
        self.hop = hop
    }

    /// The three numbers: `"12.0.1"`.
    public var description: String { "\(request).\(attempt).\(hop)" }
}
