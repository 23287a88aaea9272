import Foundation

/// Which proxy the requests of a session lead through, by their URL.
struct ProxyRules: Sendable {
    private let http: TransportRoute.Proxy?
    private let https: TransportRoute.Proxy?
    /// What applies to the hosts that are reached without a proxy.
    private let excepted: TransportRoute.Proxy?
    private let exceptions: ProxyExceptions

    /// - Parameter system: What the system's settings say.
    init(_ configuration: ProxyConfiguration, system: ProxyRules) {
        switch configuration {
        case .system: self = system
        // Nothing is to be said where the system has no proxies.
        case .none: self.init(every: system.isDirect ? nil : .straight)
        case .http(let host, let port, let credential, let bypass): self.init(.http, host, port, credential, bypass)
        case .https(let host, let port, let credential, let bypass): self.init(.https, host, port, credential, bypass)
        case .socks5(let host, let port, let credential, let bypass): self.init(.socks5h, host, port, credential, bypass)
        case .socks4a(let host, let port, let bypass): self.init(.socks4a, host, port, nil, bypass)
        case .custom: self.init(every: .unusable("the closure of ProxyConfiguration.custom returned another custom configuration"))
        }
    }

    private init(
        http: TransportRoute.Proxy?, https: TransportRoute.Proxy?, excepted: TransportRoute.Proxy?, exceptions: ProxyExceptions
    ) {
        (self.http, self.https, self.excepted, self.exceptions) = (http, https, excepted, exceptions)
    }

    private init(every proxy: TransportRoute.Proxy?) {
        self.init(http: proxy, https: proxy, excepted: proxy, exceptions: ProxyExceptions())
    }

    private init(_ kind: ProxyServer.Kind, _ host: String, _ port: Int, _ credential: URLCredential?, _ bypass: [String]) {
        let exceptions = ProxyExceptions(bypass)
        if let problem = exceptions.problem {
            self.init(every: .unusable("\(problem) of the proxy's bypass is not a host, an address or a network"))
            return
        }
        let proxy: TransportRoute.Proxy
        do throws(ProxyServer.Problem) {
            proxy = .server(
                try ProxyServer(kind, host: host, port: port, user: credential?.user, password: credential?.password ?? ""))
        } catch {
            proxy = .unusable("the session's proxy cannot be used: \(error.words)")
        }
        self.init(http: proxy, https: proxy, excepted: .straight, exceptions: exceptions)
    }

    /// The proxies of the environment, as curl reads it.
    ///
    /// - Parameter value: The value of a variable; nil if it is not set.
    init(environment value: (String) -> String?) {
        // An empty variable is none for curl, so that the next one counts.
        func first(_ names: [String]) -> (name: String, text: String)? {
            for name in names {
                if let text = value(name), !text.isEmpty { return (name, text) }
            }
            return nil
        }
        func proxy(_ names: [String]) -> TransportRoute.Proxy? {
            guard let (name, text) = first(names + ["all_proxy", "ALL_PROXY"]) else { return nil }
            do throws(ProxyServer.Problem) {
                return .server(try ProxyServer(url: text, variable: name))
            } catch {
                return .unusable("the environment variable \(name) is not the URL of a proxy that can be used: \(error.words)")
            }
        }
        // HTTP_PROXY in upper case can come from a client's field Proxy in a CGI program.
        let (http, https) = (proxy(["http_proxy"]), proxy(["https_proxy", "HTTPS_PROXY"]))
        // A long list takes long to read: nobody needs one without a proxy.
        let exceptions = http == nil && https == nil ? nil : first(["no_proxy", "NO_PROXY"])?.text
        self.init(http: http, https: https, excepted: nil, exceptions: ProxyExceptions(exceptions ?? ""))
    }

    /// What the system's settings say now. On Apple's systems URLSession follows them by itself.
    static var system: ProxyRules {
        #if canImport(Darwin)
            ProxyRules(every: nil)
        #else
            ProxyRules(environment: { getenv($0).map { String(cString: $0) } })
        #endif
    }

    /// Whether it says nothing about any host.
    var isDirect: Bool { http == nil && https == nil && excepted == nil }

    /// nil if it says nothing about the host.
    func proxy(for origin: TargetURI.Origin) -> TransportRoute.Proxy? {
        guard let proxy = origin.isSecure ? https : http else { return nil }
        return exceptions.contains(origin) ? excepted : proxy
    }
}
