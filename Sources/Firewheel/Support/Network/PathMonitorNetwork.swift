#if canImport(Darwin)
    import Dispatch
    import Network

    /// The network as `NWPathMonitor` describes it, for all destinations alike.
    final class PathMonitorNetwork: NetworkPaths {
        /// The seconds in which a monitor should have reported.
        private static let patience = 1.0

        private let queue = DispatchQueue(label: "firewheel.network")

        /// A monitor knows the path only once it has reported, so each question has a monitor of its own.
        func status(of destination: NetworkDestination) -> NetworkStatus {
            if destination == .thisMachine { return .reachable(isCellular: false) }
            let (status, hasReported) = (Locked(NetworkStatus.unknown), DispatchSemaphore(value: 0))
            let monitor = NWPathMonitor()
            monitor.pathUpdateHandler = { path in
                status.withLock { $0 = Self.status(of: path) }
                hasReported.signal()
            }
            // Not on `queue`, on which this may be called.
            monitor.start(queue: DispatchQueue(label: "firewheel.network.status"))
            _ = hasReported.wait(timeout: .now() + Self.patience)
            monitor.cancel()
            return status.withLock { $0 }
        }

        func observe(_ changed: @escaping @Sendable () -> Void) -> NetworkObservation? {
            let monitor = NWPathMonitor()
            monitor.pathUpdateHandler = { _ in changed() }
            monitor.start(queue: queue)
            return NetworkObservation { monitor.cancel() }
        }

        private static func status(of path: NWPath) -> NetworkStatus {
            // A path that requires a connection is made when one is opened.
            path.status == .unsatisfied ? .unreachable : .reachable(isCellular: path.usesInterfaceType(.cellular))
        }
    }
#endif
