import Firewheel

/// Whether the network is reachable, as an ``AFNetworkReachabilityManager`` has it.
public enum AFNetworkReachabilityStatus: Int, Sendable {
    /// Not known yet, because monitoring has not begun, or the system does not tell.
    case unknown = -1
    /// There is no network.
    case notReachable = 0
    /// There is only a cellular network.
    case reachableViaWWAN = 1
    /// There is a network other than a cellular one.
    case reachableViaWiFi = 2
}

/// Tells whether this machine has a network: AFNetworking's class of this name, with Firewheel's `NetworkReachabilityManager` inside, which
/// says what counts as reachable.
///
/// ```swift
/// AFNetworkReachabilityManager.shared().setReachabilityStatusChange { status in
///     print(AFStringFromNetworkReachabilityStatus(status))
/// }
/// AFNetworkReachabilityManager.shared().startMonitoring()
/// ```
/// The status is that of the last change, which comes on the main queue: it is `unknown` until monitoring has begun and the main queue has
/// run. May be used from any thread.
open class AFNetworkReachabilityManager: @unchecked Sendable {
    // Sound because all stored properties are constants of Sendable types.

    private struct State: Sendable {
        var status = AFNetworkReachabilityStatus.unknown
        var block: (@MainActor @Sendable (AFNetworkReachabilityStatus) -> Void)?
    }

    private static let common = AFNetworkReachabilityManager()

    /// nil if the manager was made for something that is not a host.
    private let manager: NetworkReachabilityManager?
    private let state = Locked(State())

    /// The shared manager, for the Internet. Only the program starts it.
    public static func shared() -> AFNetworkReachabilityManager { common }

    /// A manager for the Internet.
    public convenience init() {
        self.init(manager: NetworkReachabilityManager())
    }

    /// A manager for a host: a name or an IP address, without scheme and port. For anything else the status stays `unknown`. See
    /// `NetworkReachabilityManager(host:)` for what it says about names.
    public convenience init(forDomain domain: String) {
        self.init(manager: NetworkReachabilityManager(host: domain))
    }

    /// A manager for an address.
    ///
    /// - Parameter address: A `sockaddr_in` or `sockaddr_in6`, which is read here. The address 0.0.0.0 or `::` stands for the Internet. For
    ///   an
    ///   address of another family the status stays `unknown`.
    public convenience init(forAddress address: UnsafeRawPointer) {
        self.init(manager: NetworkReachabilityManager(socketAddress: address))
    }

    init(manager: NetworkReachabilityManager?) {
        self.manager = manager
    }

    /// The status of the last change.
    open var networkReachabilityStatus: AFNetworkReachabilityStatus { state.withLock { $0.status } }

    /// Whether the network is reachable, as of the last change.
    open var isReachable: Bool { isReachableViaWWAN || isReachableViaWiFi }

    /// Whether only a cellular network is reachable, as of the last change.
    open var isReachableViaWWAN: Bool { networkReachabilityStatus == .reachableViaWWAN }

    /// Whether a network other than a cellular one is reachable, as of the last change.
    open var isReachableViaWiFi: Bool { networkReachabilityStatus == .reachableViaWiFi }

    /// Begins to report: soon the current status, and then each new status. If it has begun already, it begins anew.
    open func startMonitoring() {
        manager?.startListening(onQueue: .main) { [weak self] status in
            MainActor.assumeIsolated { self?.change(to: AFNetworkReachabilityStatus(status)) }
        }
    }

    /// Ends the reports. The status stays that of the last change.
    open func stopMonitoring() {
        manager?.stopListening()
    }

    /// Sets a closure that is called on the main queue with each status that is reported. nil removes it.
    open func setReachabilityStatusChange(_ block: (@MainActor @Sendable (AFNetworkReachabilityStatus) -> Void)?) {
        // What was there is released outside the lock.
        let last = state.withLock { state in
            defer { state.block = block }
            return state.block
        }
        _ = last
    }

    /// The status in English.
    open func localizedNetworkReachabilityStatusString() -> String { AFStringFromNetworkReachabilityStatus(networkReachabilityStatus) }

    @MainActor
    private func change(to status: AFNetworkReachabilityStatus) {
        let block = state.withLock { state in
            state.status = status
            return state.block
        }
        block?(status)
        NotificationCenter.default.post(
            name: .AFNetworkingReachabilityDidChange, object: self,
            userInfo: [AFNetworkingReachabilityNotificationStatusItem: NSNumber(value: status.rawValue)])
    }
}

/// A status in English.
// swift-format-ignore: AlwaysUseLowerCamelCase
public func AFStringFromNetworkReachabilityStatus(_ status: AFNetworkReachabilityStatus) -> String {
    switch status {
    case .unknown: "Unknown"
    case .notReachable: "Not reachable"
    case .reachableViaWWAN: "Reachable over a cellular network"
    case .reachableViaWiFi: "Reachable over Wi-Fi or Ethernet"
    }
}

/// The key of the status in the notification ``Foundation/NSNotification/Name/AFNetworkingReachabilityDidChange``: the `rawValue` of an
/// ``AFNetworkReachabilityStatus``.
// swift-format-ignore: AlwaysUseLowerCamelCase
public let AFNetworkingReachabilityNotificationStatusItem = "AFNetworkingReachabilityNotificationStatusItem"

extension Notification.Name {
    /// Posted on the main queue by an ``AFNetworkReachabilityManager``, its `object`, with each status that it reports.
    // swift-format-ignore: AlwaysUseLowerCamelCase
    public static let AFNetworkingReachabilityDidChange = Notification.Name("com.alamofire.networking.reachability.change")
}

extension AFNetworkReachabilityStatus {
    init(_ status: NetworkReachabilityManager.NetworkReachabilityStatus) {
        switch status {
        case .unknown: self = .unknown
        case .notReachable: self = .notReachable
        case .reachable(.cellular): self = .reachableViaWWAN
        case .reachable(.ethernetOrWiFi): self = .reachableViaWiFi
        }
    }
}
