#if os(Linux)
    import Foundation
    import Testing

    @testable import Firewheel
    @testable import FirewheelTesting

    extension ErrorTable {
        /// Failures of TLS on `SocketTransport`, which need a server with a certificate.
        static let encrypted: [Failure] = certificates + managers + configurations + readings + stores + handshakes + records

        private static let certificates: [Failure] = [
            secured("The certificate has expired") { try $0.identity(names: ["localhost"], begins: -200_000, ends: -100_000) },
            secured("The certificate is not valid yet") { try $0.identity(names: ["localhost"], begins: 100_000, ends: 200_000) },
            secured("The certificate is self-signed") { _ in try .selfSigned(names: ["localhost"]) },
            secured("The certificate is from an unknown authority") { _ in
                try TestAuthority(commonName: "Stranger").identity(names: ["localhost"])
            },
            secured("The certificate is for another host") { try $0.identity(names: ["other.test"]) },
            secured("The certificate's key is too weak") { try $0.identity(names: ["localhost"], key: .rsa(1024)) },
            secured("The certificate's signature is too weak") { try $0.identity(names: ["localhost"], digest: .sha1) },
            secured("An authority of the certificate is not known") { _ in
                let stranger = try TestAuthority(commonName: "Stranger")
                return try stranger.identity(names: ["localhost"]).sending([stranger.root])
            },
            secured("The certificates are too large") { try $0.identity(names: ["localhost"]).sendingFiller(1 << 20) },
        ]

        /// What a `ServerTrustManager` decides.
        private static let managers: [Failure] = [
            managed("The host has no evaluator, and needs one") { _ in [:] },
            managed("A key of a ServerTrustManager is not a pattern of hosts") { _ in ["https://localhost": DefaultTrustEvaluator()] },
            managed("The server has an evaluator, and its certificate has expired", begins: -200_000, ends: -100_000) { _ in
                ["localhost": DefaultTrustEvaluator()]
            },
            managed("The server has an evaluator, and its certificate is for another host", name: "other.test") { _ in
                ["localhost": DefaultTrustEvaluator()]
            },
            managed("None of the keys of the chain is pinned") { _ in
                ["localhost": try PublicKeysTrustEvaluator(pins: [TrustMatrix.strangePin])]
            },
            managed("None of the certificates of the chain is pinned") { _ in
                let stranger = try TestAuthority(commonName: "Stranger").root.certificate
                return ["localhost": PinnedCertificatesTrustEvaluator(certificates: [stranger])]
            },
            managed("The server sends no OCSP response, and one is required") { _ in
                ["localhost": RevocationTrustEvaluator(requiresStapledResponse: true)]
            },
            managed("An evaluator of the program's own throws") { _ in ["localhost": OwnEvaluator { _ in throw OwnRefusal() }] },
            managed("An evaluator does not decide in time", connectTimeout: 0.3) { _ in
                ["localhost": OwnEvaluator { _ in try await Task.sleep(for: .seconds(60)) }]
            },
            Failure("A pin is malformed") { Result { try PublicKeysTrustEvaluator(pins: ["sha1/AAAA"]) }.failure },
        ]

        private static func managed(
            _ title: String, name: String = "localhost", begins: TimeInterval = -86_400, ends: TimeInterval = 86_400,
            connectTimeout: TimeInterval? = nil,
            _ evaluators: @escaping @Sendable (TrustBench) throws -> [String: any ServerTrustEvaluating]
        ) -> Failure {
            Failure(title) {
                let bench = try TrustBench { try $0.identity(names: [name], commonName: name, begins: begins, ends: ends) }
                defer { bench.stop() }
                let session = try bench.session(ServerTrustManager(evaluators: evaluators(bench))) { $0.connectTimeout = connectTimeout }
                return await session.request(bench.url()).raw().error
            }
        }

        /// What `SessionConfiguration.tls` demands.
        private static let configurations: [Failure] = [
            configured("The certificate is from an authority that tls.authorities does not have") { tls, _ in
                tls.authorities = .only([try TestAuthority().root.certificate])
            },
            configured("The certificate is revoked") { tls, bench in
                tls.revocationLists = [try bench.authority.root.revocationList([bench.identity.leaf])]
            },
            configured("No revocation list is from the certificate's issuer") { tls, _ in
                tls.revocationLists = [try TestAuthority(commonName: "Stranger").root.revocationList()]
            },
            configured("The revocation list has expired") { tls, bench in
                tls.revocationLists = [try bench.authority.root.revocationList(begins: -200, ends: -100)]
            },
            configured("The revocation list is not valid yet") { tls, bench in
                tls.revocationLists = [try bench.authority.root.revocationList(begins: 100, ends: 200)]
            },
            Failure("The session's tls is not that of its transport") {
                let transport = SocketTransport(configuration: .with { $0.tls.minimumVersion = .v1_3 })
                let session = Session(configuration: .with { $0.tls.maximumVersion = .v1_3 }, transport: transport)
                return await session.request("https://127.0.0.1:1/").raw().error
            },
            configured("The session's tls trusts nobody") { tls, _ in tls.authorities = .only([]) },
            configured("The session's tls allows no version") { tls, _ in (tls.minimumVersion, tls.maximumVersion) = (.v1_3, .v1_2) },
            configured("A pattern of tls.identities is not one") { tls, _ in
                tls.identities = ["https://localhost": try ClientFixtures.identity()]
            },
            configured("The client certificate's key is weak") { tls, bench in
                let weak = try bench.clients.identity(commonName: "weak", key: .rsa(1024), usage: "clientAuth")
                tls.identities = ["*": try ClientIdentity(pem: Data((weak.chainPEM + weak.keyPEM).utf8))]
            },
            configured("A revocation list cannot be read") { tls, _ in tls.revocationLists = [Data("no list".utf8)] },
        ]

        /// A failure with a server whose certificate is good.
        private static func configured(
            _ name: String, _ change: @escaping @Sendable (inout TLSConfiguration, TrustBench) throws -> Void
        ) -> Failure {
            Failure(name) {
                let bench = try TrustBench { try $0.identity(names: ["localhost"]) }
                defer { bench.stop() }
                return try await bench.response { try change(&$0, bench) }.error
            }
        }

        /// Certificates that the caller gives, and that cannot be read.
        private static let readings: [Failure] = [
            Failure("Data in DER is not a certificate") { Result { try Certificate(der: Data("x".utf8)) }.failure },
            Failure("A certificate in PEM is damaged") {
                let text = "\n\n-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n"
                return Result { try Certificate.all(inPEM: Data(text.utf8)) }.failure
            },
            Failure("A text in PEM has no certificate, but a key") {
                Result { try Certificate.all(inPEM: Data("-----BEGIN PRIVATE KEY-----\nAAAA\n-----END PRIVATE KEY-----\n".utf8)) }.failure
            },
            Failure("A file of certificates cannot be read") {
                Result { try Certificate.all(inPEMFile: URL(fileURLWithPath: "/nowhere/chain.pem")) }.failure
            },
            unreadable("The key of a client certificate is missing", key: Data(ClientFixtures.certificate.utf8)),
            unreadable("The key is that of another certificate", key: Data(ClientFixtures.otherKey.utf8)),
            unreadable("The key is damaged", key: Data("-----BEGIN PRIVATE KEY-----\nAAAA\n-----END PRIVATE KEY-----\n".utf8)),
            unreadable("The key is encrypted, without a passphrase", key: Data(ClientFixtures.encryptedKey.utf8), passphrase: nil),
            unreadable("The passphrase is wrong", key: Data(ClientFixtures.encryptedKey.utf8)),
            unreadable("The key is encrypted with an algorithm that the system lacks", key: Data(ClientFixtures.keyWithRC2.utf8)),
            unreadable("Decrypting the key would take long", key: ClientFixtures.costlyKey),
            unreadable("A PKCS#12 container has no certificate", ClientFixtures.containerWithoutCertificate),
            unreadable("A PKCS#12 container has no integrity code", ClientFixtures.containerWithoutCode),
            unreadable("A PKCS#12 container has several keys", ClientFixtures.containerWithTwoKeys),
            Failure("OpenSSL, which reads certificates on Linux, is not installed") {
                let missing = SystemLibraryError(library: "libssl.so.3", package: "libssl3", reason: .notLoaded("no such file"))
                return CertificateProblem.library(missing).error()
            },
        ]

        /// A client certificate whose key cannot be used.
        private static func unreadable(_ name: String, key: Data, passphrase: String? = "wrong") -> Failure {
            Failure(name) {
                Result { try ClientIdentity(certificates: Data(ClientFixtures.certificate.utf8), key: key, passphrase: passphrase) }.failure
            }
        }

        private static func unreadable(_ name: String, _ container: Data) -> Failure {
            Failure(name) { Result { try ClientIdentity(pkcs12: container, passphrase: "sesame") }.failure }
        }

        private static let stores: [Failure] = [
            store("The certificate store cannot be read", TLSStorePlaces(file: "/nowhere/certificates.pem")),
            store("The certificate store is empty", TLSStorePlaces(file: "/dev/null")),
            Failure("The system has no OpenSSL 3") {
                guard case .failure(let error) = TLSLibrary.load(ssl: "libssl-of-nobody.so.3") else { return nil }
                let peer = TLSPeer(host: "stub.test", port: 443, isAddress: false)
                let failure = TLSFailure.library(error).error(for: peer)
                let session = Session(transport: StubTransport { _ in [.fail(failure)] })
                defer { withExtendedLifetime(session) {} }
                return await session.request("https://stub.test/").raw().error
            },
        ]

        private static let handshakes: [Failure] = [
            Failure("The connection, with its TLS handshake, is not made in time") {
                let socket = try BoundSocket(listening: true)
                return await once(.with { $0.connectTimeout = 0.3 }) { $0.request("https://127.0.0.1:\(socket.port)/") }.response.error
            },
            scripted("The server does not speak TLS", [.read, .send(TLSScript.plainAnswer), .end]),
            scripted("The server breaks off the TLS handshake", [.read, .end]),
            scripted("The server sends no certificate", [.read, .send(TLSScript.emptyChain), .end]),
            scripted("The server ends the TLS handshake with an alert", [.read, .send(TLSScript.alert(80)), .end]),
            secured("The server offers TLS 1.0 and 1.1 only") {
                $0.minimumVersion = .tls10
                $0.maximumVersion = .tls11
            },
            secured("The server requires a client certificate") { $0.requiresClient = true },
            Failure("The server does not accept the client certificate") {
                let clients = try TestAuthority(commonName: "Clients")
                let bench = try TrustBench(.with { $0.clientAuthorities = [clients.root] }) {
                    try $0.identity(names: ["localhost"], key: .rsa(2048))
                }
                defer { bench.stop() }
                return try await bench.response { $0.identities = ["*": try ClientFixtures.identity()] }.error
            },
        ]

        private static let records: [Failure] = [
            Failure("A TLS record is damaged") {
                let bench = try SecureBench()
                defer { bench.stop() }
                bench.server.route("*") { _ in .data(pattern(60_000)) }
                let relay = try RecordRelay(to: bench.front.port) { BadConnectionTests.Damage.changedByte.edit($0) }
                defer { relay.stop() }
                return await bench.session.request("https://127.0.0.1:\(relay.port)/").raw().error
            },
            Failure("The connection is cut in a body that goes on to its end") {
                let authority = try TestAuthority()
                let server = try RawServer([["HTTP/1.1 200 OK\r\n\r\nnot to the end"]], ending: .close)
                let front = try TLSFront(
                    to: server.port, identity: authority.identity(addresses: ["127.0.0.1"]), options: .with { $0.ending = .truncated })
                defer { front.stop() }
                return await authority.socketSession().request(front.url()).raw().error
            },
        ]

        private struct Server {
            var minimumVersion = TLSFront.Version.tls12
            var maximumVersion = TLSFront.Version.tls13
            var requiresClient = false
        }

        /// A failure in the handshake with a server that shows this certificate.
        private static func secured(_ name: String, _ identity: @escaping @Sendable (TestAuthority) throws -> TestIdentity) -> Failure {
            Failure(name) { try await error(Server(), identity) }
        }

        /// A failure in the handshake with a server that has a good certificate.
        private static func secured(_ name: String, _ change: @escaping @Sendable (inout Server) -> Void) -> Failure {
            Failure(name) {
                var server = Server()
                change(&server)
                return try await error(server) { try $0.identity(names: ["localhost"], key: .rsa(2048)) }
            }
        }

        private static func error(_ server: Server, _ identity: (TestAuthority) throws -> TestIdentity) async throws -> (any Error)? {
            let authority = try TestAuthority()
            let plain = try MockServer()
            defer { plain.shutdown() }
            let front = try TLSFront(
                to: plain.port, identity: identity(authority),
                options: .with {
                    $0.minimumVersion = server.minimumVersion
                    $0.maximumVersion = server.maximumVersion
                    if server.requiresClient { $0.clientAuthorities = [authority.root] }
                })
            defer { front.stop() }
            let response = await authority.socketSession().request(front.url(host: "localhost")).raw()
            withExtendedLifetime(authority) {}
            return response.error
        }

        private static func store(_ name: String, _ places: TLSStorePlaces) -> Failure {
            Failure(name) {
                let server = try MockServer()
                defer { server.shutdown() }
                let session = Session(transport: SocketTransport(configuration: .default, places: places))
                return await session.request("https://127.0.0.1:\(server.port)/").raw().error
            }
        }

        private static func scripted(_ name: String, _ steps: [TLSScript.Step]) -> Failure {
            Failure(name) {
                let authority = try TestAuthority()
                let script = try TLSScript(steps)
                defer { script.stop() }
                let response = await authority.socketSession().request(script.url).raw()
                withExtendedLifetime(authority) {}
                return response.error
            }
        }
    }
#endif
