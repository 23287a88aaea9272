import Foundation

/// What the system tells of this machine's ways into the network. A protocol, so that tests can have a network of their own.
protocol NetworkPaths: Sendable {
    /// Whether there is a way to a destination now. The system may take a few milliseconds to answer.
    func status(of destination: NetworkDestination) -> NetworkStatus

    /// Reports changes of the network.
    ///
    /// - Parameter changed: Called soon, and then whenever the network may have changed, until the observation is released; a call that is
    ///   under way at that moment ends later. All calls come on one serial queue.
    /// - Returns: nil if the system does not report changes.
    func observe(_ changed: @escaping @Sendable () -> Void) -> NetworkObservation?
}

/// Where a way into the network leads.
enum NetworkDestination: Hashable, Sendable {
    /// The Internet: any host.
    case anywhere
    /// A host with these addresses, of which one is enough.
    case addresses([NetworkAddress])

    /// The addresses of the loopback interface.
    static let thisMachine = NetworkDestination.addresses([
        NetworkAddress(bytes: [127, 0, 0, 1]), NetworkAddress(bytes: [UInt8](repeating: 0, count: 15) + [1]),
    ])
}

/// An IP address.
struct NetworkAddress: Hashable, Sendable {
    /// Four of IPv4, or 16 of IPv6.
    let bytes: [UInt8]
    /// The number of the network interface of a link-local address; 0 for none.
    let zone: UInt32

    /// - Parameter bytes: Four, or 16. Those of an IPv6 address that stands for one of IPv4 (RFC 4291 section 2.5.5.2) are that address.
    init(bytes: [UInt8], zone: UInt32 = 0) {
        let isMapped = bytes.count == 16 && bytes[..<10].allSatisfy { $0 == 0 } && bytes[10] == 0xFF && bytes[11] == 0xFF
        (self.bytes, self.zone) = (isMapped ? Array(bytes[12...]) : bytes, isMapped ? 0 : zone)
    }

    /// Whether it counts only within a network (RFC 4291 section 2.5.6) or within this machine (section 2.5.3).
    var isLocal: Bool {
        if bytes.count == 4 { return bytes[0] == 127 || bytes[0] == 169 && bytes[1] == 254 }
        return bytes[0] == 0xFE && bytes[1] & 0xC0 == 0x80 || bytes[..<15].allSatisfy { $0 == 0 } && bytes[15] == 1
    }

    /// - Parameter text: An IP address, an IPv6 one perhaps in brackets, and with a zone: the name of a network interface of this machine,
    ///   or
    ///   its number.
    init?(_ text: String) {
        let parts = text.trimmingCharacters(in: ["[", "]"]).split(separator: "%", maxSplits: 1)
        guard let address = parts.first.map(String.init) else { return nil }
        var bytes = [UInt8](repeating: 0, count: 16)
        if inet_pton(AF_INET, address, &bytes) == 1 {
            self.init(bytes: Array(bytes.prefix(4)))
        } else if inet_pton(AF_INET6, address, &bytes) == 1 {
            guard parts.count == 2 else {
                self.init(bytes: bytes)
                return
            }
            let zone = String(parts[1])
            let index = if_nametoindex(zone)
            guard let number = index == 0 ? UInt32(zone) : index, number != 0 else { return nil }
            self.init(bytes: bytes, zone: number)
        } else {
            return nil
        }
    }
}

/// Whether there is a way to a destination.
enum NetworkStatus: Hashable, Sendable {
    /// The system does not tell.
    case unknown
    case unreachable
    case reachable(isCellular: Bool)
}

/// Changes of the network are reported until it is released.
final class NetworkObservation: Sendable {
    private let end: @Sendable () -> Void

    init(end: @escaping @Sendable () -> Void) {
        self.end = end
    }

    deinit {
        end()
    }
}

#if os(Linux)
    /// The network of this machine.
    let systemNetwork: any NetworkPaths = NetlinkNetwork()
#else
    /// The network of this machine.
    let systemNetwork: any NetworkPaths = PathMonitorNetwork()
#endif
