#if canImport(Darwin)
    import Dispatch
    import Network

    /// The network as `NWPathMonitor` describes it, for all destinations alike.
    final class PathMonitorNetwork: NetworkPaths {
        private struct State: Sendable {
            /// What was reported last; nil before the first report.
            var newest: NetworkStatus?
            var observers: [UInt64: @Sendable () -> Void] = [:]
            var lastNumber: UInt64 = 0
        }

        /// The seconds in which the first report should have come.
        private static let patience = 1.0

        private let queue = DispatchQueue(label: "firewheel.network")
        private let state = Locked(State())
        private let firstReport = DispatchSemaphore(value: 0)

        private let kept: Kept

        /// A monitor that is never cancelled.
        private struct Kept: @unchecked Sendable {
            // Sound because it is not used after the initializer.
            let monitor: NWPathMonitor
        }

        init() {
            let monitor = NWPathMonitor()
            kept = Kept(monitor: monitor)
            monitor.pathUpdateHandler = { [self] path in
                let isFirst = state.withLock { state in
                    defer { state.newest = Self.status(of: path) }
                    return state.newest == nil
                }
                if isFirst { firstReport.signal() }
                for number in state.withLock({ $0.observers.keys.sorted() }) { report(to: number) }
            }
            monitor.start(queue: queue)
        }

        func status(of destination: NetworkDestination) -> NetworkStatus {
            if destination == .thisMachine { return .reachable(isCellular: false) }
            if let newest = state.withLock({ $0.newest }) { return newest }
            // Whoever else waits must not wait in vain.
            if firstReport.wait(timeout: .now() + Self.patience) == .success { firstReport.signal() }
            return state.withLock { $0.newest } ?? .unknown
        }

        func observe(_ changed: @escaping @Sendable () -> Void) -> NetworkObservation? {
            let number = state.withLock { state in
                state.lastNumber += 1
                state.observers[state.lastNumber] = changed
                return state.lastNumber
            }
            // Before the first report there is nothing to tell.
            queue.async { [self] in if state.withLock({ $0.newest }) != nil { report(to: number) } }
            return NetworkObservation { [self] in
                let observer = state.withLock { $0.observers.removeValue(forKey: number) }
                _ = observer
            }
        }

        private func report(to number: UInt64) { state.withLock { $0.observers[number] }?() }

        private static func status(of path: NWPath) -> NetworkStatus {
            // A path that requires a connection is made when one is opened.
            guard path.status != .unsatisfied else { return .unreachable }
            let hasOther = path.usesInterfaceType(.wifi) || path.usesInterfaceType(.wiredEthernet)
            return .reachable(isCellular: path.usesInterfaceType(.cellular) && !hasOther)
        }
    }
#endif
