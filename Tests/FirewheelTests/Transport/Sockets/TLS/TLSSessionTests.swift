#if os(Linux)
    import Foundation
    import TLSTestServer
    import Testing

    @testable import Firewheel
    @testable import FirewheelTesting

    @Suite("TLS: sessions", .needsTLSServer, .timeLimit(.minutes(5)))
    struct TLSSessionTests {
        let authority: TestAuthority
        let context: TLSContext

        init() throws {
            authority = try TestAuthority()
            context = try .trusting(authority)
        }

        private func server(_ version: TLSFront.Version, _ resumption: TLSFront.Resumption = .tickets) throws -> TLSFrontContext {
            try TLSFrontContext(
                authority.identity(names: ["localhost", "other.test"]),
                .with {
                    $0.maximumVersion = version
                    $0.resumption = resumption
                    $0.protocols = ["h2", "http/1.1"]
                })
        }

        /// Connects, exchanges a few bytes, and closes.
        @discardableResult
        private func connect(
            _ server: TLSFrontContext, _ sessions: TLSSessions, context: TLSContext? = nil, peer: TLSPeer = .test,
            protocols: [String] = ["http/1.1"]
        ) throws -> TLSPair {
            let pair = try TLSPair(context ?? self.context, server, peer: peer, protocols: protocols, sessions: sessions)
            try pair.requireHandshake()
            pair.serverSends([1])
            #expect(pair.receiveAll().bytes == [1])
            return pair
        }

        @Test(
            "A second connection resumes, and knows the chain that was verified for the first",
            arguments: [
                (TLSFront.Version.tls12, TLSFront.Resumption.tickets), (.tls12, .sessionIDs), (.tls13, .tickets), (.tls13, .sessionIDs),
            ])
        func resumes(version: TLSFront.Version, resumption: TLSFront.Resumption) throws {
            let (server, sessions) = (try server(version, resumption), TLSSessions())
            let first = try connect(server, sessions)
            #expect(!first.stream.isResumed)
            #expect(sessions.count > 0)
            first.close()
            for _ in 0..<3 {
                let next = try connect(server, sessions)
                #expect(next.stream.isResumed && next.isServerResumed)
                #expect(next.stream.verifiedChain == first.stream.verifiedChain)
                #expect(next.stream.verifiedChain.last == authority.root.der)
                next.close()
            }
        }

        @Test("Nothing is kept without a cache, and where the server issues none")
        func none() throws {
            let sessions = TLSSessions()
            try connect(server(.tls12, .none), sessions)
            #expect(sessions.count == 0)
        }

        @Test(
            "A session is never offered under another name, port, list of protocols or trust", arguments: [TLSFront.Version.tls12, .tls13])
        func otherKeys(version: TLSFront.Version) throws {
            let (server, sessions) = (try server(version), TLSSessions())
            try connect(server, sessions).close()
            let otherTrust = try TLSContext.trusting(authority)
            let address = TLSPeer(host: "localhost", port: 444, isAddress: false)
            #expect(try !connect(server, sessions, peer: TLSPeer(host: "other.test", port: 443, isAddress: false)).isServerResumed)
            #expect(try !connect(server, sessions, peer: address).isServerResumed)
            #expect(try !connect(server, sessions, protocols: ["h2"]).isServerResumed)
            #expect(try !connect(server, sessions, context: otherTrust).isServerResumed)
            #expect(try connect(server, sessions).isServerResumed)
            // The same name.
            #expect(try connect(server, sessions, peer: TLSPeer(host: "localhost.", port: 443, isAddress: false)).isServerResumed)
        }

        @Test("A session is never offered where another minimum version is demanded", arguments: [TLSFront.Version.tls12, .tls13])
        func otherMinimumVersion(version: TLSFront.Version) throws {
            let (server, sessions) = (try server(version), TLSSessions())
            try connect(server, sessions).close()
            let count = sessions.count
            let strict = try TLSContext.trusting(authority, TLSOptions(minimumVersion: .v1_3))
            let pair = try TLSPair(strict, server, sessions: sessions)
            let step = pair.handshake()
            #expect(step.isDone == (version == .tls13) && !pair.isServerResumed)
            // It was not even taken.
            #expect(sessions.count == count)
            #expect(try connect(server, sessions).isServerResumed)
        }

        @Test("A session of one host is refused by the certificate of another, as a new connection would be")
        func wrongHost() throws {
            let (server, sessions) = (try server(.tls12), TLSSessions())
            try connect(server, sessions).close()
            let pair = try TLSPair(
                context, server, peer: TLSPeer(host: "third.test", port: 443, isAddress: false), sessions: sessions)
            guard case .certificate = pair.handshake().failure else { throw MockServerError.tls(reason: "accepted") }
        }

        @Test("A session of TLS 1.3 is used once (RFC 8446 appendix C.4), and one of TLS 1.2 again and again")
        func uses() throws {
            for version in [TLSFront.Version.tls12, .tls13] {
                let sessions = TLSSessions()
                let key = TLSSessions.Key(context: context.id, name: "localhost", isAddress: false, port: 443, protocols: ["http/1.1"])
                try connect(server(version), sessions).close()
                let before = sessions.count
                #expect(before == (version == .tls12 ? 1 : 2))
                let first = try #require(sessions.take(for: key))
                #expect(first.isSingle == (version == .tls13))
                #expect(sessions.count == 1)
                #expect((sessions.take(for: key) === first) == (version == .tls12))
                #expect((sessions.take(for: key) == nil) == (version == .tls13))
            }
        }

        @Test("Expired sessions are dropped")
        func expiry() throws {
            let sessions = TLSSessions()
            let key = TLSSessions.Key(context: context.id, name: "localhost", isAddress: false, port: 443, protocols: ["http/1.1"])
            try connect(server(.tls13), sessions).close()
            #expect(sessions.take(for: key, now: Int64(Date().timeIntervalSince1970) + 8 * 86_400) == nil)
            #expect(sessions.count == 0)
        }

        @Test(
            "A session is offered no longer than every certificate is valid that was verified for it",
            arguments: [TLSFront.Version.tls12, .tls13], ["server", "intermediate", "root"])
        func certificateExpiry(version: TLSFront.Version, which: String) throws {
            let long = 86_400.0 * 90
            func ends(_ name: String) -> TimeInterval { name == which ? 200 : long }
            let authority = try TestAuthority(key: .p256, ends: ends("root"))
            let intermediate = try authority.root.issue(.init(commonName: "between", ends: ends("intermediate"), isAuthority: true))
            let leaf = try intermediate.issue(.init(commonName: "localhost", names: ["localhost"], ends: ends("server")))
            let context = try TLSContext.trusting(authority)
            let server = try TLSFrontContext(
                TestIdentity(leaf: leaf, behind: [intermediate]), .with { $0.maximumVersion = version })
            let key = TLSSessions.Key(context: context.id, name: "localhost", isAddress: false, port: 443, protocols: ["http/1.1"])
            let sessions = TLSSessions()
            // The second connection gets its sessions on one that was resumed.
            for isResumed in [false, true] {
                let pair = try connect(server, sessions, context: context)
                #expect(pair.stream.isResumed == isResumed)
                pair.close()
            }
            let now = Int64(Date().timeIntervalSince1970)
            #expect(sessions.take(for: key, now: now + 100) != nil)
            #expect(sessions.take(for: key, now: now + 201) == nil)
            #expect(sessions.count == 0)
        }

        private func key(port: Int) -> TLSSessions.Key {
            TLSSessions.Key(context: context.id, name: "localhost", isAddress: false, port: port, protocols: ["http/1.1"])
        }

        @Test("The cache is bounded for each key and in all, and drops the oldest")
        func bounds() throws {
            let (server, sessions) = (try server(.tls13), TLSSessions())
            try connect(server, sessions)
            let session = try #require(sessions.take(for: key(port: 443)))
            for _ in 0...TLSSessions.mostOfKey { sessions.keep(session, for: key(port: 443)) }
            #expect(sessions.count == TLSSessions.mostOfKey)
            for port in 1...TLSSessions.most { sessions.keep(session, for: key(port: port)) }
            #expect(sessions.count == TLSSessions.most)
            sessions.keep(session, for: key(port: 1_000))
            sessions.keep(session, for: key(port: 1_000))
            #expect(sessions.count == TLSSessions.most)
            #expect(sessions.take(for: key(port: 1)) == nil)
            #expect(sessions.take(for: key(port: TLSSessions.most)) != nil)
            sessions.forget(session, of: key(port: 1_000))
            #expect(sessions.take(for: key(port: 1_000)) == nil)
            #expect(sessions.count == TLSSessions.most - 3)
        }

        @Test("A session that the server does not know leads to a full handshake")
        func unknownSession() throws {
            for version in [TLSFront.Version.tls12, .tls13] {
                let sessions = TLSSessions()
                try connect(server(version), sessions).close()
                let pair = try connect(server(version), sessions)
                #expect(!pair.isServerResumed && !pair.stream.isResumed)
                #expect(pair.stream.verifiedChain.last == authority.root.der)
            }
        }
    }
#endif
