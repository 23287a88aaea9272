#if os(Linux)
    import Firewheel

    /// How a ``MockServer`` speaks TLS: with which certificate, in which versions, and whether clients have to show one of their own. Linux
    /// only: it uses the system's OpenSSL.
    ///
    /// ```swift
    /// let server = try MockServer(tls: .selfSigned(for: ["localhost"]))
    /// ```
    public struct MockTLS: Sendable {
        /// The server's certificate and its key.
        public var identity: TestIdentity
        /// With one, a client has to show a certificate that this authority has issued. Default: nil, which asks for none.
        public var clientAuthority: TestAuthority?
        /// The least version of TLS. Default: TLS 1.2.
        public var minimumVersion = TLSVersion.v1_2
        /// The greatest version of TLS. Default: TLS 1.3.
        public var maximumVersion = TLSVersion.v1_3

        /// A server with a certificate.
        ///
        /// - Parameters:
        ///   - identity: The certificate and its key.
        ///   - clientAuthority: With one, a client has to show a certificate that this authority has issued. Default: nil.
        public init(_ identity: TestIdentity, clientAuthority: TestAuthority? = nil) {
            self.identity = identity
            self.clientAuthority = clientAuthority
        }

        /// A server with a certificate that is signed with its own key. To trust it: `tls.authorities = .only([server.certificate])`.
        ///
        /// - Parameter names: The hosts that it is for.
        /// - Throws: As ``TestIdentity/selfSigned(for:validity:)``.
        public static func selfSigned(for names: [String]) throws -> MockTLS { MockTLS(try .selfSigned(for: names)) }

        var options: TLSFront.Options {
            .with {
                $0.recordsHandshakes = false
                $0.minimumVersion = minimumVersion == .v1_2 ? .tls12 : .tls13
                $0.maximumVersion = maximumVersion == .v1_2 ? .tls12 : .tls13
                $0.clientAuthorities = clientAuthority.map { [$0.root] } ?? []
            }
        }
    }

    extension MockServer {
        /// Binds a free port and starts to accept connections, with TLS and HTTP/1.1.
        ///
        /// A client that refuses the certificate, or whose own is not accepted, has made no connection and no request. The URLs' host is
        /// `localhost` if the certificate is for that and the address is IPv4, and otherwise the address. ``closeIdleConnections()``
        /// returns before clients notice.
        ///
        /// - Parameters:
        ///   - address: The loopback address to listen on. Default: IPv4.
        ///   - tls: The certificate, the versions, and who may be a client.
        ///   - recordsRequests: Whether to keep requests for `takeRequest(timeout:)`.
        /// - Throws: ``MockServerError/tls(reason:)`` if OpenSSL cannot make the server, also if ``MockTLS/minimumVersion`` is above
        ///   ``MockTLS/maximumVersion``; ``MockServerError/system(call:code:)`` as without TLS.
        public convenience init(_ address: Address = .ipv4, tls: MockTLS, recordsRequests: Bool = true) throws {
            guard tls.minimumVersion <= tls.maximumVersion else {
                throw MockServerError.tls(reason: "minimumVersion is above maximumVersion")
            }
            // It may not lead to ::1.
            let isLocal = address == .ipv4 && tls.identity.certificate.names.contains { $0.lowercased() == "localhost" }
            let host = isLocal ? "localhost" : address.host
            // The server itself has no TLS; the TLS-terminating proxy in front of it connects by IPv4.
            try self.init(.ipv4, recordsRequests: recordsRequests, host: host) { port in
                var options = tls.options
                options.isIPv6 = address == .ipv6
                return (try TLSFront(to: port, identity: tls.identity, options: options), tls.identity.certificate)
            }
        }
    }

    extension TLSFront: MockFront {}
#endif
