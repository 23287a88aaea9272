import Foundation

/// The target URI of a request (RFC 9110 section 7.1): absolute, http or https, in the canonical form passed to the transport.
///
/// Parsers disagree about unusual URLs (`http:/a.com/`, `127.1`, `0x7F.0.0.1`), and a client that checks one host but connects to another
/// is vulnerable. So the URL for the transport is built here from the checked parts: scheme and host in lower case, IP addresses in
/// canonical form, the port only if it is not the scheme's default, no user information and no fragment.
public struct TargetURI: Sendable, Hashable, CustomStringConvertible {
    /// Scheme, host and port: the scope of a connection pool and of trust.
    public struct Origin: Sendable, Hashable {
        /// Whether the scheme is https.
        public let isSecure: Bool
        /// In lower case; an IPv6 address without brackets.
        public let host: String
        /// 1 to 65535; if the URL has no port, 80 for http and 443 for https.
        public let port: Int
        /// Whether the host is an IPv4 or IPv6 address, which needs no name lookup.
        public let isAddress: Bool
    }

    /// The URI as passed to the transport.
    public let string: String
    /// Where the connection leads, taken from the same parts as ``string``.
    public let origin: Origin
    /// The URL's user information, still percent-encoded. Not part of ``string``.
    let userInfo: String?

    /// The URI with secret query items redacted; ``string`` has them.
    public var description: String { Redaction.url(string) }

    /// nil unless the text is a valid absolute http or https URL without characters that need percent-encoding.
    public init?(_ text: String) {
        self.init(parsing: text)
    }

    /// Why a URL is invalid.
    enum Problem: Error, Equatable {
        case malformed
        case unsupportedScheme
    }

    private init?(parsing text: String) {
        guard case .success(let parsed) = TargetURI.parse(text) else { return nil }
        self = parsed
    }

    fileprivate init(string: String, origin: Origin, userInfo: String?) {
        self.string = string
        self.origin = origin
        self.userInfo = userInfo
    }

    /// The URI of an origin's root.
    init(of origin: Origin) {
        self.init(string: "\(origin)/", origin: origin, userInfo: nil)
    }

    /// Whether `other` has the same scheme, host and port (RFC 6454).
    func hasSameOrigin(as other: TargetURI) -> Bool {
        origin == other.origin
    }
}

extension TargetURI: CustomReflectable {
    /// What `dump` and debuggers show: without user information and secret query items.
    public var customMirror: Mirror {
        Mirror(self, children: ["string": description, "origin": origin.description], displayStyle: .struct)
    }
}

extension TargetURI {
    /// The URI without the segments `.` and `..` in its path (RFC 3986 section 5.2.4).
    var removingDotSegments: TargetURI {
        let start = string.utf8.index(string.startIndex, offsetBy: origin.description.utf8.count)
        let path = string[start...].prefix { $0 != "?" }
        guard path.contains("/.") else { return self }
        var segments: [Substring] = []
        let parts = path.split(separator: "/", omittingEmptySubsequences: false).dropFirst()
        for (index, part) in zip(1..., parts) {
            let isDots = part == "." || part == ".."
            if part == ".." { _ = segments.popLast() }
            // The path of a folder ends with a slash.
            if !isDots || index == parts.count { segments.append(isDots ? "" : part) }
        }
        let string = string[..<start] + segments.map { "/\($0)" }.joined() + string[path.endIndex...]
        return TargetURI(string: String(string), origin: origin, userInfo: userInfo)
    }
}

// MARK: - Parsing (RFC 3986 section 3)

