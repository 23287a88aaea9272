/// Decides whether a server is trusted, before a byte of a request is sent to it.
///
/// ```swift
/// struct KnownServers: ServerTrustEvaluating {
///     func evaluate(_ trust: ServerTrust, forHost host: String) async throws {
///         guard await isKnown(trust.certificates[0].publicKeyPin) else { throw UnknownServer() }
///     }
/// }
/// ```
/// It runs on a task of its own, which is cancelled when the request is cancelled or times out. The time that it takes counts for
/// ``SessionConfiguration/connectTimeout``. Other connections go on meanwhile.
///
/// It is asked once for each connection whose TLS handshake is a full one. A TLS session that is resumed within a day, a kept-alive
/// connection and the other requests on a connection over HTTP/2 have the verdict of that handshake.
///
/// A request that an evaluator makes belongs to another session: one of the same session may wait for the connection that is being judged.
public protocol ServerTrustEvaluating: Sendable {
    /// Whether the server has to pass ``ServerTrust/verify(validatingHost:)``, host name included, before ``evaluate(_:forHost:)`` is
    /// called. Default: true.
    ///
    /// Return false to decide without it, for example about certificates that no authority has signed.
    var requiresDefaultValidation: Bool { get }

    /// Whether the server is asked for an OCSP response about its certificate (RFC 6066 section 8), which a ``RevocationTrustEvaluator``
    /// reads. Default: false.
    ///
    /// Return true if the evaluator calls a ``RevocationTrustEvaluator``, which otherwise throws.
    var wantsStapledResponse: Bool { get }

    /// Returns if the server is trusted, and throws otherwise.
    ///
    /// - Parameters:
    ///   - trust: What the server has shown.
    ///   - host: The host as the request names it.
    /// - Throws: Any error. The request fails with ``FirewheelError`` of kind `serverTrustEvaluationFailed`, whose `underlyingError` it is.
    func evaluate(_ trust: ServerTrust, forHost host: String) async throws
}

extension ServerTrustEvaluating {
    public var requiresDefaultValidation: Bool { true }
    public var wantsStapledResponse: Bool { false }
}

/// Trusts what a session without a ``ServerTrustManager`` trusts.
public struct DefaultTrustEvaluator: ServerTrustEvaluating {
    private let validateHost: Bool

    /// An evaluator for the default verification.
    ///
    /// - Parameter validateHost: Whether the server's certificate has to be for the host. Default: true.
    public init(validateHost: Bool = true) {
        self.validateHost = validateHost
    }

    public var requiresDefaultValidation: Bool { false }

    public func evaluate(_ trust: ServerTrust, forHost host: String) throws { try trust.verify(validatingHost: validateHost) }
}

/// Trusts a server that all of several evaluators trust.
public struct CompositeTrustEvaluator: ServerTrustEvaluating {
    let evaluators: [any ServerTrustEvaluating]

    /// An evaluator for others together.
    ///
    /// - Parameter evaluators: They are asked in this order, until one throws. Without any, no server is trusted.
    public init(evaluators: [any ServerTrustEvaluating]) {
        self.evaluators = evaluators
    }

    public var requiresDefaultValidation: Bool { false }
    public var wantsStapledResponse: Bool { evaluators.contains { $0.wantsStapledResponse } }

    public func evaluate(_ trust: ServerTrust, forHost host: String) async throws {
        guard !evaluators.isEmpty else {
            throw FirewheelError(.serverTrustEvaluationFailed(.noRequiredEvaluator), detail: "CompositeTrustEvaluator has no evaluators")
        }
        for evaluator in evaluators { try await trust.judge(by: evaluator) }
    }
}

/// Trusts every server, whoever it is: anyone on the way can read and change what is sent. **For development only.**
///
/// A monitor made by ``EventMonitor/log(_:to:)`` says once that it is used. To talk to a server with a certificate of its own authority,
/// use ``TLSConfiguration/authorities`` instead.
public struct DisabledTrustEvaluator: ServerTrustEvaluating {
    /// An evaluator that trusts every server.
    public init() {}

    public var requiresDefaultValidation: Bool { false }

    public func evaluate(_ trust: ServerTrust, forHost host: String) {}
}
