import Foundation

/// How many connections a pool has, and for how long.
struct ConnectionLimits: Sendable {
    /// The most connections to one origin.
    let perHost: Int
    /// The most idle connections of the pool.
    let idle: Int
    /// The seconds after which an idle connection is closed; nil for no limit.
    let idleTime: TimeInterval?
    /// The seconds after which a connection takes no more requests; nil for no limit.
    let lifetime: TimeInterval?

    init(_ configuration: SessionConfiguration) {
        perHost = max(1, configuration.maximumConnectionsPerHost)
        idle = max(256, perHost)
        idleTime = configuration.idleConnectionTimeout > 0 ? configuration.idleConnectionTimeout : nil
        lifetime = configuration.maximumConnectionLifetime.flatMap { $0 > 0 ? $0 : nil }
    }
}
