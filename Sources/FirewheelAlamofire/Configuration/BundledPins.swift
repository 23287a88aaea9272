import Foundation

extension PinnedCertificatesTrustEvaluator {
    /// An evaluator for the certificates of the main bundle: its files with the extension `cer`, `crt` or `der`, which on Linux are next to
    /// the program. Without any, no server is trusted.
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
    /// An evaluator for the keys of the main bundle's certificates: its files with the extension `cer`, `crt` or `der`, which on Linux are
    /// next to the program. Without any, no server is trusted.
    ///
    /// - Parameters:
    ///   - performDefaultValidation: Whether the chain has to be trusted without pins, too. Default: true.
    ///   - validateHost: Whether the server's certificate has to be for the host. Default: true.
    public init(performDefaultValidation: Bool = true, validateHost: Bool = true) {
        self.init(
            certificates: Bundle.main.af.certificates, performDefaultValidation: performDefaultValidation, validateHost: validateHost)
    }
}
