import Foundation

/// The hosts that are reached without a proxy, in the syntax of the environment variable `NO_PROXY`: entries between commas or white space
/// of ASCII.
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

    private(set) var isAll = false
    /// Names for every port, and names with a colon and a port.
    private var names: Set<String> = []
    private var hasNamesWithPorts = false
    private var networks: [Network] = []
    /// What is wrong with the first entry that stands for no host; nil if all make sense.
    private(set) var problem: String?

    /// No exceptions.
    init() {}

    init(_ text: String) { self.init([text]) }

    /// - Parameter lists: Each may have several entries.
    init(_ lists: [String]) {
        // Bytes, since a list may be very long.
        let entries = lists.map {
            Array($0.utf8).split { $0 == UInt8(ascii: ",") || $0 == UInt8(ascii: " ") || (0x09...0x0D).contains($0) }
        }
        if entries.joined().count == 1, entries.joined().first?.elementsEqual("*".utf8) == true {
            isAll = true
            return
        }
        for (list, entries) in zip(lists, entries) {
            for entry in entries where !add(entry) && problem == nil {
                let text = String(decoding: entry, as: UTF8.self)
                // A part of credentials that have a comma or white space.
                let isSecret = list.contains("@") && !text.contains("@")
                problem = "the entry \((isSecret ? Redaction.mark : Redaction.host(text)).debugDescription)"
            }
        }
    }

    /// - Returns: Whether it stands for a host.
    private mutating func add(_ entry: ArraySlice<UInt8>) -> Bool {
        guard let (host, port) = Self.split(entry) else { return false }
        if let slash = host.firstIndex(of: UInt8(ascii: "/")) {
            guard let bits = Self.number(host[(slash + 1)...], atMost: 128), let address = Self.address(host[..<slash]),
                bits <= address.count * 8
            else { return false }
            networks.append(Network(address: address, bits: bits, port: port))
            return true
        }
        switch Self.host(host) {
        case .address(let address): networks.append(Network(address: address, bits: address.count * 8, port: port))
        case .name(let name):
            names.insert(port.map { "\(name):\($0)" } ?? name)
            if port != nil { hasNamesWithPorts = true }
        case nil: return false
        }
        return true
    }

    /// Host and port of an entry; nil if they are malformed.
    private static func split(_ entry: ArraySlice<UInt8>) -> (host: ArraySlice<UInt8>, port: Int?)? {
        var (host, rest) = (entry, entry[entry.endIndex...])
        if entry.first == UInt8(ascii: "["), let close = entry.firstIndex(of: UInt8(ascii: "]")) {
            host = entry[..<close].dropFirst()
            guard host.contains(UInt8(ascii: ":")) else { return nil }
            rest = entry[(close + 1)...]
            // A network may have its length behind the bracket.
            if rest.first == UInt8(ascii: "/") { return (host + rest, nil) }
        } else if let colon = entry.firstIndex(of: UInt8(ascii: ":")), !entry[(colon + 1)...].contains(UInt8(ascii: ":")) {
            (host, rest) = (entry[..<colon], entry[colon...])
        }
        guard let colon = rest.first else { return (host, nil) }
        guard colon == UInt8(ascii: ":"), let port = number(rest.dropFirst(), atMost: 65_535), port > 0 else { return nil }
        return (host, port)
    }

    /// nil if the digits are no such number.
    private static func number(_ digits: ArraySlice<UInt8>, atMost most: Int) -> Int? {
        guard (1...5).contains(digits.count), digits.allSatisfy(\.isASCIIDigit) else { return nil }
        let number = digits.reduce(0) { $0 * 10 + Int($1 - UInt8(ascii: "0")) }
        return number <= most ? number : nil
    }

    private enum Host {
        case address([UInt8])
        /// In lower case as URLs have it, without the dots at its ends.
        case name(String)
    }

    /// nil if it is none.
    private static func host(_ text: ArraySlice<UInt8>) -> Host? {
        if let address = address(text) { return .address(address) }
        let wildcard = text.starts(with: "*.".utf8) ? 2 : text.first == UInt8(ascii: ".") ? 1 : 0
        let text = text.dropFirst(wildcard)
        guard text.contains(where: { $0 >= 0x80 }) else {
            let bare = text.last == UInt8(ascii: ".") ? text.dropLast() : text
            if wildcard == 0, let address = address(bare) { return .address(address) }
            let name = String(decoding: bare, as: UTF8.self)
            // Other forms of addresses, such as `010.1` and `0x7f.1`, are easily mistaken.
            return isPlain(bare) && !HostAddress.looksLikeIPv4(name) ? .name(name.lowercased()) : nil
        }
        let name = String(decoding: text, as: UTF8.self)
        guard text.count <= 1_000, let origin = TargetURI.Origin(isSecure: false, host: name, port: 80), !origin.isAddress else {
            return nil
        }
        let found = origin.hostWithoutDot
        return found.isEmpty || found.hasPrefix(".") || found.hasSuffix(".") ? nil : .name(found)
    }

    /// Whether it is a name that needs nothing but lower case.
    private static func isPlain(_ text: ArraySlice<UInt8>) -> Bool {
        guard let first = text.first, let last = text.last, text.count <= 253 else { return false }
        return first != UInt8(ascii: ".") && last != UInt8(ascii: ".")
            && text.allSatisfy { $0.isASCIILetter || $0.isASCIIDigit || "-._".utf8.contains($0) }
    }

    /// The bytes of an IP address; nil if it is none.
    private static func address(_ text: ArraySlice<UInt8>) -> [UInt8]? {
        // No address is longer.
        guard text.count <= 64 else { return nil }
        let isIPv6 = text.contains(UInt8(ascii: ":"))
        // The zone of an IPv6 address does not count.
        let text = isIPv6 ? text.prefix { $0 != UInt8(ascii: "%") } : text
        // For C a text ends at a zero byte.
        guard isIPv6 || text.first?.isASCIIDigit == true, !text.contains(0) else { return nil }
        var bytes = [UInt8](repeating: 0, count: isIPv6 ? 16 : 4)
        return inet_pton(isIPv6 ? AF_INET6 : AF_INET, String(decoding: text, as: UTF8.self), &bytes) == 1 ? bytes : nil
    }

    func contains(_ origin: TargetURI.Origin) -> Bool {
        if isAll { return true }
        if origin.isAddress {
            guard !networks.isEmpty, let address = Self.address(Array(origin.host.utf8)[...]) else { return false }
            return networks.contains { network in
                network.port ?? origin.port == origin.port && network.address.count == address.count
                    && Self.isEqual(network.address, address, bits: network.bits)
            }
        }
        guard !names.isEmpty else { return false }
        var rest = origin.host.hasSuffix(".") ? origin.host.dropLast() : origin.host[...]
        while true {
            if names.contains(String(rest)) || hasNamesWithPorts && names.contains("\(rest):\(origin.port)") { return true }
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
