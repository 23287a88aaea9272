#if os(Linux)
    import Foundation

    /// What a pool keeps with a lane: its connections, and the version of HTTP that its server speaks.
    struct LaneConnections: LaneExtra {
        enum Version {
            /// Nothing is known before the first TLS handshake.
            case unknown
            case http1
            case http2
        }

        /// Whether the pool has decided about the version, or knows that the first connection decides.
        var isSetUp = false
        var version = Version.unknown
        /// Whether the server has asked for HTTP/1.1.
        var needsHTTP1 = false
        /// Whether the limit of connections to a host does not count: WebSockets stay open, and would hold up each other for ever.
        var isUnlimited = false
        /// The HTTP/1.1 connections that serve no request, the last used one last: the others may become old and be closed.
        var connections: [HTTP1Connection] = []
        /// The HTTP/2 connections, the oldest first. Closed ones stay until no request has a place there.
        var shared: [HTTP2Connection] = []
        /// The number of all open connections. A lane that was dropped under one would not find it again.
        var openCount = 0
        /// The number of requests that are opening a connection.
        var openers = 0
        /// Those of them for which others do not wait, because they take long.
        var slowOpeners = 0
        /// Whether the last connection could not be opened.
        var hasFailed = false
        /// The most streams on the last HTTP/2 connection.
        var lastStreamLimit: Int?
        /// Whether the pool is to compute how many requests may run.
        var isChanged = false
        /// The address family of the last connection that was made (RFC 8305 section 4).
        var lastFamily: Int32?

        /// Where it waits because the pool may open no more connections; nil if it does not.
        var place: BlockedLanes.Place?

        var isEmpty: Bool { openCount == 0 && shared.isEmpty }
        /// How many of the pool's connections it has, or opens.
        var share: Int { openCount + openers }
        /// When each of the HTTP/1.1 connections that serve a request has begun to. Kept only if the pool has a limit of all connections.
        var busySince: [ObjectIdentifier: MonotonicInstant] = [:]

        /// For how many connections it counts when others want one: those that it has, or 0 if all are busy and none of them has begun or
        /// ended a request for a while. They may never do so: event sources, for example.
        ///
        /// - Parameter patience: The seconds.
        func weight(at now: MonotonicInstant, patience: TimeInterval) -> Int {
            func isStuck(_ since: MonotonicInstant) -> Bool { since.advanced(by: patience) <= now }
            let stuck = busySince.values.count(where: isStuck) + shared.count { $0.isOpen && !$0.isIdle && isStuck($0.busySince) }
            return stuck == share ? 0 : share
        }
    }

    extension LaneConnections {
        /// The most requests that may run at a time: those that have a place or find one, and those that open a connection.
        ///
        /// - Parameter perHost: The most connections.
        func limit(perHost: Int) -> Int {
            place == nil ? usualLimit(perHost: perHost) : min(usualLimit(perHost: perHost), limitWithoutOpening)
        }

        /// The most requests that may run without another connection.
        private var limitWithoutOpening: Int {
            shared.reduce(share) { $0 + $1.activeCount + $1.freePlaces - ($1.isOpen ? 1 : 0) }
        }

        private func usualLimit(perHost: Int) -> Int {
            switch version {
            case .unknown: hasFailed ? perHost : max(min(slowOpeners + 1, perHost), openers)
            // Requests may still have their places on connections of before.
            case .http1 where isUnlimited: .max
            case .http1: shared.reduce(perHost) { $0 + $1.activeCount }
            case .http2: shared.reduce(max(openers, mostOpeners(perHost: perHost))) { $0 + $1.activeCount + $1.freePlaces }
            }
        }

        /// How many requests may open an HTTP/2 connection at a time.
        func mostOpeners(perHost: Int) -> Int {
            var count = 0
            for connection in shared where !connection.isLeavingForEver {
                // It may turn out to have room for many.
                guard connection.codec.hasSettings else { return 0 }
                count += 1
            }
            // A server that could not be reached is tried as it is over HTTP/1.1: one after the other would take long.
            if count == 0, hasFailed { return perHost }
            return min(1 + slowOpeners, max(0, perHost - count))
        }
    }
#endif
