#if os(Linux)
    /// The server that a TLS connection leads to, under the name that its certificate has to have.
    struct TLSPeer: Sendable, Hashable {
        /// As in the URL, in lower case; an IPv6 address without brackets.
        let host: String
        let port: Int
        let isAddress: Bool

        init(host: String, port: Int, isAddress: Bool) {
            self.host = host
            self.port = port
            self.isAddress = isAddress
        }

        init(_ origin: TargetURI.Origin) {
            self.init(host: origin.host, port: origin.port, isAddress: origin.isAddress)
        }

        /// The name in certificates: without the dot at the end of an absolute domain name, and an address without its zone. nil if no
        /// certificate can have it.
        var certificateName: String? {
            var name = Substring(host)
            if isAddress { name = name.prefix { $0 != "%" } } else if name.hasSuffix(".") { name = name.dropLast() }
            // RFC 6066 section 3 and RFC 1035 section 2.3.4. A name that begins with a dot would stand for all names that end with it.
            guard !name.isEmpty, name.utf8.count <= 255, !name.hasPrefix("."), !name.utf8.contains(0) else { return nil }
            return String(name)
        }

        /// Host and port.
        var address: String { host.contains(":") ? "[\(host)]:\(port)" : "\(host):\(port)" }
    }
#endif