extension TargetURI {
    static func parse(_ text: String) -> Result<TargetURI, Problem> {
        var copy = text
        return copy.withUTF8 { bytes in
            guard let colon = bytes.firstIndex(of: UInt8(ascii: ":")) else { return .failure(.malformed) }
            let isSecure: Bool
            switch scheme(bytes[..<colon]) {
            case .success(let secure): isSecure = secure
            case .failure(let problem): return .failure(problem)
            }
            let rest = bytes[(colon + 1)...]
            guard rest.count > 2, rest[rest.startIndex] == UInt8(ascii: "/"), rest[rest.startIndex + 1] == UInt8(ascii: "/") else {
                return .failure(.malformed)
            }
            let authorityStart = rest.startIndex + 2
            let authorityEnd = bytes[authorityStart...].firstIndex {
                $0 == UInt8(ascii: "/") || $0 == UInt8(ascii: "?") || $0 == UInt8(ascii: "#")
            }
            let authority = bytes[authorityStart..<(authorityEnd ?? bytes.endIndex)]
            let tail = bytes[authority.endIndex...].prefix { $0 != UInt8(ascii: "#") }
            guard isURLText(bytes, from: authority.endIndex), let parts = split(authority),
                let origin = origin(isSecure: isSecure, host: parts.host, port: parts.port)
            else { return .failure(.malformed) }
            let userInfo = parts.userInfo.map { String(decoding: $0, as: UTF8.self) }
            // Most URLs are already canonical; then the text itself is kept.
            if userInfo == nil, tail.endIndex == bytes.endIndex, tail.first == UInt8(ascii: "/"),
                isCanonical(bytes[..<colon], authority, parts.host, origin)
            {
                return .success(TargetURI(string: text, origin: origin, userInfo: nil))
            }
            return .success(TargetURI(string: assemble(origin, tail: tail), origin: origin, userInfo: userInfo))
        }
    }

    private typealias Bytes = Slice<UnsafeBufferPointer<UInt8>>

    private static func scheme(_ bytes: Bytes) -> Result<Bool, Problem> {
        func spells(_ name: StaticString) -> Bool {
            bytes.count == name.utf8CodeUnitCount
                && zip(bytes, UnsafeBufferPointer(start: name.utf8Start, count: name.utf8CodeUnitCount)).allSatisfy {
                    $0.asciiLowercased == $1
                }
        }
        if spells("http") { return .success(false) }
        if spells("https") { return .success(true) }
        let isScheme =
            bytes.first.map { $0.isASCIILetter } == true
            && bytes.allSatisfy { $0.isASCIILetter || $0.isASCIIDigit || "+-.".utf8.contains($0) }
        return .failure(isScheme ? .unsupportedScheme : .malformed)
    }

    private static func split(_ authority: Bytes) -> (userInfo: Bytes?, host: Bytes, port: Int?)? {
        var host = authority
        var userInfo: Bytes?
        if let at = authority.lastIndex(of: UInt8(ascii: "@")) {
            let before = authority[..<at]
            guard before.allSatisfy({ isURLByte($0) && $0 != UInt8(ascii: "@") }) else { return nil }
            userInfo = before
            host = authority[(at + 1)...]
        }
        let colon: Int?
        if host.first == UInt8(ascii: "[") {
            guard let close = host.firstIndex(of: UInt8(ascii: "]")) else { return nil }
            colon = close + 1 == host.endIndex ? nil : close + 1
            if let colon, host[colon] != UInt8(ascii: ":") { return nil }
        } else {
            colon = host.firstIndex(of: UInt8(ascii: ":"))
        }
        guard let colon else { return (userInfo, host, nil) }
        let digits = host[(colon + 1)...]
        // Limits the length, because more digits could overflow. Leading zeros are allowed.
        guard digits.count <= 16, digits.allSatisfy(\.isASCIIDigit) else { return nil }
        guard !digits.isEmpty else { return (userInfo, host[..<colon], nil) }
        let port = digits.reduce(0) { $0 * 10 + Int($1 - UInt8(ascii: "0")) }
        guard (1...65535).contains(port) else { return nil }
        return (userInfo, host[..<colon], port)
    }

