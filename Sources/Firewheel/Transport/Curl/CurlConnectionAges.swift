#if os(Linux)
    import Foundation

    /// Maximum ages of connections, in whole seconds as libcurl counts them; nil means no limit.
    struct CurlConnectionAges: Sendable {
        /// Seconds since the connection's last request ended.
        let idle: Int?
        /// Seconds since the connection was opened.
        let lifetime: Int?

        init(_ configuration: SessionConfiguration) {
            idle = Self.wholeSeconds(configuration.idleConnectionTimeout)
            lifetime = Self.wholeSeconds(configuration.maximumConnectionLifetime)
        }

        /// When libcurl considers an idle connection too old; nil if never.
        func end(idleSince: MonotonicInstant, opened: MonotonicInstant) -> MonotonicInstant? {
            // libcurl compares whole seconds, requires more than the limit, and reads its clock slightly later than the loop.
            let idleEnd = idle.map { idleSince.advanced(by: TimeInterval($0) + 1.01) }
            guard let lifetime else { return idleEnd }
            let end = opened.advanced(by: TimeInterval(lifetime) + 1.01)
            return idleEnd.map { min($0, end) } ?? end
        }

        /// Rounded up. Zero, negative numbers and NaN mean no limit; capped at a value that libcurl can represent.
        private static func wholeSeconds(_ interval: TimeInterval?) -> Int? {
            guard let interval, interval > 0 else { return nil }
            return Int(min(interval, 1_000_000_000).rounded(.up))
        }
    }
#endif
