#if os(Linux)
    import CFirewheelSystem
    import Dispatch
    import Glibc

    /// The network as the kernel describes it over netlink (rtnetlink(7)).
    final class NetlinkNetwork: NetworkPaths {
        private struct State: Sendable {
            var observers: [UInt64: @Sendable () -> Void] = [:]
            var lastNumber: UInt64 = 0
            /// Those that were not called yet.
            var new: [UInt64] = []
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
        /// What the system has answered to questions that were asked since observers began to be called. Many may ask for the same.
        private struct Answers: Sendable {
            /// Of the report of a change for which observers are called.
            let number: UInt64
            var known: [NetworkDestination: NetworkStatus] = [:]
        }

        /// nil while no observer is called.
        private let answers = Locked<Answers?>(nil)
        private let lastReport = Locked<UInt64>(0)

        // MARK: Changes

        func observe(_ changed: @escaping @Sendable () -> Void) -> NetworkObservation? {
            let (number, isFirst) = state.withLock { state -> (UInt64?, Bool) in
                if state.source == nil { state.source = makeSource() }
                guard state.source != nil else { return (nil, false) }
                state.lastNumber += 1
                state.observers[state.lastNumber] = changed
                state.new.append(state.lastNumber)
                return (state.lastNumber, state.new.count == 1)
            }
            guard let number else { return nil }
            // Together, because many may come at a time and ask for the same.
            if isFirst {
                queue.async { [self] in
                    report(
                        to: state.withLock { state in
                            defer { state.new = [] }
                            return state.new
                        })
                }
            }
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
            let report = lastReport.withLock { last in
                last += 1
                return last
            }
            answers.withLock { $0 = Answers(number: report) }
            defer { answers.withLock { $0 = nil } }
            for number in numbers { state.withLock { $0.observers[number] }?() }
        }

        private func makeSource() -> Source? {
            guard let socket = NetlinkSocket(groups: NetlinkSocket.allChanges) else { return nil }
            let source = DispatchSource.makeReadSource(fileDescriptor: socket.descriptor, queue: queue)
            // An observation keeps this object anyway. The last one cancels the source, which then releases it.
            source.setEventHandler { [self] in
                socket.drain()
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
            let (report, known) = answers.withLock { ($0?.number, $0?.known[destination]) }
            if let known { return known }
            let status: NetworkStatus
            switch destination {
            case .anywhere: status = statusOfDefaultRoutes
            case .addresses(let addresses): status = Self.best(addresses.lazy.map(self.status))
            }
            // What was asked before the change may be out of date.
            answers.withLock { if let report, $0?.number == report { $0?.known[destination] = status } }
            return status
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
            return route.leadsSomewhere ? status(of: route.interfaces) : .unreachable
        }

        /// Whether the kernel would send to an address, from an address of this machine that answers can come to; nil if that cannot be
        /// found out.
        private static func hasRouteAndSource(_ address: NetworkAddress) -> Bool? {
            // Connecting a datagram's socket sends nothing.
            let descriptor = socket(address.family, Int32(SOCK_DGRAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
            guard descriptor >= 0 else { return errno == EAFNOSUPPORT ? false : nil }
            defer { Glibc.close(descriptor) }
            guard address.withPointer({ connect(descriptor, $0, $1) }) == 0 else {
                // A route may also say that nothing is sent (EACCES, EINVAL), and a link-local address needs a zone (EINVAL).
                return !(wantsRoute(errno) || errno == EACCES || errno == EINVAL)
            }
            // When an IPv6 network comes up, this machine's address can be used only a moment later (RFC 4862 section 5.4). Until then the
            // kernel sends from a local address, to which no answer finds its way.
            guard address.bytes.count == 16, !address.isLocal, let source = source(of: descriptor) else { return true }
            return !source.isLocal
        }

        /// The address from which a connected IPv6 socket sends.
        private static func source(of descriptor: Int32) -> NetworkAddress? {
            var address = sockaddr_in6()
            var size = socklen_t(MemoryLayout<sockaddr_in6>.size)
            let result = withUnsafeMutablePointer(to: &address) { pointer in
                pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { getsockname(descriptor, $0, &size) }
            }
            return result == 0 ? withUnsafeBytes(of: address.sin6_addr) { NetworkAddress(bytes: [UInt8]($0)) } : nil
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
