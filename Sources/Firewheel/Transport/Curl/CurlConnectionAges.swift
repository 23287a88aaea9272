#if os(Linux)
    import Foundation

    /// How old connections may become, in whole seconds, since that is how libcurl counts them; nil is without limit.
    struct CurlConnectionAges: Sendable {
        /// Seconds since the last request on a connection ended.
        let idle: Int?
        /// Seconds since the connection was opened.
        let lifetime: Int?

        init(_ configuration: SessionConfiguration) {
            idle = Self.wholeSeconds(configuration.idleConnectionTimeout)
            lifetime = Self.wholeSeconds(configuration.maximumConnectionLifetime)
        }

        /// When libcurl finds an idle connection too old; nil if never.
        func end(idleSince: MonotonicInstant, opened: MonotonicInstant) -> MonotonicInstant? {
            // libcurl compares whole seconds and wants more than the limit, on a clock that it reads a moment later than the loop does.
            let idleEnd = idle.map { idleSince.advanced(by: TimeInterval($0) + 1.01) }
            guard let lifetime else { return idleEnd }
            let end = opened.advanced(by: TimeInterval(lifetime) + 1.01)
            return idleEnd.map { min($0, end) } ?? end
        }

        /// Rounded up. What is not above 0, or not a number, is no limit; a billion is the most, so that libcurl can count them.
        private static func wholeSeconds(_ interval: TimeInterval?) -> Int? {
            guard let interval, interval > 0 else { return nil }
            return Int(min(interval, 1_000_000_000).rounded(.up))
        }
    }
#endif
