import Firewheel
import Foundation

/// What a ``SecurityPolicy`` pins: AFNetworking's `AFSSLPinningMode`.
public enum SSLPinningMode: Sendable, Hashable {
    /// Nothing.
    case none
    /// The public keys of the certificates: one of the server's chain has to be among them.
    case publicKey
    /// The certificates themselves, byte by byte: one of the server's chain has to be among them.
    case certificate
}

/// Which servers an ``HTTPSessionManager`` trusts: AFNetworking's `AFSecurityPolicy`.
///
/// ```swift
/// let certificates = try SecurityPolicy.certificates(inFolder: URL(fileURLWithPath: "/etc/example/pins"))
/// let policy = SecurityPolicy(pinningMode: .publicKey, withPinnedCertificates: certificates)
/// let manager = HTTPSessionManager(baseURL: url, securityPolicy: policy)
/// ```
/// It counts for every https server, also after redirects. A refused server hears nothing of the request, which fails with a
/// `FirewheelError` of kind `serverTrustEvaluationFailed`.
///
/// It is stricter than AFNetworking in two points. With ``allowInvalidCertificates`` and ``SSLPinningMode/publicKey`` the server's own key
/// has to be pinned, not that of a certificate that it has appended, and ``validatesDomainName`` counts. Without ``validatesDomainName``
/// the certificate still has to be one for servers.
public struct SecurityPolicy: Sendable {
    /// What is pinned.
    public let sslPinningMode: SSLPinningMode

    /// The certificates that are pinned, or whose keys are. Without any, a policy that pins trusts no server.
    public var pinnedCertificates: Set<Certificate>

    /// Whether servers are trusted whose certificates no authority of the session has signed, or that are expired. Default: false.
    ///
    /// With ``SSLPinningMode/certificate`` the pinned certificates are the authorities then, and a chain has to be valid today. With
    /// ``SSLPinningMode/publicKey`` the key alone counts. With ``SSLPinningMode/none`` every server is trusted, for development only:
    /// that needs ``validatesDomainName`` to be false as well, because a name that nobody vouches for means nothing; otherwise every
    /// server is refused, as by AFNetworking.
    public var allowInvalidCertificates = false

    /// Whether the server's certificate has to be for the host. Default: true.
    public var validatesDomainName = true

    /// Trusts the servers that the session's `tls` trusts, and pins nothing.
    public static var `default`: SecurityPolicy { SecurityPolicy(pinningMode: .none, withPinnedCertificates: []) }

    /// A policy for certificates.
    ///
    /// - Parameters:
    ///   - pinningMode: What is pinned.
    ///   - pinnedCertificates: The certificates that are pinned, or whose keys are.
    public init(pinningMode: SSLPinningMode, withPinnedCertificates pinnedCertificates: Set<Certificate>) {
        sslPinningMode = pinningMode
        self.pinnedCertificates = pinnedCertificates
    }

    /// A policy for the `.cer` files of the main bundle. The resources of a package's target are in another bundle, `Bundle.module`.
    ///
    /// - Parameter pinningMode: What is pinned.
    /// - Throws: `FirewheelError` of kind `certificateInvalid` that names the file or the folder, if one of them is not a certificate or
    ///   cannot be read.
    public init(pinningMode: SSLPinningMode) throws {
        self.init(pinningMode: pinningMode, withPinnedCertificates: try Self.certificates(in: .main))
    }

    /// The certificates of a bundle's `.cer` files.
    ///
    /// - Parameter bundle: Its resources are looked through, without folders in them.
    /// - Throws: As ``init(pinningMode:)``.
    public static func certificates(in bundle: Bundle) throws -> Set<Certificate> {
        Set(try Certificate.all(inFolder: bundle.resourceURL ?? bundle.bundleURL, extensions: ["cer"]))
    }

    /// The certificates of a folder's `.cer` files, each in DER, or in PEM with any number of them.
    ///
    /// - Parameter folder: The folder, without folders in it.
    /// - Throws: As ``init(pinningMode:)``, also if there is no such folder.
    public static func certificates(inFolder folder: URL) throws -> Set<Certificate> {
        Set(try Certificate.all(inFolder: folder, extensions: ["cer"]))
    }

    /// The manager of a session that has this policy; nil for the default.
    var manager: ServerTrustManager? {
        guard sslPinningMode != .none || allowInvalidCertificates || !validatesDomainName else { return nil }
        let trustsAll = sslPinningMode == .none && allowInvalidCertificates && !validatesDomainName
        let warning = trustsAll ? "SecurityPolicy trusts every server, for development only" : nil
        return ServerTrustManager(everyHost: Evaluator(policy: self), warning: warning)
    }

    private struct Evaluator: ServerTrustEvaluating {
        let policy: SecurityPolicy

        private static let nothingToValidate =
            "a SecurityPolicy that allows invalid certificates and validates the domain name has to pin: otherwise the name means nothing"

        var requiresDefaultValidation: Bool { false }

        func evaluate(_ trust: ServerTrust, forHost host: String) throws {
            let (isStrict, certificates) = (!policy.allowInvalidCertificates, Array(policy.pinnedCertificates))
            if policy.sslPinningMode != .none, certificates.isEmpty {
                throw PolicyProblem("SecurityPolicy pins, but no certificate is pinned")
            }
            switch policy.sslPinningMode {
            case .none where isStrict: try trust.verify(validatingHost: policy.validatesDomainName)
            case .none: if policy.validatesDomainName { throw PolicyProblem(Self.nothingToValidate) }
            case .publicKey:
                let evaluator = PublicKeysTrustEvaluator(
                    certificates: certificates, performDefaultValidation: isStrict, validateHost: policy.validatesDomainName)
                try evaluator.evaluate(trust, forHost: host)
            case .certificate:
                let evaluator = PinnedCertificatesTrustEvaluator(
                    certificates: certificates, acceptSelfSignedCertificates: !isStrict, validateHost: policy.validatesDomainName)
                try evaluator.evaluate(trust, forHost: host)
            }
        }
    }
}

/// Why a policy trusts no server.
struct PolicyProblem: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) { self.description = description }
}
