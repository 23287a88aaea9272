import Testing

@testable import Firewheel

@Suite("Host addresses")
struct HostAddressTests {
    @Test(
        "An IPv4 address has one to four parts, and the last fills the rest (inet_aton)",
        arguments: [
            ("0", "0.0.0.0"), ("1", "0.0.0.1"), ("256", "0.0.1.0"), ("4294967295", "255.255.255.255"), ("1.16777215", "1.255.255.255"),
            ("1.2.65535", "1.2.255.255"), ("1.2.3.4", "1.2.3.4"), ("0x", "0.0.0.0"), ("1.0x", "1.0.0.0"),
            ("0xff.0377.255.1", "255.255.255.1"),
            ("010.8.0.1", "8.8.0.1"), ("000.000.000.000", "0.0.0.0"), ("1.2.3.4.", "1.2.3.4"),
        ])
    func ipv4(text: String, expected: String) {
        #expect(HostAddress.ipv4(text) == expected)
        #expect(HostAddress.looksLikeIPv4(text))
    }

    @Test(
        "Parts that are out of range, too many or not numbers are not an IPv4 address",
        arguments: [
            "", ".", "1.2.3.4.5", "256.1.1.1", "1.16777216", "1.2.65536", "1.2.3.256", "4294967296", "18446744073709551616", "08", "0x1g",
            "0x-1", "1.+2",
            "1..2", "1.2..", "a", "1.2.3.a", " 1", "1 ",
        ])
    func noIPv4(text: String) {
        #expect(HostAddress.ipv4(text) == nil)
    }

    @Test(
        "A host name that contains a number is not an IPv4 address",
        arguments: ["a.com", "1.com", "1a", "a1", "0xg", "1.2.3.a", "x0x1", "", ".", "3com.4you"])
    func names(text: String) {
        #expect(!HostAddress.looksLikeIPv4(text))
    }

    @Test("An IPv6 address has one canonical text (RFC 5952 section 4)")
    func ipv6() {
        #expect(HostAddress.ipv6("2001:0DB8:0000:0000:0001:0000:0000:0001") == "2001:db8::1:0:0:1")
        #expect(HostAddress.ipv6("1:0:0:2:0:0:0:3") == "1:0:0:2::3")
        #expect(HostAddress.ipv6("::") == "::")
        #expect(HostAddress.ipv6("::ffff:127.0.0.1") == "::ffff:127.0.0.1")
        #expect(HostAddress.ipv6("fe80::1%25en0.1~_-") == "fe80::1%25en0.1~_-")
    }

    @Test(
        "Malformed text is not an IPv6 address",
        arguments: ["", ":", ":::", "1", "1.2.3.4", "::1%", "::1%25", "::1%26x", "::1%25a/b", "g::", "::1 ", "1::2::3"])
    func noIPv6(text: String) {
        #expect(HostAddress.ipv6(text) == nil)
    }
}
