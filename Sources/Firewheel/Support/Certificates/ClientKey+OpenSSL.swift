#if os(Linux)
    import CFirewheelSystem
    import Foundation
    import Glibc

    /// A private key and its certificates, in OpenSSL's memory.
    final class ClientKey: @unchecked Sendable {
        // Sound because the identity is never changed after its creation: contexts only read it, and take references of their own.
        let identity: OpaquePointer
        /// The client's own certificate comes first.
        let chain: [Certificate]

        private init(_ identity: OpaquePointer) throws(ClientKeyProblem) {
            self.identity = identity
            do {
                chain = try (0..<fwtls_identity_count(identity)).map { try Certificate(der: Self.certificate(identity, $0)) }
            } catch {
                fwtls_identity_free(identity)
                throw ClientKeyProblem(reason: .malformed, detail: "one of the certificates is damaged", underlying: error)
            }
        }

        /// - Parameters:
        ///   - key: In DER, or in the PEM of the traditional format.
        ///   - isDER: Which of them.
        convenience init(_ certificates: [Certificate], key: Data, isDER: Bool, passphrase: String?) throws(ClientKeyProblem) {
            let tls = try Self.library()
            var secret = passphrase.map { Array($0.utf8CString) }
            if !isDER, let secret, secret.count > Self.mostInHeader {
                throw ClientKeyProblem(reason: .unsupported, detail: "the passphrase of such a key has at most 1024 bytes")
            }
            var identity: OpaquePointer?
            let result = BorrowedPieces.with(certificates.map(\.der) + [key]) { pieces in
                let (count, key) = (pieces.count - 1, pieces[pieces.count - 1])
                guard secret != nil else { return fwtls_identity_read(tls, pieces.baseAddress, count, key, isDER, nil, 0, &identity) }
                return secret?.withUnsafeMutableBytes { bytes in
                    defer { if let start = bytes.baseAddress { explicit_bzero(start, bytes.count) } }
                    // Without the zero at the end, which makes sure that an empty passphrase is not none.
                    let start = bytes.baseAddress?.assumingMemoryBound(to: CChar.self)
                    return fwtls_identity_read(tls, pieces.baseAddress, count, key, isDER, start, bytes.count - 1, &identity)
                } ?? CInt(FWTLS_IDENTITY_NO_MEMORY)
            }
            guard let identity else {
                throw Self.problem(result, with: "the key", convert: "pkey -provider legacy -provider default -aes256")
            }
            try self.init(identity)
        }

        /// How much OpenSSL asks for, with the zero at the end.
        private static let mostInHeader = 1025

        convenience init(pkcs12: Data, passphrase: String) throws(ClientKeyProblem) {
            let tls = try Self.library()
            // OpenSSL takes it as a C string.
            guard !passphrase.utf8.contains(0) else { throw ClientKeyProblem(reason: .passphraseWrong, detail: Self.container) }
            var identity: OpaquePointer?
            let result = BorrowedPieces.with([pkcs12]) { fwtls_identity_read_pkcs12(tls, $0[0], passphrase, &identity) }
            guard let identity else { throw Self.problem(result, with: Self.container, convert: "pkcs12 -legacy -aes256") }
            try self.init(identity)
        }

        private static let container = "the PKCS#12 container"

        deinit { fwtls_identity_free(identity) }

        private static func library() throws(ClientKeyProblem) -> OpaquePointer {
            switch TLSLibrary.system {
            case .success(let table): return table.functions
            case .failure(let error): throw ClientKeyProblem(reason: .libraryMissing, underlying: error)
            }
        }

        private static func certificate(_ identity: OpaquePointer, _ index: Int) -> Data {
            var der = Data(count: fwtls_identity_certificate(identity, index, nil, 0))
            der.withUnsafeMutableBytes { buffer in
                _ = fwtls_identity_certificate(identity, index, buffer.bindMemory(to: UInt8.self).baseAddress, buffer.count)
            }
            return der
        }

        /// - Parameter convert: The command of `openssl` that encrypts it with a newer algorithm.
        private static func problem(_ result: CInt, with what: String, convert: String) -> ClientKeyProblem {
            switch Int(result) {
            case FWTLS_IDENTITY_NO_MEMORY:
                ClientKeyProblem(reason: .libraryMissing, detail: "OpenSSL has no memory, or the process is exiting")
            case FWTLS_IDENTITY_NO_KEY: ClientKeyProblem(reason: .keyMissing, detail: "\(what) has no private key")
            case FWTLS_IDENTITY_NO_CERTIFICATE: ClientKeyProblem(reason: .certificateMissing, detail: "\(what) has no certificate")
            case FWTLS_IDENTITY_NO_PASSPHRASE: ClientKeyProblem(reason: .passphraseMissing)
            case FWTLS_IDENTITY_WRONG_PASSPHRASE: ClientKeyProblem(reason: .passphraseWrong, detail: what)
            case FWTLS_IDENTITY_OTHER_KEY: ClientKeyProblem(reason: .keyMismatch)
            case FWTLS_IDENTITY_DAMAGED_KEY:
                ClientKeyProblem(reason: .malformed, detail: "the private key is damaged: it does not sign for its certificate")
            case FWTLS_IDENTITY_UNSUPPORTED:
                ClientKeyProblem(
                    reason: .unsupported,
                    detail: "\(what) uses an algorithm for which OpenSSL needs its legacy provider, such as RC2; convert it: "
                        + "openssl \(convert) -in OLD -out NEW.pem")
            case FWTLS_IDENTITY_UNKNOWN_KEY:
                ClientKeyProblem(reason: .unsupported, detail: "the system's OpenSSL does not have this kind of private key")
            case FWTLS_IDENTITY_COSTLY:
                ClientKeyProblem(
                    reason: .unsupported,
                    detail: "decrypting \(what) would take too long: it demands more than \(FWTLS_MOST_ROUNDS) rounds of hashing")
            case FWTLS_IDENTITY_NO_CODE:
                ClientKeyProblem(
                    reason: .unsupported, detail: "\(what) has no integrity code (MAC), so that its passphrase cannot be checked")
            case FWTLS_IDENTITY_MANY_KEYS: ClientKeyProblem(reason: .malformed, detail: "\(what) has several private keys")
            case FWTLS_IDENTITY_MANY_CERTIFICATES:
                ClientKeyProblem(reason: .malformed, detail: "\(what) has more than \(FWTLS_MOST_CERTIFICATES) certificates")
            default: ClientKeyProblem(reason: .malformed, detail: "\(what) is damaged, or has another format")
            }
        }
    }
#endif
