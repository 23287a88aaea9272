#if os(Linux)
    import FirewheelTesting
    import Foundation
    import Glibc
    import Testing

    @testable import Firewheel

    /// IPv6 addresses with a zone (RFC 6874), and addresses that cannot be parsed.
    @Suite("Zones of IPv6 addresses", .timeLimit(.minutes(5)))
    struct AddressZoneTests {
        /// The name of the loopback interface, `lo`.
        private static let loopback = (1...64).lazy.compactMap { index -> String? in
            var name = [CChar](repeating: 0, count: Int(IF_NAMESIZE))
            guard if_indextoname(UInt32(index), &name) != nil else { return nil }
            let text = String(decoding: name.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
            return text.hasPrefix("lo") ? text : nil
        }.first

        private static let server = try? MockServer(.ipv6)

        @Test(
            "An address with a zone is connected to, and the zone is not sent (RFC 6874 section 4)",
            .enabled(if: server != nil && loopback != nil, "there is no ::1"),
            arguments: ["%25NAME", "%NAME", "%25INDEX", "%INDEX"])
        func connects(zone: String) async throws {
            let (server, name) = (try #require(Self.server), try #require(Self.loopback))
            server.route("*") { .text($0.header("Host") ?? "") }
            let written = zone.replacing("NAME", with: name).replacing("INDEX", with: "\(if_nametoindex(name))")
            let url = "http://[::1\(written)]:\(server.port)/"
            for convertible in [url, try #require(URL(string: url))] as [any URLConvertible] {
                let response = await Session().request(convertible).raw()
                #expect(response.text == "[::1]:\(server.port)", "\(url): \(String(describing: response.error))")
            }
        }

        @Test("A zone that is not an interface is an error that says so")
        func unknownZone() async {
            let response = await Session().request("http://[fe80::1%25nosuch0]/").raw()
            #expect(kind(response.error) == .transportFailed(.cannotConnectToHost))
            let words = response.error?.localizedDescription ?? ""
            #expect(words.contains("\"fe80::1%nosuch0\" has a zone that is not a network interface"), "\(words)")
        }

        @Test(
            "An address that cannot be parsed is an error that says so",
            arguments: [
                ("http://[fe80::zz]/", "IPv6"), ("http://[::1%25]/", "IPv6"), ("http://[1::2::3]:80/", "IPv6"),
                ("http://[1.2.3.4]/", "IPv6"),
                ("http://1.2.3.4.5/", "IPv4"), ("http://256.0.0.1:80/x", "IPv4"), ("http://[fe80::zz%eth0]/", "IPv6"),
                ("http://u:p@1.2.3.999/", "IPv4"),
            ])
        func malformed(url: String, family: String) async {
            let response = await Session().request(url).raw()
            #expect(kind(response.error) == .invalidURL)
            let words = response.error?.localizedDescription ?? ""
            #expect(words.contains("has an invalid \(family) address"), "\(words)")
        }
    }
#endif
