#if os(Linux)
    import Firewheel
    import Foundation
    import Glibc

    /// An authority for tests, with a root certificate of its own, which issues certificates to servers and clients. Linux only: it uses
    /// the system's OpenSSL.
    ///
    /// ```swift
    /// let authority = try TestAuthority()
    /// let server = try MockServer(tls: MockTLS(authority.serverIdentity(for: ["localhost"])))
    /// var configuration = SessionConfiguration.default
    /// configuration.tls.authorities = .only([authority.certificate])
    /// let response = await Session(configuration: configuration).get(server.url()).serializingString().response
    /// ```
    /// Keys are made in memory, new ones for each certificate.
    public final class TestAuthority: Sendable {
        let root: TestCertificate
        /// Those between the root and other certificates, which need a revocation list each.
        private let intermediates = Locked<[TestCertificate]>([])
        private let file = Locked<PEMFile?>(nil)

        /// An authority whose root is valid for ten years.
        ///
        /// - Parameter commonName: The common name of the root certificate, of at most 64 characters. Default: `Firewheel Test Root`.
        /// - Throws: ``MockServerError/tls(reason:)`` if the system has no OpenSSL 3, or if the name is empty, too long or has control
        ///   characters.
        public convenience init(commonName: String = "Firewheel Test Root") throws {
            try TestIdentity.checkCommonName(commonName)
            try self.init(commonName: commonName, key: .p256)
        }

        init(
            commonName: String = "Firewheel Test Root", key: TestKey.Kind, digest: TestCertificate.Digest = .sha256,
            begins: TimeInterval = -86_400 * 365, ends: TimeInterval = 86_400 * 3650
        ) throws {
            let contents = TestCertificate.Contents(commonName: commonName, begins: begins, ends: ends, isAuthority: true, digest: digest)
            root = try TestCertificate(contents, key: TestKey.make(key), issuer: nil)
        }

        /// The root's PEM, for `SSL_CERT_FILE` and its like. Written when it is first needed, and removed with the authority.
        var pemFile: URL {
            file.withLock { file in
                let made = file ?? (try? PEMFile([root]))
                file = made
                // Whoever reads a file that does not exist says so.
                return made?.url ?? URL(fileURLWithPath: "/nowhere")
            }
        }

        /// A server's certificate with its chain. The common name is the first name by default.
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
            self.intermediates.withLock { $0 += authorities }
            let contents = TestCertificate.Contents(
                commonName: commonName ?? names.first, names: names, addresses: addresses, begins: begins, ends: ends, usage: usage,
                padding: padding, digest: digest)
            return TestIdentity(leaf: try issuer.issue(contents, key: key), behind: authorities)
        }
    }

    extension TestAuthority {
        /// The root certificate: what sessions trust, `tls.authorities = .only([authority.certificate])`.
        public var certificate: Certificate { root.certificate }

        /// A server's certificate that this authority has issued.
        ///
        /// - Parameters:
        ///   - names: The hosts that it is for: names, wildcards such as `*.example.com`, and IP addresses.
        ///   - intermediates: How many authorities stand between the root and it, at most 100. The server sends their certificates.
        ///     Default: none.
        ///   - validity: Whether it is valid today. Default: it is.
        /// - Throws: ``MockServerError/tls(reason:)`` if there is no name, if one is neither a host name nor an address, or if
        ///   `intermediates` is out of range.
        public func serverIdentity(
            for names: [String], intermediates: Int = 0, validity: TestIdentity.Validity = .valid
        ) throws -> TestIdentity {
            let (hosts, addresses) = try TestIdentity.sorted(names)
            guard (0...100).contains(intermediates) else {
                throw MockServerError.tls(reason: "intermediates is \(intermediates), and not 0 to 100")
            }
            return try identity(
                names: hosts, addresses: addresses, commonName: names.first.map(TestIdentity.commonName), begins: validity.begins,
                ends: validity.ends,
                intermediates: intermediates)
        }

        /// A client's certificate that this authority has issued, for `tls.identities`.
        ///
        /// - Parameters:
        ///   - commonName: The common name of its subject, of at most 64 characters.
        ///   - validity: Whether it is valid today. Default: it is.
        /// - Throws: ``MockServerError/tls(reason:)`` if the name is empty, too long or has control characters.
        public func clientIdentity(commonName: String, validity: TestIdentity.Validity = .valid) throws -> TestIdentity {
            try TestIdentity.checkCommonName(commonName)
            return try identity(commonName: commonName, begins: validity.begins, ends: validity.ends, usage: "clientAuth")
        }

        /// The revocation lists of this authority and of those that stand between it and its certificates, for `tls.revocationLists`: a
        /// text in PEM. They are valid for a day.
        ///
        /// - Parameter identities: Those whose certificates are revoked. Default: none.
        /// - Throws: ``MockServerError/tls(reason:)`` if one of them is from another authority.
        public func revocationList(revoking identities: [TestIdentity] = []) throws -> Data {
            let issuers = [root] + intermediates.withLock { $0 }
            guard identities.allSatisfy({ identity in issuers.contains { $0 === identity.leaf.issuer } }) else {
                throw MockServerError.tls(reason: "a certificate of another authority cannot be revoked by this one")
            }
            let texts = try issuers.map { issuer in
                let revoked = identities.map(\.leaf).filter { $0.issuer === issuer }
                let list = try issuer.revocationList(revoked).base64EncodedString(options: .lineLength64Characters)
                return "-----BEGIN X509 CRL-----\n\(list)\n-----END X509 CRL-----\n"
            }
            return Data(texts.joined().utf8)
        }
    }

    /// A certificate of a server or a client for tests, with its key and the certificates of the authorities between it and the root.
    public struct TestIdentity: Sendable {
        /// Whether a certificate is valid today.
        public enum Validity: Sendable {
            /// From yesterday on, for 90 days.
            case valid
            /// Until an hour ago.
            case expired
            /// From tomorrow on.
            case notYetValid

            var begins: TimeInterval {
                switch self {
                case .valid: -86_400
                case .expired: -86_400 * 30
                case .notYetValid: 86_400
                }
            }

            var ends: TimeInterval { self == .expired ? -3_600 : 86_400 * 90 }
        }

        let leaf: TestCertificate
        /// The next issuer comes first.
        var behind: [TestCertificate] = []

        var chain: [TestCertificate] { [leaf] + behind }

        /// The certificate itself, for pins.
        public var certificate: Certificate { leaf.certificate }
        /// The certificate and those of the authorities behind it, without the root.
        public var certificates: [Certificate] { chain.map(\.certificate) }
        /// ``certificates`` in PEM.
        public var chainPEM: String { chain.map(\.pem).joined() }
        /// The key in PEM (PKCS#8), without a passphrase.
        public var keyPEM: String { leaf.key.pem }

        /// The certificate and its key for a session's `tls.identities`.
        ///
        /// - Throws: `FirewheelError` of kind `clientIdentityInvalid` if the system's OpenSSL does not take it.
        public func clientIdentity() throws -> ClientIdentity { try ClientIdentity(pem: Data((chainPEM + keyPEM).utf8)) }

        /// A server's certificate that is signed with its own key: no authority has issued it. A session trusts it if it is among its
        /// `tls.authorities`.
        ///
        /// - Parameters:
        ///   - names: The hosts that it is for: names, wildcards such as `*.example.com`, and IP addresses.
        ///   - validity: Whether it is valid today. Default: it is.
        /// - Throws: ``MockServerError/tls(reason:)`` if the system has no OpenSSL 3, or if it does not take a name.
        public static func selfSigned(for names: [String], validity: Validity = .valid) throws -> TestIdentity {
            let (hosts, addresses) = try sorted(names)
            let contents = TestCertificate.Contents(
                commonName: names.first.map(TestIdentity.commonName), names: hosts, addresses: addresses, begins: validity.begins,
                ends: validity.ends)
            return TestIdentity(leaf: try TestCertificate(contents, key: TestKey.make(.p256), issuer: nil))
        }

        /// A common name has at most 64 characters (RFC 5280 appendix A.1). No client reads that of a server.
        fileprivate static func commonName(_ host: String) -> String { String(host.prefix(64)) }

        fileprivate static func checkCommonName(_ name: String) throws {
            let isGood =
                (1...64).contains(name.unicodeScalars.count) && !name.unicodeScalars.contains { $0.properties.generalCategory == .control }
            guard !isGood else { return }
            throw MockServerError.tls(reason: "a common name has 1 to 64 characters, and no control characters: \(name.debugDescription)")
        }

        /// Tells host names and addresses apart.
        fileprivate static func sorted(_ names: [String]) throws -> (hosts: [String], addresses: [String]) {
            guard !names.isEmpty else { throw MockServerError.tls(reason: "a server's certificate needs the name of a host") }
            if let wrong = names.first(where: { !isAddress($0) && !isHost($0) }) {
                throw MockServerError.tls(
                    reason: "\(wrong.debugDescription) is neither a host name nor an IP address (an international name begins with xn--)")
            }
            return (names.filter { !isAddress($0) }, names.filter(isAddress))
        }

        private static func isAddress(_ name: String) -> Bool {
            var bytes = in6_addr()
            return !name.utf8.contains(0) && (inet_pton(AF_INET, name, &bytes) == 1 || inet_pton(AF_INET6, name, &bytes) == 1)
        }

        /// Whether it is a host name in ASCII, perhaps with wildcards (RFC 1123 section 2.1). One that ends with a number is an address.
        private static func isHost(_ name: String) -> Bool {
            let labels = name.utf8.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
            let hasGoodLabels = labels.allSatisfy { label in
                (1...63).contains(label.count)
                    && label.allSatisfy { byte in
                        let character = Character(Unicode.Scalar(byte))
                        return byte < 0x80 && (character.isLetter || character.isNumber || "-_*".contains(character))
                    }
            }
            return hasGoodLabels && name.utf8.count <= 253 && labels.last?.allSatisfy { (48...57).contains($0) } == false
        }

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
