import Foundation

/// The hosts that are reached without a proxy, in the syntax of the environment variable `NO_PROXY`: entries between commas or white space.
///
/// - A name stands for itself and all names below it, also with a dot or `*.` in front. Case and a dot at the end do not count.
/// - An address stands for itself, and `10.0.0.0/8` or `fd00::/8` for a network (RFC 4632, RFC 4291 section 2.3).
/// - A port behind a name or an address limits the entry to it; an IPv6 address then has brackets.
/// - `*` alone stands for every host.
struct ProxyExceptions: Sendable {
    private struct Network: Sendable {
        let address: [UInt8]
        let bits: Int
        /// nil for every port.
        let port: Int?
    }

    /// Stands for every port.
    private static let everyPort = 0

    private(set) var isAll = false
    /// The ports by name.
    private var names: [String: Set<Int>] = [:]
    private var networks: [Network] = []
    /// What is wrong with the first entry that stands for no host; nil if all make sense.
    private(set) var problem: String?

    /// No exceptions.
    init() {}

    init(_ text: String) {
        self.init(entries: text.split { $0 == "," || $0.isWhitespace })
    }

    /// - Parameter lists: Each may have several entries.
    init(_ lists: [String]) {
        self.init(entries: lists.flatMap { $0.split { $0 == "," || $0.isWhitespace } })
    }

    private init(entries: [Substring]) {
        if entries == ["*"] {
            isAll = true
            return
        }
        for entry in entries where !add(entry) { problem = problem ?? "the entry \(String(entry).onOneLine.debugDescription)" }
    }

    /// - Returns: Whether it stands for a host.
    private mutating func add(_ entry: Substring) -> Bool {
        guard let (host, port) = Self.split(entry) else { return false }
        if let slash = host.firstIndex(of: "/") {
            let digits = host[host.index(after: slash)...]
            guard digits.utf8.count <= 3, digits.utf8.allSatisfy(\.isASCIIDigit), let bits = Int(digits),
                let address = Self.bytes(host[..<slash]), bits <= address.count * 8
            else { return false }
            networks.append(Network(address: address, bits: bits, port: port))
            return true
        }
        if let address = Self.bytes(host) {
            networks.append(Network(address: address, bits: address.count * 8, port: port))
            return true
        }
        guard let name = Self.name(host) else { return false }
        names[name, default: []].insert(port ?? Self.everyPort)
        return true
    }

    /// Host and port of an entry; nil if they are malformed.
    private static func split(_ entry: Substring) -> (host: Substring, port: Int?)? {
        var (host, rest) = (entry, entry[entry.endIndex...])
        if entry.hasPrefix("["), let close = entry.firstIndex(of: "]") {
            host = entry[entry.index(after: entry.startIndex)..<close]
            rest = entry[entry.index(after: close)...]
            // A network may have its length behind the bracket.
            if rest.hasPrefix("/") { return (Substring("\(host)\(rest)"), nil) }
        } else if let colon = entry.firstIndex(of: ":"), entry[entry.index(after: colon)...].firstIndex(of: ":") == nil {
            (host, rest) = (entry[..<colon], entry[colon...])
        }
        guard !rest.isEmpty else { return (host, nil) }
        let digits = rest.dropFirst()
        guard rest.hasPrefix(":"), digits.utf8.count <= 5, digits.utf8.allSatisfy(\.isASCIIDigit), let port = Int(digits),
            (1...65_535).contains(port)
        else { return nil }
        return (host, port)
    }

    /// A name in lower case as URLs have it, without the dots at its ends; nil if it is none.
    private static func name(_ text: Substring) -> String? {
        var text = text
        if text.hasPrefix("*.") { text = text.dropFirst(2) } else if text.hasPrefix(".") { text = text.dropFirst() }
        if text.hasSuffix(".") { text = text.dropLast() }
        let isASCII = text.utf8.allSatisfy { $0 < 0x80 }
        let name = isASCII ? text.lowercased() : URL(string: "https://\(text)/")?.host?.lowercased() ?? ""
        let isName = !name.isEmpty && name.utf8.allSatisfy { $0.isASCIILetter || $0.isASCIIDigit || "-._".utf8.contains($0) }
        return isName ? name : nil
    }

    /// The bytes of an IP address; nil if it is none.
    private static func bytes(_ text: Substring) -> [UInt8]? {
        // No address is longer.
        guard text.utf8.count <= 46 else { return nil }
        let text = String(text.prefix { $0 != "%" })
        for (family, size) in [(AF_INET, 4), (AF_INET6, 16)] {
            var bytes = [UInt8](repeating: 0, count: size)
            if inet_pton(family, text, &bytes) == 1 { return bytes }
        }
        return nil
    }

    func contains(_ origin: TargetURI.Origin) -> Bool {
        if isAll { return true }
        if origin.isAddress {
            guard !networks.isEmpty, let address = Self.bytes(origin.host[...]) else { return false }
            return networks.contains { network in
                network.port ?? origin.port == origin.port && network.address.count == address.count
                    && Self.isEqual(network.address, address, bits: network.bits)
            }
        }
        guard !names.isEmpty else { return false }
        var rest = origin.host.hasSuffix(".") ? origin.host.dropLast() : origin.host[...]
        while true {
            if let ports = names[String(rest)], ports.contains(Self.everyPort) || ports.contains(origin.port) { return true }
            guard let dot = rest.firstIndex(of: ".") else { return false }
            rest = rest[rest.index(after: dot)...]
        }
    }

    private static func isEqual(_ one: [UInt8], _ other: [UInt8], bits: Int) -> Bool {
        let (whole, part) = bits.quotientAndRemainder(dividingBy: 8)
        guard one[..<whole] == other[..<whole] else { return false }
        return part == 0 || (one[whole] ^ other[whole]) >> (8 - part) == 0
    }
}
