#if os(Linux)
    import Firewheel
    import Foundation
    import TLSTestServer

    /// A private key that lives as long as the test.
    final class TestKey: @unchecked Sendable {
        // Sound because OpenSSL's key is immutable once made.
        fileprivate let handle: OpaquePointer

        enum Kind: Sendable, Hashable {
            case p256
            /// OpenSSL's default security level refuses fewer than 2,048 bits.
            case rsa(Int)
        }

        private static let rsaKeys = Locked<[Kind: TestKey]>([:])

        /// Makes a P-256 key; RSA keys take long to make, so that there is one of each size.
        static func make(_ kind: Kind) throws -> TestKey {
            guard case .rsa(let bits) = kind else { return try TestKey(bits: 0) }
            return try rsaKeys.withLock { keys in
                if let key = keys[kind] { return key }
                let key = try TestKey(bits: bits)
                keys[kind] = key
                return key
            }
        }

        private init(bits: Int) throws {
            guard let handle = tlstest_key_make(bits) else {
                throw MockServerError.tls(reason: TLSTesting.reason ?? "OpenSSL cannot make a key")
            }
            self.handle = handle
        }

        deinit { tlstest_key_free(handle) }

        var pem: String { TestCertificate.text(tlstest_key_pem(handle)) }

        /// For C functions that take a key.
        func withHandle<Result>(_ body: (OpaquePointer) throws -> Result) rethrows -> Result {
            try withExtendedLifetime(self) { try body(handle) }
        }
    }

    /// A certificate with its key, so that it can sign others.
    final class TestCertificate: @unchecked Sendable {
        // Sound because OpenSSL's certificate is immutable once made.
        fileprivate let handle: OpaquePointer
        let key: TestKey
        /// Lets ``issuer`` of an authority outlive what it has signed.
        let issuer: TestCertificate?
        let certificate: Certificate

        enum Digest: Int32, Sendable {
            case sha256 = 0
            case sha1
            /// Only RSA keys can sign with it.
            case md5
        }

        /// What a certificate says.
        struct Contents: Sendable {
            /// nil for an empty subject.
            var commonName: String?
            /// DNS names, wildcards included, as they are to be written.
            var names: [String] = []
            var addresses: [String] = []
            /// Seconds from now.
            var begins: TimeInterval = -86_400
            var ends: TimeInterval = 86_400 * 90
            var isAuthority = false
            /// For an authority: how many more authorities may follow.
            var pathLength: Int?
            /// Whether the basic constraints are there at all.
            var hasConstraints = true
            /// As in OpenSSL's configuration; nil leaves the extension out.
            var usage: String? = "serverAuth"
            /// Whether servers have to send an OCSP response with it (RFC 7633).
            var mustStaple = false
            /// Of an authority, as in OpenSSL's configuration.
            var nameConstraints: String?
            /// The size of a comment.
            var padding = 0
            /// What the issuer signs with.
            var digest = Digest.sha256
        }

        /// - Parameter issuer: nil for a certificate that is signed with its own key.
        init(_ contents: Contents, key: TestKey, issuer: TestCertificate?) throws {
            let names = contents.names.map { "DNS:\($0)" } + contents.addresses.map { "IP:\($0)" }
            let length = contents.pathLength.map { ",pathlen:\($0)" } ?? ""
            let constraints = contents.isAuthority ? "critical,CA:TRUE\(length)" : "critical,CA:FALSE"
            let texts: [String?] = [
                contents.commonName, names.isEmpty ? nil : names.joined(separator: ","), contents.hasConstraints ? constraints : nil,
                contents.isAuthority ? "critical,keyCertSign,cRLSign" : "critical,digitalSignature,keyEncipherment",
                contents.isAuthority ? nil : contents.usage, contents.mustStaple ? "status_request" : nil, contents.nameConstraints,
            ]
            let pointers = texts.map { $0.flatMap { strdup($0) } }
            defer { for pointer in pointers { free(pointer) } }
            var values = tlstest_contents()
            values.common_name = UnsafePointer(pointers[0])
            values.alternative_names = UnsafePointer(pointers[1])
            values.basic_constraints = UnsafePointer(pointers[2])
            values.key_usage = UnsafePointer(pointers[3])
            values.extended_key_usage = UnsafePointer(pointers[4])
            values.tls_feature = UnsafePointer(pointers[5])
            values.name_constraints = UnsafePointer(pointers[6])
            values.padding = contents.padding
            let now = Date().timeIntervalSince1970
            values.not_before = Int64(now + contents.begins)
            values.not_after = Int64(now + contents.ends)
            values.digest = contents.digest.rawValue
            var reason = [CChar](repeating: 0, count: Int(TLSTEST_ERROR_SIZE))
            guard let handle = tlstest_certificate_make(&values, key.handle, issuer?.handle, issuer?.key.handle, &reason) else {
                throw MockServerError.tls(reason: "OpenSSL cannot make a certificate: \(reason.text)")
            }
            do {
                certificate = try Certificate(der: Self.der(of: handle))
            } catch {
                tlstest_certificate_free(handle)
                throw error
            }
            self.handle = handle
            self.key = key
            self.issuer = issuer
        }

        deinit { tlstest_certificate_free(handle) }

        /// A certificate that this one signs.
        func issue(_ contents: Contents, key: TestKey.Kind = .p256) throws -> TestCertificate {
            try TestCertificate(contents, key: TestKey.make(key), issuer: self)
        }

        /// An authority that this one signs.
        func issueAuthority(_ commonName: String, key: TestKey.Kind = .p256, digest: Digest = .sha256) throws -> TestCertificate {
            try issue(Contents(commonName: commonName, isAuthority: true, digest: digest), key: key)
        }

        var der: Data { certificate.der }

        private static func der(of handle: OpaquePointer) -> Data {
            var bytes = [UInt8](repeating: 0, count: tlstest_certificate_der(handle, nil, 0))
            _ = tlstest_certificate_der(handle, &bytes, bytes.count)
            return Data(bytes)
        }

        var pem: String { Self.text(tlstest_certificate_pem(handle)) }

        /// What makes a list one of a part of the certificates.
        enum ListExtension: Sendable {
            case delta
            /// The issuing distribution point, in the syntax of OpenSSL's configuration.
            case scope(String)
        }

        /// A revocation list of this authority in DER.
        ///
        /// - Parameters:
        ///   - begins: Seconds from now.
        ///   - ends: Seconds from now; nil for a list without an end.
        ///   - signedBy: nil for the authority's own key.
        func revocationList(
            _ revoked: [TestCertificate] = [], _ kind: ListExtension? = nil, begins: TimeInterval = -3600, ends: TimeInterval? = 86_400,
            signedBy other: TestKey? = nil
        ) throws -> Data {
            let now = Date().timeIntervalSince1970
            var (reason, size) = ([CChar](repeating: 0, count: Int(TLSTEST_ERROR_SIZE)), 0)
            let list = try Self.withHandles(revoked) { entries, count in
                try (other ?? key).withHandle { key in
                    var end = Int64(now + (ends ?? 0))
                    let (isDelta, scope): (Bool, String?) =
                        switch kind {
                        case .delta: (true, nil)
                        case .scope(let text): (false, text)
                        case nil: (false, nil)
                        }
                    let made = withUnsafePointer(to: &end) { end in
                        tlstest_list_make(
                            handle, key, entries, count, Int64(now + begins), ends == nil ? nil : end, isDelta, scope, &size, &reason)
                    }
                    guard let made else { throw MockServerError.tls(reason: "OpenSSL cannot make a list: \(reason.text)") }
                    return made
                }
            }
            defer { free(list) }
            return Data(bytes: list, count: size)
        }

        /// An OCSP response.
        struct Status: Sendable {
            enum Verdict: Int32, Sendable {
                case good = 0
                case revoked
                case unknown
            }

            var verdict = Verdict.good
            /// A responder's error (RFC 6960 section 4.2.1); 0 for none.
            var outcome: Int32 = 0
            var hasSHA256 = false
            /// Seconds from now.
            var begins: TimeInterval = -3600
            /// nil for a response without an end.
            var ends: TimeInterval? = 86_400
            /// nil for the authority itself.
            var signer: TestCertificate?
        }

        /// An OCSP response of this authority about a certificate, in DER.
        func status(of certificate: TestCertificate, _ status: Status = Status()) throws -> Data {
            let (now, signer) = (Date().timeIntervalSince1970, status.signer ?? self)
            var values = tlstest_status()
            values.status = status.verdict.rawValue
            values.outcome = status.outcome
            values.has_sha256 = status.hasSHA256
            values.this_update = Int64(now + status.begins)
            values.next_update = status.ends.map { Int64(now + $0) } ?? 0
            var (reason, size) = ([CChar](repeating: 0, count: Int(TLSTEST_ERROR_SIZE)), 0)
            let made = signer.key.withHandle { key in
                tlstest_status_make(certificate.handle, handle, signer.handle, key, &values, &size, &reason)
            }
            guard let made else { throw MockServerError.tls(reason: "OpenSSL cannot make a status: \(reason.text)") }
            defer { free(made) }
            return Data(bytes: made, count: size)
        }

        /// For C functions that take certificates.
        static func withHandles<Result>(
            _ certificates: [TestCertificate], _ body: (UnsafePointer<OpaquePointer?>?, Int) throws -> Result
        ) rethrows -> Result {
            try withExtendedLifetime(certificates) {
                try certificates.map { Optional($0.handle) }.withUnsafeBufferPointer { try body($0.baseAddress, $0.count) }
            }
        }

        fileprivate static func text(_ allocated: UnsafeMutablePointer<CChar>?) -> String {
            guard let allocated else { return "" }
            defer { free(allocated) }
            return String(cString: allocated)
        }
    }

    extension [CChar] {
        /// The text up to the first NUL.
        var text: String { String(decoding: prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self) }
    }

    /// Whether the system's OpenSSL can make servers for tests.
    enum TLSTesting {
        static let reason: String? = tlstest_unavailable().map { String(cString: $0) }
        static var isAvailable: Bool { reason == nil }
    }
#endif
