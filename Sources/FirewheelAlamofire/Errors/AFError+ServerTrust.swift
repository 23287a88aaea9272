import Firewheel

#if canImport(Security)
    // Not every version of Apple's SDK declares the types of Security Sendable.
    @preconcurrency import Security
#endif

extension AFError {
    /// Why a server is not trusted.
    ///
    /// Alamofire's payloads of the types `SecCertificate` and `SecKey` are `Certificate` and pins (`Certificate.publicKeyPin`) here, and
    /// those of pinning have no `SecTrust`. Like Alamofire on current systems, requests report a failed default, host or revocation
    /// check as ``trustEvaluationFailed(error:)``, with a `FirewheelError` that says which of them it was.
    public enum ServerTrustFailureReason: Sendable {
        /// What an evaluation has found.
        public struct Output: Sendable {
            /// The host that was evaluated.
            public let host: String
            #if canImport(Security)
                /// What was evaluated.
                public let trust: SecTrust
                /// The status of the evaluation.
                public let status: OSStatus
                /// The result of the evaluation.
                public let result: SecTrustResultType
            #endif
        }

        /// There is no evaluator for the host, though one is required.
        case noRequiredEvaluator(host: String)
        /// There is no certificate to compare the server's with.
        case noCertificatesFound
        /// There is no key to compare the server's with.
        case noPublicKeysFound
        #if canImport(Security)
            /// A policy could not be applied.
            case policyApplicationFailed(trust: SecTrust, policy: SecPolicy, status: OSStatus)
            /// The authorities could not be set.
            case settingAnchorCertificatesFailed(status: OSStatus, certificates: [Certificate])
        #endif
        /// The policy of a revocation check could not be made.
        case revocationPolicyCreationFailed
        /// The evaluation failed.
        case trustEvaluationFailed(error: (any Error)?)
        /// The default evaluation failed.
        case defaultEvaluationFailed(output: Output)
        /// The certificate is for another host.
        case hostValidationFailed(output: Output)
        /// A certificate is revoked, or it cannot be checked whether it is.
        case revocationCheckFailed(output: Output, options: RevocationTrustEvaluator.Options)
        /// The chain has none of the pinned certificates. The server's certificates are those on which pins count.
        case certificatePinningFailed(host: String, pinnedCertificates: [Certificate], serverCertificates: [Certificate])
        /// The chain has none of the pinned keys. The server's keys are those on which pins count.
        case publicKeyPinningFailed(host: String, pinnedKeys: [String], serverKeys: [String])
        /// An evaluator of the program's own failed.
        case customEvaluationFailed(error: any Error)
    }
}

extension RevocationTrustEvaluator {
    /// The options of Alamofire's revocation check. The evaluator checks revocation lists and stapled OCSP responses whatever they say,
    /// and never asks over the network.
    public struct Options: OptionSet, Sendable {
        /// OCSP responses.
        public static let ocsp = Options(rawValue: 1)
        /// Revocation lists.
        public static let crl = Options(rawValue: 2)
        /// Revocation lists before OCSP responses.
        public static let preferCRL = Options(rawValue: 4)
        /// A server whose status is not known is refused.
        public static let requirePositiveResponse = Options(rawValue: 8)
        /// Nothing is asked over the network.
        public static let networkAccessDisabled = Options(rawValue: 16)
        /// OCSP responses or revocation lists.
        public static let any: Options = [.ocsp, .crl]

        /// The bits, which have the values of Apple's `kSecRevocation` constants.
        public let rawValue: UInt

        /// The options with these bits.
        public init(rawValue: UInt) { self.rawValue = rawValue }
    }
}
