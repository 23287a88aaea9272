#if os(Linux)
    import CFirewheelSystem
    import Dispatch
    import Glibc

    /// The network as the kernel describes it over netlink (rtnetlink(7)).
    final class NetlinkNetwork: NetworkPaths {
        private struct State: Sendable {
            var observers: [UInt64: @Sendable () -> Void] = [:]
            var lastNumber: UInt64 = 0
            /// Set while there are observers.
            var source: Source?
        }

        /// A socket that receives the kernel's reports.
        private struct Source: @unchecked Sendable {
            // Sound because a dispatch source may be used from any thread.
            let object: any DispatchSourceRead
        }

        private let queue = DispatchQueue(label: "firewheel.network")
        private let state = Locked(State())

        // MARK: Changes

        func observe(_ changed: @escaping @Sendable () -> Void) -> NetworkObservation? {
            let number = state.withLock { state -> UInt64? in
                if state.source == nil { state.source = makeSource() }
                guard state.source != nil else { return nil }
                state.lastNumber += 1
                state.observers[state.lastNumber] = changed
                return state.lastNumber
            }
            guard let number else { return nil }
            queue.async { [self] in report(to: [number]) }
            return NetworkObservation { [self] in forget(number) }
        }

        private func forget(_ number: UInt64) {
            let (observer, source) = state.withLock { state in
                let observer = state.observers.removeValue(forKey: number)
                return (observer, state.observers.isEmpty ? state.source.take() : nil)
            }
            source?.object.cancel()
            // Released outside the lock, because it may hold anything.
            _ = observer
        }

        private func report(to numbers: [UInt64]) {
            for number in numbers { state.withLock { $0.observers[number] }?() }
        }

        private func makeSource() -> Source? {
            guard let socket = NetlinkSocket(groups: NetlinkSocket.allChanges) else { return nil }
            let source = DispatchSource.makeReadSource(fileDescriptor: socket.descriptor, queue: queue)
            source.setEventHandler { [weak self] in
                socket.drain()
                guard let self else { return }
                report(to: state.withLock { $0.observers.keys.sorted() })
            }
            // The handler keeps the socket open until then.
            source.setCancelHandler { socket.close() }
            source.resume()
            return Source(object: source)
        }

        /// Whether a socket receives the kernel's reports.
        var isListening: Bool { state.withLock { $0.source != nil } }

        // MARK: Status

        func status(of destination: NetworkDestination) -> NetworkStatus {
            switch destination {
            case .anywhere: statusOfDefaultRoutes
            case .addresses(let addresses): Self.best(addresses.lazy.map(status))
            }
        }

        private var statusOfDefaultRoutes: NetworkStatus {
            Self.best(
                [AF_INET, AF_INET6].lazy.map { [self] family in
                    var interfaces: Set<UInt32> = []
                    let result = NetlinkSocket.ask(NetlinkMessage.allRoutes(family)) { message in
                        if let route = NetworkRoute(message), route.isDefault { interfaces.formUnion(route.interfaces) }
                    }
                    guard result == .answered else { return .unknown }
                    return status(of: interfaces) { !$0.isLoopback }
                })
        }

        /// The status of a way through one of several interfaces.
        private func status(of interfaces: some Sequence<UInt32>, where isMeant: (NetworkLink) -> Bool = { _ in true }) -> NetworkStatus {
            Self.best(
                interfaces.map { index in
                    var link: NetworkLink?
                    let result = NetlinkSocket.ask(NetlinkMessage.link(index)) { link = NetworkLink($0) ?? link }
                    // It may have been removed meanwhile.
                    guard let link else { return result == .refused(ENODEV) ? .unreachable : .unknown }
                    return link.isUp && isMeant(link) ? .reachable(isCellular: link.isCellular) : .unreachable
                })
        }

        private func status(of address: NetworkAddress) -> NetworkStatus {
            guard let hasSource = Self.hasRouteAndSource(address) else { return .unknown }
            guard hasSource else { return .unreachable }
            var route: NetworkRoute?
            switch NetlinkSocket.ask(NetlinkMessage.route(to: address), { route = NetworkRoute($0) ?? route }) {
            case .refused(let code) where Self.wantsRoute(code): return .unreachable
            case .answered, .refused, .failed: break
            }
            guard let route else { return .unknown }
            return status(of: route.interfaces)
        }

        /// Whether the kernel would send to an address, from an address of this machine; nil if that cannot be found out. An IPv6 address of
        /// this machine cannot be used at once when its network comes up, but a moment later (RFC 4862 section 5.4).
        private static func hasRouteAndSource(_ address: NetworkAddress) -> Bool? {
            // Connecting a datagram's socket sends nothing.
            let descriptor = socket(address.family, Int32(SOCK_DGRAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
            guard descriptor >= 0 else { return errno == EAFNOSUPPORT ? false : nil }
            defer { Glibc.close(descriptor) }
            let result = address.withPointer { connect(descriptor, $0, $1) }
            return result == 0 || !wantsRoute(errno)
        }

        /// Whether an errno says that there is no way to a destination, as opposed to one that does not work.
        static func wantsRoute(_ code: Int32) -> Bool { [ENETUNREACH, EHOSTUNREACH, ENETDOWN, EADDRNOTAVAIL].contains(code) }

        /// Of several ways one is enough. A cellular one counts as such if there is no other.
        private static func best(_ statuses: some Sequence<NetworkStatus>) -> NetworkStatus {
            var best = NetworkStatus.unreachable
            for status in statuses {
                switch status {
                case .reachable(isCellular: false): return status
                case .reachable: best = status
                case .unknown: if best == .unreachable { best = status }
                case .unreachable: break
                }
            }
            return best
        }
    }

    extension NetworkAddress {
        fileprivate var family: Int32 { bytes.count == 4 ? AF_INET : AF_INET6 }

        fileprivate func withPointer<Result>(_ body: (UnsafePointer<sockaddr>, socklen_t) -> Result) -> Result {
            // Any port but 0 will do.
            let port = in_port_t(9).bigEndian
            if family == AF_INET {
                var address = sockaddr_in()
                (address.sin_family, address.sin_port) = (sa_family_t(AF_INET), port)
                withUnsafeMutableBytes(of: &address.sin_addr) { $0.copyBytes(from: bytes) }
                return Self.pass(address, to: body)
            }
            var address = sockaddr_in6()
            (address.sin6_family, address.sin6_port, address.sin6_scope_id) = (sa_family_t(AF_INET6), port, zone)
            withUnsafeMutableBytes(of: &address.sin6_addr) { $0.copyBytes(from: bytes) }
            return Self.pass(address, to: body)
        }

        private static func pass<Address, Result>(_ address: Address, to body: (UnsafePointer<sockaddr>, socklen_t) -> Result) -> Result {
            withUnsafePointer(to: address) { pointer in
                pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { body($0, socklen_t(MemoryLayout<Address>.size)) }
            }
        }
    }
#endif
