#if canImport(Security)
    import Foundation
    import Security

    // Not yet built or run: based on Apple's documentation only.

    /// A server's certificates in the hands of Security.
    final class SecurityTrust: @unchecked Sendable {
        // Sound because the object is used by one thread at a time: URLSession's delegate, then a thread that verifies it, and then the
        // client's evaluators, which hold the lock.
        private let trust: SecTrust
        private let lock = NSLock()

        /// - Parameter trust: That of a handshake, which has the server's stapled OCSP response.
        init(_ trust: SecTrust) { self.trust = trust }

        /// nil if Security does not take the certificates.
        init?(_ chain: [Certificate]) {
            var made: SecTrust?
            let certificates = chain.compactMap { SecCertificateCreateWithData(nil, $0.der as CFData) }
            let status = SecTrustCreateWithCertificates(certificates as CFArray, SecPolicyCreateSSL(true, nil), &made)
            guard status == errSecSuccess, let made else { return nil }
            trust = made
        }

        /// For URLSession, to accept the server.
        var credential: URLCredential { URLCredential(trust: trust) }

        /// The chain in DER that Security has built, the server's own certificate first.
        var chain: [Data] {
            (SecTrustCopyCertificateChain(trust) as? [SecCertificate] ?? []).map { SecCertificateCopyData($0) as Data }
        }

        /// - Returns: False if Security does not take them.
        func setAuthorities(_ authorities: TLSConfiguration.Authorities) -> Bool {
            let (own, isOnly): ([Certificate], Bool)
            switch authorities {
            case .system: return true
            case .systemAnd(let certificates): (own, isOnly) = (certificates, false)
            case .only(let certificates): (own, isOnly) = (certificates, true)
            }
            let anchors = own.compactMap { SecCertificateCreateWithData(nil, $0.der as CFData) }
            return SecTrustSetAnchorCertificates(trust, anchors as CFArray) == errSecSuccess
                && SecTrustSetAnchorCertificatesOnly(trust, isOnly) == errSecSuccess
        }

        /// Leaves the name out of the verification: evaluators may accept certificates for other names, and compare it themselves.
        func leaveOutName() -> Bool { SecTrustSetPolicies(trust, SecPolicyCreateSSL(true, nil)) == errSecSuccess }

        /// Verifies the chain. May wait for the network.
        ///
        /// - Returns: Why it is not trusted; nil if it is.
        func failure(for host: String) -> TransportError? {
            var error: CFError?
            if SecTrustEvaluateWithError(trust, &error) { return nil }
            let code: URLError.Code =
                switch error.map({ OSStatus(truncatingIfNeeded: CFErrorGetCode($0)) }) {
                case errSecCertificateExpired: .serverCertificateHasBadDate
                case errSecCertificateNotValidYet: .serverCertificateNotYetValid
                case errSecNotTrusted, errSecCreateChainFailed: .serverCertificateHasUnknownRoot
                default: .serverCertificateUntrusted
                }
            let words = error.map { CFErrorCopyDescription($0) as String } ?? "Security gives no reason"
            let own = chain.first.flatMap { try? Certificate(der: $0) }
            return .failed(code, "the certificate of \(host) is not trusted: \(words)\(own.facts)")
        }

        /// Verifies the chain with the OCSP response of the handshake. Nothing is fetched over the network.
        func revocationFailure(for host: String, requiresResponse: Bool) -> TransportError? {
            var options = kSecRevocationUseAnyAvailableMethod | kSecRevocationNetworkAccessDisabled
            if requiresResponse { options |= kSecRevocationRequirePositiveResponse }
            let policies = [SecPolicyCreateSSL(true, nil), SecPolicyCreateRevocation(options)].compactMap(\.self)
            // An evaluator may be asked by several tasks at once.
            return lock.withLock {
                guard policies.count == 2, SecTrustSetPolicies(trust, policies as CFArray) == errSecSuccess,
                    SecTrustSetNetworkFetchAllowed(trust, false) == errSecSuccess
                else { return .failed(.serverCertificateUntrusted, "Security cannot check the certificate of \(host) for revocation") }
                return failure(for: host)
            }
        }
    }

    extension Certificate {
        func isFor(_ host: String) -> Bool { CertificateReader(der: Array(der))?.isFor(host) ?? false }
    }

    extension ServerTrust {
        func failure(with authorities: [Certificate]) -> (reason: FirewheelError.ServerTrustFailureReason, error: TransportError)? {
            guard let trust = SecurityTrust(certificates), trust.setAuthorities(.only(authorities)) else {
                let words = "Security does not take the certificate of \(host)"
                return (.defaultEvaluationFailed, .failed(.serverCertificateUntrusted, words))
            }
            guard let error = trust.failure(for: host) else { return nil }
            guard case .failed(.serverCertificateHasUnknownRoot, _) = error else { return (.defaultEvaluationFailed, error) }
            let words = "the chain of \(host) leads to no pinned certificate"
            return (.certificatePinningFailed, .failed(.serverCertificateUntrusted, words))
        }

        func revocationProblem(lists: [Data], _ requiresStapledResponse: Bool) -> String? {
            if !lists.isEmpty { return "Security takes no revocation lists: leave RevocationTrustEvaluator's lists empty" }
            guard !verifiedCertificates.isEmpty, let trust = platformTrust as? SecurityTrust else {
                return "the certificate of \(host) cannot be checked for revocation: its chain could not be verified"
            }
            let failure = trust.revocationFailure(for: host, requiresResponse: requiresStapledResponse)
            guard case .failed(_, let words) = failure else { return nil }
            return words
        }
    }
#endif
