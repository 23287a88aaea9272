/// The directives of `Cache-Control` fields (RFC 9111 section 5.2). Names are compared without regard to case, and unknown ones are
/// ignored.
struct CacheControl: Sendable, Equatable {
    /// In seconds. An invalid value counts as 0, so that the response is stale (section 4.2.1).
    private(set) var maxAge: Int?
    private(set) var isNoStore = false
    /// Whether there is a `no-cache` without field names.
    private(set) var isNoCache = false
    /// The lowercase names of fields that may not be reused without validation (section 5.2.2.4).
    private(set) var noCacheFields: Set<String> = []
    private(set) var isPublic = false
    private(set) var isPrivate = false
    private(set) var mustRevalidate = false
    private(set) var mustUnderstand = false
    /// RFC 8246.
    private(set) var isImmutable = false
    /// RFC 5861, in seconds.
    private(set) var staleWhileRevalidate: Int?
    /// RFC 5861, in seconds. Also a directive of requests.
    private(set) var staleIfError: Int?

    // Directives of requests only (section 5.2.1).

    /// In seconds; ``DeltaSeconds/most`` for any staleness.
    private(set) var maxStale: Int?
    private(set) var minFresh: Int?
    private(set) var isOnlyIfCached = false

    init() {}

    init(_ headers: HTTPHeaders) {
        let fields = headers.values(for: "Cache-Control")
        for field in fields {
            for part in QuotedList.members(of: field) { add(part) }
        }
        // HTTP/1.0 (section 5.4). In a response it has no meaning.
        hasPragmaNoCache = fields.isEmpty && headers.values(for: "Pragma").contains { $0.lowercased().contains("no-cache") }
    }

    /// Whether there is a `Pragma: no-cache`, and no `Cache-Control`.
    private(set) var hasPragmaNoCache = false

    /// A directive is `name`, `name=token` or `name="text"`. White space beside the equals sign makes another name, or an invalid value.
    private mutating func add(_ directive: Substring) {
        guard let equals = directive.firstIndex(of: "=") else { return add(directive.lowercased(), nil) }
        add(directive[..<equals].lowercased(), QuotedList.unquoted(directive[directive.index(after: equals)...]))
    }

    private mutating func add(_ name: String, _ value: String?) {
        switch name {
        // Of several the first counts (section 4.2.1).
        case "max-age": maxAge = maxAge ?? value.flatMap(DeltaSeconds.parse) ?? 0
        case "no-store": isNoStore = true
        case "no-cache":
            let names = value.map { QuotedList.members(of: $0).map { $0.lowercased() } } ?? []
            if names.isEmpty { isNoCache = true } else { noCacheFields.formUnion(names) }
        case "public": isPublic = true
        case "private": isPrivate = true
        case "must-revalidate": mustRevalidate = true
        case "must-understand": mustUnderstand = true
        case "immutable": isImmutable = true
        case "stale-while-revalidate": staleWhileRevalidate = staleWhileRevalidate ?? value.flatMap(DeltaSeconds.parse)
        case "stale-if-error": staleIfError = staleIfError ?? value.flatMap(DeltaSeconds.parse)
        case "max-stale": maxStale = maxStale ?? (value.map { DeltaSeconds.parse($0) ?? 0 } ?? DeltaSeconds.most)
        // An invalid value asks for more than any response has.
        case "min-fresh": minFresh = minFresh ?? (value.flatMap(DeltaSeconds.parse) ?? DeltaSeconds.most)
        case "only-if-cached": isOnlyIfCached = true
        default: break
        }
    }
}
