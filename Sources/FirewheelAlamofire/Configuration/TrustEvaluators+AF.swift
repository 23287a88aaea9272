import Foundation

// Alamofire's spellings of the trust evaluators. On Linux the main bundle is the folder of the program.

extension PinnedCertificatesTrustEvaluator {
    /// An evaluator for the certificates of the main bundle: its files with the extension `cer`, `crt` or `der`. Without any, no server is
    /// trusted.
    ///
    /// - Parameters:
    ///   - acceptSelfSignedCertificates: Whether these certificates are the authorities that the chain has to lead to. Default: false.
    ///   - performDefaultValidation: Whether the chain has to be trusted without pins, too. Default: true.
    ///   - validateHost: Whether the server's certificate has to be for the host. Default: true.
    public init(acceptSelfSignedCertificates: Bool = false, performDefaultValidation: Bool = true, validateHost: Bool = true) {
        self.init(
            certificates: Bundle.main.af.certificates, acceptSelfSignedCertificates: acceptSelfSignedCertificates,
            performDefaultValidation: performDefaultValidation, validateHost: validateHost)
    }
}

extension PublicKeysTrustEvaluator {
    /// An evaluator for the keys of the main bundle's certificates: its files with the extension `cer`, `crt` or `der`. Without any, no
    /// server is trusted.
    ///
    /// - Parameters:
    ///   - performDefaultValidation: Whether the chain has to be trusted without pins, too. Default: true.
    ///   - validateHost: Whether the server's certificate has to be for the host. Default: true.
    public init(performDefaultValidation: Bool = true, validateHost: Bool = true) {
        self.init(
            certificates: Bundle.main.af.certificates, performDefaultValidation: performDefaultValidation, validateHost: validateHost)
    }
}

extension RevocationTrustEvaluator {
    /// An evaluator with Alamofire's options. The revocation lists of the session and the server's own OCSP response are checked, whatever
    /// the options say; no responder is asked over the network.
    ///
    /// - Parameters:
    ///   - performDefaultValidation: Whether failures of the default validation are reported as such. Default: true.
    ///   - validateHost: Whether the server's certificate has to be for the host. Default: true.
    ///   - options: With `requirePositiveResponse` a server without an OCSP response is refused.
    public init(performDefaultValidation: Bool = true, validateHost: Bool = true, options: Options) {
        self.init(
            performDefaultValidation: performDefaultValidation, validateHost: validateHost,
            requiresStapledResponse: options.contains(.requirePositiveResponse))
    }
}

// MARK: - In leading-dot syntax

extension ServerTrustEvaluating where Self == PinnedCertificatesTrustEvaluator {
    /// An evaluator for the certificates of the main bundle.
    public static var pinnedCertificates: PinnedCertificatesTrustEvaluator { PinnedCertificatesTrustEvaluator() }

    /// An evaluator for certificates.
    ///
    /// - Parameters:
    ///   - certificates: One of them has to be in the chain. Default: those of the main bundle.
    ///   - acceptSelfSignedCertificates: Whether these certificates are the authorities that the chain has to lead to. Default: false.
    ///   - performDefaultValidation: Whether the chain has to be trusted without pins, too. Default: true.
    ///   - validateHost: Whether the server's certificate has to be for the host. Default: true.
    public static func pinnedCertificates(
        certificates: [Certificate] = Bundle.main.af.certificates, acceptSelfSignedCertificates: Bool = false,
        performDefaultValidation: Bool = true, validateHost: Bool = true
    ) -> PinnedCertificatesTrustEvaluator {
        PinnedCertificatesTrustEvaluator(
            certificates: certificates, acceptSelfSignedCertificates: acceptSelfSignedCertificates,
            performDefaultValidation: performDefaultValidation, validateHost: validateHost)
    }
}

extension ServerTrustEvaluating where Self == PublicKeysTrustEvaluator {
    /// An evaluator for the keys of the main bundle's certificates.
    public static var publicKeys: PublicKeysTrustEvaluator { PublicKeysTrustEvaluator() }

    /// An evaluator for the keys of certificates. Alamofire's takes the keys.
    ///
    /// - Parameters:
    ///   - certificates: One of their keys has to be in the chain. Default: those of the main bundle.
    ///   - performDefaultValidation: Whether the chain has to be trusted without pins, too. Default: true.
    ///   - validateHost: Whether the server's certificate has to be for the host. Default: true.
    public static func publicKeys(
        certificates: [Certificate] = Bundle.main.af.certificates, performDefaultValidation: Bool = true, validateHost: Bool = true
    ) -> PublicKeysTrustEvaluator {
        PublicKeysTrustEvaluator(
            certificates: certificates, performDefaultValidation: performDefaultValidation, validateHost: validateHost)
    }
}

extension ServerTrustEvaluating where Self == RevocationTrustEvaluator {
    /// An evaluator for revocation.
    public static var revocationChecking: RevocationTrustEvaluator { RevocationTrustEvaluator() }

    /// An evaluator for revocation, with Alamofire's options.
    ///
    /// - Parameters:
    ///   - performDefaultValidation: Whether failures of the default validation are reported as such. Default: true.
    ///   - validateHost: Whether the server's certificate has to be for the host. Default: true.
    ///   - options: With `requirePositiveResponse` a server without an OCSP response is refused. Default: `any`.
    public static func revocationChecking(
        performDefaultValidation: Bool = true, validateHost: Bool = true, options: RevocationTrustEvaluator.Options = .any
    ) -> RevocationTrustEvaluator {
        RevocationTrustEvaluator(performDefaultValidation: performDefaultValidation, validateHost: validateHost, options: options)
    }
}

extension ServerTrustEvaluating where Self == CompositeTrustEvaluator {
    /// An evaluator that trusts a server if all of these do.
    public static func composite(evaluators: [any ServerTrustEvaluating]) -> CompositeTrustEvaluator {
        CompositeTrustEvaluator(evaluators: evaluators)
    }
}
