import Foundation

/// Trusts a server only if one of the keys of its chain is pinned.
///
/// A pin is the hash of a public key (``Certificate/publicKeyPin``): it stays the same when the certificate is renewed with the same key.
/// Pins of authorities count as well, but only on the chain that was verified: a certificate that the server has merely appended satisfies
/// none. Have a backup pin, of a key that is kept elsewhere: a server whose only pinned key is lost cannot be reached any more.
public struct PublicKeysTrustEvaluator: ServerTrustEvaluating {
    private let pins: Set<String>
    private let performDefaultValidation: Bool
    private let validateHost: Bool

    /// An evaluator for pins.
    ///
    /// - Parameters:
    ///   - pins: `sha256/` and the base64 of 32 bytes, as ``Certificate/publicKeyPin``, `curl --pinnedpubkey` (with `//`) and OkHttp have
    ///     them.
    ///   - performDefaultValidation: Whether the chain has to be trusted without pins, too. If not, the pins are those of the server's own
    ///     certificate alone. Default: true.
    ///   - validateHost: Whether the server's certificate has to be for the host. Default: true.
    /// - Throws: ``FirewheelError`` of kind `serverTrustEvaluationFailed(.publicKeyPinningFailed)` if there is no pin, or one that is not
    ///   valid.
    public init(pins: [String], performDefaultValidation: Bool = true, validateHost: Bool = true) throws {
        guard !pins.isEmpty else { throw Self.invalid("there are no pins, so that no server could be trusted") }
        self.pins = try Set(pins.map(Self.canonical))
        (self.performDefaultValidation, self.validateHost) = (performDefaultValidation, validateHost)
    }

    /// An evaluator for the keys of certificates.
    ///
    /// - Parameters:
    ///   - certificates: Their ``Certificate/publicKeyPin`` is pinned. Without any, no server is trusted.
    ///   - performDefaultValidation: As for ``init(pins:performDefaultValidation:validateHost:)``. Default: true.
    ///   - validateHost: Whether the server's certificate has to be for the host. Default: true.
    public init(certificates: [Certificate], performDefaultValidation: Bool = true, validateHost: Bool = true) {
        pins = Set(certificates.map(\.publicKeyPin))
        (self.performDefaultValidation, self.validateHost) = (performDefaultValidation, validateHost)
    }

    private static let prefix = "sha256/"

    /// The pin in one spelling.
    private static func canonical(_ pin: String) throws -> String {
        var digits = pin.dropFirst(prefix.count)
        // curl writes two slashes; but the hash itself may begin with one.
        if digits.utf8.count == 45, digits.hasPrefix("/") { digits = digits.dropFirst() }
        guard pin.hasPrefix(prefix), let hash = Data(base64Encoded: String(digits)), hash.count == 32 else {
            throw invalid("\(pin.onOneLine.debugDescription) is not a pin: sha256/ and the base64 of 32 bytes")
        }
        return prefix + hash.base64EncodedString()
    }

    private static func invalid(_ words: String) -> FirewheelError {
        FirewheelError(.serverTrustEvaluationFailed(.publicKeyPinningFailed), detail: words)
    }

    public var requiresDefaultValidation: Bool { false }

    public func evaluate(_ trust: ServerTrust, forHost host: String) throws {
        let chain = try trust.pinnedChain(performDefaultValidation, validateHost)
        guard !chain.contains(where: { pins.contains($0.publicKeyPin) }) else { return }
        let expected = pins.isEmpty ? "none" : pins.sorted().joined(separator: ", ")
        throw FirewheelError(
            .serverTrustEvaluationFailed(.publicKeyPinningFailed),
            detail: "none of the keys of \(host) is pinned (expected \(expected); the server has \(chain.words))"
        ).with(subject: .keys(host: host, pinned: pins.sorted(), received: chain.map(\.publicKeyPin)))
    }
}

/// Trusts a server only if one of the certificates of its chain is pinned, byte by byte.
///
/// A renewed certificate is another one. Pins of keys (``PublicKeysTrustEvaluator``) outlive a renewal with the same key.
public struct PinnedCertificatesTrustEvaluator: ServerTrustEvaluating {
    private let certificates: [Certificate]
    private let acceptSelfSignedCertificates: Bool
    private let performDefaultValidation: Bool
    private let validateHost: Bool

    /// An evaluator for certificates.
    ///
    /// - Parameters:
    ///   - certificates: One of them has to be in the chain. Without any, no server is trusted.
    ///   - acceptSelfSignedCertificates: Whether these certificates are the authorities that the chain has to lead to, in place of those of
    ///     the session: for servers with a certificate that no authority has signed. The session's revocation lists count. Default: false.
    ///   - performDefaultValidation: Whether the chain has to be trusted without pins, too. If not, the server's own certificate has to be
    ///     among the pinned ones. Default: true.
    ///   - validateHost: Whether the server's certificate has to be for the host. Default: true.
    public init(
        certificates: [Certificate], acceptSelfSignedCertificates: Bool = false, performDefaultValidation: Bool = true,
        validateHost: Bool = true
    ) {
        self.certificates = certificates
        self.acceptSelfSignedCertificates = acceptSelfSignedCertificates
        (self.performDefaultValidation, self.validateHost) = (performDefaultValidation, validateHost)
    }

    public var requiresDefaultValidation: Bool { false }

    public func evaluate(_ trust: ServerTrust, forHost host: String) throws {
        if acceptSelfSignedCertificates, performDefaultValidation, !certificates.isEmpty {
            // A chain that leads to one of them has it.
            if let (reason, error) = trust.failure(with: certificates) {
                let error = FirewheelError.untrusted(reason, error)
                throw reason == .certificatePinningFailed ? refused(host, error.detail ?? "", trust.certificates) : error
            }
            return validateHost ? try trust.verifyHost() : ()
        }
        let chain = try trust.pinnedChain(performDefaultValidation, validateHost)
        guard chain.contains(where: certificates.contains) else {
            throw refused(host, "none of the certificates of \(host) is pinned", chain)
        }
    }

    private func refused(_ host: String, _ words: String, _ chain: [Certificate]) -> FirewheelError {
        let expected = certificates.isEmpty ? "none" : certificates.words
        return FirewheelError(
            .serverTrustEvaluationFailed(.certificatePinningFailed),
            detail: "\(words) (expected \(expected); the server has \(chain.words))"
        ).with(subject: .certificates(host: host, pinned: certificates, received: chain))
    }
}

extension ServerTrust {
    /// The certificates that pins count on.
    fileprivate func pinnedChain(_ performDefaultValidation: Bool, _ validateHost: Bool) throws -> [Certificate] {
        if performDefaultValidation {
            try verify(validatingHost: validateHost)
            return verifiedCertificates
        }
        if validateHost { try verifyHost() }
        return Array(certificates.prefix(1))
    }
}

extension [Certificate] {
    /// Subject, pin and issuer of each.
    fileprivate var words: String {
        map { certificate in
            let issuer = certificate.issuer == certificate.subject ? "" : ", issuer \(certificate.issuer.onOneLine)"
            return "\(certificate)\(issuer)"
        }.joined(separator: "; ")
    }
}
