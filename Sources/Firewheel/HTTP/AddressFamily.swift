/// Which IP addresses of a host are connected to: `SessionConfiguration.addressFamily`.
public enum AddressFamily: Sendable, Hashable {
    /// All, in the order that Happy Eyeballs prescribes (RFC 8305).
    case any
    /// Those of IPv4.
    case ipv4
    /// Those of IPv6.
    case ipv6
}
