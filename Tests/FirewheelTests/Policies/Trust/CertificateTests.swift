#if os(Linux)
    import Foundation
    import Testing

    @testable import Firewheel
    @testable import FirewheelTesting

    /// What certificates say, read by OpenSSL.
    @Suite("Certificates", .needsTLSServer, .timeLimit(.minutes(5)))
    struct CertificateTests {
        private func certificate(_ pem: String) throws -> Certificate {
            let all = try Certificate.all(inPEM: Data(pem.utf8))
            try #require(all.count == 1)
            return all[0]
        }

        private func date(_ text: String) throws -> Date { try Date.ISO8601FormatStyle().parse(text) }

        @Test("A root says of itself what openssl x509 prints")
        func root() throws {
            let root = try certificate(CertificateFixtures.root)
            #expect(root.subject == "CN=ISRG Root X2,O=Internet Security Research Group,C=US" && root.issuer == root.subject)
            #expect(root.publicKeyPin == "sha256/diGVwiVYbubAI3RW4hB9xU8e/CH2GnkuvVFZE8zmgzI=")
            #expect(root.serialNumber == "41D29DD172EAEEA780C12C6CE92F8752")
            let (begin, end) = (try date("2020-09-04T00:00:00Z"), try date("2040-09-17T16:00:00Z"))
            #expect(root.validity == begin...end)
            #expect(root.names == [])
            #expect("\(root)" == "\(root.subject) (\(root.publicKeyPin))")
        }

        @Test("Names with escaped characters, addresses, a negative serial number and an end after 2049 are read")
        func odd() throws {
            let odd = try certificate(CertificateFixtures.odd)
            #expect(
                odd.subject == #"CN=Jörg\\\, 字,emailAddress=a@example.com,DC=example,1.3.6.1.4.1.99999.1.2=#0C0C68696464656E2076616C7565,"#
                    + ##"OU=\#first\ ,O=Größe\, \"Töchter\" \+ Söhne\; \<x\>,C=DE"##)
            #expect(odd.serialNumber == "-80FF")
            #expect(try odd.validity.upperBound == date("2081-08-31T11:40:23Z"))
            #expect(odd.names == ["example.com", "*.example.com", "192.0.2.1", "2001:db8::1"])
            #expect(odd.publicKeyPin == "sha256/B9yz8GoV7Z2eFRfQBF6SwDLcC45lCfgLTsUqeFHyQgw=")
        }

        @Test("The same key has the same pin in another certificate, and another key another one; only equal bytes are equal")
        func pins() throws {
            let authority = try TestAuthority()
            let first = try authority.root.issue(.init(commonName: "a", names: ["a.test"], addresses: ["127.0.0.1", "::1"]))
            let renewed = try TestCertificate(.init(commonName: "b", names: ["b.test"]), key: first.key, issuer: authority.root)
            let (one, two) = (try Certificate(der: first.der), try Certificate(der: renewed.der))
            #expect(one.publicKeyPin == two.publicKeyPin && one != two)
            #expect(try one.publicKeyPin != Certificate(der: authority.root.der).publicKeyPin)
            #expect(one.subject == "CN=a" && one.issuer == "CN=Firewheel Test Root" && one.names == ["a.test", "127.0.0.1", "::1"])
            let again = try Certificate(der: first.der)
            #expect(again == one && Set([one, two, again]).count == 2 && one.der == first.der)
            // A slice is read from its own start.
            #expect(try Certificate(der: (Data([0, 1]) + first.der).dropFirst(2)) == one)
        }

        @Test("A certificate whose end is before its beginning has its end as both, and one without a subject shows its names")
        func extremes() throws {
            let key = try TestKey.make(.p256)
            let never = try Certificate(der: TestCertificate(.init(commonName: "n", begins: 1000, ends: -1000), key: key, issuer: nil).der)
            #expect(never.validity.lowerBound == never.validity.upperBound && never.validity.upperBound < Date())
            let nameless = try Certificate(der: TestCertificate(.init(names: ["x.test"]), key: key, issuer: nil).der)
            #expect(nameless.subject.isEmpty && "\(nameless)" == "x.test (\(nameless.publicKeyPin))")
            let large = try Certificate(der: TestCertificate(.init(commonName: "l", padding: 1_000_000), key: key, issuer: nil).der)
            #expect(large.subject == "CN=l" && large.der.count > 1_000_000)
        }

        private func problem(_ body: () throws -> Void) -> FirewheelError? { Result { try body() }.failure as? FirewheelError }

        @Test("What is not one whole certificate is an error: each beginning, bytes behind it, other data, PEM")
        func malformed() throws {
            let der = try certificate(CertificateFixtures.odd).der
            for count in 0..<der.count {
                #expect(throws: FirewheelError.self, "\(count)") { try Certificate(der: der.prefix(count)) }
            }
            for data in [der + [0], der + der, Data(repeating: 0xFF, count: 1_000_000), Data([0x30, 0x84, 0x7F, 0xFF, 0xFF, 0xFF])] {
                let error = problem { _ = try Certificate(der: data) }
                #expect(error?.kind == .certificateInvalid(.malformed))
                #expect("\(try #require(error))" == "the data is not a certificate, or is damaged")
            }
            let text = problem { _ = try Certificate(der: Data(CertificateFixtures.odd.utf8)) }
            #expect("\(try #require(text))".contains("the data is text in PEM, for which there is Certificate.all(inPEM:)"))
        }

        @Test("Random changes of a certificate do no harm, and where both readers accept it, they say the same")
        func random() throws {
            var generator = SeededGenerator(state: 7)
            let originals = try [CertificateFixtures.odd, CertificateFixtures.root].map { [UInt8](try certificate($0).der) }
            var (accepted, both) = (0, 0)
            for round in 0..<TestDepth.choose(4_000, deep: 100_000) {
                var bytes = originals[round % originals.count]
                for _ in 0..<Int.random(in: 1...3, using: &generator) {
                    bytes[Int.random(in: 0..<bytes.count, using: &generator)] = .random(in: 0...255, using: &generator)
                }
                let reader = CertificateReader(der: bytes)
                guard let certificate = try? Certificate(der: Data(bytes)) else { continue }
                accepted += 1
                guard let reader else { continue }
                both += 1
                let facts = try CertificateFacts(reader)
                #expect(facts.publicKeyPin == certificate.publicKeyPin && facts.serialNumber == certificate.serialNumber)
                #expect(facts.validity == certificate.validity && facts.names == certificate.names)
            }
            #expect(accepted > 100 && both > 100)
        }

        @Test("The reader for Apple's systems says of every authority of the system what OpenSSL says")
        func system() throws {
            let file = URL(fileURLWithPath: "/etc/ssl/certs/ca-certificates.crt")
            var all = try [CertificateFixtures.odd, CertificateFixtures.root].map(certificate)
            if FileManager.default.fileExists(atPath: file.path) { all += try Certificate.all(inPEMFile: file) }
            for one in all {
                let facts = try CertificateFacts(try #require(CertificateReader(der: Array(one.der)), "\(one)"))
                #expect(facts.subject == one.subject && facts.issuer == one.issuer)
                #expect(facts.validity == one.validity && facts.names == one.names)
                #expect(facts.serialNumber == one.serialNumber && facts.publicKeyPin == one.publicKeyPin)
            }
        }

        @Test("Without OpenSSL the error says what is missing")
        func library() throws {
            let missing = SystemLibraryError(library: "libssl.so.3", package: "libssl3", reason: .notLoaded("no such file"))
            do throws(CertificateProblem) {
                _ = try CertificateFacts(der: Data(), library: .failure(missing))
                Issue.record("no error")
            } catch {
                #expect(error.error().kind == .certificateInvalid(.libraryMissing))
                let words = "certificates need OpenSSL 3: libssl.so.3 (package libssl3) could not be loaded: no such file"
                #expect("\(error.error())" == words)
            }
        }
    }
#endif
