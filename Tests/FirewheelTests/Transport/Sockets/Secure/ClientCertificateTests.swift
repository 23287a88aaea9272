#if os(Linux)
    import Foundation
    import Testing

    @testable import Firewheel
    @testable import FirewheelTesting

    /// `TLSConfiguration.identities`, before servers that ask for a certificate.
    @Suite("Client certificates on sockets", .needsTLSServer, .timeLimit(.minutes(5)))
    struct ClientCertificateTests {
        private static let versions = [TLSFront.Version.tls12, .tls13]

        /// A server that demands a certificate of its authority.
        private func bench(_ version: TLSFront.Version = .tls13, isMultiplexed: Bool = false) throws -> TrustBench {
            let clients = try TestAuthority(commonName: "Clients")
            return try TrustBench(
                .with {
                    $0.maximumVersion = version
                    $0.clientAuthorities = [clients.root]
                }, isMultiplexed: isMultiplexed, clients: clients)
        }

        private func identity(_ bench: TrustBench, _ name: String, intermediates: Int = 0) throws -> ClientIdentity {
            let made = try bench.clients.identity(commonName: name, intermediates: intermediates, usage: "clientAuth")
            return try ClientIdentity(pem: Data((made.keyPEM + made.chainPEM).utf8))
        }

        @Test(
            "The certificate of the host is presented, with its chain, and on a resumed connection the server knows it", arguments: versions
        )
        func presented(version: TLSFront.Version) async throws {
            let bench = try bench(version)
            defer { bench.stop() }
            bench.server.route("*") { .text($0.path).closing() }
            let alice = try identity(bench, "alice", intermediates: 1)
            let bob = try identity(bench, "bob")
            let session = try bench.session { $0.identities = ["localhost": alice, "*": bob, "*.test": bob] }
            for path in ["/1", "/2"] { #expect(await session.request(bench.url(path)).raw().text == path) }
            #expect(bench.front.handshakes.map(\.clientSubject) == ["/CN=alice", "/CN=alice"])
            #expect(bench.front.handshakes.map(\.isResumed) == [false, true])
        }

        @Test(
            "A server that demands a certificate hears no request of a client without one, or with one that it does not accept",
            arguments: versions)
        func missing(version: TLSFront.Version) async throws {
            let bench = try bench(version)
            defer { bench.stop() }
            let none = try await bench.response { _ in }
            #expect(none.words.contains(": set one for the host in tls.identities"), "\(none.words)")
            let stranger = try TestAuthority(commonName: "Stranger").identity(commonName: "mallory", usage: "clientAuth")
            #expect(none.kind == .transportFailed(version == .tls13 ? .clientCertificateRequired : .secureConnectionFailed), "\(none)")
            let other = try await bench.response {
                $0.identities = ["*": try ClientIdentity(pem: Data((stranger.chainPEM + stranger.keyPEM).utf8))]
            }
            #expect(other.kind == .transportFailed(.clientCertificateRejected), "\(other)")
            #expect(other.words.contains("the server does not accept the client certificate (CN=mallory) (alert "), "\(other.words)")
            #expect(try await bench.heard().bytes == 0)
        }

        @Test(
            "Only the certificates of the identity are sent, although the session knows the authority that is missing", arguments: versions)
        func leafAlone(version: TLSFront.Version) async throws {
            let bench = try bench(version)
            defer { bench.stop() }
            let made = try bench.clients.identity(commonName: "alice", intermediates: 1, usage: "clientAuth")
            let response = try await bench.response {
                $0.authorities = .only([bench.authority.root.certificate, bench.clients.root.certificate, made.behind[0].certificate])
                $0.identities = ["*": try ClientIdentity(certificates: Data(made.leaf.pem.utf8), key: Data(made.keyPEM.utf8))]
            }
            #expect(response.kind == .transportFailed(.clientCertificateRejected), "\(response)")
        }

        @Test("Sessions with different certificates share neither connections nor TLS sessions, although they share a transport")
        func shared() async throws {
            for isMultiplexed in TLSTesting.http2Reason == nil ? [false, true] : [false] {
                let bench = try bench(isMultiplexed: isMultiplexed)
                defer { bench.stop() }
                let transport = SocketTransport(configuration: .default, places: bench.places)
                let (alice, bob) = (try identity(bench, "alice"), try identity(bench, "bob"))
                let sessions = try [alice, bob, nil].map { identity in
                    Session(
                        configuration: try bench.configuration { $0.identities = identity.map { ["*": $0] } ?? [:] }, transport: transport)
                }
                for _ in 0..<2 {
                    #expect(await sessions[0].request(bench.url("/a")).raw().text == "/a")
                    #expect(await sessions[1].request(bench.url("/b")).raw().text == "/b")
                    #expect(await sessions[2].request(bench.url("/c")).raw().error != nil)
                }
                #expect(Set(bench.front.handshakes.compactMap(\.clientSubject)) == ["/CN=alice", "/CN=bob"])
                #expect(bench.server.requestCount == 4)
            }
        }

        @Test("A redirect to another host shows that host its own certificate, or none")
        func redirected() async throws {
            let bench = try bench()
            defer { bench.stop() }
            let plain = try MockServer()
            defer { plain.shutdown() }
            let target = bench.url("/target")
            plain.route("/from") { _ in .text("", status: 302).header("Location", target) }
            let alice = try identity(bench, "alice")
            let forOther = try bench.session { $0.identities = ["127.0.0.1": alice] }
            #expect(await forOther.request(plain.url("/from")).raw().kind == .transportFailed(.clientCertificateRequired))
            #expect(bench.front.handshakes.map(\.clientSubject) == [nil])
            let forTarget = try bench.session { $0.identities = ["localhost": alice] }
            #expect(await forTarget.request(plain.url("/from")).raw().text == "/target")
        }

        @Test("A certificate that OpenSSL does not present, because its key is weak, is an error, and nothing is sent")
        func weak() async throws {
            let bench = try bench()
            defer { bench.stop() }
            let made = try bench.clients.identity(commonName: "weak", key: .rsa(1024), usage: "clientAuth")
            let response = try await bench.response {
                $0.identities = ["*": try ClientIdentity(pem: Data((made.chainPEM + made.keyPEM).utf8))]
            }
            #expect(response.kind == .transportFailed(.resourceUnavailable), "\(response)")
            #expect(response.words.hasSuffix(": the client certificate CN=weak cannot be used: ee key too small"), "\(response.words)")
            #expect(bench.front.handshakes.allSatisfy { !$0.isComplete })
        }

        @Test("A request for a certificate after the handshake is named as what an unexpected message may be")
        func afterHandshake() {
            // RFC 8446 section 4.6.2. OpenSSL's server does not ask clients that have not offered it.
            let failure = TLSFailure(reason: 244, text: "unexpected message")
            let address = TLSPeer.test.address
            let words = "perhaps a request for a client certificate after the handshake, which is not supported"
            #expect(
                failure.error(for: .test, isHandshake: false)
                    == .failed(
                        .secureConnectionFailed, "the TLS connection with \(address) failed: unexpected message, \(words)"))
        }

        @Test("With an invalid pattern every https request fails")
        func badPattern() async throws {
            let bench = try bench()
            defer { bench.stop() }
            let alice = try identity(bench, "alice")
            let response = try await bench.response { $0.identities = ["*.": alice, "localhost": alice] }
            #expect(response.kind == .transportFailed(.resourceUnavailable), "\(response)")
            #expect(response.words.hasSuffix(": tls.identities: \"*.\" is not a host or the pattern of one"), "\(response.words)")
            #expect(bench.front.handshakes.isEmpty)
        }
    }
#endif
