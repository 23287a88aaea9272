/// The properties of a request that decide about its cookies.
struct CookieTarget {
    let host: String
    let isAddress: Bool
    let isSecure: Bool
    /// Without the query, and never decoded (RFC 6265bis section 5.6).
    let path: String

    init(_ target: TargetURI) {
        host = target.origin.host
        isAddress = target.origin.isAddress
        isSecure = target.origin.isSecure
        // A target always has a path, at least a slash, right after its authority.
        let text = target.string.utf8
        let start = text.index(text.startIndex, offsetBy: isSecure ? 8 : 7, limitedBy: text.endIndex) ?? text.endIndex
        let slash = text[start...].firstIndex(of: UInt8(ascii: "/")) ?? text.endIndex
        let end = text[slash...].firstIndex(of: UInt8(ascii: "?")) ?? text.endIndex
        path = slash == end ? "/" : String(target.string[slash..<end])
    }

    /// The path of a cookie without one (RFC 6265bis section 5.1.4).
    var defaultPath: String {
        guard let slash = path.utf8.lastIndex(of: UInt8(ascii: "/")), slash != path.startIndex else { return "/" }
        return String(path[..<slash])
    }

    /// Whether requests for a path send cookies with another path.
    static func matches(_ requestPath: String, _ cookiePath: String) -> Bool {
        let (request, cookie) = (requestPath.utf8, cookiePath.utf8)
        guard request.starts(with: cookie) else { return false }
        if request.count == cookie.count || cookie.last == UInt8(ascii: "/") { return true }
        return request[request.index(request.startIndex, offsetBy: cookie.count)] == UInt8(ascii: "/")
    }
}
