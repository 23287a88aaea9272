/// The `Cookie` field of a request (RFC 6265bis section 5.8.3, step 6).
enum CookieField {
    static let name = "Cookie"
    /// Octets; cookies that do not fit are left out. Most servers take 8 or 16 KiB, and libcurl 64 KiB for all fields over HTTP/2: beyond
    /// that a host that sets many large cookies would make all requests to its neighbours fail.
    static let maximumSize = 32_768

    /// nil without cookies.
    ///
    /// - Parameter cookies: In the order in which they are sent.
    static func header(_ cookies: [Cookie]) -> HTTPHeader? {
        var octets: [UInt8] = []
        for cookie in cookies {
            let (name, value) = (cookie.nameOctets, cookie.valueOctets)
            guard octets.count + name.count + value.count + 3 <= maximumSize else { break }
            if !octets.isEmpty { octets += "; ".utf8 }
            if !name.isEmpty { octets += name + CollectionOfOne(UInt8(ascii: "=")) }
            octets += value
        }
        return octets.isEmpty ? nil : HTTPHeader(name: Self.name, octets: octets)
    }
}
