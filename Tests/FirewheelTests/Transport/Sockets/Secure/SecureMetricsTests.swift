#if os(Linux)
    import Firewheel
    import Foundation
    import Testing

    @testable import Firewheel
    @testable import FirewheelTesting

    /// What the metrics tell of TLS handshakes: those that succeed, and those that fail.
    @Suite("Metrics of TLS on sockets", .needsTLSServer, .timeLimit(.minutes(5)))
    struct SecureMetricsTests {
        private static let versions = [TLSFront.Version.tls12, .tls13]

        @Test("A resumed session is told from a full handshake, also by later requests on its connection", arguments: versions)
        func resumption(version: TLSFront.Version) async throws {
            let bench = try SecureBench(.with { $0.maximumVersion = version })
            defer { bench.stop() }
            bench.server.route("/last") { _ in MockResponse.text("x").closing() }
            bench.server.route("/kept") { _ in .text("x") }
            var metrics: [TaskMetrics] = []
            for path in ["/last", "/kept", "/kept"] {
                try metrics.append(#require(await bench.session.request(bench.url(path)).raw().metrics))
            }
            let hops = metrics.compactMap(\.transactionMetrics.first)
            #expect(hops.map(\.isTLSSessionResumed) == [false, true, true])
            #expect(hops.map(\.isReusedConnection) == [false, false, true])
            #expect(hops.map { $0.description.contains(", TLS ") } == [true, false, false])
            #expect(hops.map { $0.description.contains(", resumed TLS ") } == [false, true, false])
            let name = version == .tls12 ? "TLSv1.2" : "TLSv1.3"
            #expect(hops.allSatisfy { $0.negotiatedTLSProtocolVersion == name && $0.negotiatedTLSCipherSuite?.hasPrefix("TLS_") == true })
            #expect(metrics.map { $0.waterfall(width: 200).contains("\(name) resumed") } == [false, true, false])
        }

        /// A server, and whether it asks for a client certificate.
        private func bench(_ version: TLSFront.Version, isMultiplexed: Bool, asking: Bool) throws -> TrustBench {
            let clients = try TestAuthority(commonName: "Clients")
            let options = TLSFront.Options.with {
                $0.maximumVersion = version
                $0.clientAuthorities = asking ? [clients.root] : []
            }
            let bench = try TrustBench(options, isMultiplexed: isMultiplexed, clients: clients)
            bench.server.route("/last") { _ in MockResponse.text("x").closing() }
            bench.server.route("/kept") { _ in .text("x") }
            return bench
        }

        @Test(
            "The server's chain up to the authority, and the client certificate if it was shown; resumed and reused ones keep them",
            arguments: versions, [false, true])
        func certificates(version: TLSFront.Version, asking: Bool) async throws {
            let bench = try bench(version, isMultiplexed: false, asking: asking)
            defer { bench.stop() }
            let made = try bench.clients.identity(commonName: "alice", intermediates: 1, usage: "clientAuth")
            let session = try bench.session { $0.identities = ["*": try ClientIdentity(pem: Data((made.keyPEM + made.chainPEM).utf8))] }
            let chain = try #require(bench.identity.behind.first).certificate
            for (path, isResumed, isReused) in [("/last", false, false), ("/kept", true, false), ("/kept", true, true)] {
                let hop = try #require(await session.request(bench.url(path)).raw().hop)
                #expect(hop.isTLSSessionResumed == isResumed && hop.isReusedConnection == isReused)
                #expect(hop.peerCertificateChain == [bench.identity.leaf.certificate, chain, bench.authority.root.certificate])
                #expect(hop.clientCertificateSubject == (asking ? "CN=alice" : nil))
            }
        }

        @Test("Over HTTP/2, too, the metrics of each request have the certificates", .needsHTTP2Server)
        func multiplexedCertificates() async throws {
            let bench = try bench(.tls13, isMultiplexed: true, asking: true)
            defer { bench.stop() }
            let made = try bench.clients.identity(commonName: "alice", usage: "clientAuth")
            let session = try bench.session { $0.identities = ["*": try ClientIdentity(pem: Data((made.keyPEM + made.chainPEM).utf8))] }
            for _ in 0..<2 {
                let hop = try #require(await session.request(bench.url("/kept")).raw().hop)
                #expect(hop.networkProtocolName == "h2" && hop.clientCertificateSubject == "CN=alice")
                #expect(hop.peerCertificateChain.map(\.der).last == bench.authority.root.der && hop.peerCertificateChain.count == 3)
            }
        }

        @Test("A server that an evaluator has accepted against the verification has what a chain could be built of", arguments: versions)
        func unverified(version: TLSFront.Version) async throws {
            let bench = try bench(version, isMultiplexed: false, asking: false)
            defer { bench.stop() }
            let manager = ServerTrustManager(evaluators: ["localhost": DisabledTrustEvaluator()])
            let session = try bench.session(manager) { $0.tls.authorities = .only([bench.clients.root.certificate]) }
            for path in ["/last", "/kept"] {
                let hop = try #require(await session.request(bench.url(path)).raw().hop)
                #expect(hop.peerCertificateChain == [bench.identity.leaf, bench.identity.behind[0]].map(\.certificate))
            }
        }

        @Test("Each hop has its own server's certificates")
        func hops() async throws {
            let (first, second) = (
                try bench(.tls13, isMultiplexed: false, asking: false), try bench(.tls13, isMultiplexed: false, asking: true)
            )
            defer {
                first.stop()
                second.stop()
            }
            let target = second.url("/kept")
            first.server.route("/away") { _ in MockResponse(status: 302).header("Location", target) }
            let made = try second.clients.identity(commonName: "alice", usage: "clientAuth")
            let session = try first.session {
                $0.authorities = .only([first.authority.root.certificate, second.authority.root.certificate])
                $0.identities = ["*": try ClientIdentity(pem: Data((made.keyPEM + made.chainPEM).utf8))]
            }
            let hops = try #require(await session.request(first.url("/away")).raw().metrics).transactionMetrics
            #expect(hops.map(\.peerCertificateChain.first) == [first, second].map { $0.identity.leaf.certificate })
            #expect(hops.map(\.clientCertificateSubject) == [nil, "CN=alice"])
        }

        @Test("Without TLS nothing is said about sessions and certificates")
        func plain() async throws {
            let server = try MockServer()
            defer { server.shutdown() }
            server.route("*") { _ in .text("x") }
            let hop = try #require(await Session(transport: SocketTransport()).request(server.url()).raw().hop)
            #expect(hop.response != nil && hop.isTLSSessionResumed == nil)
            #expect(hop.peerCertificateChain.isEmpty && hop.clientCertificateSubject == nil)
        }

        /// What can happen to a handshake.
        enum Failure: CaseIterable {
            case untrusted, closed, silent
        }

        @Test(
            "A failed handshake has the lookup, the server's address and when connecting and TLS began, and no end",
            arguments: Failure.allCases)
        func failed(failure: Failure) async throws {
            let bench = try SecureBench(
                .with {
                    if failure == .closed { $0.cut = .init(after: 100, ending: .truncated) }
                    if failure == .silent { $0.cut = .init(after: 100, ending: .stall) }
                }, names: ["*.secure-metrics.test"],
                configuration: .with { $0.timeoutIntervalForRequest = failure == .silent ? 3 : 20 })
            defer { bench.stop() }
            let stranger = try TestAuthority()
            let session = failure == .untrusted ? stranger.socketSession() : bench.session
            // A name that is not cached.
            let response = await session.request(bench.url(host: "fake-\(failure).secure-metrics.test")).raw()
            #expect(response.error != nil)
            let hop = try #require(response.hop)
            let (lookup, connect, secure) = (hop.domainLookupEndDate, hop.connectStartDate, hop.secureConnectionStartDate)
            #expect(try hop.domainLookupStartDate != nil && #require(lookup) <= #require(connect))
            #expect(try #require(connect) <= #require(secure))
            #expect(hop.connectEndDate == nil && hop.secureConnectionEndDate == nil && hop.requestStartDate == nil)
            #expect(hop.remoteAddress == "127.0.0.1" && hop.remotePort == bench.front.port)
            #expect(hop.negotiatedTLSProtocolVersion == nil && hop.isTLSSessionResumed == nil && hop.response == nil)
            #expect(hop.peerCertificateChain.isEmpty)
        }

        @Test("A refused connection has when connecting began, and neither an end nor an address", arguments: ["http", "https"])
        func refused(scheme: String) async throws {
            let socket = try BoundSocket(listening: false)
            let session = Session(transport: SocketTransport())
            let hop = try #require(await session.request("\(scheme)://127.0.0.1:\(socket.port)/").raw().hop)
            #expect(hop.connectStartDate != nil && hop.connectEndDate == nil)
            #expect(hop.secureConnectionStartDate == nil && hop.remoteAddress == nil && hop.isReusedConnection == nil)
        }
    }
#endif
