import Foundation

/// A client certificate with its private key, for servers that ask who the client is: `TLSConfiguration.identities`.
///
/// The key is read once, and appears in no description, log or error. Keys, containers and texts of certificates have at most 1 MiB, and
/// decryption that would take a processor longer than some seconds is refused.
public struct ClientIdentity: Sendable, Hashable, CustomStringConvertible, CustomReflectable {
    let key: ClientKey

    /// Reads a chain and a key from one text in PEM, in any order.
    ///
    /// - Parameters:
    ///   - pem: The client's certificate, those of the authorities above it that servers need, and the key: `PRIVATE KEY`,
    ///     `RSA PRIVATE KEY`, `EC PRIVATE KEY` or `ENCRYPTED PRIVATE KEY`.
    ///   - passphrase: That of an encrypted key. Default: nil.
    /// - Throws: ``FirewheelError`` of kind `clientIdentityInvalid` if there is no key or several, if the key belongs to none of the
    ///   certificates, or if the passphrase is missing or wrong; of kind `certificateInvalid` if there is no certificate, or a damaged one.
    public init(pem: Data, passphrase: String? = nil) throws {
        try self.init(certificates: pem, key: pem, passphrase: passphrase)
    }

    /// Reads a chain and a key from two texts.
    ///
    /// - Parameters:
    ///   - certificates: The client's certificate and those of the authorities above it that servers need, in PEM and in any order; or the
    ///     client's certificate alone in DER.
    ///   - key: The key in PEM or DER; an encrypted one in PEM, or in PKCS#8.
    ///   - passphrase: That of an encrypted key. Default: nil.
    /// - Throws: As ``init(pem:passphrase:)``.
    public init(certificates: Data, key: Data, passphrase: String? = nil) throws {
        do throws(ClientKeyProblem) {
            try ClientKeyProblem.check(certificates, name: "the text with the certificates")
            try ClientKeyProblem.check(key, name: "the key")
        } catch {
            throw error.error
        }
        let chain = PEMBlock.isDER(certificates) ? [try Certificate(der: certificates)] : try Certificate.all(inPEM: certificates)
        do throws(ClientKeyProblem) {
            let (key, isDER) = PEMBlock.isDER(key) ? (key, true) : try ClientKeyProblem.key(inPEM: key)
            self.key = try ClientKey(chain, key: key, isDER: isDER, passphrase: passphrase)
        } catch {
            throw error.error
        }
    }

    /// Reads a PKCS#12 container (`.p12`, `.pfx`; RFC 7292).
    ///
    /// - Parameters:
    ///   - pkcs12: The container. It may have further certificates of the chain.
    ///   - passphrase: Its passphrase, which may be empty.
    /// - Throws: ``FirewheelError`` of kind `clientIdentityInvalid`: among others if the passphrase is wrong, and if the container is
    ///   encrypted with an old algorithm that the system's OpenSSL does not have; then the text says how to convert it.
    public init(pkcs12: Data, passphrase: String) throws {
        do throws(ClientKeyProblem) {
            try ClientKeyProblem.check(pkcs12, name: "the container")
            key = try ClientKey(pkcs12: pkcs12, passphrase: passphrase)
        } catch {
            throw error.error
        }
    }

    /// The client's certificate.
    public var certificate: Certificate { key.chain[0] }

    /// The subject of the certificate.
    public var description: String { "ClientIdentity(\(certificate.subject.onOneLine))" }

    /// What `dump` and debuggers show: the certificate, without the key.
    public var customMirror: Mirror { Mirror(self, children: ["certificate": certificate], displayStyle: .struct) }

    public static func == (one: ClientIdentity, other: ClientIdentity) -> Bool { one.key.chain == other.key.chain }

    public func hash(into hasher: inout Hasher) { hasher.combine(key.chain) }
}

/// Why a client's certificate and key cannot be read.
struct ClientKeyProblem: Error {
    let reason: FirewheelError.ClientIdentityFailureReason
    var detail: String?
    var underlying: (any Error)?

    var error: FirewheelError { FirewheelError(.clientIdentityInvalid(reason), detail: detail, underlyingError: underlying) }

    /// Real ones have some kilobytes.
    private static let most = 1 << 20

    static func check(_ data: Data, name: String) throws(ClientKeyProblem) {
        if data.count > most { throw ClientKeyProblem(reason: .malformed, detail: "\(name) is larger than 1 MiB") }
    }

    /// The key of a text, in DER; or the text itself, if the key is encrypted in the traditional format.
    static func key(inPEM text: Data) throws(ClientKeyProblem) -> (Data, isDER: Bool) {
        let blocks = PEMBlock.all(in: text)
        let keys = blocks.filter { $0.label.hasSuffix("PRIVATE KEY") }
        if keys.count > 1 {
            throw ClientKeyProblem(
                reason: .malformed, detail: "the text has \(keys.count) private keys (the second begins in line \(keys[1].line))")
        }
        if let key = keys.first {
            if let content = key.content { return (content, true) }
            // That of the traditional format has a header, which is not base64.
            guard key.label != "PRIVATE KEY", key.label != "ENCRYPTED PRIVATE KEY" else {
                throw ClientKeyProblem(reason: .malformed, detail: "the \(key.label) that begins in line \(key.line) is damaged")
            }
            return (text, false)
        }
        let other = blocks.first.map { " (line \($0.line) begins a \($0.label.onOneLine))" } ?? ""
        throw ClientKeyProblem(reason: .keyMissing, detail: "the text has no private key in PEM\(other)")
    }
}
