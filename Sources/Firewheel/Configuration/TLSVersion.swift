/// A version of TLS. Earlier ones than 1.2 are never spoken (RFC 8996).
public enum TLSVersion: Sendable, Hashable, Comparable, CaseIterable {
    // swift-format-ignore: AlwaysUseLowerCamelCase
    /// TLS 1.2 (RFC 5246).
    case v1_2
    // swift-format-ignore: AlwaysUseLowerCamelCase
    /// TLS 1.3 (RFC 8446).
    case v1_3

    /// As numbered in handshakes (RFC 8446 section 4.2.1).
    var number: Int32 { self == .v1_2 ? 0x0303 : 0x0304 }

    var name: String { self == .v1_2 ? "TLS 1.2" : "TLS 1.3" }
}
