import Foundation

/// What a server has shown of itself, and what the session's own verification has found, for a ``ServerTrustEvaluating``.
public struct ServerTrust: Sendable {
    /// The host as the request names it.
    public let host: String
    /// The certificates as the server has presented them, its own first. What the server appends to its chain proves nothing.
    public let certificates: [Certificate]
    /// The chain that was verified, from the server's own certificate up to the authority that is trusted. Empty if none could be
    /// verified.
    public let verifiedCertificates: [Certificate]
    /// Why the chain is not trusted; nil if it is.
    let failure: TransportError?
    /// The OCSP response that the server has sent with its certificate, in DER; nil for none.
    let stapledResponse: Data?
    /// Whether the server was asked for it.
    let hasAskedForStatus: Bool
    /// What the chain was verified against; nil for the system's authorities.
    let rules: VerificationRules?
    /// The object that the system's library has verified, where it has one.
    let platformTrust: (any Sendable)?

    /// Does what a session without a ``ServerTrustManager`` does: the chain has to lead to an authority of ``SessionConfiguration/tls``,
    /// and to be valid today.
    ///
    /// - Parameter validatingHost: Whether the server's certificate has to be for ``host``, too. Default: true.
    /// - Throws: ``FirewheelError`` of kind `serverTrustEvaluationFailed`, with the reason `defaultEvaluationFailed` or
    ///   `hostValidationFailed`.
    public func verify(validatingHost: Bool = true) throws {
        if let failure { throw FirewheelError.untrusted(.defaultEvaluationFailed, failure) }
        guard !verifiedCertificates.isEmpty else {
            let words = "the certificate of \(host) was not verified: the transport has given no verified chain"
            throw FirewheelError.untrusted(.defaultEvaluationFailed, .failed(.serverCertificateUntrusted, words))
        }
        if validatingHost { try verifyHost() }
    }

    /// Makes sure that the server's certificate is for the host, whoever has signed it.
    func verifyHost() throws {
        guard let own = certificates.first, own.isFor(host) else {
            throw FirewheelError.untrusted(
                .hostValidationFailed,
                .failed(.serverCertificateUntrusted, "the certificate of \(host) is for another host\(certificates.first.facts)"))
        }
    }

    /// Has an evaluator judge it, behind the default validation unless the evaluator does without.
    func judge(by evaluator: any ServerTrustEvaluating) async throws {
        if evaluator.requiresDefaultValidation { try verify() }
        try await evaluator.evaluate(self, forHost: host)
    }
}

extension Certificate? {
    /// What the certificate says about itself, in parentheses.
    var facts: String {
        guard let self else { return "" }
        var facts: [String] = []
        if !self.subject.isEmpty { facts.append("subject \(self.subject.onOneLine)") }
        if !self.issuer.isEmpty { facts.append("issuer \(self.issuer.onOneLine)") }
        return facts.isEmpty ? "" : " (\(facts.joined(separator: ", ")))"
    }
}

extension FirewheelError {
    /// The error for a server that is not trusted, with a transport's words for it.
    static func untrusted(_ reason: ServerTrustFailureReason, _ failure: TransportError) -> FirewheelError {
        guard case .failed(let code, let words) = failure else { return FirewheelError(.serverTrustEvaluationFailed(reason)) }
        return FirewheelError(.serverTrustEvaluationFailed(reason), detail: words, underlyingError: URLError(code))
    }
}
