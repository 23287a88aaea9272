/// The `Cookie` field of a request (RFC 6265bis section 5.8.3, step 6).
enum CookieField {
    static let name = "Cookie"
    /// The maximum size in octets; cookies beyond it are left out. Servers usually accept 8 or 16 KiB, and libcurl 64 KiB of fields over
    /// HTTP/2: without a limit, a host with many large cookies could make all requests to its sibling domains fail.
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
