import Foundation
import Testing

@testable import Firewheel

/// Alamofire's `NetworkReachabilityManager`.
@Suite("Network reachability", .timeLimit(.minutes(5)))
struct NetworkReachabilityTests {
    typealias Status = NetworkReachabilityManager.NetworkReachabilityStatus

    private let network = FakeNetwork(.unreachable)
    private let queue = DispatchQueue(label: "test.reachability")

    private func manager() -> NetworkReachabilityManager { NetworkReachabilityManager(network: network, destination: .anywhere) }

    /// Returns when everything that has happened until now was passed to the listeners.
    private func settle() async {
        await network.settle()
        await queue.drain()
    }

    @Test("The status is that of now, and says over what")
    func status() throws {
        let manager = manager()
        for (status, expected) in [
            (.unreachable, .notReachable), (.reachable(isCellular: false), .reachable(.ethernetOrWiFi)),
            (.reachable(isCellular: true), .reachable(.cellular)), (.unknown, .unknown),
        ] as [(NetworkStatus, Status)] {
            network.set(status)
            #expect(manager.status == expected)
            #expect(manager.isReachable == (expected != .notReachable && expected != .unknown))
            #expect(manager.isReachableOnCellular == (expected == .reachable(.cellular)))
            #expect(manager.isReachableOnEthernetOrWiFi == (expected == .reachable(.ethernetOrWiFi)))
        }
        #expect(network.observers == 0)
    }

    @Test("A listener is told the status at once, and then only what has changed, in order, on its queue")
    func listening() async throws {
        let (manager, seen) = (manager(), Journal<Status>())
        let isThere = manager.startListening(onQueue: queue) { [queue] status in
            dispatchPrecondition(condition: .onQueue(queue))
            seen.add(status)
        }
        #expect(isThere && network.observers == 1)
        await settle()
        #expect(seen.entries == [.notReachable])
        network.change()
        network.set(.reachable(isCellular: false))
        await settle()
        network.change()
        network.set(.reachable(isCellular: true))
        await settle()
        network.set(.unreachable)
        await settle()
        #expect(seen.entries == [.notReachable, .reachable(.ethernetOrWiFi), .reachable(.cellular), .notReachable])
        manager.stopListening()
        #expect(network.observers == 0)
        network.set(.reachable(isCellular: false))
        await settle()
        #expect(seen.count == 4)
        // Stopping twice does no harm.
        manager.stopListening()
        withExtendedLifetime(manager) {}
    }

    @Test("Listening begins anew with another listener, which is told the status, and the one before hears no more")
    func again() async throws {
        let (manager, first, second) = (manager(), Journal<Status>(), Journal<Status>())
        manager.startListening(onQueue: queue) { first.add($0) }
        await settle()
        manager.startListening(onQueue: queue) { second.add($0) }
        #expect(network.observers == 1)
        await settle()
        network.set(.reachable(isCellular: false))
        await settle()
        #expect(first.entries == [.notReachable] && second.entries == [.notReachable, .reachable(.ethernetOrWiFi)])
        withExtendedLifetime(manager) {}
    }

    @Test("A status that is under way when listening is stopped is not delivered")
    func stopped() async throws {
        let (manager, seen) = (manager(), Journal<Status>())
        queue.suspend()
        manager.startListening(onQueue: queue) { seen.add($0) }
        await network.settle()
        manager.stopListening()
        queue.resume()
        await settle()
        #expect(seen.count == 0)
        withExtendedLifetime(manager) {}
    }

    @Test("The listener does not keep the manager, whose release ends the listening")
    func release() async throws {
        let seen = Journal<Status>()
        weak var released: NetworkReachabilityManager?
        do {
            let manager = manager()
            released = manager
            manager.startListening(onQueue: queue) { seen.add($0) }
            await settle()
            withExtendedLifetime(manager) {}
        }
        #expect(released == nil && network.observers == 0)
        network.set(.reachable(isCellular: false))
        await settle()
        #expect(seen.entries == [.notReachable])
    }

    @MainActor
    private final class ViewModel {
        var statuses: [Status] = []
    }

