#if os(Linux)
    import Foundation
    import Testing

    @testable import Firewheel
    @testable import FirewheelTesting

    /// Client certificates and keys, as files have them.
    @Suite("Client identities", .needsTLSServer, .timeLimit(.minutes(5)))
    struct ClientIdentityTests {
        private typealias Reason = FirewheelError.ClientIdentityFailureReason

        /// A form of the key, whether it is encrypted, and what reading it comes to with the right passphrase; nil for success.
        private struct Form: Sendable, CustomTestStringConvertible {
            let testDescription: String
            let key: Data
            var isEncrypted = false
            var outcome: FirewheelError.ClientIdentityFailureReason?

            init(_ name: String, _ key: Data, isEncrypted: Bool = false, _ outcome: FirewheelError.ClientIdentityFailureReason? = nil) {
                (testDescription, self.key, self.isEncrypted, self.outcome) = (name, key, isEncrypted, outcome)
            }
        }

        private static let forms: [Form] = [
            Form("PKCS#8", Data(ClientFixtures.key.utf8)),
            Form("PKCS#8 with Windows line ends", Data(ClientFixtures.key.replacing("\n", with: "\r\n").utf8)),
            Form("Traditional, behind its parameters", Data(ClientFixtures.traditionalKey.utf8)),
            Form("Encrypted PKCS#8", Data(ClientFixtures.encryptedKey.utf8), isEncrypted: true),
            Form("Encrypted traditional", Data(ClientFixtures.encryptedTraditionalKey.utf8), isEncrypted: true),
            Form("PKCS#8 in DER", ClientFixtures.keyInDER), Form("Traditional in DER", ClientFixtures.traditionalKeyInDER),
            Form("Encrypted PKCS#8 in DER", ClientFixtures.encryptedKeyInDER, isEncrypted: true),
            Form("Another's", Data(ClientFixtures.otherKey.utf8), .keyMismatch),
        ]

        private func words(_ body: () throws -> ClientIdentity) -> String { Result(catching: body).failure.map { "\($0)" } ?? "" }

        private func reason(_ body: () throws -> ClientIdentity) -> FirewheelError.ClientIdentityFailureReason? {
            guard let error = Result(catching: body).failure as? FirewheelError, case .clientIdentityInvalid(let reason) = error.kind else {
                return nil
            }
            return reason
        }

        @Test("Each form of a key is read with its passphrase, and without it is an error at once", arguments: forms)
        private func keys(form: Form) throws {
            let chain = Data((ClientFixtures.authority + "\n" + ClientFixtures.certificate).utf8)
            func read(_ passphrase: String?) throws -> ClientIdentity {
                try ClientIdentity(certificates: chain, key: form.key, passphrase: passphrase)
            }
            if let outcome = form.outcome {
                #expect(reason { try read("sesame") } == outcome)
                return
            }
            let identity = try read("sesame")
            // The key's own certificate comes first, whatever the order in the file.
            #expect(
                identity.certificate.subject == "CN=alice" && identity.key.chain.map(\.subject) == ["CN=alice", "CN=Fixture Authority"])
            if form.isEncrypted {
                for wrong in ["", "Sesame", "sesame\0x", String(repeating: "x", count: 1000)] {
                    #expect(reason { try read(wrong) } == .passphraseWrong, "\(wrong.prefix(8))")
                }
                #expect(reason { try read(nil) } == .passphraseMissing)
                let long = String(repeating: "x", count: 1025)
                #expect(reason { try read(long) } == (form.testDescription == "Encrypted traditional" ? .unsupported : .passphraseWrong))
            } else {
                for other in [nil, "", "wrong"] { #expect(try read(other) == identity) }
            }
        }

        @Test("A chain and a key in one text are read in any order")
        func oneText() throws {
            let parts = [ClientFixtures.certificate, ClientFixtures.authority, ClientFixtures.encryptedKey]
            for order in [[0, 1, 2], [2, 1, 0], [1, 2, 0]] {
                let text = "Bag Attributes\n" + order.map { parts[$0] }.joined(separator: "\n") + "\n"
                #expect(try ClientIdentity(pem: Data(text.utf8), passphrase: "sesame").certificate.subject == "CN=alice")
            }
            #expect(
                try ClientIdentity(certificates: Certificate.all(inPEM: Data(parts[0].utf8))[0].der, key: ClientFixtures.keyInDER)
                    .certificate.subject == "CN=alice")
        }

        @Test("A container is read with its passphrase, also an old one if the system can, and is an error otherwise")
        func containers() throws {
            let cases: [(Data, passphrase: String, chain: [String])] = [
                (ClientFixtures.container, "sesame", ["CN=alice", "CN=Fixture Authority"]),
                (ClientFixtures.containerWithEmptyPassphrase, "", ["CN=alice"]),
                (ClientFixtures.containerWithWords, "pässwörd €", ["CN=alice"]),
            ]
            for (container, passphrase, chain) in cases {
                #expect(try ClientIdentity(pkcs12: container, passphrase: passphrase).key.chain.map(\.subject) == chain)
                for wrong in ["", "wrong", "sesame", "sesame\0"] where wrong != passphrase {
                    #expect(reason { try ClientIdentity(pkcs12: container, passphrase: wrong) } == .passphraseWrong)
                }
                for damaged in [container.dropLast(5), container + Data([0]), Data(container.reversed()), Data()] {
                    #expect(reason { try ClientIdentity(pkcs12: damaged, passphrase: passphrase) } == .malformed)
                }
            }
            #expect(reason { try ClientIdentity(pkcs12: ClientFixtures.containerWithoutKey, passphrase: "sesame") } == .keyMissing)
            let alone = ClientFixtures.containerWithoutCertificate
            #expect(reason { try ClientIdentity(pkcs12: alone, passphrase: "sesame") } == .certificateMissing)
            // Not every system has OpenSSL's legacy provider.
            let old = Result { try ClientIdentity(pkcs12: ClientFixtures.oldContainer, passphrase: "sesame") }
            if case .success(let identity) = old { #expect(identity.key.chain.count == 2) } else { #expect("\(old)".contains("RC2")) }
            #expect(reason { try ClientIdentity(pkcs12: ClientFixtures.oldContainer, passphrase: "wrong") } == .passphraseWrong)
        }

        @Test("What is no key is an error that says what is there")
        func malformed() throws {
            func problem(_ pem: String) throws -> String {
                "\(try #require(Result { try ClientIdentity(pem: Data(pem.utf8), passphrase: "sesame") }.failure))"
            }
            let (certificate, key) = (ClientFixtures.certificate, ClientFixtures.key)
            #expect(try problem(key) == "the text has no certificate in PEM (line 1 begins a PRIVATE KEY)")
            #expect(try problem(certificate) == "the text has no private key in PEM (line 1 begins a CERTIFICATE)")
            #expect(try problem("\(certificate)\n\(key)\n\(key)").hasPrefix("the text has 2 private keys (the second begins in line "))
            let damaged = key.replacing("MIG", with: "MIH")
            #expect(try problem("\(certificate)\n\(damaged)") == "the key is damaged, or has another format")
            #expect(try problem("\(certificate)\n\(ClientFixtures.otherKey)") == "the private key belongs to none of the certificates")
            #expect(
                try problem("\(certificate)\n\(ClientFixtures.keyWithRC2)").contains(
                    "an algorithm for which OpenSSL needs its legacy provider")
            )
            let large = Data(count: (1 << 20) + 1)
            #expect(reason { try ClientIdentity(pkcs12: large, passphrase: "") } == .malformed)
            #expect(reason { try ClientIdentity(certificates: Data(certificate.utf8), key: large) } == .malformed)
            #expect(words { try ClientIdentity(pkcs12: large, passphrase: "") } == "the container is larger than 1 MiB")
            // A megabyte of elements inside one another.
            let nested = Data((0..<1 << 20).map { $0.isMultiple(of: 2) ? 0x30 : 0x80 })
            #expect(reason { try ClientIdentity(pkcs12: nested, passphrase: "") } == .malformed)
            #expect(reason { try ClientIdentity(certificates: Data(certificate.utf8), key: nested) } == .malformed)
        }

        @Test(
            "Decryption that would take a processor long is refused at once, with the right passphrase and with others",
            arguments: ["sesame", "wrong", ""])
        func costly(passphrase: String) {
            let certificate = Data(ClientFixtures.certificate.utf8)
            let readings: [(String, () throws -> ClientIdentity)] = [
                ("key", { try ClientIdentity(certificates: certificate, key: ClientFixtures.costlyKey, passphrase: passphrase) }),
                (
                    "scrypt",
                    { try ClientIdentity(certificates: certificate, key: ClientFixtures.costlyKeyWithScrypt, passphrase: passphrase) }
                ),
                ("code", { try ClientIdentity(pkcs12: ClientFixtures.containerWithCostlyCode, passphrase: passphrase) }),
            ]
            let inside: [(String, () throws -> ClientIdentity)] = [
                ("key inside", { try ClientIdentity(pkcs12: ClientFixtures.containerWithCostlyKey, passphrase: passphrase) }),
                ("certificate", { try ClientIdentity(pkcs12: ClientFixtures.containerWithCostlyCertificate, passphrase: passphrase) }),
                ("nested", { try ClientIdentity(pkcs12: ClientFixtures.containerWithCostlyKeyInside, passphrase: passphrase) }),
            ]
            for (name, reading) in readings {
                #expect(reason(reading) == .unsupported, "\(name)")
                #expect(words(reading).hasSuffix(" would take too long: it demands more than 5000000 rounds of hashing"), "\(name)")
            }
            // The container's code is cheap, and tells that a passphrase is wrong.
            for (name, reading) in inside {
                #expect(reason(reading) == (passphrase == "sesame" ? .unsupported : .passphraseWrong), "\(name)")
            }
        }

        @Test("A container without an integrity code, and one with two keys, are errors that say so")
        func strangeContainers() {
            #expect(
                words { try ClientIdentity(pkcs12: ClientFixtures.containerWithoutCode, passphrase: "sesame") }
                    == "the PKCS#12 container has no integrity code (MAC), so that its passphrase cannot be checked")
            #expect(
                words { try ClientIdentity(pkcs12: ClientFixtures.containerWithTwoKeys, passphrase: "sesame") }
                    == "the PKCS#12 container has several private keys")
        }

        @Test("Without OpenSSL's legacy provider the error of an old container has the command that converts it")
        func withoutLegacyProvider() async {
            await #expect(processExitsWith: .success) {
                setenv("OPENSSL_MODULES", "/nowhere", 1)
                let error = Result { try ClientIdentity(pkcs12: ClientFixtures.oldContainer, passphrase: "sesame") }.failure
                let kind = (error as? FirewheelError)?.kind
                #expect(kind == .clientIdentityInvalid(.unsupported))
                let words = error.map { "\($0)" } ?? ""
                #expect(words.contains(": openssl pkcs12 -legacy -aes256 -in OLD -out NEW.pem"), "\(words)")
                let wrong = Result { try ClientIdentity(pkcs12: ClientFixtures.oldContainer, passphrase: "wrong") }.failure
                #expect((wrong as? FirewheelError)?.kind == .clientIdentityInvalid(.passphraseWrong))
            }
        }

        @Test("A key with a damaged private part, of an unknown kind, or with bytes behind it is an error")
        func damagedKeys() throws {
            let certificate = Data(ClientFixtures.certificate.utf8)
            func read(_ key: Data) -> String { words { try ClientIdentity(certificates: certificate, key: key) } }
            var damaged = ClientFixtures.keyInDER
            damaged[try #require(damaged.range(of: Data([0x04, 0x20]))).upperBound] ^= 1
            #expect(read(damaged) == "the private key is damaged: it does not sign for its certificate")
            var unknown = ClientFixtures.keyInDER
            // The last byte of id-ecPublicKey.
            unknown[try #require(unknown.range(of: Data([0x2A, 0x86, 0x48, 0xCE, 0x3D, 0x02, 0x01]))).upperBound - 1] = 0x7F
            #expect(read(unknown) == "the system's OpenSSL does not have this kind of private key")
            for key in [ClientFixtures.keyInDER, ClientFixtures.encryptedKeyInDER, ClientFixtures.traditionalKeyInDER] {
                #expect(read(key + Data([0])) == "the key is damaged, or has another format")
            }
        }

        @Test("A chain is sorted, each certificate before its issuer, and what does not belong to it comes last")
        func sorted() throws {
            let authority = try TestAuthority()
            let made = try authority.identity(commonName: "alice", intermediates: 3, usage: "clientAuth")
            let stranger = try TestAuthority(commonName: "Stranger").root
            let right = (made.chain + [authority.root]).map(\.der)
            var random = SeededGenerator(state: 7)
            for _ in 0..<10 {
                let shuffled = (made.chain + [authority.root, stranger]).shuffled(using: &random)
                let text = shuffled.map(\.pem).joined() + made.keyPEM
                #expect(try ClientIdentity(pem: Data(text.utf8)).key.chain.map(\.der) == right + [stranger.der])
            }
        }

        @Test("Random changes of a container and of a key do no harm")
        func random() throws {
            var random = SeededGenerator(state: 33)
            for _ in 0..<TestDepth.choose(100, deep: 3000) {
                for original in [ClientFixtures.container, ClientFixtures.oldContainer, ClientFixtures.encryptedKeyInDER] {
                    var changed = original
                    let place = Int.random(in: 0..<changed.count, using: &random)
                    changed[changed.startIndex + place] = .random(in: 0...255, using: &random)
                    for identity in [
                        try? ClientIdentity(pkcs12: changed, passphrase: "sesame"),
                        try? ClientIdentity(certificates: Data(ClientFixtures.certificate.utf8), key: changed, passphrase: "sesame"),
                    ] {
                        #expect(identity == nil || identity?.certificate.subject == "CN=alice")
                    }
                }
            }
        }

        @Test("The key is in no description, dump or error")
        func secrets() throws {
            let pem = ClientFixtures.certificate + "\n" + ClientFixtures.key
            let identity = try ClientIdentity(pem: Data(pem.utf8))
            var configuration = SessionConfiguration()
            configuration.tls.identities = ["*": identity]
            var texts = ["\(identity)", String(reflecting: identity), "\(configuration)", String(reflecting: configuration.tls)]
            for value in [identity, configuration, configuration.tls] as [Any] {
                var text = ""
                dump(value, to: &text)
                texts.append(text)
            }
            let line = pem.replacing("\n", with: "")
            let certificate = Data(ClientFixtures.certificate.utf8)
            let failures: [() throws -> ClientIdentity] = [
                { try ClientIdentity(pem: Data(line.utf8), passphrase: "open sesame") },
                { try ClientIdentity(certificates: certificate, key: Data(ClientFixtures.encryptedKey.utf8), passphrase: "open sesame") },
                {
                    try ClientIdentity(
                        certificates: certificate, key: Data(ClientFixtures.encryptedTraditionalKey.utf8), passphrase: "open sesame")
                },
                { try ClientIdentity(certificates: certificate, key: Data(ClientFixtures.keyWithRC2.utf8), passphrase: "open sesame") },
                { try ClientIdentity(pkcs12: ClientFixtures.container, passphrase: "open sesame") },
            ]
            for failure in failures {
                let error = try #require(Result(catching: failure).failure)
                var text = ""
                dump(error, to: &text)
                texts += [text, "\(error)", String(reflecting: error)]
            }
            let route = try #require(RouteRules(configuration.tls)).route(to: #require(TargetURI("https://a.test/")).origin)
            texts += ["\(route)", String(reflecting: route)]
            for text in texts {
                #expect(!text.contains("BEGIN"))
                let lines = ClientFixtures.key.split(separator: "\n").dropFirst().dropLast().map { String($0) }
                for secret in ["open sesame"] + lines {
                    #expect(!text.contains(secret), "\(text)")
                }
            }
        }
    }
#endif
