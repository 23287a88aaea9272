#if os(Linux)
    import FirewheelClassic
    import FirewheelTesting
    import Testing

    /// `ServerTrustPolicy` and `ServerTrustPolicyManager` of Alamofire 4.
    @Suite("Alamofire 4's policies of trust", .enabled(if: TrustServers.isAvailable, "no OpenSSL"), .timeLimit(.minutes(5)))
    struct ServerTrustPolicyTests {
        private typealias Kinds = Set<TrustServers.Kind>

        /// Policies, and the servers that each trusts.
        private static func policies(_ servers: TrustServers) -> [(String, ServerTrustPolicy, Kinds)] {
            func certificates(_ kinds: Kinds) -> [Certificate] { kinds.compactMap { servers.identities[$0]?.certificate } }
            func keys(_ kinds: Kinds) -> [String] { certificates(kinds).map(\.publicKeyPin) }
            let every = Kinds(TrustServers.Kind.allCases)
            let (ocsp, positive) = (kSecRevocationOCSPMethod, kSecRevocationRequirePositiveResponse)
            return [
                ("default", .performDefaultEvaluation(validateHost: true), [.right]),
                ("default without name", .performDefaultEvaluation(validateHost: false), [.right, .wrongHost]),
                ("revoked", .performRevokedEvaluation(validateHost: true, revocationFlags: ocsp), [.right]),
                ("revoked, any method", .performRevokedEvaluation(validateHost: false, revocationFlags: 3), [.right, .wrongHost]),
                ("revoked, required", .performRevokedEvaluation(validateHost: true, revocationFlags: ocsp | positive), []),
                ("revoked, lists", .performRevokedEvaluation(validateHost: true, revocationFlags: kSecRevocationCRLMethod), []),
                ("revoked, unknown flag", .performRevokedEvaluation(validateHost: true, revocationFlags: ocsp | 32), []),
                (
                    "certificates",
                    .pinCertificates(certificates: certificates(every), validateCertificateChain: true, validateHost: true),
                    [.right, .stranger, .selfSigned]
                ),
                (
                    "certificates, any name",
                    .pinCertificates(certificates: certificates([.wrongHost]), validateCertificateChain: true, validateHost: false),
                    [.wrongHost]
                ),
                (
                    "certificates, no chain",
                    .pinCertificates(certificates: certificates(every), validateCertificateChain: false, validateHost: true),
                    [.right, .expired, .stranger, .selfSigned]
                ),
                ("no certificate", .pinCertificates(certificates: [], validateCertificateChain: true, validateHost: true), []),
                ("keys", .pinPublicKeys(publicKeys: keys(every), validateCertificateChain: true, validateHost: true), [.right]),
                (
                    "keys, no chain",
                    .pinPublicKeys(publicKeys: keys([.selfSigned, .wrongHost]), validateCertificateChain: false, validateHost: false),
                    [.selfSigned, .wrongHost]
                ),
                ("no key", .pinPublicKeys(publicKeys: [], validateCertificateChain: true, validateHost: true), []),
                ("bad key", .pinPublicKeys(publicKeys: ["abc"], validateCertificateChain: false, validateHost: false), []),
                ("disabled", .disableEvaluation, every),
                ("custom", .customEvaluation { trust, host in host == "localhost" && trust.certificates.count == 1 }, every),
                ("custom refusal", .customEvaluation { _, _ in false }, []),
            ]
        }

        @Test("Each policy trusts the servers that it should, and refused ones hear nothing")
        func matrix() async throws {
            let servers = try TrustServers()
            defer { servers.shutdown() }
            var counts = servers.servers.mapValues { _ in 0 }
            for (name, policy, trusted) in Self.policies(servers) {
                let policies = ServerTrustPolicyManager(policies: ["localhost": policy])
                let manager = SessionManager(configuration: servers.configuration, serverTrustPolicyManager: policies)
                for (kind, server) in servers.servers {
                    let response = await manager.request("https://localhost:\(server.port)/").serializingData().response
                    let error = response.error as? FirewheelError
                    #expect((error == nil) == trusted.contains(kind), "\(name), \(kind): \(response)")
                    #expect(error == nil || error?.isServerTrustEvaluationError == true)
                    if trusted.contains(kind) { counts[kind, default: 0] += 1 }
                    #expect(server.requestCount == counts[kind], "\(name), \(kind)")
                }
            }
        }

        @Test("A host without a policy is trusted as usual; patterns and other spellings of a host have one")
        func hosts() async throws {
            let servers = try TrustServers()
            defer { servers.shutdown() }
            let refusing = ServerTrustPolicy.customEvaluation { _, _ in false }
            for (pattern, isRefused) in [("else.test", false), ("LOCALHOST.", true), ("**.localhost", true), ("*.localhost", false)] {
                let policies = ServerTrustPolicyManager(policies: [pattern: refusing])
                #expect((policies.serverTrustPolicy(forHost: "localhost") != nil) == isRefused && policies.policies.count == 1)
                let manager = SessionManager(configuration: servers.configuration, serverTrustPolicyManager: policies)
                let url = try #require(servers.servers[.right]).url()
                #expect((await manager.request(url).serializingData().response.error != nil) == isRefused, "\(pattern)")
                let stranger = try #require(servers.servers[.stranger]).url()
                #expect(await manager.request(stranger).serializingData().response.error != nil)
            }
        }

        @Test("With a key that is not a host every https request fails, and says so")
        func badKey() async throws {
            let servers = try TrustServers()
            defer { servers.shutdown() }
            let policies = ServerTrustPolicyManager(policies: ["*.": .disableEvaluation])
            let manager = SessionManager(configuration: servers.configuration, serverTrustPolicyManager: policies)
            let server = try #require(servers.servers[.right])
            let error = await manager.request(server.url()).serializingData().response.error as? FirewheelError
            #expect(error?.kind == .serverTrustEvaluationFailed(.customEvaluationFailed) && server.requestCount == 0)
            let words = #"policies of ServerTrustPolicyManager: "*." is not a host or the pattern of one"#
            #expect(error.map { "\($0)" }?.contains(words) == true)
        }

        /// Chooses by a rule of its own.
        private final class Own: ServerTrustPolicyManager, @unchecked Sendable {
            override func serverTrustPolicy(forHost host: String) -> ServerTrustPolicy? {
                host.hasPrefix("local") ? policies["pinned.test"] : super.serverTrustPolicy(forHost: host)
            }
        }

        @Test("A subclass may choose the policy")
        func subclass() async throws {
            let servers = try TrustServers()
            defer { servers.shutdown() }
            let certificate = try #require(servers.identities[.selfSigned]).certificate
            let pinned = ServerTrustPolicy.pinCertificates(
                certificates: [certificate], validateCertificateChain: true, validateHost: true)
            let revoked = ServerTrustPolicy.performRevokedEvaluation(validateHost: true, revocationFlags: kSecRevocationOCSPMethod)
            for (policy, trusted) in [(pinned, TrustServers.Kind.selfSigned), (revoked, .right)] {
                let manager = SessionManager(
                    configuration: servers.configuration, serverTrustPolicyManager: Own(policies: ["pinned.test": policy]))
                for (kind, server) in servers.servers {
                    let response = await manager.request("https://localhost:\(server.port)/").serializingData().response
                    #expect((response.error == nil) == (kind == trusted), "\(kind): \(response)")
                }
            }
        }

        @Test("A log says once that a policy trusts every server")
        func warning() async throws {
            let servers = try TrustServers()
            defer { servers.shutdown() }
            let policies = ServerTrustPolicyManager(policies: ["localhost": .disableEvaluation, "b.test": .disableEvaluation])
            let manager = SessionManager(configuration: servers.configuration, serverTrustPolicyManager: policies)
            var policy = SecurityPolicy.default
            (policy.allowInvalidCertificates, policy.validatesDomainName) = (true, false)
            let other = HTTPSessionManager(configuration: servers.configuration, securityPolicy: policy).session
            let url = try #require(servers.servers[.stranger]).url()
            for (session, words) in [
                (manager, "under these names, for development only: b.test, localhost"), (other, "SecurityPolicy trusts"),
            ] {
                let (lines, continuation) = AsyncStream<String>.makeStream()
                let monitor: LogEventMonitor = .log(.line) { continuation.yield($0) }
                for path in ["1", "2"] {
                    #expect(await session.request("\(url)\(path)").eventMonitor(monitor).serializingData().response.error == nil)
                }
                var warnings = 0
                for await line in lines {
                    if line.contains(words) { warnings += 1 }
                    if line.contains("/2 200") { break }
                }
                #expect(warnings == 1)
            }
        }

        @Test("A session manager is created as with Alamofire 4")
        func spelling() {
            let policies = ServerTrustPolicyManager(policies: [:])
            _ = SessionManager(serverTrustPolicyManager: policies)
            _ = SessionManager(configuration: .default, serverTrustPolicyManager: policies)
            _ = SessionManager(configuration: URLSessionConfiguration.default, serverTrustPolicyManager: policies)
            _ = SessionManager(configuration: URLSessionConfiguration.default)
            #expect(policies.serverTrustPolicy(forHost: "a.test") == nil)
        }
    }
#endif
