#if os(Linux)
    import Firewheel
    import FirewheelTesting
    import Foundation
    import Testing

    @testable import Firewheel

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

        @Test("Without TLS nothing is said about sessions")
        func plain() async throws {
            let server = try MockServer()
            defer { server.shutdown() }
            server.route("*") { _ in .text("x") }
            let hop = try #require(await Session(transport: SocketTransport()).request(server.url()).raw().hop)
            #expect(hop.response != nil && hop.isTLSSessionResumed == nil)
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
