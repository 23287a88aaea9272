import Firewheel
import Foundation

#if canImport(Security)
    import Security
#endif

/// Whether a server is trusted: Alamofire 4's `ServerTrustPolicy`, for ``ServerTrustPolicyManager``.
public enum ServerTrustPolicy: Sendable {
    /// The chain has to be trusted as usual.
    case performDefaultEvaluation(validateHost: Bool)
    /// The server must not be revoked, as far as its stapled OCSP response says. The flags are those of Apple's
    /// `SecPolicyCreateRevocation`: with `kSecRevocationRequirePositiveResponse` a server without a response is refused. Nothing is asked
    /// over the network, so that flags without `kSecRevocationOCSPMethod` refuse every server: for lists there is
    /// `RevocationTrustEvaluator`.
    case performRevokedEvaluation(validateHost: Bool, revocationFlags: UInt)
    /// One of the certificates has to be in the server's chain. With `validateCertificateChain` they are the authorities of the chain;
    /// otherwise the server's own certificate has to be among them.
    case pinCertificates(certificates: [Certificate], validateCertificateChain: Bool, validateHost: Bool)
    /// One of the keys, as `Certificate.publicKeyPin` has them, has to be in the server's chain. Without `validateCertificateChain` it has
    /// to be that of the server's own certificate.
    case pinPublicKeys(publicKeys: [String], validateCertificateChain: Bool, validateHost: Bool)
    /// Every server is trusted, for development only.
    case disableEvaluation
    /// A server is trusted if the closure returns true. It runs on a thread that may block.
    case customEvaluation(@Sendable (_ serverTrust: ServerTrust, _ host: String) -> Bool)

    /// The certificates of a bundle's `.cer`, `.crt` and `.der` files.
    ///
    /// - Parameter bundle: Its resources are looked through, without folders in them. Default: the main bundle. The resources of a
    ///   package's target are in `Bundle.module`.
    /// - Throws: `FirewheelError` of kind `certificateInvalid` that names the file or the folder, if one of them is not a certificate or
    ///   cannot be read.
    public static func certificates(in bundle: Bundle = .main) throws -> [Certificate] {
        try Certificate.all(inFolder: bundle.resourceURL ?? bundle.bundleURL, extensions: ["cer", "crt", "der"])
    }

    /// The pins of the keys of ``certificates(in:)``.
    ///
    /// - Parameter bundle: As there.
    /// - Throws: As there.
    public static func publicKeys(in bundle: Bundle = .main) throws -> [String] {
        try certificates(in: bundle).map(\.publicKeyPin)
    }
}

/// Which servers a session trusts, host by host: Alamofire 4's `ServerTrustPolicyManager`.
///
/// ```swift
/// let policy = ServerTrustPolicy.pinCertificates(
///     certificates: try ServerTrustPolicy.certificates(), validateCertificateChain: true, validateHost: true)
/// let manager = SessionManager(serverTrustPolicyManager: ServerTrustPolicyManager(policies: ["api.example.com": policy]))
/// ```
/// A server without a policy is trusted as usual.
open class ServerTrustPolicyManager: @unchecked Sendable {
    // Sound because all stored properties are constants of Sendable types.

    /// The policies by host: `api.example.com`, `*.example.com` or `**.example.com`, as for `ServerTrustManager`.
    public let policies: [String: ServerTrustPolicy]
    private let evaluators: ServerTrustManager

    /// A manager.
    ///
    /// - Parameter policies: By host. With a key that is not a host, nor the pattern of hosts, every https request fails.
    public init(policies: [String: ServerTrustPolicy]) {
        self.policies = policies
        evaluators = ServerTrustManager(allHostsMustBeEvaluated: false, evaluators: policies.mapValues { PolicyEvaluator(policy: $0) })
    }

    /// The policy for a host; nil if it has none, so that the server is trusted as usual. Subclasses may choose another one. It is called
    /// for each full TLS handshake, on a thread that may block. Logs warn only of ``ServerTrustPolicy/disableEvaluation`` in ``policies``.
    ///
    /// - Parameter host: The host of a request's URL.
    open func serverTrustPolicy(forHost host: String) -> ServerTrustPolicy? {
        (try? evaluators.serverTrustEvaluator(forHost: host) as? PolicyEvaluator)?.policy
    }

    /// The manager of a session with these policies.
    var manager: ServerTrustManager {
        let disabled = policies.filter { if case .disableEvaluation = $0.value { true } else { false } }.keys.sorted()
        let words = "ServerTrustPolicy.disableEvaluation trusts every server under these names, for development only: "
        let warning = disabled.isEmpty ? nil : words + disabled.joined(separator: ", ")
        return ServerTrustManager(everyHost: Evaluator(manager: self), warning: warning)
    }

    private struct Evaluator: ServerTrustEvaluating {
        let manager: ServerTrustPolicyManager

        var requiresDefaultValidation: Bool { false }
        /// A subclass may choose a policy that is not among the others.
        var wantsStapledResponse: Bool {
            type(of: manager) != ServerTrustPolicyManager.self || manager.policies.values.contains { $0.wantsStapledResponse }
        }

        func evaluate(_ trust: ServerTrust, forHost host: String) throws {
            if let problem = manager.evaluators.problem {
                throw PolicyProblem("policies of ServerTrustPolicyManager: \(problem)")
            }
            guard let policy = manager.serverTrustPolicy(forHost: host) else { return try trust.verify() }
            try policy.evaluate(trust, forHost: host)
        }
    }
}

private struct PolicyEvaluator: ServerTrustEvaluating {
    let policy: ServerTrustPolicy

    func evaluate(_ trust: ServerTrust, forHost host: String) throws { try policy.evaluate(trust, forHost: host) }
}

extension ServerTrustPolicy {
    fileprivate var wantsStapledResponse: Bool { if case .performRevokedEvaluation = self { true } else { false } }

    fileprivate func evaluate(_ trust: ServerTrust, forHost host: String) throws {
        switch self {
        case .performDefaultEvaluation(let validateHost): try trust.verify(validatingHost: validateHost)
        case .performRevokedEvaluation(let validateHost, let flags):
            guard flags < 32 else { throw PolicyProblem("revocationFlags have a flag that is not known") }
            guard flags & kSecRevocationOCSPMethod != 0 else {
                throw PolicyProblem("revocationFlags lack kSecRevocationOCSPMethod, and revocation lists are not fetched")
            }
            let requiresResponse = flags & kSecRevocationRequirePositiveResponse != 0
            let evaluator = RevocationTrustEvaluator(validateHost: validateHost, requiresStapledResponse: requiresResponse)
            try evaluator.evaluate(trust, forHost: host)
        case .pinCertificates(let certificates, let validatesChain, let validateHost):
            if certificates.isEmpty { throw PolicyProblem("pinCertificates has no certificates") }
            let evaluator = PinnedCertificatesTrustEvaluator(
                certificates: certificates, acceptSelfSignedCertificates: validatesChain, performDefaultValidation: validatesChain,
                validateHost: validateHost)
            try evaluator.evaluate(trust, forHost: host)
        case .pinPublicKeys(let keys, let validatesChain, let validateHost):
            let evaluator = try PublicKeysTrustEvaluator(pins: keys, performDefaultValidation: validatesChain, validateHost: validateHost)
            try evaluator.evaluate(trust, forHost: host)
        case .disableEvaluation: break
        case .customEvaluation(let isTrusted):
            guard isTrusted(trust, host) else { throw PolicyProblem("the customEvaluation of \(host) returned false") }
        }
    }
}
