import Foundation

/// Tells whether this machine has a network, and when that changes: Alamofire's class of this name.
///
/// ```swift
/// NetworkReachabilityManager.default?.startListening { status in
///     self.isOffline = status == .notReachable
/// }
/// ```
/// Use it to explain a failed request, or to try again later. It does not say whether a request will succeed, and should not keep a program
/// from sending one: some hosts are reachable without the Internet, and the Internet may fail behind a working network.
///
/// On Linux the network is reachable if there is a default route, of IPv4 or IPv6, through an interface that is up and has a carrier. The
/// kernel is asked over netlink (rtnetlink(7)): the routes in its main table count. On Apple's systems it is the status of `NWPathMonitor`.
///
/// May be used from any thread.
open class NetworkReachabilityManager: @unchecked Sendable {
    // Sound because all stored properties are constants of Sendable types.

    /// Whether the network is reachable.
    public enum NetworkReachabilityStatus: Sendable, Hashable {
        /// The system does not tell, or the process has no descriptor left to ask it.
        case unknown
        /// There is no network.
        case notReachable
        /// There is a network, of this kind.
        case reachable(ConnectionType)

        /// What kind of network it is.
        public enum ConnectionType: Sendable, Hashable {
            /// Any network but a cellular one.
            case ethernetOrWiFi
            /// A cellular network. On Linux an interface whose name begins with `ww` or `rmnet`, if there is no other.
            case cellular
        }
    }

    /// Called with the new status.
    public typealias Listener = @Sendable (NetworkReachabilityStatus) -> Void

    /// A shared manager for the Internet. It has one listener: ``startListening(onQueue:onUpdatePerforming:)`` replaces the one before, so
    /// parts of a program that listen independently need a manager each. Never nil, but optional as in Alamofire.
    public static let `default` = NetworkReachabilityManager()

    private let network: any NetworkPaths
    private let destination: NetworkDestination
    private let listening = Locked<Listening?>(nil)

    /// A manager for the Internet. Never nil, but failable as in Alamofire.
    public convenience init?() {
        self.init(network: systemNetwork, destination: .anywhere)
    }

    /// A manager for a host.
    ///
    /// On Linux an IP address is reachable if there is a route to it through an interface that is up, even without a default route, and
    /// `localhost` stands for the addresses of this machine. Other names are not looked up: their status is that of the Internet. On
    /// Apple's systems the status is always that of the Internet, except for `localhost`.
    ///
    /// - Parameter host: A name or an IP address, without scheme and port. nil is returned for anything else.
    public convenience init?(host: String) {
        guard let host = HostAndPort(host), host.port == nil else { return nil }
        self.init(network: systemNetwork, destination: NetworkDestination(host))
    }

    /// - Parameter address: A `sockaddr_in` or `sockaddr_in6`; the address without any bit set stands for the Internet. nil is returned for
    ///   one of another family.
    package convenience init?(socketAddress address: UnsafeRawPointer) {
        let bytes: [UInt8]
        var zone: UInt32 = 0
        switch Int32(address.loadUnaligned(as: sockaddr.self).sa_family) {
        case AF_INET: bytes = withUnsafeBytes(of: address.loadUnaligned(as: sockaddr_in.self).sin_addr) { [UInt8]($0) }
        case AF_INET6:
            let address = address.loadUnaligned(as: sockaddr_in6.self)
            (bytes, zone) = (withUnsafeBytes(of: address.sin6_addr) { [UInt8]($0) }, address.sin6_scope_id)
        default: return nil
        }
        let isAny = bytes.allSatisfy { $0 == 0 }
        self.init(network: systemNetwork, destination: isAny ? .anywhere : .addresses([NetworkAddress(bytes: bytes, zone: zone)]))
    }

    /// - Parameter network: Asked for the status.
    init(network: any NetworkPaths, destination: NetworkDestination) {
        (self.network, self.destination) = (network, destination)
    }

    deinit {
        stopListening()
    }

    /// The current status. The system is asked each time, which takes well below a millisecond on Linux. On Apple's systems the first
    /// question may take up to a second.
    open var status: NetworkReachabilityStatus { NetworkReachabilityStatus(network.status(of: destination)) }

