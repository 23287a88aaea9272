/// Which IP addresses of a host are connected to: `SessionConfiguration.addressFamily`.
public enum AddressFamily: Sendable, Hashable {
    /// All addresses, in the order of Happy Eyeballs (RFC 8305).
    case any
    /// Only IPv4 addresses.
    case ipv4
    /// Only IPv6 addresses.
    case ipv6

    /// The family of an address; nil if it is not an IP address. An IPv4-mapped one (RFC 4291 section 2.5.5.2) is reached over IPv4.
    init?(of address: String) {
        if HostAddress.isDottedQuad(address.utf8) {
            self = .ipv4
        } else if let canonical = HostAddress.ipv6(String(address.prefix { $0 != "%" })) {
            self = canonical.hasPrefix("::ffff:") && canonical.contains(".") ? .ipv4 : .ipv6
        } else {
            return nil
        }
    }
}
