/// The request fields that selected a response among those of its URL: the ones that its `Vary` names (RFC 9111 section 4.1).
struct CacheSelectors: Sendable {
    /// The fields' lowercase names, each with the request's normalized value in bytes, because Swift's strings compare by meaning; nil if
    /// the request did not have it.
    private(set) var values: [String: CacheSecret?] = [:]

    /// The lowercase names in a response's `Vary`, each once; nil if one is `*`, which no request matches.
    static func names(in headers: HTTPHeaders) -> Set<String>? {
        var names: Set<String> = []
        for field in headers.values(for: "Vary") {
            for name in QuotedList.members(of: field) {
                if name == "*" { return nil }
                names.insert(name.lowercased())
            }
        }
        return names
    }

    init(_ names: Set<String>, of request: HTTPHeaders) {
        guard !names.isEmpty else { return }
        for name in names { values.updateValue(nil, forKey: name) }
        for (name, value) in Self.normalized(request, names) { values[name] = CacheSecret.plain(value) }
    }

    /// Takes over values from the disk.
    init(stored values: [String: CacheSecret?]) {
        self.values = values
    }

    /// Whether a request has the same values.
    func match(_ request: HTTPHeaders) -> Bool {
        if values.isEmpty { return true }
        let asked = Self.normalized(request, Set(values.keys))
        return values.allSatisfy { name, value in
            switch (value, asked[name]) {
            case (nil, nil): true
            case (let value?, let bytes?): value.matches(bytes)
            default: false
            }
        }
    }

    /// The values of the named fields, with repeated ones combined, and without white space around the members of lists. A request's fields
    /// are read once, because a response may name very many.
    private static func normalized(_ request: HTTPHeaders, _ names: Set<String>) -> [String: [UInt8]] {
        var members: [String: [String]] = [:]
        for field in request {
            let name = field.name.lowercased()
            guard names.contains(name) else { continue }
            let values = QuotedList.members(of: field.value).map(String.init)
            members[name, default: []] += caseless.contains(name) ? values.map { $0.lowercased() } : values
        }
        return members.mapValues { Array($0.joined(separator: ",").utf8) }
    }

    /// Fields whose values have no case (RFC 9110 sections 12.5.3 and 12.5.4).
    private static let caseless: Set<String> = ["accept-encoding", "accept-language"]
}
