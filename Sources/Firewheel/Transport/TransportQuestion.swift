import Foundation

/// A question to the client, without whose answer an exchange does not go on (``Transport/answer(_:_:)``).
public enum TransportQuestion: Sendable {
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
    /// The certificates in DER, the server's own first.
    public var chain: [Data]

    /// The certificates of a server.
    ///
    /// - Parameters:
    ///   - host: The host as the request names it.
    ///   - chain: The certificates in DER, the server's own first.
    public init(host: String, chain: [Data]) {
        self.host = host
        self.chain = chain
    }
}
