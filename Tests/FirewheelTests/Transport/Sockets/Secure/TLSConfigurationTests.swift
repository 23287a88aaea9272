#if os(Linux)
    import Foundation
    import Testing

    @testable import Firewheel
    @testable import FirewheelTesting

    /// Authorities and versions of `SessionConfiguration.tls`.
    @Suite("SessionConfiguration.tls on sockets", .needsTLSServer, .timeLimit(.minutes(5)))
    struct TLSConfigurationTests {
        private typealias Authorities = TLSConfiguration.Authorities

        private static let advice = "; to trust it, add its authority's certificate to tls.authorities"
        private static let adviceOfSystem = advice + ", or name a PEM file with it in SSL_CERT_FILE, which replaces the system's store"

        @Test("Authorities are the system's, the system's and own ones, or own ones alone")
        func authorities() async throws {
            let system = try TestAuthority(commonName: "System")
            for isOfSystem in [false, true] {
                let bench = try TrustBench { own in
                    try (isOfSystem ? system : own).identity(names: ["localhost"], intermediates: 1)
                }
                defer { bench.stop() }
                let root = bench.authority.root.certificate
                // For the own authority's server, and for the system's: what the error advises, or nil for a response.
                let cases: [(Authorities, own: String?, system: String?)] = [
                    (.system, Self.adviceOfSystem, nil), (.systemAnd([root]), nil, nil), (.only([root]), nil, Self.advice),
                    (.systemAnd([]), Self.adviceOfSystem, nil), (.only([root, root]), nil, Self.advice),
                    (.only([bench.identity.behind[0].certificate]), nil, nil), (.only([bench.identity.leaf.certificate]), nil, nil),
                ]
                for (authorities, own, ofSystem) in cases {
                    let before = bench.server.requestCount
                    let transport = SocketTransport(configuration: .default, places: TLSStorePlaces(file: system.pemFile.path))
                    let session = Session(configuration: try bench.configuration { $0.authorities = authorities }, transport: transport)
                    let response = await session.request(bench.url()).raw()
                    if let advice = isOfSystem ? ofSystem : own {
                        #expect(response.kind == .transportFailed(.serverCertificateHasUnknownRoot), "\(authorities): \(response)")
                        #expect(response.words.hasSuffix(advice), "\(response.words)")
                        #expect(bench.server.requestCount == before)
                        #expect(bench.front.handshakes.last?.applicationBytes == 0)
                    } else {
                        #expect(response.text == "/x", "\(authorities): \(response)")
                    }
                }
            }
        }

        private struct Versions: Sendable {
            var server: ClosedRange<TLSFront.Version> = .tls12 ... .tls13
            var least = TLSVersion.v1_2
            var greatest: TLSVersion?
            /// The version that is spoken, or else the end of the error.
            var outcome: String
        }

        private static let versions: [Versions] = [
            Versions(outcome: "TLSv1.3"), Versions(least: .v1_3, outcome: "TLSv1.3"), Versions(greatest: .v1_2, outcome: "TLSv1.2"),
            Versions(greatest: .v1_3, outcome: "TLSv1.3"), Versions(least: .v1_3, greatest: .v1_3, outcome: "TLSv1.3"),
            Versions(server: .tls12 ... .tls12, greatest: .v1_3, outcome: "TLSv1.2"),
            Versions(
                server: .tls12 ... .tls12, least: .v1_3, outcome: "does not offer TLS 1.3 or later (alert protocol_version)"),
            Versions(
                server: .tls12 ... .tls12, least: .v1_3, greatest: .v1_3, outcome: "does not offer TLS 1.3 (alert protocol_version)"),
            Versions(server: .tls13 ... .tls13, greatest: .v1_2, outcome: "does not offer TLS 1.2 (alert protocol_version)"),
            Versions(
                server: .tls10 ... .tls11, greatest: .v1_3, outcome: "does not offer TLS 1.2 or TLS 1.3 (alert protocol_version)"),
            Versions(least: .v1_3, greatest: .v1_2, outcome: "tls.maximumVersion is TLS 1.2, which is before tls.minimumVersion, TLS 1.3"),
        ]

        @Test("A version between the least and the greatest is spoken, or the error says which are offered")
        func versions() async throws {
            for versions in Self.versions {
                let bench = try TrustBench(
                    .with {
                        $0.minimumVersion = versions.server.lowerBound
                        $0.maximumVersion = versions.server.upperBound
                    },
                    identity: { try $0.identity(names: ["localhost"], key: .rsa(2048)) })
                defer { bench.stop() }
                let response = try await bench.response {
                    $0.minimumVersion = versions.least
                    $0.maximumVersion = versions.greatest
                }
                if versions.outcome.hasPrefix("TLSv") {
                    #expect(response.text == "/x", "\(versions): \(response)")
                    #expect(bench.front.handshakes.map(\.version) == [versions.outcome])
                } else {
                    let isServers = versions.outcome.hasPrefix("does not")
                    let code = isServers ? URLError.Code.secureConnectionFailed : .resourceUnavailable
                    #expect(response.kind == .transportFailed(code), "\(versions): \(response)")
                    #expect(response.words.hasSuffix(versions.outcome), "\(response.words)")
                    let heard = try await bench.heard()
                    #expect(heard == (0, 0))
                }
            }
        }

        @Test("Authorities of which there are none are an error, and not a session that trusts the system")
        func noAuthorities() async throws {
            let bench = try TrustBench()
            defer { bench.stop() }
            let response = try await bench.response { $0.authorities = .only([]) }
            #expect(response.kind == .transportFailed(.resourceUnavailable), "\(response)")
            #expect(response.words.hasSuffix(": tls.authorities is empty, so that no server can be trusted"), "\(response.words)")
            #expect(bench.front.handshakes.allSatisfy { !$0.isComplete })
        }

        @Test("What a session trusts is not what another one trusts, although they share a transport with a kept connection")
        func sharedTransport() async throws {
            for isMultiplexed in TLSTesting.http2Reason == nil ? [false, true] : [false] {
                let bench = try TrustBench(isMultiplexed: isMultiplexed) { try $0.identity(names: ["localhost"]) }
                defer { bench.stop() }
                let transport = SocketTransport(configuration: .default, places: bench.places)
                let other = try TestAuthority(commonName: "Other").root
                func session(_ change: (inout TLSConfiguration) throws -> Void = { _ in }) throws -> Session {
                    Session(configuration: try bench.configuration(change), transport: transport)
                }
                let trusting = try session()
                // Each differs in one thing. The last two are verified for themselves, too.
                let wary = [
                    try session { $0.authorities = .system }, try session { $0.authorities = .only([other.certificate]) },
                    try session { $0.revocationLists = [try bench.authority.root.revocationList([bench.identity.leaf])] },
                    try session { $0.revocationLists = [try other.revocationList()] },
                ]
                #expect(await trusting.request(bench.url("/1")).raw().text == "/1")
                for session in wary + wary {
                    let refused = await session.request(bench.url("/2")).raw()
                    #expect(refused.error?.asFirewheelError?.isServerTrustEvaluationError == true, "\(refused)")
                }
                let lenient = try session {
                    $0.revocationLists = [try other.revocationList()]
                    $0.requiresRevocationLists = false
                }
                #expect(await lenient.request(bench.url("/3")).raw().text == "/3")
                #expect(await trusting.request(bench.url("/4")).raw().text == "/4")
                #expect(try await bench.server.takeRequests(3).map(\.path) == ["/1", "/3", "/4"])
                #expect(bench.server.requestCount == 3)
                #expect(bench.front.handshakes.count == 2 + 2 * wary.count)
                // Nor are TLS sessions resumed.
                #expect(bench.front.handshakes.allSatisfy { !$0.offersSession })
            }
        }

        @Test("A transport's own configuration counts for sessions that have none, and a session with another one is an error")
        func configurationOfTransport() async throws {
            let bench = try TrustBench()
            defer { bench.stop() }
            let configuration = try bench.configuration()
            let same = try bench.configuration()
            let transport = SocketTransport(configuration: configuration, places: bench.places)
            for (index, session) in [Session(transport: transport), Session(configuration: same, transport: transport)].enumerated() {
                #expect(await session.request(bench.url("/\(index)")).raw().text == "/\(index)")
            }
            let lists = [try bench.authority.root.revocationList()]
            let others = [
                try bench.configuration { $0.minimumVersion = .v1_3 }, try bench.configuration { $0.maximumVersion = .v1_3 },
                try bench.configuration { $0.authorities = .only([bench.identity.leaf.certificate]) },
                try bench.configuration { $0.revocationLists = lists },
                try bench.configuration { ($0.authorities, $0.minimumVersion) = (.system, .v1_3) },
                // An identity for another host: the transport's must not be shown to this one.
                try bench.configuration { $0.identities = ["other.test": try ClientFixtures.identity()] },
                try bench.configuration { ($0.authorities, $0.identities) = (.system, ["*": try ClientFixtures.identity()]) },
            ]
            for other in others {
                for (ofSession, ofTransport) in [(other, configuration), (configuration, other)] {
                    let transport = SocketTransport(configuration: ofTransport, places: bench.places)
                    let refused = await Session(configuration: ofSession, transport: transport).request(bench.url("/2")).raw()
                    #expect(refused.kind == .transportFailed(.resourceUnavailable), "\(refused)")
                    let words = ": the session's tls is not that of its transport: set it in one of them, or the same in both"
                    #expect(refused.words.hasSuffix(words), "\(refused.words)")
                }
            }
            #expect(bench.server.requestCount == 2)
        }

        @Test("A transport forgets what old sessions trusted, and new ones go on")
        func manySessions() async throws {
            let bench = try TrustBench { try $0.identity(names: ["localhost"]) }
            defer { bench.stop() }
            let transport = SocketTransport(configuration: .default, places: bench.places)
            let sessions = try (0..<PoolSecurity.mostContexts + 4).map { _ in
                Session(configuration: try bench.configuration(), transport: transport)
            }
            for session in sessions + sessions { #expect(await session.request(bench.url()).raw().text == "/x") }
            let opened = try transport.open()
            let count = Journal<Int>()
            opened.inbox.post(
                LoopMessage(pool: opened.pool, command: .inspect { count.add(opened.pool.object.security.contexts.count) }))
            #expect(try await count.wait(for: 1) == [PoolSecurity.mostContexts])
            withExtendedLifetime(sessions) {}
        }

        @Test("Versions that the system's configuration of OpenSSL excludes are an error that says so")
        func excludedVersions() async {
            await #expect(processExitsWith: .success) {
                ProcessFacts.giveUp(after: 150)
                let text = "openssl_conf = a\n[a]\nssl_conf = b\n[b]\nsystem_default = c\n[c]\nMinProtocol = TLSv1.3\n"
                let file = try PEMFile(text: text)
                setenv("OPENSSL_CONF", file.url.path, 1)
                let bench = try TrustBench()
                defer { bench.stop() }
                let response = try await bench.response { $0.maximumVersion = .v1_2 }
                #expect(response.kind == .transportFailed(.resourceUnavailable), "\(response)")
                #expect(response.words.contains(": no version of TLS is left: "), "\(response.words)")
                #expect(try await bench.response { $0.maximumVersion = .v1_3 }.text == "/x")
            }
        }

        @Test("A redirect to https is verified by the session's authorities")
        func redirected() async throws {
            let bench = try TrustBench()
            defer { bench.stop() }
            let plain = try MockServer()
            defer { plain.shutdown() }
            let target = bench.url("/target")
            plain.route("/from") { _ in .text("", status: 302).header("Location", target) }
            #expect(try await bench.session().request(plain.url("/from")).raw().text == "/target")
            let wary = try bench.session { $0.authorities = .system }
            #expect(await wary.request(plain.url("/from")).raw().kind == .transportFailed(.serverCertificateHasUnknownRoot))
            #expect(bench.server.requestCount == 1)
        }

        @Test("URLSession refuses what it cannot honor, whether the session or the transport is configured")
        func urlSession() async throws {
            let server = try MockServer()
            defer { server.shutdown() }
            server.route("*") { .text($0.path) }
            let root = try TestAuthority().root.certificate
            let trust = "URLSessionTransport cannot verify servers by rules of the session's own"
            let version = "URLSessionTransport cannot choose versions of TLS"
            let cases: [(words: String, change: @Sendable (inout TLSConfiguration) -> Void)] = [
                (trust, { $0.authorities = .only([root]) }), (trust, { $0.authorities = .systemAnd([root]) }),
                (trust, { $0.revocationLists = [Data()] }), (version, { $0.minimumVersion = .v1_3 }),
                (version, { $0.maximumVersion = .v1_3 }),
            ]
            for (words, change) in cases {
                let configuration = SessionConfiguration.with { change(&$0.tls) }
                for session in [
                    Session(configuration: configuration, transport: URLSessionTransport()),
                    Session(transport: URLSessionTransport(configuration: configuration)),
                ] {
                    let response = await session.request(server.url("/x")).raw()
                    #expect(response.kind == .transportFailed(.resourceUnavailable), "\(response)")
                    #expect(response.words.contains(words), "\(response.words)")
                }
            }
            #expect(await Session(transport: URLSessionTransport()).request(server.url("/x")).raw().text == "/x")
            #expect(server.requestCount == 1)
        }

        @Test("A configuration that cannot work is not retried")
        func notRetried() async throws {
            let bench = try TrustBench()
            defer { bench.stop() }
            for change: (inout TLSConfiguration) -> Void in [{ $0.authorities = .only([]) }, { $0.revocationLists = [Data()] }] {
                let response = await (try bench.session(change)).request(bench.url(), interceptor: .retryPolicy).raw()
                #expect(response.kind == .transportFailed(.resourceUnavailable), "\(response)")
            }
        }

        @Test("A configuration says what it is, and no certificate in full")
        func description() throws {
            var configuration = TLSConfiguration()
            #expect("\(configuration)" == "TLS 1.2 to the greatest, authorities: system, revocation lists: none")
            let root = try TestAuthority().root.certificate
            configuration.minimumVersion = .v1_3
            configuration.maximumVersion = .v1_3
            configuration.authorities = .systemAnd([root])
            configuration.revocationLists = [Data(), Data()]
            #expect("\(configuration)" == "TLS 1.3 to TLS 1.3, authorities: system and 1, revocation lists: 2")
            configuration.requiresRevocationLists = false
            configuration.authorities = .only([root])
            #expect("\(configuration)" == "TLS 1.3 to TLS 1.3, authorities: 1, revocation lists: 2, not required")
        }
    }
#endif
