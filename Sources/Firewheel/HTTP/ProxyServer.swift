import Foundation

/// A proxy that connections lead through: its kind, its address, and the credentials for it.
// An object, because every request asks whether it has one.
final class ProxyServer: Sendable, Hashable {
    enum Kind: String, Sendable {
        case http
        /// As `http`, over TLS with the proxy.
        case https
        /// SOCKS 5 (RFC 1928). The proxy looks names up.
        case socks5h
        /// As `socks5h`, but names are looked up here.
        case socks5
        /// SOCKS 4a. The proxy looks names up.
        case socks4a
        /// SOCKS 4. Names are looked up here.
        case socks4

        var isHTTP: Bool { self == .http || self == .https }
        /// Whether the proxy is asked for an address of the server, and not for its name.
        var needsAddress: Bool { self == .socks5 || self == .socks4 }
        var isSOCKS4: Bool { self == .socks4 || self == .socks4a }
    }

    /// Why there is no such proxy, to be put behind the name of what describes it.
    struct Problem: Error, Equatable {
        let words: String

        init(_ words: String) { self.words = words }
    }

    let kind: Kind
    /// Its host and port; secure if the connection to the proxy itself is to be.
    let origin: TargetURI.Origin
    /// nil without credentials.
    let user: String?
    let password: String
    /// The environment variable that names it; nil for a proxy of the program's.
    let variable: String?

    /// - Parameters:
    ///   - host: A name, in letters beyond ASCII too, or an address; one of IPv6 with or without brackets.
    ///   - variable: The environment variable that names it. Default: nil, none.
    init(
        _ kind: Kind, host: String, port: Int, user: String? = nil, password: String = "", variable: String? = nil
    ) throws(Problem) {
        guard (1...65_535).contains(port) else { throw Problem("the port \(port) is not between 1 and 65535") }
        guard let origin = TargetURI.Origin(isSecure: kind == .https, host: host, port: port) else {
            guard !host.isEmpty else { throw Problem("there is no host") }
            // In a variable it may be a part of a password, and a host with credentials in front has one.
            let words = variable == nil && !host.contains("@") ? host.onOneLine.debugDescription : "its host"
            throw Problem("\(words) is not the name or address of a host")
        }
        if let user {
            try Self.check(user, password, for: kind)
        }
        (self.kind, self.origin, self.user, self.password, self.variable) = (kind, origin, user, password, variable)
    }

    private static func check(_ user: String, _ password: String, for kind: Kind) throws(Problem) {
        switch kind {
        case .http, .https:
            // In UTF-8, since a colon with a combining mark is another character.
            guard !user.utf8.contains(UInt8(ascii: ":")) else {
                throw Problem("the user name has a colon, which Basic cannot send (RFC 7617 section 2)")
            }
            let isPlain = (user + password).unicodeScalars.allSatisfy { $0.value >= 0x20 && $0.value != 0x7F }
            guard isPlain else { throw Problem("the user name or the password has a control character (RFC 7617 section 2)") }
        case .socks5, .socks5h:
            guard (1...255).contains(user.utf8.count), password.utf8.count <= 255 else {
                throw Problem("the user name or the password is not as long as SOCKS 5 can send it, 1 to 255 bytes (RFC 1929)")
            }
        case .socks4, .socks4a:
            guard password.isEmpty else { throw Problem("SOCKS 4 has no passwords") }
            guard !user.utf8.contains(0), user.utf8.count <= 255 else { throw Problem("the user name is not one that SOCKS 4 can send") }
        }
    }

    /// Reads the value of an environment variable as curl does: a URL, whose scheme is http if there is none, and SOCKS 4 if it is `socks`.
    /// The port is 443 for https and 1080 for others if there is none.
    convenience init(url text: String, variable: String? = nil) throws(Problem) {
        let scheme = text.firstRange(of: "://")
        let name = scheme.map { text[..<$0.lowerBound].lowercased() } ?? "http"
        guard let kind = Kind(rawValue: name == "socks" ? "socks4" : name) else {
            // What stands before the colon may be anything, a password included.
            let isName = name.utf8.count <= 16 && name.utf8.allSatisfy { $0.isASCIILetter || $0.isASCIIDigit }
            throw Problem(isName ? "proxies with the scheme \"\(name)\" are not supported" : "it is not a URL")
        }
        // For libcurl the path is that of a Unix socket then.
        let rest = text[(scheme?.upperBound ?? text.startIndex)...]
        if !kind.isHTTP, let slash = rest.firstIndex(of: "/"), rest[slash...].count > 1, rest[..<slash].lowercased().hasSuffix("localhost")
        {
            throw Problem("proxies at Unix sockets are not supported")
        }
        let authority = rest.prefix { !"/?#".contains($0) }
        // Otherwise a part of a password would be taken for a host, looked up and printed.
        guard !rest[authority.endIndex...].contains("@") else {
            throw Problem("an @ follows a slash, question mark or number sign, which have to be percent-encoded in credentials")
        }
        var host = authority
        var (user, password): (String?, String) = (nil, "")
        if let at = authority.lastIndex(of: "@") {
            host = authority[authority.index(after: at)...]
            let parts = authority[..<at].split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
            let decoded = parts.map { $0.removingPercentEncoding }
            guard decoded.allSatisfy({ $0 != nil }) else { throw Problem("the percent-encoding of its credentials is not valid") }
            user = decoded[0]
            password = decoded.count > 1 ? decoded[1] ?? "" : ""
        }
        var port = kind == .https ? 443 : 1080
        let bracket = host.lastIndex(of: "]") ?? host.startIndex
        if let colon = host[bracket...].firstIndex(of: ":") {
            let digits = host[host.index(after: colon)...]
            // What stands there may be the password of a URL whose characters are not encoded.
            guard digits.utf8.count <= 16, digits.utf8.allSatisfy(\.isASCIIDigit) else { throw Problem("its port is not a number") }
            if !digits.isEmpty { port = Int(digits) ?? 0 }
            host = host[..<colon]
        }
        try self.init(kind, host: String(host), port: port, user: user, password: password, variable: variable)
    }

    static func == (one: ProxyServer, other: ProxyServer) -> Bool {
        one === other
            || one.kind == other.kind && one.origin == other.origin && one.user == other.user && one.password == other.password
                && one.variable == other.variable
    }

    func hash(into hasher: inout Hasher) {
        hasher.combine(kind)
        hasher.combine(origin)
        hasher.combine(user)
    }
}

extension ProxyServer: CustomStringConvertible, CustomReflectable {
    /// Its URL without credentials, and the variable that names it.
    var description: String {
        // `ProxyConfiguration` calls it socks5.
        "\(kind == .socks5h && variable == nil ? "socks5" : kind.rawValue)://\(origin.bracketedHost):\(origin.port)"
            + (variable.map { " of the environment variable \($0)" } ?? "")
    }

    /// Empty, so that `dump` and debuggers show only the description.
    var customMirror: Mirror { Mirror(self, children: [:]) }
}
