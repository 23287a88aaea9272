/// Which domains are public suffixes, under which anybody may register names (`com`, `co.uk`, `github.io`): no cookie is for all of one.
struct PublicSuffixes: Sendable {
    /// What the system's list says (libpsl); where there is none, as on Apple's systems, ``byShape``.
    static let system = PublicSuffixes(
        isAcceptable: { PublicSuffixLibrary.isCookieDomainAcceptable(host: $0, domain: $1) ?? true },
        { PublicSuffixLibrary.isPublicSuffix($0) ?? byShape.isPublicSuffix($0) })

    /// The rule without a list: a domain needs two labels, and two labels of at most three and two letters, such as `co.uk`, are a suffix
    /// too. It takes `github.io` for an ordinary domain, and `t.co` for a suffix.
    static let byShape = PublicSuffixes { domain in
        let labels = domain.utf8.split(separator: UInt8(ascii: "."))
        return labels.count < 2 || (labels.count == 2 && labels[0].count <= 3 && labels[1].count <= 2)
    }

    private let isSuffix: @Sendable (_ domain: String) -> Bool
    private let isAcceptable: (@Sendable (_ host: String, _ domain: String) -> Bool)?

    /// - Parameters:
    ///   - isAcceptable: Asked about a host and a domain above it, of which the domain is no suffix itself. It may know that it lies above
    ///     one. Default: nil.
    ///   - isSuffix: Whether a domain is a public suffix. All domains are ASCII, in lower case and without a dot at the end.
    init(
        isAcceptable: (@Sendable (_ host: String, _ domain: String) -> Bool)? = nil,
        _ isSuffix: @escaping @Sendable (_ domain: String) -> Bool
    ) {
        self.isSuffix = isSuffix
        self.isAcceptable = isAcceptable
    }

    /// - Parameter domain: Canonical, and no address.
    func isPublicSuffix(_ domain: String) -> Bool { isSuffix(Self.withoutDot(domain)) }

    /// Whether a host may set cookies for a domain, which it is itself or lies below.
    func isCookieDomainAcceptable(host: String, domain: String) -> Bool {
        guard CookieDomain.matches(host, domain), !isPublicSuffix(domain) else { return false }
        return isAcceptable.map { $0(Self.withoutDot(host), Self.withoutDot(domain)) } ?? true
    }

    /// `com.` is the same domain as `com`, with its root written out.
    private static func withoutDot(_ domain: String) -> String {
        domain.utf8.last == UInt8(ascii: ".") ? String(domain.dropLast()) : domain
    }
}
