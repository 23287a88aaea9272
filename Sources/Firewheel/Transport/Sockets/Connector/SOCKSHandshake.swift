import Foundation

/// Asks a SOCKS proxy to connect to a server: SOCKS 5 (RFC 1928, with user names and passwords of RFC 1929), and SOCKS 4 and 4a (the memos
/// of Ying-Da Lee).
struct SOCKSHandshake: TunnelHandshake {
    private enum State {
        /// The proxy chooses a way to authenticate.
        case method
        /// The proxy judges the credentials.
        case verdict
        case reply5
        case reply4

        var version: Int { self == .reply4 ? 4 : 5 }
    }

    /// Where the proxy is asked to connect to.
    private enum Destination {
        case ipv4([UInt8])
        case ipv6([UInt8])
        case name([UInt8])
    }

    private let proxy: ProxyServer
    private let destination: Destination
    private let port: [UInt8]
    private let place: String
    private let isSecure: Bool
    private var state: State
    /// What has come and is not understood yet.
    private var input: [UInt8] = []

    private(set) var output: [UInt8] = []
    private(set) var hasBegun = false
    var head: ResponseHead? { nil }
    var refusal: TransportError? { nil }

    /// - Parameters:
    ///   - address: The address of the server's name, if the proxy does not look it up; nil for the host of `origin`.
    ///   - proxy: One whose kind is not http or https.
    ///   - place: How messages name the server. Default: nil, by its host and port.
    /// - Throws: The error for a server that such a proxy cannot reach.
    init(to origin: TargetURI.Origin, at address: String?, through proxy: ProxyServer, named place: String? = nil) throws(TransportError) {
        self.proxy = proxy
        isSecure = origin.isSecure
        self.place = place ?? "\(origin.bracketedHost):\(origin.port)"
        port = [UInt8(truncatingIfNeeded: origin.port >> 8), UInt8(truncatingIfNeeded: origin.port)]
        destination = Self.destination(address ?? origin.host)
        switch proxy.kind {
        case .socks4, .socks4a:
            state = .reply4
            try appendRequest4()
        case .socks5, .socks5h, .http, .https:
            state = .method
            // No authentication, and a user name with a password.
            output = proxy.user == nil ? [5, 1, 0] : [5, 2, 0, 2]
        }
    }

    private static func destination(_ host: String) -> Destination {
        // A looked up IPv6 address may have brackets, and a zone, which has a meaning on this machine only.
        let text = String((host.hasPrefix("[") ? host.dropFirst().dropLast() : host[...]).prefix { $0 != "%" })
        var (four, six) = (in_addr(), in6_addr())
        if inet_pton(AF_INET, text, &four) == 1 { return .ipv4(withUnsafeBytes(of: &four) { Array($0) }) }
        if inet_pton(AF_INET6, text, &six) == 1 { return .ipv6(withUnsafeBytes(of: &six) { Array($0) }) }
        return .name(Array(host.utf8))
    }

    // MARK: Sending

    private mutating func appendRequest4() throws(TransportError) {
        let user = Array((proxy.user ?? "").utf8) + [0]
        switch destination {
        case .ipv4(let address) where address[..<3] == [0, 0, 0] && address[3] != 0:
            throw .failed(.cannotConnectToHost, unable("SOCKS 4 has no addresses that begin with 0.0.0, which announce a name (SOCKS 4a)"))
        case .ipv4(let address): output = [4, 1] + port + address + user
        // An address that cannot be: a name follows (SOCKS 4a).
        case .name(let name): output = [4, 1] + port + [0, 0, 0, 1] + user + name + [0]
        case .ipv6: throw .failed(.cannotConnectToHost, unable("SOCKS 4 has no IPv6 addresses"))
        }
    }

    private mutating func appendRequest5() {
        output += [5, 1, 0]
        switch destination {
        case .ipv4(let address): output += [1] + address
        case .ipv6(let address): output += [4] + address
        case .name(let name): output += [3, UInt8(clamping: name.count)] + name.prefix(255)
        }
        output += port
    }

    private mutating func appendCredentials() {
        let (user, password) = (Array((proxy.user ?? "").utf8), Array(proxy.password.utf8))
        output += [1, UInt8(clamping: user.count)] + user.prefix(255) + [UInt8(clamping: password.count)] + password.prefix(255)
    }

    // MARK: Receiving