    private static func origin(isSecure: Bool, host: Bytes, port: Int?) -> Origin? {
        let port = port ?? (isSecure ? 443 : 80)
        if host.first == UInt8(ascii: "[") {
            return HostAddress.ipv6(String(decoding: host.dropFirst().dropLast(), as: UTF8.self)).map {
                Origin(isSecure: isSecure, host: $0, port: port, isAddress: true)
            }
        }
        guard !host.isEmpty, host.count <= 253, host.allSatisfy(isHostByte), host.first != UInt8(ascii: ".") else { return nil }
        let hasUpperCase = host.contains { $0 != $0.asciiLowercased }
        let name = hasUpperCase ? String(decoding: host.map(\.asciiLowercased), as: UTF8.self) : String(decoding: host, as: UTF8.self)
        if HostAddress.isDottedQuad(host) { return Origin(isSecure: isSecure, host: name, port: port, isAddress: true) }
        guard HostAddress.looksLikeIPv4(name) else { return Origin(isSecure: isSecure, host: name, port: port, isAddress: false) }
        return HostAddress.ipv4(name).map { Origin(isSecure: isSecure, host: $0, port: port, isAddress: true) }
    }

    private static func assemble(_ origin: Origin, tail: Bytes) -> String {
        var string = origin.description
        if tail.first != UInt8(ascii: "/") { string += "/" }
        string += String(decoding: tail, as: UTF8.self)
        return string
    }

    /// Whether scheme and authority are spelled as in ``Origin/description``.
    private static func isCanonical(_ scheme: Bytes, _ authority: Bytes, _ host: Bytes, _ origin: Origin) -> Bool {
        guard scheme.allSatisfy({ $0 == $0.asciiLowercased }), isSpelled(host, origin.bracketedHost) else { return false }
        let port = authority[host.endIndex...]
        if origin.port == (origin.isSecure ? 443 : 80) { return port.isEmpty }
        // The only other spelling of a port has leading zeros.
        return port.count > 1 && port[port.startIndex + 1] != UInt8(ascii: "0")
    }

    private static func isSpelled(_ bytes: Bytes, _ text: String) -> Bool {
        var text = text
        return text.withUTF8 { other in
            guard bytes.count == other.count, let start = other.baseAddress else { return bytes.isEmpty && other.isEmpty }
            return UnsafeBufferPointer(rebasing: bytes).baseAddress.map { memcmp($0, start, other.count) == 0 } ?? false
        }
    }

    /// Whether everything after the authority is valid without percent-encoding.
    private static func isURLText(_ bytes: UnsafeBufferPointer<UInt8>, from start: Int) -> Bool {
        var index = start
        while index < bytes.count {
            let byte = bytes[index]
            guard isURLByte(byte) else { return false }
            if byte == UInt8(ascii: "%") {
                guard index + 2 < bytes.count, bytes[index + 1].isHexDigit, bytes[index + 2].isHexDigit else { return false }
            }
            index += 1
        }
        return true
    }

    /// Whether a byte is allowed unencoded in a path, a query or a fragment (RFC 3986 section 2).
    static func isURLByte(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "!"), UInt8(ascii: "#")...UInt8(ascii: ";"), UInt8(ascii: "="), UInt8(ascii: "?")...UInt8(ascii: "Z"): true
        case UInt8(ascii: "_"), UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "~"): true
        default: false
        }
    }

    /// Whether a byte is allowed in a registered name that a resolver can look up: no percent-encoding and no sub-delimiters.
    private static func isHostByte(_ byte: UInt8) -> Bool {
        byte.isASCIILetter || byte.isASCIIDigit || byte == UInt8(ascii: "-") || byte == UInt8(ascii: ".") || byte == UInt8(ascii: "_")
    }
}

extension TargetURI.Origin: CustomStringConvertible {
    /// `https://example.com`, with the port unless it is the scheme's default.
    public var description: String {
        var text = isSecure ? "https://" : "http://"
        text += bracketedHost
        if port != (isSecure ? 443 : 80) { text += ":\(port)" }
        return text
    }

    /// The host as written in a URL.
    var bracketedHost: String {
        isAddress && host.utf8.contains(UInt8(ascii: ":")) ? "[\(host)]" : host
    }
}

extension UInt8 {
    var isASCIIDigit: Bool { self >= UInt8(ascii: "0") && self <= UInt8(ascii: "9") }

    var isHexDigit: Bool { isASCIIDigit || (UInt8(ascii: "a")...UInt8(ascii: "f")).contains(asciiLowercased) }

    var isASCIILetter: Bool { asciiLowercased >= UInt8(ascii: "a") && asciiLowercased <= UInt8(ascii: "z") }
}
