import Foundation

/// A `Set-Cookie` field, parsed by the lenient algorithm of RFC 6265bis section 5.6. Percent-encoding is never decoded.
struct SetCookie: Equatable {
    /// The maximum size of name and value together, in octets; a larger cookie is rejected.
    static let maximumSize = 4096
    /// The maximum size of an attribute's value, in octets; a larger attribute is ignored.
    static let maximumAttributeSize = 1024
    /// The maximum lifetime in seconds (RFC 6265bis section 5.5).
    static let maximumAge = 400 * 86_400

    var name: [UInt8] = []
    var value: [UInt8] = []
    /// In seconds, at most ``maximumAge``; expired if not positive.
    var maxAge: Int?
    var expires: Date?
    /// In lower case and without a leading dot. Empty if absent; of several the last counts, even an empty one.
    var domain: [UInt8] = []
    /// nil for the request's default path.
    var path: [UInt8]?
    /// Whether the attribute is present, even if empty.
    var hasPath = false
    var isSecure = false
    var isHTTPOnly = false
    var sameSite = Cookie.SameSite.default

    private static let semicolon = UInt8(ascii: ";")
    private static let equals = UInt8(ascii: "=")

    /// nil for a field that must be ignored: with control characters, too large, or with neither name nor value.
    ///
    /// - Parameter field: The value as received.
    init?(_ field: [UInt8]) {
        guard !field.contains(where: CookieOctets.isControl) else { return nil }
        let pair = field.prefix { $0 != Self.semicolon }
        let (name, value) = Self.split(pair)
        // Without an equals sign everything is the value.
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

    /// Splits at the first equals sign, if any, and trims both parts.
    private static func split(_ text: ArraySlice<UInt8>) -> (name: ArraySlice<UInt8>, value: ArraySlice<UInt8>?) {
        guard let sign = text.firstIndex(of: equals) else { return (CookieOctets.trimmed(text), nil) }
        return (CookieOctets.trimmed(text[..<sign]), CookieOctets.trimmed(text[(sign + 1)...]))
    }

    /// Of several attributes with the same name the last counts; unknown ones are ignored.
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

    /// Digits with an optional minus sign; nil for anything else.
    private static func age(_ value: ArraySlice<UInt8>) -> Int? {
        let isNegative = value.first == UInt8(ascii: "-")
        let digits = isNegative ? value.dropFirst() : value
        guard !digits.isEmpty, digits.allSatisfy(\.isASCIIDigit) else { return nil }
        if isNegative { return 0 }
        // Saturates at the limit.
        return digits.reduce(0) { min($0 * 10 + Int($1 - UInt8(ascii: "0")), maximumAge) }
    }
}
