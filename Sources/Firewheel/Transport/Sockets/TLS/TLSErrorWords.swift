#if os(Linux)
    import Foundation

    /// The errors of TLS, with the codes that URLSession reports for the same failure.
    extension TLSFailure {
        /// - Parameters:
        ///   - options: Those of the connection.
        ///   - isHandshake: Whether the handshake has failed, and not the connection after it.
        func error(for peer: TLSPeer, options: TLSOptions = TLSOptions(), isHandshake: Bool = true) -> TransportError {
            let failed = "the TLS \(isHandshake ? "handshake" : "connection") with \(peer.address) failed"
            let oldVersion = "the server does not offer \(options.versions)"
            switch self {
            case .library(let error): return .failed(.secureConnectionFailed, "https needs OpenSSL 3: \(error)")
            case .store(let words): return .failed(.secureConnectionFailed, "\(words) (package ca-certificates)")
            // Not one of the codes that are retried by default: it would fail each time.
            case .configuration(let words): return .failed(.resourceUnavailable, words)
            case .hostName: return .failed(.secureConnectionFailed, "no certificate can be for the host \"\(peer.host.onOneLine)\"")
            case .outOfMemory: return .failed(.secureConnectionFailed, "\(failed): out of memory")
            case .certificate(let finding): return .failed(finding.code, finding.words(for: peer.host, options.trust?.rules))
            case .noCertificates:
                return .failed(.secureConnectionFailed, "\(failed): the server sent no certificate, or a malformed list of them")
            case .refused(let error): return error
            case .alert(40) where !isHandshake:
                let cause = "perhaps because renegotiation, by which servers ask for a client certificate late, is not supported"
                return .failed(.secureConnectionFailed, "\(failed): the server sent the alert handshake_failure, \(cause)")
            case .alert(let number): return Self.alert(number, failed, oldVersion, options.identity?.identity)
            case .notTLS where isHandshake: return .failed(.secureConnectionFailed, "\(peer.address) does not speak TLS")
            case .notTLS: return .failed(.secureConnectionFailed, "\(failed): a record is malformed")
            case .oldVersion: return .failed(.secureConnectionFailed, "\(failed): \(oldVersion)")
            case .unexpectedMessage:
                // RFC 8446 section 4.6.2: a server may only ask clients that have offered it.
                let cause = isHandshake ? "" : ", perhaps a request for a client certificate after the handshake, which is not supported"
                return .failed(.secureConnectionFailed, "\(failed): unexpected message\(cause)")
            case .largeMessage:
                return .failed(
                    .secureConnectionFailed, "\(failed): a message of the server, such as its certificates, is larger than OpenSSL takes")
            case .unofferedProtocol(let name):
                let chosen = "the server chose the protocol \"\(name.onOneLine)\", which was not offered"
                return .failed(.secureConnectionFailed, "\(failed): \(chosen)")
            case .badExtension:
                let what = "the server's choice of a protocol, or another extension that it sent, is not valid"
                return .failed(.secureConnectionFailed, "\(failed): \(what)")
            case .closed: return .failed(.secureConnectionFailed, "\(failed): connection closed")
            case .connection(ECONNRESET), .connection(EPIPE): return .failed(.secureConnectionFailed, "\(failed): connection reset")
            case .connection(let code):
                return .failed(.secureConnectionFailed, "\(failed): \(FirewheelError.words(forSystemError: code))")
            case .other(let text): return .failed(.secureConnectionFailed, "\(failed): \(text)")
            }
        }

        private static func alert(
            _ number: Int, _ failed: String, _ oldVersion: String, _ identity: ClientIdentity?
        ) -> TransportError {
            let name = alertNames[number] ?? "\(number)"
            let client = identity.map { "the client certificate (\($0.certificate.subject.onOneLine))" }
            let remedy = "set one for the host in tls.identities"
            var code = URLError.Code.secureConnectionFailed
            let meaning: String
            switch number {
            case 40:
                let rest = client.map { "does not accept \($0)" } ?? "requires a client certificate: \(remedy)"
                meaning = "the server accepts none of the offered parameters, or \(rest)"
            case 41...46, 48:
                if client != nil { code = .clientCertificateRejected }
                meaning = client.map { "the server does not accept \($0)" } ?? "the server requires a client certificate: \(remedy)"
            case 70: meaning = oldVersion
            case 71: meaning = "the server requires stronger ciphers"
            case 112: meaning = "the server does not know the host"
            case 116:
                code = .clientCertificateRequired
                let rest = client.map { ", and asks for another kind than \($0)" } ?? ": \(remedy)"
                meaning = "the server requires a client certificate\(rest)"
            case 120: meaning = "the server speaks none of the offered protocols"
            default: return .failed(.secureConnectionFailed, "\(failed): the server sent the alert \(name)")
            }
            return .failed(code, "\(failed): \(meaning) (alert \(name))")
        }

        /// RFC 8446 section 6, and RFC 5246 section 7.2 for the older ones.
        private static let alertNames = [
            0: "close_notify",
            10: "unexpected_message", 20: "bad_record_mac", 21: "decryption_failed", 22: "record_overflow", 30: "decompression_failure",
            40: "handshake_failure", 41: "no_certificate", 42: "bad_certificate", 43: "unsupported_certificate",
            44: "certificate_revoked", 45: "certificate_expired", 46: "certificate_unknown", 47: "illegal_parameter", 48: "unknown_ca",
            49: "access_denied", 50: "decode_error", 51: "decrypt_error", 60: "export_restriction", 70: "protocol_version",
            71: "insufficient_security", 80: "internal_error", 86: "inappropriate_fallback", 90: "user_canceled",
            100: "no_renegotiation", 109: "missing_extension", 110: "unsupported_extension", 112: "unrecognized_name",
            113: "bad_certificate_status_response", 115: "unknown_psk_identity", 116: "certificate_required",
            120: "no_application_protocol",
        ]
    }

    extension TLSFinding {
        var code: URLError.Code {
            switch result {
            case 9: .serverCertificateNotYetValid
            case 10: .serverCertificateHasBadDate
            case 2, 18, 19, 20, 21: .serverCertificateHasUnknownRoot
            default: .serverCertificateUntrusted
            }
        }

        /// - Parameters:
        ///   - rules: What it was verified against; nil for the system's authorities.
        ///   - lists: What the revocation lists are called.
        func words(for host: String, _ rules: VerificationRules?, lists: String = "tls.revocationLists") -> String {
            let (remedy, reason) = (remedy(rules), reason(lists))
            if depth == 0 { return "the certificate of \(host) \(reason)\(facts)\(remedy)" }
            return "the certificate of \(host) is not trusted: a certificate of its authorities \(reason)\(facts)\(remedy)"
        }

        /// What to do about an authority that is not in the store.
        private func remedy(_ rules: VerificationRules?) -> String {
            guard code == .serverCertificateHasUnknownRoot else { return "" }
            var remedy = "; to trust it, add its authority's certificate to tls.authorities"
            if let rules, !rules.revocationLists.isEmpty {
                remedy += " (the root's: with tls.revocationLists no other certificate counts)"
            }
            if case .only = rules?.authorities { return remedy }
            return "\(remedy), or name a PEM file with it in SSL_CERT_FILE, which replaces the system's store"
        }

        /// Based on `X509_V_ERR_…`.
        private func reason(_ lists: String) -> String {
            switch result {
            case 3, 33: "cannot be checked for revocation: \(lists) has no usable list of its issuer"
            case 11: "cannot be checked for revocation: the list of its issuer is not valid yet"
            case 12: "cannot be checked for revocation: the list of its issuer has expired"
            case 5, 8, 15, 16, 35, 36, 44, 54: "cannot be checked for revocation: the list of its issuer cannot be used (\(text))"
            case 7: "has a signature that is not valid"
            case 9: "is not valid yet"
            case 10: "has expired"
            case 18: "is self-signed"
            // A root that the server has sent.
            case 19: depth > 0 ? "is of an unknown authority" : "is self-signed"
            case 2, 20, 21: depth > 0 ? "is from an unknown authority" : "is from an unknown authority\(missing)"
            case 22: "belongs to a chain that is too long"
            case 23: "is revoked"
            case 25: "may not have so many certificates below it"
            case 26: depth > 0 ? "may not be used by an authority" : "is not for servers"
            case 24, 32, 79: "does not belong to an authority"
            case 47, 48: "is not within the names that its authority may certify"
            case 50: "cannot be judged by the program: OpenSSL 3.0.2 or later is needed"
            case 62, 64: "is for another host"
            case 66, 67: "has a key that is too weak"
            case 68: "has a signature that is too weak"
            default: "is not trusted: \(text.isEmpty ? "error \(result)" : text)"
            }
        }

        /// Whether a revocation list is the reason.
        var isAboutRevocation: Bool { [3, 5, 8, 11, 12, 15, 16, 23, 33, 35, 36, 44, 54].contains(result) }

        private var missing: String { presented == 1 ? ", or the server did not send its intermediate certificates" : "" }

        /// What the certificate says about itself.
        private var facts: String {
            var facts: [String] = []
            if !subject.isEmpty { facts.append("subject \(subject.onOneLine)") }
            switch result {
            case 9 where !notBefore.isEmpty: facts.append("valid from \(notBefore)")
            case 10 where !notAfter.isEmpty: facts.append("valid until \(notAfter)")
            case 2, 3, 5, 7, 8, 11, 12, 20, 21, 23, 33, 35, 36, 44: if !issuer.isEmpty { facts.append("issuer \(issuer.onOneLine)") }
            default: break
            }
            return facts.isEmpty ? "" : " (\(facts.joined(separator: ", ")))"
        }
    }
#endif
