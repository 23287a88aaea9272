/// Identifies one exchange of a request. A request has a new id for every attempt and every hop, so that late events of an earlier one are
/// recognized.
public struct TransportTaskID: Hashable, Sendable, CustomStringConvertible {
    /// `Request.id`.
    public let request: UInt64
    /// The attempt's number, from 0: the retries before it.
    public let attempt: Int
    /// The hop's number within the attempt, from 0: the redirects followed and challenges answered before it.
    public let hop: Int

    /// Creates the id of one exchange.
    ///
    /// - Parameters:
    ///   - request: The request's `Request.id`.
    ///   - attempt: The number of the attempt, counting from 0. Default: 0.
    ///   - hop: The number of the hop, counting from 0. Default: 0.
    public init(request: UInt64, attempt: Int = 0, hop: Int = 0) {
        self.request = request
        self.attempt = attempt
        self.hop = hop
    }

    /// Only of the request's number, because hardly ever are two exchanges of a request under way.
    public func hash(into hasher: inout Hasher) { hasher.combine(request) }

    /// The three numbers: `"12.0.1"`.
    public var description: String { "\(request).\(attempt).\(hop)" }
}
