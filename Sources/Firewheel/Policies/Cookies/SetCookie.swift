import Foundation

/// A `Set-Cookie` field, read by the algorithm of RFC 6265bis section 5.6, which takes much more than servers should send. Percent-encoding
/// is never decoded.
struct SetCookie: Equatable {
    /// Octets of name and value together; a cookie with more is refused.
    static let maximumSize = 4096
    /// Octets of an attribute's value; an attribute with more is ignored.
    static let maximumAttributeSize = 1024
    /// Seconds; longer lives are cut to it (RFC 6265bis section 5.5).
    static let maximumAge = 400 * 86_400

    var name: [UInt8] = []
    var value: [UInt8] = []
    /// Seconds, at most ``maximumAge``; what is not above 0 has expired.
    var maxAge: Int?
    var expires: Date?
    /// In lower case and without a leading dot. Empty as if there were none; of several the last counts, an empty one too.
    var domain: [UInt8] = []
    /// nil is the default path of the request.
    var path: [UInt8]?
    /// Whether there was an attribute at all, if only an empty one.
    var hasPath = false
    var isSecure = false
    var isHTTPOnly = false
    var sameSite = Cookie.SameSite.default

    private static let semicolon = UInt8(ascii: ";")
    private static let equals = UInt8(ascii: "=")

    /// nil for a field that is to be ignored: with control characters, too large, or with neither name nor value.
    ///
    /// - Parameter field: Its value, as it came.
    init?(_ field: [UInt8]) {
        guard !field.contains(where: CookieOctets.isControl) else { return nil }
        let pair = field.prefix { $0 != Self.semicolon }
        let (name, value) = Self.split(pair)
        // Without an equals sign all of it is the value.
        let cookie = value.map { (name: name, value: $0) } ?? (name: [], value: name)
        guard !cookie.name.isEmpty || !cookie.value.isEmpty, cookie.name.count + cookie.value.count <= Self.maximumSize else { return nil }
        self.name = Array(cookie.name)
        self.value = Array(cookie.value)
        var rest = field[pair.endIndex...]
        while !rest.isEmpty {
            rest = rest.dropFirst()
            let attribute = rest.prefix { $0 != Self.semicolon }
            rest = rest[attribute.endIndex...]
            let (name, value) = Self.split(attribute)
            if (value ?? []).count <= Self.maximumAttributeSize { take(name, value ?? []) }
        }
    }

    /// What is before the first equals sign, and what is behind it if there is one; both without white space at their ends.
    private static func split(_ text: ArraySlice<UInt8>) -> (name: ArraySlice<UInt8>, value: ArraySlice<UInt8>?) {
        guard let sign = text.firstIndex(of: equals) else { return (CookieOctets.trimmed(text), nil) }
        return (CookieOctets.trimmed(text[..<sign]), CookieOctets.trimmed(text[(sign + 1)...]))
    }

    /// Of attributes of one name the last counts; one that is not known is ignored.
    private mutating func take(_ name: ArraySlice<UInt8>, _ value: ArraySlice<UInt8>) {
        if CookieOctets.spell(name, "expires") {
            if let date = CookieDate.parse(value) { expires = date }
        } else if CookieOctets.spell(name, "max-age") {
            if let age = Self.age(value) { maxAge = age }
        } else if CookieOctets.spell(name, "domain") {
            domain = (value.first == UInt8(ascii: ".") ? value.dropFirst() : value).map(\.asciiLowercased)
        } else if CookieOctets.spell(name, "path") {
            hasPath = true
            path = value.first == UInt8(ascii: "/") ? Array(value) : nil
        } else if CookieOctets.spell(name, "secure") {
            isSecure = true
        } else if CookieOctets.spell(name, "httponly") {
            isHTTPOnly = true
        } else if CookieOctets.spell(name, "samesite") {
            let known: [(StaticString, Cookie.SameSite)] = [("none", .none), ("strict", .strict), ("lax", .lax)]
            sameSite = known.first { CookieOctets.spell(value, $0.0) }?.1 ?? .default
        }
    }

    /// Digits, perhaps behind a minus sign; nil for anything else.
    private static func age(_ value: ArraySlice<UInt8>) -> Int? {
        let isNegative = value.first == UInt8(ascii: "-")
        let digits = isNegative ? value.dropFirst() : value
        guard !digits.isEmpty, digits.allSatisfy(\.isASCIIDigit) else { return nil }
        if isNegative { return 0 }
        // Beyond the limit it does not matter by how much.
        return digits.reduce(0) { min($0 * 10 + Int($1 - UInt8(ascii: "0")), maximumAge) }
    }
}
