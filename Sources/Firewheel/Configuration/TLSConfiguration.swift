import Foundation

/// Whom a session trusts over TLS, which versions it speaks, and which client certificates it shows: `SessionConfiguration.tls`.
///
/// It counts for every https server of the session, also after redirects. What the transport cannot honor makes every request fail with
/// `transportFailed(.resourceUnavailable)`, before anything is sent.
public struct TLSConfiguration: Sendable, Hashable {
    /// The certificates that the chain of a server's certificate has to end with.
    public enum Authorities: Sendable, Hashable {
        /// Those of the system. On Linux this is OpenSSL's store, or what `SSL_CERT_FILE` and `SSL_CERT_DIR` name.
        case system
        /// Those of the system and these. Where the system has no store, https requests fail.
        case systemAnd([Certificate])
        /// These alone: the system's, and with them `SSL_CERT_FILE` and `SSL_CERT_DIR`, do not count.
        ///
        /// An intermediate certificate or a server's own may be among them, as for curl, unless there are
        /// ``TLSConfiguration/revocationLists``. An empty list makes every https request fail.
        case only([Certificate])
    }

    /// The least version of TLS that is spoken. The system's configuration of OpenSSL may demand a later one. Default: TLS 1.2.
    public var minimumVersion = TLSVersion.v1_2

    /// The greatest version of TLS that is spoken. If it is before ``minimumVersion``, every https request fails. Default: nil, the
    /// greatest that the system knows.
    public var maximumVersion: TLSVersion?

    /// The certificates that are trusted. Default: those of the system.
    public var authorities = Authorities.system

    /// Revocation lists (CRLs, RFC 5280 section 5), each in DER, or as a text in PEM with any number of them.
    ///
    /// With any list, every certificate of a chain is looked up in the list of its issuer, and a server with a revoked one is refused with
    /// `transportFailed(.serverCertificateUntrusted)`. Lists are not fetched, and never renewed during a session. One without an end never
    /// expires. Delta lists, indirect ones, those for some reasons only and damaged ones make every https request fail with
    /// `transportFailed(.resourceUnavailable)`. Default: none, with which no certificate is checked for revocation.
    public var revocationLists: [Data] = []

    /// Whether a server is refused if one of its certificates cannot be checked: if there is no list of the certificate's issuer, or only
    /// one that has expired or is not valid yet.
    ///
    /// If false, such a certificate passes unless the newest list of its issuer names it. Without ``revocationLists`` it has no effect.
    /// Default: true.
    public var requiresRevocationLists = true

    /// The client certificates to present to servers that ask for one, by host: `api.example.com`, `*.example.com` for the hosts one label
    /// below it, `**.example.com` for those any number of labels below it and itself, and `*` for every host. The pattern with the most
    /// labels in common counts: a host before `**.` with the same host, and `*.` before `**.`. To a host without one none is presented.
    /// Default: none.
    ///
    /// A server sees the certificate's subject: `*` shows it to every server that asks, also after redirects, and to a proxy over TLS. A
    /// server that asks after the handshake (TLS 1.3 post-handshake authentication, RFC 8446 section 4.6.2) gets none.
    public var identities: [String: ClientIdentity] = [:]

    /// A configuration with every default.
    public init() {}
}

extension TLSConfiguration: CustomStringConvertible, CustomReflectable {
    /// Every property, with the number of certificates and lists.
    public var description: String {
        let greatest = maximumVersion.map(\.name) ?? "the greatest"
        let lists = revocationLists.isEmpty ? "none" : "\(revocationLists.count)\(requiresRevocationLists ? "" : ", not required")"
        let clients =
            identities.isEmpty ? "" : ", client certificates: \(identities.keys.map(Redaction.host).sorted().joined(separator: ", "))"
        return "\(minimumVersion.name) to \(greatest), authorities: \(authorities.words), revocation lists: \(lists)\(clients)"
    }

    /// Empty, so that `dump` and debuggers show only the description.
    public var customMirror: Mirror { Mirror(self, children: [:]) }

    /// Why no server can be verified with it; nil if it makes sense.
    var problem: String? {
        if let maximumVersion, maximumVersion < minimumVersion {
            return "tls.maximumVersion is \(maximumVersion.name), which is before tls.minimumVersion, \(minimumVersion.name)"
        }
        return authorities == .only([]) ? "tls.authorities is empty, so that no server can be trusted" : nil
    }
}

extension TLSConfiguration.Authorities {
    fileprivate var words: String {
        switch self {
        case .system: "system"
        case .systemAnd(let own): "system and \(own.count)"
        case .only(let own): "\(own.count)"
        }
    }
}
