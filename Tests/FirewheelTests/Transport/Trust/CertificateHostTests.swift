#if os(Linux)
    import Foundation
    import Testing

    @testable import Firewheel
    @testable import FirewheelTesting

    /// The comparison of hosts with a certificate's names for Apple's systems, against OpenSSL's.
    @Suite("Hosts of certificates", .needsTLSServer, .timeLimit(.minutes(5)))
    struct CertificateHostTests {
        /// - Returns: What both say; nil if they differ.
        private func isFor(_ host: String, _ certificate: Certificate) throws -> Bool? {
            let own = try #require(CertificateReader(der: Array(certificate.der))).isFor(host)
            return own == certificate.isFor(host) ? own : nil
        }

        @Test("subjectAltName alone counts, with a wildcard for one label of at least three")
        func known() throws {
            let authority = try TestAuthority()
            let names = ["api.Example.com", "*.example.org", "*.test", "fo*.example.net", "*.a.*.example.net", "127.0.0.9"]
            let certificate = try authority.identity(
                names: names, addresses: ["127.0.0.1", "2001:db8::1"], commonName: "common.example"
            ).certificate
            let cases: [(String, Bool)] = [
                ("api.example.com", true), ("API.EXAMPLE.COM.", true), ("b.api.example.com", false), ("example.com", false),
                ("a.example.org", true), ("A.EXAMPLE.ORG", true), ("a.b.example.org", false), ("example.org", false),
                (".example.org", false), ("a.test", false), ("test", false), ("foo.example.net", false), ("x.a.y.example.net", false),
                ("127.0.0.1", true), ("127.0.0.9", false), ("127.0.0.2", false), ("2001:db8::1", true),
                ("2001:db8::2", false), ("common.example", false), ("xn--bcher-kva.example.org", true),
                ("", false), ("a b", false),
            ]
            for (host, expected) in cases { #expect(try isFor(host, certificate) == expected, "\(host)") }
            let nobody = try TestCertificate(.init(commonName: "a.example.com"), key: TestKey.make(.p256), issuer: nil).certificate
            #expect(try isFor("a.example.com", nobody) == false)
        }

        @Test("Any names and hosts give OpenSSL's answer")
        func random() throws {
            var random = SeededGenerator(state: 33)
            let key = try TestKey.make(.p256)
            let labels = ["a", "B", "*", "xn--bcher-kva", "a-b", "1", "com", "*a", "a*", "127", "0"]
            func name() -> String {
                (0..<Int.random(in: 1...5, using: &random)).map { _ in labels.randomElement(using: &random) ?? "" }.joined(separator: ".")
            }
            var found = 0
            for _ in 0..<TestDepth.choose(60, deep: 600) {
                let names = (0..<4).map { _ in name() }
                let certificate = try TestCertificate(.init(names: names), key: key, issuer: nil).certificate
                for own in names + (0..<8).map({ _ in name() }) {
                    // What a wildcard may stand for, too.
                    let host = own.replacing("*", with: ["a", "b.c", "-"].randomElement(using: &random) ?? "")
                    let both = try isFor(host, certificate)
                    #expect(both != nil, "\(host) of \(names)")
                    if both == true { found += 1 }
                }
            }
            #expect(found > 50)
        }
    }
#endif
