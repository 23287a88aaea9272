import FirewheelClassic
import Foundation
import Testing

@testable import Firewheel
@testable import FirewheelClassic

/// AFNetworking's `AFNetworkReachabilityManager`.
@Suite("AFNetworking's reachability manager", .serialized, .timeLimit(.minutes(5)))
@MainActor
struct ReachabilityManagerTests {
    /// A network whose status a test sets.
    private final class Network: NetworkPaths {
        private let state = Locked<(status: NetworkStatus, changed: (@Sendable () -> Void)?)>((.unreachable, nil))

        func status(of destination: NetworkDestination) -> NetworkStatus { state.withLock { $0.status } }

        func observe(_ changed: @escaping @Sendable () -> Void) -> NetworkObservation? {
            state.withLock { $0.changed = changed }
            changed()
            return NetworkObservation { [self] in
                let last = state.withLock { $0.changed.take() }
                _ = last
            }
        }

        func set(_ status: NetworkStatus) {
            let changed = state.withLock { state in
                state.status = status
                return state.changed
            }
            changed?()
        }
    }

    private let network = Network()

    private func manager() -> AFNetworkReachabilityManager {
        AFNetworkReachabilityManager(manager: NetworkReachabilityManager(network: network, destination: .anywhere))
    }

    @Test("The status is unknown before monitoring, then follows the network, with the block and the notification")
    func monitoring() async throws {
        let manager = manager()
        var seen: [AFNetworkReachabilityStatus] = []
        let (posted, continuation) = AsyncStream<Int?>.makeStream()
        let observer = NotificationCenter.default.addObserver(
            forName: .AFNetworkingReachabilityDidChange, object: manager, queue: nil
        ) { notification in
            continuation.yield((notification.userInfo?[AFNetworkingReachabilityNotificationStatusItem] as? NSNumber)?.intValue)
        }
        defer { NotificationCenter.default.removeObserver(observer) }
        var notifications = posted.makeAsyncIterator()
        manager.setReachabilityStatusChange { seen.append($0) }
        #expect(manager.networkReachabilityStatus == .unknown && !manager.isReachable)
        manager.startMonitoring()
        #expect(await notifications.next() == 0)
        #expect(manager.networkReachabilityStatus == .notReachable && !manager.isReachable)
        network.set(.reachable(isCellular: true))
        #expect(await notifications.next() == 1)
        #expect(manager.isReachable && manager.isReachableViaWWAN && !manager.isReachableViaWiFi)
        network.set(.reachable(isCellular: false))
        #expect(await notifications.next() == 2)
        #expect(manager.isReachable && !manager.isReachableViaWWAN && manager.isReachableViaWiFi)
        #expect(seen == [.notReachable, .reachableViaWWAN, .reachableViaWiFi])
        manager.setReachabilityStatusChange(nil)
        network.set(.unreachable)
        #expect(await notifications.next() == 0)
        manager.stopMonitoring()
        network.set(.reachable(isCellular: false))
        #expect(seen.count == 3 && manager.networkReachabilityStatus == .notReachable)
    }

    @Test("The status in words")
    func words() throws {
        #expect(manager().localizedNetworkReachabilityStatusString() == "Unknown")
        let words = [AFNetworkReachabilityStatus.unknown, .notReachable, .reachableViaWWAN, .reachableViaWiFi].map(
            AFStringFromNetworkReachabilityStatus)
        #expect(words == ["Unknown", "Not reachable", "Reachable over a cellular network", "Reachable over Wi-Fi or Ethernet"])
    }

    @Test("Managers for a domain and for an address; what is none stays unknown")
    func destinations() async throws {
        #if os(Linux)
            var loopback = sockaddr_in()
            loopback.sin_family = sa_family_t(AF_INET)
            loopback.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
            for manager in [AFNetworkReachabilityManager(forDomain: "localhost"), AFNetworkReachabilityManager(forAddress: &loopback)] {
                manager.startMonitoring()
                while manager.networkReachabilityStatus == .unknown { try await Task.sleep(nanoseconds: 1_000_000) }
                #expect(manager.networkReachabilityStatus == .reachableViaWiFi)
                manager.stopMonitoring()
            }
            var any = sockaddr_in6()
            any.sin6_family = sa_family_t(AF_INET6)
            #expect(NetworkReachabilityManager(socketAddress: &any)?.status == NetworkReachabilityManager()?.status)
            var unix = sockaddr_un()
            unix.sun_family = sa_family_t(AF_UNIX)
            for manager in [AFNetworkReachabilityManager(forDomain: "http://x/"), AFNetworkReachabilityManager(forAddress: &unix)] {
                manager.startMonitoring()
                #expect(manager.networkReachabilityStatus == .unknown)
            }
        #endif
        #expect(AFNetworkReachabilityManager.shared() === AFNetworkReachabilityManager.shared())
    }

    @Test("A session manager has the shared one, or another")
    func sessionManager() throws {
        let (sessions, own) = (HTTPSessionManager(), manager())
        #expect(sessions.reachabilityManager === AFNetworkReachabilityManager.shared())
        sessions.reachabilityManager = own
        #expect(sessions.reachabilityManager === own)
    }
}
