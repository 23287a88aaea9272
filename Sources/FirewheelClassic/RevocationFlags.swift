// Apple's options of `SecPolicyCreateRevocation`, for ``ServerTrustPolicy/performRevokedEvaluation(validateHost:revocationFlags:)``.
#if !canImport(Security)
    /// The server's OCSP response.
    public let kSecRevocationOCSPMethod: UInt = 1
    /// Revocation lists.
    public let kSecRevocationCRLMethod: UInt = 2
    /// Revocation lists before OCSP responses.
    public let kSecRevocationPreferCRL: UInt = 4
    /// A server whose status is not known is refused.
    public let kSecRevocationRequirePositiveResponse: UInt = 8
    /// Nothing is asked over the network, as is always the case here.
    public let kSecRevocationNetworkAccessDisabled: UInt = 16
    /// OCSP responses or revocation lists.
    public let kSecRevocationUseAnyAvailableMethod: UInt = 3
#endif
