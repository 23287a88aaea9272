import Foundation

/// A question to the client, without whose answer an exchange does not go on (``Transport/answer(_:_:)``).
// Indirect, because events, which may contain it, should stay small.
public indirect enum TransportQuestion: Sendable {
    /// Whether the server may be trusted. Nothing of the request has been sent.
    case trust(ServerCertificates)
}

/// The answer to a ``TransportQuestion``.
public enum TransportAnswer: Sendable, Equatable {
    /// Go on.
    case accept
    /// End the exchange with this error.
    case refuse(TransportError)
}

/// What a server has shown of itself in the TLS handshake.
public struct ServerCertificates: Sendable {
    /// The host as the request names it.
    public var host: String
    /// The certificates in DER as the server has sent them, its own first.
    public var chain: [Data]
    /// The chain that the transport has verified, in DER, from the server's own certificate up to the authority that is trusted; empty if
    /// it could verify none. Whether the certificate is for the host is not part of it.
    public var verifiedChain: [Data]
    /// Why the transport does not trust the chain; nil if it does.
    public var failure: TransportError?
    /// The OCSP response that the server has sent with its certificate (RFC 6066 section 8), in DER; nil for none.
    public var stapledResponse: Data?
    /// What the chain was verified against; nil for the system's authorities.
    var rules: VerificationRules?
    /// Whether the server was asked for an OCSP response.
    var hasAskedForStatus = true
    /// The proxy that has shown them, as errors name it; nil for a server.
    var proxy: String?
    /// What else the transport's own verification needs for evaluators.
    var platformTrust: (any Sendable)?

    /// The certificates of a server.
    ///
    /// - Parameters:
    ///   - host: The host as the request names it.
    ///   - chain: The certificates in DER, the server's own first.
    ///   - verifiedChain: The chain that was verified. Default: none, so that the server is trusted only by evaluators that do without the
    ///     default validation.
    ///   - failure: Why the chain is not trusted. Default: nil.
    ///   - stapledResponse: The OCSP response that the server has sent, in DER. Default: nil.
    public init(
        host: String, chain: [Data], verifiedChain: [Data] = [], failure: TransportError? = nil, stapledResponse: Data? = nil
    ) {
        self.host = host
        self.chain = chain
        self.verifiedChain = verifiedChain
        self.failure = failure
        self.stapledResponse = stapledResponse
    }
}
