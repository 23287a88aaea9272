import Foundation

/// An X.509 certificate: of a server, a client or an authority.
///
/// It is compared by its bytes. What it says is for people and for pins; whether it is to be trusted is decided by the verification of a
/// chain.
public struct Certificate: Sendable, Hashable, CustomStringConvertible {
    /// The certificate in DER, as it was given.
    public let der: Data
    private let facts: CertificateFacts

    /// Reads a certificate in DER. For PEM there is ``all(inPEM:)``.
    ///
    /// - Throws: ``FirewheelError`` of kind `certificateInvalid(.malformed)` if the data is not one certificate and nothing else, and
    ///   `certificateInvalid(.libraryMissing)` if the system's OpenSSL cannot be used.
    public init(der: Data) throws {
        // A slice would keep the rest of its buffer, and has other indices.
        let der = Data(der)
        do throws(CertificateProblem) {
            self.init(der: der, facts: try CertificateFacts(der: der))
        } catch {
            if case .malformed = error, der.starts(with: "-----BEGIN ".utf8) {
                throw FirewheelError(
                    .certificateInvalid(.malformed), detail: "the data is text in PEM, for which there is Certificate.all(inPEM:)")
            }
            throw error.error()
        }
    }

    init(der: Data, facts: CertificateFacts) {
        self.der = der
        self.facts = facts
    }

    /// The SHA-256 hash of the public key's SubjectPublicKeyInfo, as `sha256/BASE64` (RFC 7469 section 2.4).
    ///
    /// A renewed certificate with the same key has the same pin.
    public var publicKeyPin: String { facts.publicKeyPin }

    /// Whom it is for, the most specific part first, such as `CN=example.com,O=Example,C=US` (RFC 2253). Empty if it has no subject.
    ///
    /// A server's host is matched with ``names``, never with this.
    public var subject: String { facts.subject }

    /// Who signed it, written like ``subject``.
    public var issuer: String { facts.issuer }

    /// From when until when it is valid. A certificate that ends before it begins is never valid: then both bounds are its end.
    public var validity: ClosedRange<Date> { facts.validity }

    /// The host names and addresses that it is for (subjectAltName, RFC 5280 section 4.2.1.6), in their order. Empty if there are none.
    public var names: [String] { facts.names }

    /// The serial number in upper-case hexadecimal digits, as `openssl x509 -serial` writes it.
    public var serialNumber: String { facts.serialNumber }

    /// The subject, or its names if it has none, and its pin.
    public var description: String {
        let name = subject.isEmpty ? names.prefix(3).joined(separator: ", ") : subject
        return "\(name.onOneLine) (\(publicKeyPin))"
    }

    public static func == (one: Certificate, other: Certificate) -> Bool { one.der == other.der }

    public func hash(into hasher: inout Hasher) { hasher.combine(der) }
}

/// Why a certificate cannot be read.
enum CertificateProblem: Error {
    case malformed
    case library(SystemLibraryError)

    /// - Parameter place: Which one it is; nil if there is only one.
    func error(at place: String? = nil) -> FirewheelError {
        switch self {
        case .malformed:
            FirewheelError(.certificateInvalid(.malformed), detail: "\(place ?? "the data") is not a certificate, or is damaged")
        case .library(let error):
            FirewheelError(.certificateInvalid(.libraryMissing), underlyingError: error)
        }
    }
}

/// What a certificate says. Shared by the copies of a ``Certificate``.
final class CertificateFacts: Sendable {
    let subject: String
    let issuer: String
    let validity: ClosedRange<Date>
    let names: [String]
    let serialNumber: String
    let publicKeyPin: String

    /// - Parameters:
    ///   - serial: The absolute value of the serial number, the highest byte first.
    ///   - publicKey: The SubjectPublicKeyInfo in DER.
    init(
        subject: String, issuer: String, notBefore: Date, notAfter: Date, names: [String], serial: [UInt8], isSerialNegative: Bool,
        publicKey: [UInt8]
    ) throws(CertificateProblem) {
        self.subject = subject
        self.issuer = issuer
        validity = (notAfter < notBefore ? notAfter : notBefore)...notAfter
        self.names = names
        let digits = String(decoding: HashAlgorithm.hexadecimal(serial), as: UTF8.self).uppercased()
        serialNumber = (isSerialNegative ? "-" : "") + (digits.isEmpty ? "00" : digits)
        do {
            publicKeyPin = "sha256/\(Data(try HashAlgorithm.sha256.hash(publicKey)).base64EncodedString())"
        } catch {
            throw .library(error)
        }
    }

    /// The text of a host name or an address in a certificate.
    static func name(_ bytes: [UInt8], isAddress: Bool) -> String {
        guard isAddress else { return String(decoding: bytes, as: UTF8.self) }
        if bytes.count == 4 { return bytes.map { "\($0)" }.joined(separator: ".") }
        let digits = String(decoding: HashAlgorithm.hexadecimal(bytes), as: UTF8.self)
        guard bytes.count == 16 else { return digits }
        let groups = stride(from: 0, to: 32, by: 4).map { digits.dropFirst($0).prefix(4) }.joined(separator: ":")
        return HostAddress.ipv6(groups) ?? digits
    }
}
