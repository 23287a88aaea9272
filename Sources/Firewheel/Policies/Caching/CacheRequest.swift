import Foundation

/// What a cache reads of a request.
struct CacheRequest: Sendable {
    let method: HTTPMethod
    let target: TargetURI
    /// The fields as they are sent, with cookies and credentials.
    let headers: HTTPHeaders
    let control: CacheControl
    let mode: CacheUse.Mode
    /// Whether the body of the response is to be decoded.
    let decodesContent: Bool
    /// Whether the caller asks a condition of its own (RFC 9110 section 13.1). Then it wants the server's answer.
    let isConditional: Bool
    /// The value of a `Range` field.
    let range: String?
    /// What the request is authorized with, in bytes, because Swift's strings compare by meaning; nil for nothing.
    let authorization: [UInt8]?
    private let hasBody: Bool
    /// Whether `Host` names another server than the URL. Then the URL is not the name of what is asked for (RFC 9110 section 7.1).
    let hasOtherHost: Bool

    init(
        method: HTTPMethod, target: TargetURI, headers: HTTPHeaders, hasBody: Bool = false, mode: CacheUse.Mode = .rules,
        decodesContent: Bool = true
    ) {
        self.method = method
        self.target = target
        self.headers = headers
        self.hasBody = hasBody
        self.mode = mode
        self.decodesContent = decodesContent
        control = CacheControl(headers)
        isConditional = Self.conditions.contains { headers.contains(name: $0) }
        range = headers.value(for: "Range")
        authorization = headers.value(for: "Authorization").map { Array($0.utf8) }
        let origin = target.origin.description
        hasOtherHost = headers.value(for: "Host").map { !origin.hasSuffix("://" + $0.lowercased()) } ?? false
    }

    private static let conditions = ["If-None-Match", "If-Modified-Since", "If-Match", "If-Unmodified-Since", "If-Range"]

    /// The name of its responses in the cache.
    var key: String { target.string }

    var hasQuery: Bool { key.utf8.contains(UInt8(ascii: "?")) }

    /// Whether a stored response may be the answer, or be validated for it.
    var mayUseStored: Bool {
        (method == .get || method == .head) && !hasBody && !isConditional && !control.isNoStore && !hasOtherHost
    }

    /// Whether the network may be asked.
    var mayAsk: Bool { !control.isOnlyIfCached && mode != .storedOnly }

    /// Whether the response may be stored.
    var mayStore: Bool { method == .get && !hasBody && range == nil && !control.isNoStore && !hasOtherHost }

    /// Whether the server must be asked, whatever is stored (RFC 9111 section 5.2.1.4).
    var asksServer: Bool { control.isNoCache || control.hasPragmaNoCache || mode == .revalidate }
}
