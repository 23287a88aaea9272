#if os(Linux)
    import Foundation

    /// An authority with a root certificate of its own, and the certificates that it signs.
    final class TestAuthority: Sendable {
        let root: TestCertificate
        private let file: PEMFile

        init(
            commonName: String = "Firewheel Test Root", key: TestKey.Kind = .p256, digest: TestCertificate.Digest = .sha256,
            begins: TimeInterval = -86_400 * 365, ends: TimeInterval = 86_400 * 3650
        ) throws {
            let contents = TestCertificate.Contents(commonName: commonName, begins: begins, ends: ends, isAuthority: true, digest: digest)
            root = try TestCertificate(contents, key: TestKey.make(key), issuer: nil)
            file = try PEMFile([root])
        }

        /// The root's PEM, for `SSL_CERT_FILE` and its like. Removed with the authority.
        var pemFile: URL { file.url }

        /// A server's certificate with its chain. Without a common name the first name is it.
        ///
        /// - Parameters:
        ///   - intermediates: How many authorities stand between the root and it. All of them are sent.
        ///   - digest: What the last authority signs with. MD5 needs an issuer with an RSA key.
        ///   - padding: The size of a comment in the server's certificate.
        func identity(
            names: [String] = [], addresses: [String] = [], commonName: String? = nil, begins: TimeInterval = -86_400,
            ends: TimeInterval = 86_400 * 90, key: TestKey.Kind = .p256, digest: TestCertificate.Digest = .sha256,
            intermediates: Int = 0, intermediateKey: TestKey.Kind = .p256, usage: String? = "serverAuth", padding: Int = 0
        ) throws -> TestIdentity {
            var issuer = root
            var authorities: [TestCertificate] = []
            for number in 0..<intermediates {
                issuer = try issuer.issueAuthority("Firewheel Test Intermediate \(number + 1)", key: intermediateKey)
                authorities.insert(issuer, at: 0)
            }
            let contents = TestCertificate.Contents(
                commonName: commonName ?? names.first, names: names, addresses: addresses, begins: begins, ends: ends, usage: usage,
                padding: padding, digest: digest)
            return TestIdentity(leaf: try issuer.issue(contents, key: key), behind: authorities)
        }
    }

    /// A server's or client's certificate, its key, and the certificates that are sent behind it.
    struct TestIdentity: Sendable {
        let leaf: TestCertificate
        /// The next issuer comes first.
        var behind: [TestCertificate] = []

        var chain: [TestCertificate] { [leaf] + behind }
        var chainPEM: String { chain.map(\.pem).joined() }
        var keyPEM: String { leaf.key.pem }

        /// The same certificate with others behind it: none for a missing intermediate, many for a large chain.
        func sending(_ certificates: [TestCertificate]) -> TestIdentity { TestIdentity(leaf: leaf, behind: certificates) }

        /// The same certificate with so many bytes behind it, in certificates of 15,000 bytes that have nothing to do with it.
        func sendingFiller(_ size: Int) throws -> TestIdentity {
            let filler = try TestCertificate(.init(commonName: "filler", padding: 15_000), key: leaf.key, issuer: nil)
            return sending(behind + Array(repeating: filler, count: max(1, size / filler.der.count)))
        }

        /// A certificate that is signed with its own key.
        static func selfSigned(names: [String] = [], addresses: [String] = [], isAuthority: Bool = false) throws -> TestIdentity {
            let contents = TestCertificate.Contents(
                commonName: names.first ?? addresses.first, names: names, addresses: addresses, isAuthority: isAuthority)
            return TestIdentity(leaf: try TestCertificate(contents, key: TestKey.make(.p256), issuer: nil))
        }
    }

    /// Certificates in a temporary file, removed with this.
    final class PEMFile: Sendable {
        let url: URL

        convenience init(_ certificates: [TestCertificate]) throws { try self.init(text: certificates.map(\.pem).joined()) }

        init(text: String) throws {
            url = FileManager.default.temporaryDirectory.appendingPathComponent("firewheel-test-\(UUID().uuidString).pem")
            try Data(text.utf8).write(to: url)
        }

        deinit { try? FileManager.default.removeItem(at: url) }
    }
#endif
