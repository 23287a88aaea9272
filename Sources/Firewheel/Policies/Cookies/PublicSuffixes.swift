/// The public suffixes, under which anyone may register names (`com`, `co.uk`, `github.io`): no cookie may apply to all of one.
struct PublicSuffixes: Sendable {
    /// The system's list (libpsl); ``byShape`` if there is none, as on Apple platforms.
    static let system = PublicSuffixes(
        isAcceptable: { PublicSuffixLibrary.isCookieDomainAcceptable(host: $0, domain: $1) ?? true },
        { PublicSuffixLibrary.isPublicSuffix($0) ?? byShape.isPublicSuffix($0) })

    /// A heuristic without a list: a domain needs two labels, and two labels of at most three and two letters, such as `co.uk`, are a
    /// suffix. It treats `github.io` as an ordinary domain, and `t.co` as a suffix.
    static let byShape = PublicSuffixes { domain in
        let labels = domain.utf8.split(separator: UInt8(ascii: "."))
        return labels.count < 2 || (labels.count == 2 && labels[0].count <= 3 && labels[1].count <= 2)
    }

    private let isSuffix: @Sendable (_ domain: String) -> Bool
    private let isAcceptable: (@Sendable (_ host: String, _ domain: String) -> Bool)?

    /// - Parameters:
    ///   - isAcceptable: Decides about a host and a parent domain that is not a suffix itself, but may be above one. Default: nil.
    ///   - isSuffix: Whether a domain is a public suffix. All domains are ASCII, in lower case and without a trailing dot.
    init(
        isAcceptable: (@Sendable (_ host: String, _ domain: String) -> Bool)? = nil,
        _ isSuffix: @escaping @Sendable (_ domain: String) -> Bool
    ) {
        self.isSuffix = isSuffix
        self.isAcceptable = isAcceptable
    }

    /// - Parameter domain: A canonical domain that is not an address.
    func isPublicSuffix(_ domain: String) -> Bool { isSuffix(Self.withoutDot(domain)) }

    /// Whether a host may set cookies for a domain that is the host itself or a parent of it.
    func isCookieDomainAcceptable(host: String, domain: String) -> Bool {
        guard CookieDomain.matches(host, domain), !isPublicSuffix(domain) else { return false }
        return isAcceptable.map { $0(Self.withoutDot(host), Self.withoutDot(domain)) } ?? true
    }

    /// `com.` is the same domain as `com`, with an explicit root.
    private static func withoutDot(_ domain: String) -> String {
        domain.utf8.last == UInt8(ascii: ".") ? String(domain.dropLast()) : domain
    }
}
