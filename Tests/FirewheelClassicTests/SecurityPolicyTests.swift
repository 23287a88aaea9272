#if os(Linux)
    import FirewheelClassic
    import FirewheelTesting
    import Testing

    /// `SecurityPolicy`, with the rules of AFNetworking's `AFSecurityPolicy`.
    @Suite("AFNetworking's security policy", .enabled(if: TrustServers.isAvailable, "no OpenSSL"), .timeLimit(.minutes(5)))
    struct SecurityPolicyTests {
        private struct Case: Sendable {
            let mode: SSLPinningMode
            let pins: Set<TrustServers.Kind>
            let allowsInvalid: Bool
            let validatesName: Bool
            /// The servers that are trusted.
            let trusted: Set<TrustServers.Kind>

            init(
                _ mode: SSLPinningMode, _ pins: Set<TrustServers.Kind> = [], allowsInvalid: Bool = false, validatesName: Bool = true,
                trusts trusted: Set<TrustServers.Kind>
            ) {
                (self.mode, self.pins, self.allowsInvalid, self.validatesName) = (mode, pins, allowsInvalid, validatesName)
                self.trusted = trusted
            }
        }

        private static let cases = [
            Case(.none, trusts: [.right]),
            Case(.none, validatesName: false, trusts: [.right, .wrongHost]),
            // A name that nobody vouches for means nothing.
            Case(.none, allowsInvalid: true, trusts: []),
            Case(.none, allowsInvalid: true, validatesName: false, trusts: Set(TrustServers.Kind.allCases)),
            Case(.publicKey, [.right, .unused], trusts: [.right]),
            Case(.publicKey, [.selfSigned, .stranger, .expired, .wrongHost], trusts: []),
            Case(.publicKey, [.selfSigned, .stranger, .expired, .wrongHost], validatesName: false, trusts: [.wrongHost]),
            Case(.publicKey, [.selfSigned, .expired, .wrongHost], allowsInvalid: true, trusts: [.selfSigned, .expired]),
            Case(
                .publicKey, [.selfSigned, .expired, .wrongHost], allowsInvalid: true, validatesName: false,
                trusts: [.selfSigned, .expired, .wrongHost]),
            Case(.publicKey, trusts: []),
            Case(.publicKey, allowsInvalid: true, validatesName: false, trusts: []),
            Case(.certificate, [.right, .unused], trusts: [.right]),
            Case(.certificate, [.selfSigned, .stranger, .expired, .wrongHost], trusts: []),
            // The pinned ones are the authorities.
            Case(.certificate, [.selfSigned, .stranger, .expired, .wrongHost], allowsInvalid: true, trusts: [.selfSigned, .stranger]),
            Case(.certificate, [.wrongHost, .selfSigned], allowsInvalid: true, validatesName: false, trusts: [.wrongHost, .selfSigned]),
            Case(.certificate, trusts: []),
            Case(.certificate, allowsInvalid: true, validatesName: false, trusts: []),
        ]

        @Test("Each policy trusts what AFNetworking's trusts, and refused servers hear nothing", arguments: cases.indices)
        func matrix(index: Int) async throws {
            let (one, servers) = (Self.cases[index], try TrustServers())
            defer { servers.shutdown() }
            var policy = SecurityPolicy(
                pinningMode: one.mode, withPinnedCertificates: Set(one.pins.compactMap { servers.identities[$0]?.certificate }))
            policy.allowInvalidCertificates = one.allowsInvalid
            policy.validatesDomainName = one.validatesName
            #expect(policy.sslPinningMode == one.mode && policy.pinnedCertificates.count == one.pins.count)
            let manager = HTTPSessionManager(configuration: servers.configuration, securityPolicy: policy)
            for (kind, server) in servers.servers {
                let error: FirewheelError? = await withCheckedContinuation { done in
                    _ = manager.get(
                        "https://localhost:\(server.port)/", success: { _, _ in done.resume(returning: nil) },
                        failure: { done.resume(returning: $1 as? FirewheelError) })
                }
                let isTrusted = one.trusted.contains(kind)
                #expect((error == nil) == isTrusted, "\(kind): \(error.map { "\($0)" } ?? "trusted")")
                #expect(error == nil || error?.isServerTrustEvaluationError == true)
                #expect(server.requestCount == (isTrusted ? 1 : 0), "\(kind)")
            }
        }

        @Test("The default policy is that of a session without one")
        func defaults() {
            let policy = SecurityPolicy.default
            #expect(policy.sslPinningMode == .none && policy.pinnedCertificates.isEmpty)
            #expect(!policy.allowInvalidCertificates && policy.validatesDomainName)
        }

        @Test("The reason why an impossible policy refuses every server says what to do")
        func words() async throws {
            let servers = try TrustServers()
            defer { servers.shutdown() }
            var policy = SecurityPolicy.default
            policy.allowInvalidCertificates = true
            let manager = HTTPSessionManager(configuration: servers.configuration, securityPolicy: policy)
            let url = try #require(servers.servers[.right]).url()
            let empty = HTTPSessionManager(
                configuration: servers.configuration, securityPolicy: SecurityPolicy(pinningMode: .publicKey, withPinnedCertificates: []))
            let unpinned = await empty.session.request(url).serializingData().response
            #expect(unpinned.error.map { "\($0)" }?.contains("SecurityPolicy pins, but no certificate is pinned") == true)
            let response = await manager.session.request(url).serializingData().response
            let error = try #require(response.error as? FirewheelError)
            #expect(error.kind == .serverTrustEvaluationFailed(.customEvaluationFailed))
            #expect("\(error)".contains("a SecurityPolicy that allows invalid certificates and validates the domain name has to pin"))
        }

        @Test("A folder's and a bundle's .cer files are read, in DER and PEM; a broken one is an error that names it")
        func files() throws {
            let folder = FileManager.default.temporaryDirectory.appendingPathComponent("firewheel-policy-\(UUID().uuidString)")
            try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
            defer { try? FileManager.default.removeItem(at: folder) }
            let (one, two) = (try TestIdentity.selfSigned(for: ["a.test"]), try TestIdentity.selfSigned(for: ["b.test"]))
            let third = try TestIdentity.selfSigned(for: ["c.test"])
            func write(_ data: Data, _ name: String) throws { try data.write(to: folder.appendingPathComponent(name)) }
            #expect(try SecurityPolicy.certificates(inFolder: folder) == [])
            try write(one.certificate.der, "one.cer")
            try write(Data(two.chainPEM.utf8), "TWO.CER")
            try write(third.certificate.der, "three.der")
            try write(Data("notes".utf8), "notes.txt")
            #expect(try SecurityPolicy.certificates(inFolder: folder) == [one.certificate, two.certificate])
            let bundle = try #require(Bundle(url: folder))
            #expect(try SecurityPolicy.certificates(in: bundle) == [one.certificate, two.certificate])
            let policies = try ServerTrustPolicy.certificates(in: bundle)
            #expect(Set(policies) == [one.certificate, two.certificate, third.certificate])
            #expect(try Set(ServerTrustPolicy.publicKeys(in: bundle)) == Set(policies.map(\.publicKeyPin)))
            for content in [Data("no certificate".utf8), one.certificate.der.dropLast(5), Data()] {
                try write(content, "zebra.cer")
                let error = #expect(throws: FirewheelError.self) { try SecurityPolicy.certificates(inFolder: folder) }
                #expect("\(error.map { "\($0)" } ?? "")".contains("zebra.cer"))
            }
            let others = [
                folder.appendingPathComponent("none"), folder.appendingPathComponent("one.cer"),
                URL(string: "https://a.test\(folder.path)"),
            ]
            for other in others.compactMap({ $0 }) {
                let error = #expect(throws: FirewheelError.self) { try SecurityPolicy.certificates(inFolder: other) }
                #expect(error?.kind == .certificateInvalid(.fileReadFailed))
                #expect("\(error.map { "\($0)" } ?? "")".contains("it is not the URL of a folder"))
            }
            #expect(try SecurityPolicy(pinningMode: .certificate).pinnedCertificates == [])
        }
    }

    /// Servers with one certificate each, and a configuration that trusts the authority of some of them.
    struct TrustServers {
        enum Kind: CaseIterable, Sendable {
            case right, wrongHost, expired, stranger, selfSigned
            /// No server has it.
            case unused
        }

        static var isAvailable: Bool { (try? TestAuthority()) != nil }

        let configuration: SessionConfiguration
        let identities: [Kind: TestIdentity]
        let servers: [Kind: MockServer]

        init() throws {
            let (authority, stranger) = (try TestAuthority(), try TestAuthority(commonName: "Stranger"))
            identities = [
                .right: try authority.serverIdentity(for: ["localhost"]), .wrongHost: try authority.serverIdentity(for: ["else.test"]),
                .expired: try authority.serverIdentity(for: ["localhost"], validity: .expired),
                .stranger: try stranger.serverIdentity(for: ["localhost"]), .selfSigned: try .selfSigned(for: ["localhost"]),
                .unused: try authority.serverIdentity(for: ["localhost"]),
            ]
            servers = try identities.filter { $0.key != .unused }.mapValues { identity in
                let server = try MockServer(tls: MockTLS(identity))
                server.route("/*") { _ in .json("[]") }
                return server
            }
            var configuration = SessionConfiguration.default
            configuration.timeoutIntervalForRequest = 20
            configuration.tls.authorities = .only([authority.certificate])
            self.configuration = configuration
        }

        func shutdown() {
            for server in servers.values { server.shutdown() }
        }
    }
#endif
