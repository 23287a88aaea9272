import Firewheel
import Foundation

/// The proxies of `connectionProxyDictionary`.
///
/// Its keys are those of CFNetwork's `kCFNetworkProxies…` constants, which Linux lacks: there they are written as text, `"HTTPEnable"`.
struct ProxyDictionary {
    /// How requests of one scheme are sent.
    private struct Route: Hashable {
        let isSOCKS: Bool
        let host: String
        let port: Int
    }

    private let plain: Route?
    private let secure: Route?
    private let credential: URLCredential?
    /// Names that stand for themselves alone, in lower case: Firewheel's own exceptions include the names below.
    private let directNames: Set<String>
    /// Whether hosts without a dot are reached without a proxy.
    private let excludesSimpleNames: Bool
    /// Further exceptions, in Firewheel's syntax.
    private let bypass: [String]

    init(_ dictionary: [AnyHashable: Any]) throws(ConfigurationRefusal) {
        var values = try Values(dictionary)
        let http = try values.route("HTTP")
        let https = try values.route("HTTPS")
        let socks = try values.route("SOCKS", isSOCKS: true)
        (plain, secure) = (http ?? socks, https ?? socks)
        for (enable, key) in [("ProxyAutoConfigEnable", "ProxyAutoConfigURLString"), ("ProxyAutoDiscoveryEnable", nil)] {
            let hasScript = key.map { values.remove($0) != nil } ?? false
            guard try values.flag(enable) ?? hasScript else { continue }
            throw ConfigurationRefusal("\(enable) is set, but scripts that choose proxies are not supported")
        }
        excludesSimpleNames = try values.flag("ExcludeSimpleHostnames") ?? false
        let exceptions = try values.texts("ExceptionsList").map { $0.lowercased() }
        directNames = Set(exceptions.filter(Self.isName))
        bypass = exceptions.filter { !Self.isName($0) }.map(Self.network)
        let user = try values.text("kCFProxyUsernameKey")
        let password = try values.text("kCFProxyPasswordKey")
        credential = user.map { URLCredential(user: $0, password: password ?? "", persistence: .forSession) }
        if let key = values.unknown { throw ConfigurationRefusal("the key \(key) is not known") }
    }

    var configuration: ProxyConfiguration {
        guard plain != secure || !directNames.isEmpty || excludesSimpleNames else { return proxy(plain) }
        return .custom { [self] url in
            let host = (url.host ?? "").lowercased()
            if directNames.contains(host) || excludesSimpleNames && !host.contains(where: { ".:".contains($0) }) { return .none }
            return proxy(url.scheme?.lowercased() == "https" ? secure : plain)
        }
    }

    private func proxy(_ route: Route?) -> ProxyConfiguration {
        guard let route else { return .none }
        return route.isSOCKS
            ? .socks5(host: route.host, port: route.port, credential: credential, bypass: bypass)
            : .http(host: route.host, port: route.port, credential: credential, bypass: bypass)
    }

    /// Whether an exception is a plain name, and not an address, a network or a pattern.
    private static func isName(_ exception: String) -> Bool {
        exception.contains(where: \.isLetter) && !exception.hasPrefix(".") && !exception.contains { "*/:, ".contains($0) }
    }

    /// A network with all four numbers of its address: `169.254/16`, as Apple's systems write it, is `169.254.0.0/16`.
    private static func network(_ exception: String) -> String {
        let parts = exception.split(separator: "/", omittingEmptySubsequences: false)
        guard parts.count == 2, parts[0].allSatisfy({ $0 == "." || $0.isASCII && $0.isNumber }) else { return exception }
        let missing = max(0, 3 - parts[0].count { $0 == "." })
        return parts[0] + String(repeating: ".0", count: missing) + "/" + parts[1]
    }

    /// The values of the dictionary that have not been read yet.
    private struct Values {
        private var values: [String: Any] = [:]

        init(_ dictionary: [AnyHashable: Any]) throws(ConfigurationRefusal) {
            for (key, value) in dictionary {
                guard let name = key as? String else {
                    throw ConfigurationRefusal("a key is not a String, but of type \(type(of: key.base))")
                }
                values[name] = value
            }
        }

        /// A key that has not been read. Those of schemes that are not HTTP's have no effect.
        var unknown: String? {
            values.keys.sorted().first { key in !["FTP", "Gopher", "RTSP"].contains { key.hasPrefix($0) } }
        }

        mutating func remove(_ key: String) -> Any? { values.removeValue(forKey: key) }

        mutating func route(_ scheme: String, isSOCKS: Bool = false) throws(ConfigurationRefusal) -> Route? {
            let isEnabled = try flag("\(scheme)Enable")
            let host = try text("\(scheme)Proxy")
            let port = try number("\(scheme)Port")
            guard let isEnabled else {
                if host == nil, port == nil { return nil }
                // Whoever names a proxy may rely on it, so that requests do not go around it.
                throw ConfigurationRefusal("it has \(scheme)\(host == nil ? "Port" : "Proxy") but not \(scheme)Enable")
            }
            guard isEnabled else { return nil }
            guard let host, !host.isEmpty else { throw ConfigurationRefusal("it has \(scheme)Enable but not \(scheme)Proxy") }
            guard let port else { throw ConfigurationRefusal("it has \(scheme)Enable but not \(scheme)Port") }
            guard (1...65_535).contains(port) else { throw ConfigurationRefusal("\(scheme)Port is not between 1 and 65535") }
            return Route(isSOCKS: isSOCKS, host: host, port: port)
        }

        mutating func flag(_ key: String) throws(ConfigurationRefusal) -> Bool? {
            try read(key, "a number") { ($0 as? NSNumber)?.boolValue }
        }

        mutating func number(_ key: String) throws(ConfigurationRefusal) -> Int? {
            try read(key, "a number") { value in (value as? NSNumber).flatMap { Int(exactly: $0.doubleValue) } }
        }

        mutating func text(_ key: String) throws(ConfigurationRefusal) -> String? { try read(key, "a String") { $0 as? String } }

        mutating func texts(_ key: String) throws(ConfigurationRefusal) -> [String] {
            try read(key, "an array of String") { $0 as? [String] } ?? []
        }

        private mutating func read<Value>(
            _ key: String, _ kind: String, _ convert: (Any) -> Value?
        ) throws(ConfigurationRefusal) -> Value? {
            guard let value = remove(key) else { return nil }
            guard let converted = convert(value) else { throw ConfigurationRefusal("\(key) is not \(kind)") }
            return converted
        }
    }
}
