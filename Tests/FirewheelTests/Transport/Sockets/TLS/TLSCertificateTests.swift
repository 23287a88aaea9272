#if os(Linux)
    import Foundation
    import TLSTestServer
    import Testing

    @testable import Firewheel
    @testable import FirewheelTesting

    @Suite("TLS: certificates", .needsTLSServer, .timeLimit(.minutes(5)))
    struct TLSCertificateTests {
        let authority: TestAuthority
        let context: TLSContext

        init() throws {
            authority = try TestAuthority()
            context = try .trusting(authority)
        }

        private func shake(
            _ identity: TestIdentity, _ version: TLSFront.Version, host: String = "localhost", isAddress: Bool = false,
            context: TLSContext? = nil
        ) throws -> (failure: TLSFailure?, pair: TLSPair, peer: TLSPeer) {
            let peer = TLSPeer(host: host, port: 443, isAddress: isAddress)
            let server = try TLSFrontContext(identity, .with { $0.maximumVersion = version })
            let pair = try TLSPair(context ?? self.context, server, peer: peer)
            return (pair.handshake().failure, pair, peer)
        }

        private func expectRefused(
            _ identity: TestIdentity, _ code: URLError.Code, _ words: [String], host: String = "localhost", isAddress: Bool = false,
            sourceLocation: SourceLocation = #_sourceLocation
        ) throws {
            for version in [TLSFront.Version.tls12, .tls13] {
                let (failure, pair, peer) = try shake(identity, version, host: host, isAddress: isAddress)
                let found = try #require(failure?.words(peer), sourceLocation: sourceLocation)
                #expect(found.code == code, "\(found)", sourceLocation: sourceLocation)
                for part in words + ["the certificate of \(host) "] {
                    #expect(found.text.contains(part), "\(found.text)", sourceLocation: sourceLocation)
                }
                #expect(pair.received.isEmpty, sourceLocation: sourceLocation)
                // The server is told why.
                #expect(pair.serverError.contains("alert"), "\(pair.serverError)", sourceLocation: sourceLocation)
            }
        }

        @Test("Dates")
        func dates() throws {
            let expired = try authority.identity(names: ["localhost"], begins: -200_000, ends: -100_000)
            try expectRefused(expired, .serverCertificateHasBadDate, ["has expired (subject CN=localhost, valid until ", " UTC)"])
            let early = try authority.identity(names: ["localhost"], begins: 100_000, ends: 200_000)
            try expectRefused(early, .serverCertificateNotYetValid, ["is not valid yet (subject CN=localhost, valid from "])
        }

        @Test("Authorities")
        func authorities() throws {
            try expectRefused(
                .selfSigned(names: ["localhost"]), .serverCertificateHasUnknownRoot, ["is self-signed (subject CN=localhost)"])
            let stranger = try TestAuthority(commonName: "Stranger")
            try expectRefused(
                stranger.identity(names: ["localhost"]), .serverCertificateHasUnknownRoot,
                ["is from an unknown authority", "issuer CN=Stranger"])
            let withRoot = try stranger.identity(names: ["localhost"]).sending([stranger.root])
            try expectRefused(
                withRoot, .serverCertificateHasUnknownRoot,
                ["a certificate of its authorities is of an unknown authority (subject CN=Stranger)"])
            let incomplete = try authority.identity(names: ["localhost"], intermediates: 1).sending([])
            try expectRefused(
                incomplete, .serverCertificateHasUnknownRoot,
                ["did not send its intermediate certificates", "issuer CN=Firewheel Test Intermediate 1"])
            let leaf = try authority.root.issue(.init(commonName: "no authority", names: ["localhost"]))
            let below = try TestIdentity(leaf: leaf.issue(.init(commonName: "localhost", names: ["localhost"])), behind: [leaf])
            try expectRefused(below, .serverCertificateUntrusted, ["a certificate of its authorities", "(subject CN=no authority)"])
        }

        @Test(
            "Names (RFC 9525)",
            arguments: [
                ("other.test", ["localhost"], "localhost"), ("localhost", [], "localhost"), ("www.a.test", ["w*.a.test"], nil),
                ("a.b.a.test", ["*.a.test"], nil), ("a.test", ["*.a.test"], nil), ("127.0.0.1", ["localhost"], nil),
                ("localhost", ["127.0.0.1"], nil),
            ] as [(String, [String], String?)])
        func names(host: String, names: [String], commonName: String?) throws {
            let identity = try authority.identity(names: names, commonName: commonName ?? "CN")
            let isAddress = host.hasPrefix("127")
            try expectRefused(
                identity, .serverCertificateUntrusted, ["is for another host (subject CN=\(commonName ?? "CN"))"], host: host,
                isAddress: isAddress)
        }

        @Test("Names and addresses that match", arguments: [("www.a.test", "*.a.test"), ("localhost", "localhost"), ("a.test", "A.TEST")])
        func goodNames(host: String, name: String) throws {
            for version in [TLSFront.Version.tls12, .tls13] {
                #expect(try shake(authority.identity(names: [name], commonName: "CN"), version, host: host).failure == nil)
            }
        }

        @Test("An address is not matched by a name, nor by another address")
        func addresses() throws {
            let identity = try authority.identity(addresses: ["127.0.0.2"], commonName: "127.0.0.1")
            try expectRefused(identity, .serverCertificateUntrusted, ["is for another host"], host: "127.0.0.1", isAddress: true)
        }

        @Test("Weak keys and signatures are refused at OpenSSL's default security level")
        func weak() throws {
            let key = try authority.identity(names: ["localhost"], key: .rsa(512))
            // The server's OpenSSL has the same level, so that such a server may not be possible.
            if let result = try? shake(key, .tls12) { #expect(result.failure != nil) }
            let authorityKey = try authority.identity(names: ["localhost"], intermediates: 1, intermediateKey: .rsa(1024))
            if let result = try? shake(authorityKey, .tls13) {
                let words = try #require(result.failure?.words())
                #expect(words.code == .serverCertificateUntrusted)
                #expect(words.text.contains("too weak"), "\(words.text)")
            }
        }

        @Test("A certificate that is not for servers is refused")
        func usage() throws {
            let identity = try authority.identity(names: ["localhost"], usage: "clientAuth")
            try expectRefused(identity, .serverCertificateUntrusted, ["is not for servers (subject CN=localhost)"])
        }

        @Test("An intermediate certificate and a server's own can be anchors")
        func partialChains() throws {
            let identity = try authority.identity(names: ["localhost"], intermediates: 1)
            for anchor in [identity.behind[0], identity.leaf] {
                let file = try PEMFile([anchor])
                let context = try TLSContext.load(places: TLSStorePlaces(file: file.url.path))
                let (failure, pair, _) = try shake(identity, .tls13, context: context)
                #expect(failure == nil)
                #expect(pair.stream.verifiedChain.contains(anchor.der))
            }
        }

        @Test("A subject of any characters stays on one line")
        func strangeSubject() throws {
            let stranger = try TestAuthority()
            let identity = try stranger.identity(names: ["localhost"], commonName: "Grüße\n\u{1B}[31m,=+\"")
            let words = try #require(shake(identity, .tls13).failure?.words())
            #expect(words.text.contains("Grüße"), "\(words.text)")
            #expect(!words.text.unicodeScalars.contains { $0.value < 32 }, "\(words.text)")
        }
    }
#endif
