extension TransportRequest {
    /// The responses whose heads are held for the client's decision. A held head is reported in a `response` event at once, and its body is
    /// not read until ``Transport/proceed(_:_:)``.
    ///
    /// - Body bytes that were read together with the head stay in the transport.
    /// - No event comes while a head is held, except the request's end by its ``TransportRequest/deadline`` or by the transport's release.
    ///   The idle timeout is suspended.
    /// - ``Transport/pause(_:)``, ``Transport/resume(_:)`` and ``Transport/cancel(_:)`` have their usual meaning.
    /// - Heads of interim responses (RFC 9110 section 15.2) are never held.
    public enum HeldHeads: Sendable, Hashable {
        /// No response.
        case none
        /// Responses with one of these status codes.
        case statuses(Set<Int>)
        /// Every response.
        case all

        /// Whether the head of a final response with this status code is held.
        public func contains(_ statusCode: Int) -> Bool {
            switch self {
            case .none: false
            case .statuses(let statuses): statuses.contains(statusCode)
            case .all: true
            }
        }
    }

    /// What to do with the body behind a held head.
    public enum HeldBody: Sendable, Hashable {
        /// Deliver it as if the head had not been held.
        case deliver
        /// Discard it: none of it is delivered, and the request ends soon and without an error, even if the body is invalid.
        ///
        /// A transport may read on for a moment to keep the connection usable; a longer body closes it. (OkHttp's
        /// `DISCARD_STREAM_TIMEOUT_MILLIS`.)
        case discard
    }
}
