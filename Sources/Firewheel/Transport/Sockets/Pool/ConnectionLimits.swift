import Foundation

/// How many connections a pool has, and for how long.
struct ConnectionLimits: Sendable {
    /// The most connections to one origin.
    let perHost: Int
    /// The most connections of the pool; nil for no limit.
    let total: Int?
    /// The most idle connections of the pool.
    let idle: Int
    /// The seconds after which an idle connection is closed; nil for no limit.
    let idleTime: TimeInterval?
    /// The seconds after which a connection takes no more requests; nil for no limit.
    let lifetime: TimeInterval?

    /// The versions of HTTP that connections may speak.
    let versions: HTTPVersions
    /// An HTTP/2 connection on which nothing was received for so many seconds is pinged before it is used.
    var pingAge: TimeInterval = 10
    /// The seconds to wait for the answer.
    var pongPatience: TimeInterval = 1
    /// The seconds to wait for an HTTP/2 server's SETTINGS, without which nobody knows whether it is there.
    var settingsPatience: TimeInterval = 5
    /// The seconds after which a host whose connections all stay busy with the same requests counts as one without connections.
    var busyPatience: TimeInterval = 5
    /// The seconds for which an HTTP/2 connection takes no more requests at first, so that another host gets a connection.
    var yieldTime: TimeInterval = 1
    /// The seconds after which a request that waits for the network looks its name up again at first. Each pause is twice as long.
    var lookupPause: TimeInterval = 0.25
    /// The longest of these pauses in seconds, and how long a failed lookup is put down to a network that has just come back.
    var lookupPatience: TimeInterval = 30

    init(_ configuration: SessionConfiguration) {
        // The limit is added to other numbers, and no system has a million ports to connect from.
        perHost = min(max(1, configuration.maximumConnectionsPerHost), 1 << 20)
        total = configuration.maximumTotalConnections.map { max(1, $0) }
        idle = max(256, perHost)
        idleTime = configuration.idleConnectionTimeout > 0 ? configuration.idleConnectionTimeout : nil
        lifetime = configuration.maximumConnectionLifetime.flatMap { $0 > 0 ? $0 : nil }
        versions = configuration.httpVersions
    }

    /// When an idle connection is closed; nil for never.
    func idleEnd(since idleSince: MonotonicInstant, opened: MonotonicInstant) -> MonotonicInstant? {
        let idle = idleTime.map { idleSince.advanced(by: $0) }
        guard let life = lifetime.map({ opened.advanced(by: $0) }) else { return idle }
        return idle.map { min($0, life) } ?? life
    }
}
