#if os(Linux)
    import FirewheelTesting
    import Foundation
    import Testing

    @testable import Firewheel

    /// The private keys of client certificates, and their passphrases, as ``SecretsTests`` has other secrets.
    @Suite("Keys and passphrases are never printed", .needsTLSServer, .timeLimit(.minutes(5)))
    struct CertificateSecretsTests {
        /// The lines of a key in PEM, which a part of a line contains too.
        private func lines(_ pem: String) -> Set<String> {
            Set(pem.split(separator: "\n").filter { !$0.hasPrefix("-----") }.map { String($0.prefix(24)) })
        }

        @Test("No key and no passphrase is printed, whether the handshake succeeds or fails, and whatever else fails")
        func keys() async throws {
            try await SecretsBench.run(sent: []) { bench in
                let (authority, clients) = (try TestAuthority(), try TestAuthority(commonName: "Clients"))
                let server = try MockServer(tls: MockTLS(authority.serverIdentity(for: ["localhost"]), clientAuthority: clients))
                defer { server.shutdown() }
                server.route("/*") { .text($0.path) }
                let alice = try clients.clientIdentity(commonName: "alice")
                let stranger = try authority.clientIdentity(commonName: "mallory")
                let encrypted = Data(ClientFixtures.encryptedKey.utf8)
                let certificate = Data(ClientFixtures.certificate.utf8)
                let sealed = try ClientIdentity(certificates: certificate, key: encrypted, passphrase: "sesame")
                var secrets = lines(alice.keyPEM).union(lines(stranger.keyPEM)).union(lines(ClientFixtures.key))
                secrets.formUnion(lines(ClientFixtures.encryptedKey))
                secrets.insert("sesame")
                #expect(secrets.count > 8)
                var answers = 0
                for identity in [try alice.clientIdentity(), try stranger.clientIdentity(), sealed] {
                    for trusts in [true, false] {
                        var configuration = SessionConfiguration()
                        configuration.tls.identities = ["localhost": identity]
                        configuration.tls.authorities = .only([trusts ? authority.certificate : clients.certificate])
                        let session = bench.session(configuration)
                        if await bench.end(session.request(server.url("/x"))).error == nil { answers += 1 }
                        await bench.end(session.download(server.url("/x")))
                        bench.add(session)
                        bench.printed.add("an identity", identity)
                    }
                }
                #expect(answers == 1)
                let failures: [() throws -> ClientIdentity] = [
                    { try ClientIdentity(certificates: certificate, key: encrypted, passphrase: Secret.password) },
                    { try ClientIdentity(certificates: certificate, key: encrypted) },
                    { try ClientIdentity(certificates: certificate, key: Data(alice.keyPEM.utf8), passphrase: Secret.password) },
                    { try ClientIdentity(pem: Data(alice.keyPEM.utf8)) },
                    { try ClientIdentity(pem: Data((alice.keyPEM + alice.keyPEM + alice.chainPEM).utf8)) },
                    { try ClientIdentity(pkcs12: ClientFixtures.container, passphrase: Secret.password) },
                    { try ClientIdentity(pkcs12: Data(alice.keyPEM.utf8), passphrase: "sesame") },
                ]
                for failure in failures {
                    bench.printed.add(
                        "an identity", error: #expect(throws: FirewheelError.self) { try failure() } ?? FirewheelError(.explicitlyCancelled)
                    )
                }
                for (text, name) in bench.printed.all {
                    let found = secrets.filter { text.contains($0) }
                    #expect(found.isEmpty, "\(name) says \(found)")
                }
            }
        }
    }
#endif
