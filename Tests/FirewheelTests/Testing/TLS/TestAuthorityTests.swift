#if os(Linux)
    import Foundation
    import Testing

    @testable import Firewheel
    @testable import FirewheelTesting

    /// The certificates are what they are said to be: a client that verifies takes or refuses each.
    @Suite("The tests' own certificates", .needsTLSServer, .timeLimit(.minutes(5)))
    struct TestAuthorityTests {
        private static let untrusted = FirewheelError.Kind.transportFailed(.serverCertificateUntrusted)
        private static let unknown = FirewheelError.Kind.transportFailed(.serverCertificateHasUnknownRoot)

        /// - Returns: The error; nil for a response.
        private func outcome(_ authority: TestAuthority, _ identity: TestIdentity, host: String = "127.0.0.1") async throws
            -> FirewheelError.Kind?
        {
            let server = try MockServer()
            server.enqueue(.text("hello"))
            let front = try TLSFront(to: server.port, identity: identity)
            let response = await authority.response(front.url(host: host))
            #expect((response.error == nil) == (server.requestCount == 1))
            return response.kind
        }

        @Test("A certificate is good for its names, its wildcard and its addresses")
        func names() async throws {
            let authority = try TestAuthority()
            let identity = try authority.identity(names: ["localhost", "*.fake-host.test"], addresses: ["127.0.0.1", "::1"])
            for host in ["localhost", "127.0.0.1"] { #expect(try await outcome(authority, identity, host: host) == nil) }
            let other = try authority.identity(names: ["other.test"], addresses: ["127.0.0.2"])
            for host in ["localhost", "127.0.0.1"] { #expect(try await outcome(authority, other, host: host) == Self.untrusted) }
        }

        @Test("Dates")
        func dates() async throws {
            let authority = try TestAuthority()
            let expired = try authority.identity(addresses: ["127.0.0.1"], begins: -86_400 * 2, ends: -86_400)
            #expect(try await outcome(authority, expired) == .transportFailed(.serverCertificateHasBadDate))
            let early = try authority.identity(addresses: ["127.0.0.1"], begins: 86_400)
            #expect(try await outcome(authority, early) == .transportFailed(.serverCertificateNotYetValid))
        }

        @Test("Chains: complete, without the intermediate, signed by itself")
        func chains() async throws {
            let authority = try TestAuthority()
            let identity = try authority.identity(addresses: ["127.0.0.1"], intermediates: 3)
            #expect(try await outcome(authority, identity) == nil)
            #expect(try await outcome(authority, identity.sending([])) == Self.unknown)
            #expect(try await outcome(authority, .selfSigned(addresses: ["127.0.0.1"])) == Self.unknown)
        }

        @Test("A chain of a megabyte is sent whole, and refused")
        func large() async throws {
            let authority = try TestAuthority()
            let identity = try authority.identity(addresses: ["127.0.0.1"]).sendingFiller(1 << 20)
            #expect(identity.chain.map(\.der.count).reduce(0, +) > 1_000_000)
            #expect(try await outcome(authority, identity) != nil)
            #expect(try await outcome(authority, authority.identity(addresses: ["127.0.0.1"], padding: 50_000)) == nil)
        }

        @Test("Keys and signatures: RSA with 2,048 bits is taken; 1,024 bits, SHA-1 and MD5 are too weak")
        func strengths() async throws {
            let authority = try TestAuthority(key: .rsa(2048))
            #expect(try await outcome(authority, authority.identity(addresses: ["127.0.0.1"], key: .rsa(2048))) == nil)
            for identity in [
                try authority.identity(addresses: ["127.0.0.1"], key: .rsa(1024)),
                try authority.identity(addresses: ["127.0.0.1"], digest: .sha1),
                try authority.identity(addresses: ["127.0.0.1"], digest: .md5),
            ] {
                #expect(try await outcome(authority, identity) != nil)
            }
        }

        @Test("The file with the root lives as long as the authority")
        func file() throws {
            var authority: TestAuthority? = try TestAuthority()
            let url = try #require(authority?.pemFile)
            #expect(try String(contentsOf: url, encoding: .utf8).hasPrefix("-----BEGIN CERTIFICATE-----"))
            authority = nil
            #expect(!FileManager.default.fileExists(atPath: url.path))
        }
    }
#endif
