extension TransportRequest {
    /// Of which responses the head is held, for the client to decide on: such a head comes at once in a `response` event, and no byte of
    /// its body is read until ``Transport/proceed(_:_:)``.
    ///
    /// - What is read from the connection together with the head stays in the transport.
    /// - No event comes while a head is held, but the request's end by its ``TransportRequest/deadline`` or by the transport's release. Its
    ///   idle timeout stands still.
    /// - ``Transport/pause(_:)``, ``Transport/resume(_:)`` and ``Transport/cancel(_:)`` have their usual meaning.
    /// - Heads of interim responses (RFC 9110 section 15.2) are never held.
    public enum HeldHeads: Sendable, Hashable {
        /// Of no response.
        case none
        /// Of responses with one of these statuses.
        case statuses(Set<Int>)
        /// Of every response.
        case all

        /// Whether the head of a final response with this status is held.
        public func contains(_ statusCode: Int) -> Bool {
            switch self {
            case .none: false
            case .statuses(let statuses): statuses.contains(statusCode)
            case .all: true
            }
        }
    }

    /// What becomes of the body behind a head that was held.
    public enum HeldBody: Sendable, Hashable {
        /// It is handed over as if the head had not been held.
        case deliver
        /// Nobody wants it: none of it is handed over, and the request ends soon and without an error, whatever is wrong with the body.
        ///
        /// A transport may read on for a moment, to be able to use the connection again; what is longer closes it. (OkHttp's
        /// `DISCARD_STREAM_TIMEOUT_MILLIS`.)
        case discard
    }
}