    @Test("Without a queue the closure belongs to the main actor")
    @MainActor
    func mainActor() async throws {
        let (manager, model) = (manager(), ViewModel())
        manager.startListening { model.statuses.append($0) }
        while model.statuses.isEmpty { try await Task.sleep(nanoseconds: 1_000_000) }
        #expect(model.statuses == [.notReachable])
        withExtendedLifetime(manager) {}
    }

    @Test("The status of a system that tells nothing is unknown, and one that reports no changes has no listener")
    func silentSystem() {
        let manager = NetworkReachabilityManager(network: FakeNetwork(.unknown, reportsChanges: false), destination: .anywhere)
        #expect(manager.status == .unknown && !manager.isReachable)
        #expect(!manager.startListening(onQueue: queue) { _ in Issue.record("called") })
    }

    @Test("A manager for a host asks for the way to its address; a name is anywhere, and this machine is its loopback addresses")
    func hosts() throws {
        for (host, expected) in [
            ("api.example.com", .anywhere), ("API.example.com.", .anywhere),
            ("192.0.2.7", .addresses([NetworkAddress(bytes: [192, 0, 2, 7])])),
            ("::1", .addresses([NetworkAddress(bytes: [UInt8](repeating: 0, count: 15) + [1])])),
            ("[2001:db8::1]", .addresses([try #require(NetworkAddress("2001:db8::1"))])),
            ("localhost", .thisMachine), ("LocalHost.", .thisMachine), ("api.localhost", .thisMachine), ("bücher.example", .anywhere),
        ] as [(String, NetworkDestination)] {
            #expect(NetworkDestination(try #require(HostAndPort(host))) == expected, "\(host)")
        }
        for host in ["", " ", "http://example.com", "example.com/path", "example.com:80", "a b", "*.example.com", "a\u{0}b", "[::1"] {
            #expect(NetworkReachabilityManager(host: host) == nil, "\(host)")
        }
    }

    @Test("An address of the system's network: text, brackets, and zones")
    func addresses() {
        #expect(NetworkAddress("10.0.0.1") == NetworkAddress(bytes: [10, 0, 0, 1]))
        #expect(NetworkAddress("fe80::1%7")?.zone == 7 && NetworkAddress("[fe80::1%25]")?.zone == 25)
        #expect(NetworkAddress("::ffff:192.0.2.1") == NetworkAddress("192.0.2.1"))
        for text in ["127.0.0.2", "169.254.1.1", "::1", "fe80::1", "febf::1"] { #expect(NetworkAddress(text)?.isLocal == true, "\(text)") }
        for text in ["10.0.0.1", "169.1.1.1", "fd00::1", "fec0::1", "2001:db8::1", "::2"] {
            #expect(NetworkAddress(text)?.isLocal == false, "\(text)")
        }
        for text in ["", "10.0.0", "10.0.0.256", "%1", "[]", "x", "::1::", "fe80::1%no-such-interface", "fe80::1%0"] {
            #expect(NetworkAddress(text) == nil, "\(text)")
        }
    }

    #if os(Linux)
        @Test("The system's own network reaches this machine, can be observed, and is not listened to any more afterwards")
        func system() async throws {
            let network = NetlinkNetwork()
            let seen = Journal<NetworkStatus>()
            #expect(network.status(of: .thisMachine) == .reachable(isCellular: false))
            #expect(network.status(of: .anywhere) != .unknown)
            do {
                let observation = try #require(network.observe { seen.add(network.status(of: .thisMachine)) })
                let second = try #require(network.observe {})
                #expect(try await seen.wait(for: 1).first == .reachable(isCellular: false))
                #expect(network.isListening)
                withExtendedLifetime((observation, second)) {}
            }
            #expect(!network.isListening)
            #expect(NetworkReachabilityManager(host: "localhost")?.isReachable == true)
            #expect(NetworkReachabilityManager.default?.status == NetworkReachabilityManager()?.status)
        }

        @Test("There is no way to an address that belongs to no network, as far as the system knows")
        func noWay() {
            // Link-local, in a zone that does not exist.
            let address = NetworkAddress(bytes: [0xFE, 0x80] + [UInt8](repeating: 0, count: 13) + [1], zone: 4_000_000)
            #expect(NetlinkNetwork().status(of: .addresses([address])) == .unreachable)
            #expect(NetlinkNetwork().status(of: .addresses([])) == .unreachable)
        }
    #endif
}
