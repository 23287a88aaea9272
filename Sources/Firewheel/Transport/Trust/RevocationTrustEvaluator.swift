import Foundation

/// Trusts a server only if its certificates are not revoked, as far as revocation lists and the server's own OCSP response say.
///
/// - **Lists** (CRLs): each certificate of the verified chain is looked up in the list of its issuer, as with
///   ``TLSConfiguration/revocationLists``. If there are lists, one of each issuer that is valid now is required.
/// - **A stapled OCSP response** (RFC 6066 section 8) is asked for, and has to say that the server's certificate is good. It has to be
///   valid now, and signed by the certificate's issuer or by a responder that the issuer has named. One without an end is valid for a day.
///   Without a response the server is trusted, unless it is required here, or by the certificate itself (RFC 7633).
///
/// No responder is asked over the network: it would learn which servers are visited, and each handshake would wait for it.
///
/// Over TLS 1.2 the response comes late in the handshake, so that the verdict comes at its end. A client certificate has been shown by
/// then, even to a server with a certificate for another host. A resumed TLS session has the verdict of its first handshake, for a day at
/// most.
public struct RevocationTrustEvaluator: ServerTrustEvaluating {
    private let performDefaultValidation: Bool
    private let validateHost: Bool
    private let lists: [Data]
    private let requiresStapledResponse: Bool

    /// An evaluator for revocation.
    ///
    /// - Parameters:
    ///   - performDefaultValidation: Whether failures of the default validation are reported as such. Without it a server whose chain could
    ///     not be verified is refused as well, because its issuers are not known. Default: true.
    ///   - validateHost: Whether the server's certificate has to be for the host. Default: true.
    ///   - lists: Revocation lists, each in DER, or in PEM with any number of them. They need a chain that ends with a root. Default: none.
    ///   - requiresStapledResponse: Whether a server without an OCSP response is refused. Default: false.
    public init(
        performDefaultValidation: Bool = true, validateHost: Bool = true, lists: [Data] = [], requiresStapledResponse: Bool = false
    ) {
        self.performDefaultValidation = performDefaultValidation
        self.validateHost = validateHost
        self.lists = lists
        self.requiresStapledResponse = requiresStapledResponse
    }

    public var requiresDefaultValidation: Bool { false }
    public var wantsStapledResponse: Bool { true }

    public func evaluate(_ trust: ServerTrust, forHost host: String) throws {
        if performDefaultValidation { try trust.verify(validatingHost: validateHost) } else if validateHost { try trust.verifyHost() }
        let unasked =
            "the server was not asked for an OCSP response: the evaluator that calls RevocationTrustEvaluator has to return true for "
            + "wantsStapledResponse"
        let problem = trust.hasAskedForStatus ? trust.revocationProblem(lists: lists, requiresStapledResponse) : unasked
        if let problem { throw FirewheelError(.serverTrustEvaluationFailed(.revocationCheckFailed), detail: problem) }
    }
}
