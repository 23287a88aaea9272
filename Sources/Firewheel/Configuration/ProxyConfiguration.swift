import Foundation

/// The proxy of a session: `SessionConfiguration.proxy`.
///
/// It counts for each request, also after redirects, by the URL of the request. http requests are sent to a proxy with their whole URL (RFC
/// 9112 section 3.2.2), and share its connections whatever their host. For https requests the proxy is asked to connect to the server
/// (CONNECT, RFC 9110 section 9.3.6); within that connection TLS is spoken with the server, which is verified as without a proxy.
///
/// What is not valid, such as a port above 65535, makes every request that would use it fail with `transportFailed(.resourceUnavailable)`:
/// no request goes around its proxy.
public enum ProxyConfiguration: Sendable {
    /// The proxies of the system.
    ///
    /// On Linux those of the environment, as curl reads it, at the time when the session is created. For http URLs `http_proxy` (not
    /// `HTTP_PROXY`, which a client of a CGI program could set), for https URLs `https_proxy` and `HTTPS_PROXY`, and for both `all_proxy`
    /// and `ALL_PROXY`: the first that is not empty. A value is a URL, such as `http://user:password@proxy.example.com:3128`; without a
    /// scheme it is http, and without a port 1080, or 443 for https. The schemes `socks5h` and `socks4a` stand for SOCKS proxies that look
    /// names up; for `socks5`, `socks4` and `socks` the program does so. `no_proxy` or `NO_PROXY` has the exceptions, in the syntax of
    /// `bypass` below. A value that is not the URL of a proxy makes requests fail with an error that names the variable.
    /// ``URLSessionTransport`` reads the same variables on Linux, and the system's settings on Apple's systems.
    case system
    /// No proxy, whatever the system's settings are.
    case none
    /// An HTTP proxy.
    ///
    /// - Parameters:
    ///   - host: Its name or address.
    ///   - port: Its port, from 1 to 65535.
    ///   - credential: Sent to the proxy with every request, and not to servers: as Basic (RFC 7617), and as Digest (RFC 7616) once the
    ///     proxy has asked for that. Default: nil, for the credentials of the session for the proxy's URL, which are sent when the proxy
    ///     asks for them (``Session/credentials``).
    ///   - bypass: The hosts that are reached without the proxy. `example.com`, `.example.com` and `*.example.com` stand for that name and
    ///     all names below it; `10.1.2.3` and `fd00::1` for an address, `10.0.0.0/8` and `fd00::/8` for a network; `example.com:8080` and
    ///     `[fd00::1]:8080` for one port; `*`, if it is the only one, for every host. Default: none.
    case http(host: String, port: Int, credential: URLCredential? = nil, bypass: [String] = [])
    /// An HTTP proxy to which the connection itself is over TLS. It is verified as servers are: by the session's `tls`, and by its
    /// ``ServerTrustManager`` if there is one. ``URLSessionTransport`` does not support it.
    ///
    /// The parameters are those of ``http(host:port:credential:bypass:)``. The certificate has to be for the host.
    case https(host: String, port: Int, credential: URLCredential? = nil, bypass: [String] = [])
    /// A SOCKS 5 proxy (RFC 1928), which connects to http and https servers alike, and looks their names up. ``URLSessionTransport``
    /// supports it on Apple's systems.
    ///
    /// The parameters are those of ``http(host:port:credential:bypass:)``. The credential is a user name of 1 to 255 bytes and a password
    /// of up to 255 bytes (RFC 1929), which are sent if the proxy asks for them. They are not encrypted.
    case socks5(host: String, port: Int, credential: URLCredential? = nil, bypass: [String] = [])
    /// A SOCKS 4a proxy, which connects to http and https servers alike, and looks their names up. It has no credentials, and cannot reach
    /// IPv6 addresses. ``URLSessionTransport`` does not support it.
    ///
    /// The parameters are those of ``http(host:port:credential:bypass:)``.
    case socks4a(host: String, port: Int, bypass: [String] = [])
    /// A closure that chooses the proxy of each request by its URL, as a proxy auto-configuration (PAC) file does.
    ///
    /// It is called for every request and every redirect, off the threads of the session. If it does not return within the connect timeout,
    /// the request fails with `timedOut`. It may return any other case; ``system`` is then the system's settings.
    case custom(@Sendable (URL) async -> ProxyConfiguration)
}

extension ProxyConfiguration: CustomStringConvertible, CustomReflectable {
    /// Kind and address, without credentials.
    public var description: String {
        switch self {
        case .system: "system"
        case .none: "none"
        case .http(let host, let port, let credential, let bypass): Self.text("http", host, port, credential, bypass)
        case .https(let host, let port, let credential, let bypass): Self.text("https", host, port, credential, bypass)
        case .socks5(let host, let port, let credential, let bypass): Self.text("socks5", host, port, credential, bypass)
        case .socks4a(let host, let port, let bypass): Self.text("socks4a", host, port, nil, bypass)
        case .custom: "custom"
        }
    }

    private static func text(_ scheme: String, _ host: String, _ port: Int, _ credential: URLCredential?, _ bypass: [String]) -> String {
        let user = credential == nil ? "" : "\(Redaction.mark)@"
        let exceptions = bypass.isEmpty ? "" : " except \(bypass.map(Redaction.host).joined(separator: ", "))"
        return "\(scheme)://\(user)\(Redaction.host(host)):\(port)\(exceptions)"
    }

    /// Empty, so that `dump` and debuggers show only the description: a credential is a secret.
    public var customMirror: Mirror { Mirror(self, children: [:]) }
}