    /// Whether the network is reachable now.
    open var isReachable: Bool { if case .reachable = status { true } else { false } }

    /// Whether the network is reachable now, and is a cellular one.
    open var isReachableOnCellular: Bool { status == .reachable(.cellular) }

    /// Whether the network is reachable now, and is not a cellular one.
    open var isReachableOnEthernetOrWiFi: Bool { status == .reachable(.ethernetOrWiFi) }

    // MARK: Listening

    /// Calls a closure on the main actor with each status: see ``startListening(onQueue:onUpdatePerforming:)``.
    @discardableResult
    public func startListening(onUpdatePerforming listener: @escaping @MainActor (NetworkReachabilityStatus) -> Void) -> Bool {
        startListening(onQueue: .main) { status in MainActor.assumeIsolated { listener(status) } }
    }

    /// Calls a closure with the current status soon, and then with each new status. It replaces the closure of an earlier call.
    ///
    /// The closure is called until ``stopListening()``, or until the manager is released.
    ///
    /// - Parameters:
    ///   - queue: The queue on which the closure is called.
    ///   - listener: Called with the status.
    /// - Returns: false if the system does not report changes, or the process has no descriptor left; the closure is not called then.
    @discardableResult
    open func startListening(onQueue queue: DispatchQueue, onUpdatePerforming listener: @escaping Listener) -> Bool {
        stopListening()
        let new = Listening(network: network, destination: destination, queue: queue, listener: listener)
        guard new.start() else { return false }
        // Another thread may have started as well.
        listening.withLock { current in
            defer { current = new }
            return current
        }?.stop()
        return true
    }

    /// Ends the calls of the closure. On the closure's queue, if that is serial, it is not called any more after this.
    open func stopListening() {
        listening.withLock { $0.take() }?.stop()
    }
}

extension NetworkReachabilityManager.NetworkReachabilityStatus {
    init(_ status: NetworkStatus) {
        switch status {
        case .unknown: self = .unknown
        case .unreachable: self = .notReachable
        case .reachable(let isCellular): self = .reachable(isCellular ? .cellular : .ethernetOrWiFi)
        }
    }
}

extension NetworkReachabilityManager {
    /// What a listener is told.
    private final class Listening: Sendable {
        private struct State: Sendable {
            var observation: NetworkObservation?
            var last: NetworkReachabilityStatus?
            var isOver = false
        }

        private let network: any NetworkPaths
        private let destination: NetworkDestination
        private let queue: DispatchQueue
        private let listener: Listener
        private let state = Locked(State())

        init(network: any NetworkPaths, destination: NetworkDestination, queue: DispatchQueue, listener: @escaping Listener) {
            (self.network, self.destination, self.queue, self.listener) = (network, destination, queue, listener)
        }

        func start() -> Bool {
            guard let observation = network.observe({ [weak self] in self?.update() }) else { return false }
            state.withLock { $0.observation = observation }
            return true
        }

        func stop() {
            let observation = state.withLock { state in
                state.isOver = true
                return state.observation.take()
            }
            _ = observation
        }

        private func update() {
            let status = NetworkReachabilityStatus(network.status(of: destination))
            let isNew = state.withLock { state in
                defer { state.last = status }
                return state.last != status
            }
            guard isNew else { return }
            queue.async { [self] in
                if !state.withLock({ $0.isOver }) { listener(status) }
            }
        }
    }
}

extension NetworkDestination {
    /// The addresses of a host that is one, or is this machine; otherwise anywhere, since the addresses of a name are not known.
    init(_ host: HostAndPort) {
        guard !host.isAddress else {
            // RFC 6874 section 2: the percent sign of a zone is escaped in a URL. A zone that does not exist leads nowhere.
            self = .addresses(NetworkAddress(host.host.replacing("%25", with: "%", maxReplacements: 1)).map { [$0] } ?? [])
            return
        }
        let isLocal = host.name.equalsIgnoringASCIICase("localhost") || host.name.lowercased().hasSuffix(".localhost")
        self = isLocal ? .thisMachine : .anywhere
    }
}
