#if os(Linux)
    import CFirewheelSystem
    import Foundation

    extension Certificate {
        /// Whether its names have a host of a URL: subjectAltName alone counts, and a wildcard stands for one label (RFC 9110
        /// section 4.3.4).
        func isFor(_ host: String) -> Bool {
            guard case .success(let library) = TLSLibrary.system else { return false }
            let isAddress = HostAddress.looksLikeIPv4(host) || host.contains(":")
            guard let name = TLSPeer(host: host, port: 443, isAddress: isAddress).certificateName else { return false }
            return der.withUnsafeBytes { fwtls_certificate_is_for(library.functions, $0.baseAddress, $0.count, name, isAddress) }
        }
    }

    extension ServerTrust {
        /// Why the presented chain would not be trusted with these certificates as ``TLSConfiguration/authorities``, and with the session's
        /// own revocation lists; nil if it would.
        func failure(with authorities: [Certificate]) -> (reason: FirewheelError.ServerTrustFailureReason, error: TransportError)? {
            do throws(TLSFailure) {
                let library: SystemLibraryTable
                switch TLSLibrary.system {
                case .success(let table): library = table
                case .failure(let error): throw .library(error)
                }
                let lists = rules?.revocationLists ?? []
                let store = try TLSStore.of(authorities, lists: lists, "tls.revocationLists", library)
                let requiresLists = rules?.requiresRevocationLists ?? true
                guard let finding = store.finding(for: certificates, requiresLists: requiresLists, library) else { return nil }
                guard finding.code != .serverCertificateHasUnknownRoot else {
                    let rule = lists.isEmpty ? "" : " that is a root, as tls.revocationLists need it"
                    let words = "the chain of \(host) leads to no pinned certificate\(rule)"
                    return (.certificatePinningFailed, .failed(.serverCertificateUntrusted, words))
                }
                let reason: FirewheelError.ServerTrustFailureReason =
                    finding.isAboutRevocation ? .revocationCheckFailed : .defaultEvaluationFailed
                return (reason, .failed(finding.code, finding.words(for: host, rules)))
            } catch {
                return (.defaultEvaluationFailed, error.error(for: TLSPeer(host: host, port: 443, isAddress: false)))
            }
        }

        /// Why the server is to be taken for revoked; nil if it is not.
        func revocationProblem(lists: [Data], _ requiresStapledResponse: Bool) -> String? {
            guard case .success(let library) = TLSLibrary.system, let own = verifiedCertificates.first, let root = verifiedCertificates.last
            else { return "the certificate of \(host) cannot be checked for revocation: its chain could not be verified" }
            if !lists.isEmpty, let problem = problem(in: lists, root, library) { return problem }
            // A trusted certificate of the server's own may be from an authority that is not known.
            let issuer = verifiedCertificates.count > 1 ? verifiedCertificates[1] : own.issuer == own.subject ? own : nil
            guard let words = statusProblem(of: own, issuer, requiresStapledResponse, library) else { return nil }
            return "the certificate of \(host) \(words)\(Certificate?.some(own).facts)"
        }

        private func problem(in lists: [Data], _ root: Certificate, _ library: SystemLibraryTable) -> String? {
            guard root.issuer == root.subject else {
                return "the certificate of \(host) cannot be checked for revocation: RevocationTrustEvaluator's lists need a root as "
                    + "authority\(Certificate?.some(root).facts)"
            }
            do throws(TLSFailure) {
                let store = try TLSStore.of([root], lists: lists, "lists", library)
                let finding = store.finding(for: verifiedCertificates, requiresLists: true, library)
                return finding?.words(for: host, nil, lists: "RevocationTrustEvaluator's lists")
            } catch {
                guard case .configuration(let words) = error else { return "the revocation lists cannot be used" }
                return "RevocationTrustEvaluator: \(words)"
            }
        }

        private func statusProblem(
            of own: Certificate, _ issuer: Certificate?, _ isRequired: Bool, _ library: SystemLibraryTable
        ) -> String? {
            var status = FWTLS_STATUS_NONE
            if let stapledResponse {
                guard let issuer else { return "has an OCSP response that cannot be checked, because its issuer is not known" }
                status = BorrowedPieces.with([stapledResponse, own.der, issuer.der]) {
                    Int(fwtls_status(library.functions, $0[0], $0[1], $0[2]))
                }
            }
            switch status {
            case FWTLS_STATUS_GOOD: return nil
            case FWTLS_STATUS_REVOKED: return "is revoked, as the OCSP response says that the server has sent"
            case FWTLS_STATUS_UNKNOWN: return "is not known to its authority, as the OCSP response says that the server has sent"
            case FWTLS_STATUS_EXPIRED: return "has an OCSP response that is not valid now"
            case FWTLS_STATUS_OTHER: return "has an OCSP response that is about other certificates"
            case FWTLS_STATUS_UNSIGNED: return "has an OCSP response that its authority has not signed"
            case FWTLS_STATUS_MALFORMED: return "has an OCSP response that cannot be read"
            // None, or the responder's error in its place.
            default:
                if isRequired { return "has no OCSP response, and requiresStapledResponse is true" }
                let demands = own.der.withUnsafeBytes { fwtls_certificate_must_staple(library.functions, $0.baseAddress, $0.count) }
                return demands ? "has no OCSP response, although it demands one itself (RFC 7633)" : nil
            }
        }
    }
#endif
