import Foundation

extension EventSource {
    /// When an event source connects again.
    ///
    /// The delay is what the server asks for with `retry:` (at least 0.5 s, at most a day), or `delay`. It doubles with each connection
    /// in a row that brought no event and did not last a minute, up to `maximumDelay`, and a random part of a fifth is added, so that many
    /// clients do not come back at once.
    public struct Reconnection: Sendable, Hashable {
        enum Rule: Sendable, Hashable {
            case never, standard, resilient
        }

        let rule: Rule
        /// The most failures in a row; nil for no limit.
        let limit: Int?
        let delay: TimeInterval
        let maximumDelay: TimeInterval

        private init(_ rule: Rule, limit: Int? = nil, delay: TimeInterval, maximumDelay: TimeInterval) {
            self.rule = rule
            self.limit = limit.map { $0 > 0 ? $0 : 0 }
            self.delay = ReconnectionSchedule.bounded(delay)
            self.maximumDelay = ReconnectionSchedule.bounded(maximumDelay)
        }

        /// ``resilient(limit:delay:maximumDelay:)`` with its defaults.
        public static let resilient = Reconnection(.resilient, limit: 5, delay: 3, maximumDelay: 30)
        /// ``standard(delay:maximumDelay:)`` with its defaults.
        public static let standard = Reconnection(.standard, delay: 3, maximumDelay: 30)
        /// Does not reconnect: the source ends with the response, for a server whose response is the whole, such as a chat completion.
        public static let never = Reconnection(.never, limit: 0, delay: 0, maximumDelay: 0)

        /// Reconnects after the end of a connection and after temporary failures: network errors, and the status codes 408, 429 and 5xx,
        /// whose `Retry-After` field extends the delay, also those of a proxy that refuses to connect. Any other status but 200, and any
        /// media type but `text/event-stream`, is final.
        ///
        /// - Parameters:
        ///   - limit: The most failures in a row after which the source connects once more; the next one is final. A connection that the
        ///     server has accepted is no failure. Negative numbers count as 0. Default: 5, which with the default delays is more than a
        ///     minute.
        ///   - delay: The seconds before the source reconnects, unless the server has said so. Negative numbers and NaN count as 0.
        ///     Default: 3.
        ///   - maximumDelay: The limit of the growing delay in seconds. It does not shorten what the server asks for. Default: 30.
        public static func resilient(limit: Int = 5, delay: TimeInterval = 3, maximumDelay: TimeInterval = 30) -> Reconnection {
            Reconnection(.resilient, limit: limit, delay: delay, maximumDelay: maximumDelay)
        }

        /// Reconnects as browsers do (HTML standard, section 9.2.3): without a limit after the end of a connection and after network
        /// errors, of which a proxy that refuses to connect is one. Every status but 200, and every media type but `text/event-stream`, is
        /// final.
        ///
        /// - Parameters:
        ///   - delay: The seconds before the source reconnects, unless the server has said so. Negative numbers and NaN count as 0.
        ///     Default: 3.
        ///   - maximumDelay: The limit of the growing delay in seconds. It does not shorten what the server asks for. Default: 30.
        public static func standard(delay: TimeInterval = 3, maximumDelay: TimeInterval = 30) -> Reconnection {
            Reconnection(.standard, delay: delay, maximumDelay: maximumDelay)
        }
    }
}
