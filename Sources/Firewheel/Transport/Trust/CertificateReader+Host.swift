// Used on Apple's systems; in debug builds of others, tests compare it with OpenSSL.
#if canImport(Security) || DEBUG
    extension CertificateReader {
        /// Whether its names have a host of a URL: subjectAltName alone counts (RFC 9110 section 4.3.4). A wildcard is the whole first
        /// label, stands for one label, and has two more behind it (RFC 9525 section 6.3, and OpenSSL).
        func isFor(_ host: String) -> Bool {
            guard let name = HostPatterns<Void>.name(ofHost: host) else { return false }
            if HostAddress.looksLikeIPv4(name) || name.contains(":") {
                return alternativeNames.contains { $0.isAddress && $0.text == name }
            }
            let parent = name.firstIndex(of: ".").map { name[$0...] } ?? ""
            let pattern = parent.dropFirst().contains(".") ? "*\(parent)" : name
            return alternativeNames.contains { own, isAddress in
                let own = own.lowercased()
                return !isAddress && (own == name || own == pattern)
            }
        }
    }
#endif