    mutating func read(_ bytes: UnsafeRawBufferPointer) -> TunnelStep {
        if !bytes.isEmpty { hasBegun = true }
        input += bytes
        while true {
            let step: TunnelStep?
            switch state {
            case .method: step = readMethod()
            case .verdict: step = readVerdict()
            case .reply5: step = readReply5()
            case .reply4: step = readReply4()
            }
            if let step { return step }
        }
    }

    /// Each returns nil if it has gone on to the next state.
    private mutating func readMethod() -> TunnelStep? {
        if let first = input.first, first != 5 { return isNotSOCKS }
        guard input.count >= 2 else { return .needsMore }
        let method = input[1]
        input.removeFirst(2)
        switch method {
        case 0:
            appendRequest5()
            state = .reply5
            return nil
        case 2 where proxy.user != nil:
            appendCredentials()
            state = .verdict
            return nil
        case 0xFF:
            let words = proxy.user == nil ? "it wants credentials" : "it takes neither a user name with a password nor none"
            return fail(.userAuthenticationRequired, words)
        default: return fail(.cannotParseResponse, "it chose a way to authenticate that it was not offered (method \(method))")
        }
    }

    private mutating func readVerdict() -> TunnelStep? {
        // The first byte is a version, which some servers take for that of SOCKS. libcurl ignores it, too.
        guard input.count >= 2 else { return .needsMore }
        guard input[1] == 0 else { return fail(.userAuthenticationRequired, "it does not accept the credentials") }
        input.removeFirst(2)
        appendRequest5()
        state = .reply5
        return nil
    }

    private func readReply5() -> TunnelStep? {
        if let first = input.first, first != 5 { return isNotSOCKS }
        guard input.count >= 2 else { return .needsMore }
        // What follows a refusal says nothing, and some servers leave it out.
        guard input[1] == 0 else { return fail(.cannotConnectToHost, Self.words(ofReply5: input[1])) }
        guard input.count >= 5 else { return .needsMore }
        let length: Int
        switch input[3] {
        case 1: length = 10
        case 3: length = 7 + Int(input[4])
        case 4: length = 22
        case let type: return fail(.cannotParseResponse, "its reply has an address of an unknown type (\(type))")
        }
        return input.count >= length ? connected(behind: length) : .needsMore
    }

    private func readReply4() -> TunnelStep? {
        if let first = input.first, first != 0 { return isNotSOCKS }
        guard input.count >= 2 else { return .needsMore }
        switch input[1] {
        case 90: return input.count >= 8 ? connected(behind: 8) : .needsMore
        case 91: return fail(.cannotConnectToHost, "request rejected or failed (SOCKS reply 91)")
        case 92: return fail(.userAuthenticationRequired, "it cannot reach identd on this machine (SOCKS reply 92)")
        case 93: return fail(.userAuthenticationRequired, "identd on this machine names another user (SOCKS reply 93)")
        case let code: return fail(.cannotConnectToHost, "unknown SOCKS reply \(code)")
        }
    }

    private func connected(behind length: Int) -> TunnelStep {
        // In TLS the client speaks first.
        guard input.count == length || !isSecure else { return fail(.badServerResponse, "it sent more than its reply") }
        return .connected(Array(input[length...]))
    }

    /// RFC 1928 section 6.
    private static func words(ofReply5 code: UInt8) -> String {
        let known = [
            "general failure", "not allowed by its rules", "network unreachable", "host unreachable", "connection refused", "TTL expired",
            "command not supported", "address type not supported",
        ]
        return (1...known.count).contains(Int(code)) ? "\(known[Int(code) - 1]) (SOCKS reply \(code))" : "unknown SOCKS reply \(code)"
    }

    // MARK: Errors

    func violated(_ error: TransportError) -> TunnelStep {
        guard case .failed(let code, let words) = error else { return .failed(error) }
        return fail(code, words)
    }

    func connectionEnded(_ words: String?) -> TunnelStep {
        fail(
            .networkConnectionLost, words ?? (hasBegun ? "it closed the connection in the middle of its reply" : "it closed the connection")
        )
    }

    private var isNotSOCKS: TunnelStep { fail(.cannotParseResponse, "it does not speak SOCKS \(state.version)") }

    private func fail(_ code: URLError.Code, _ words: String) -> TunnelStep { .failed(.failed(code, unable(words))) }

    /// What has gone wrong, with the names of both.
    private func unable(_ words: String) -> String { "the proxy \(proxy) did not connect to \(place): \(words)" }
}
