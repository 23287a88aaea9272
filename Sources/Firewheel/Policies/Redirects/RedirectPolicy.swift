import Foundation

/// The rules for redirects of RFC 9110 section 15.4 and the Fetch standard (section 4.4, "HTTP-redirect fetch").
enum RedirectPolicy {
    /// The maximum number of redirects, as in Fetch.
    static let maximumRedirects = 20

    /// The fields that describe a request's body (RFC 9110 section 15.4; RFC 9530 for digests), or require one (section 10.1.1).
    private static let bodyFields = [
        "Content-Disposition", "Content-Digest", "Content-Encoding", "Content-Language", "Content-Length", "Content-Location",
        "Content-MD5",
        "Content-Range", "Content-Type", "Digest", "Expect", "Last-Modified", "Repr-Digest", "Trailer",
    ]

    enum Decision {
        /// The response is the final one.
        case stop
        case follow(RedirectedRequest)
        case fail(URLError.Code, String)
    }

    /// The changes to a redirected request.
    struct RedirectedRequest: Equatable {
        var method: HTTPMethod
        var url: String
        var target: TargetURI
        var headers: HTTPHeaders
        var keepsBody: Bool
    }

    /// Whether a response is a redirect. An empty Location field does not count.
    static func redirects(_ head: ResponseHead) -> Bool {
        switch head.statusCode {
        case 301, 302, 303, 307, 308: location(of: head) != nil
        default: false
        }
    }

    /// The error for a redirect that would send a body over http after https.
    static let downgrade = (
        code: URLError.Code.appTransportSecurityRequiresSecureConnection,
        reason: "redirected from https to http, and the body is not sent in clear text"
    )

    /// - Parameters:
    ///   - hasBody: Whether the request has a non-empty body.
    ///   - count: The number of redirects followed so far.
    ///   - opensWebSocket: Whether the Location may be a ws or wss URL. Default: false.
    static func decide(
        method: HTTPMethod, url: String, target: TargetURI, headers: HTTPHeaders, hasBody: Bool, head: ResponseHead, count: Int,
        opensWebSocket: Bool = false
    ) -> Decision {
        guard redirects(head), let location = location(of: head) else { return .stop }
        guard count < maximumRedirects else { return .fail(.httpTooManyRedirects, "more than \(maximumRedirects) redirects") }
        guard Percent.hasPlainAuthority(location),
            let reference = URL(string: location, relativeTo: URL(string: url) ?? URL(string: target.string))?.absoluteString
        else {
            return .fail(.redirectToNonExistentLocation, "the Location of the redirect is not a valid URL")
        }
        let resolved = opensWebSocket ? WebSocketURL.httpForm(of: reference) : reference
        switch TargetURI.parse(resolved) {
        case .failure(.malformed): return .fail(.redirectToNonExistentLocation, "the Location of the redirect is not a valid URL")
        case .failure(.unsupportedScheme): return .fail(.unsupportedURL, "redirected to a URL that is neither http nor https")
        case .success(let next):
            // Foundation does not remove them from a reference that has a scheme.
            let next = request(
                method: method, headers: headers, status: head.statusCode, from: target, to: next.removingDotSegments, url: resolved,
                previous: url)
            // The body would be sent unencrypted. Apple platforms use this code for refusing an insecure connection, and it is not
            // retryable.
            if hasBody, next.keepsBody, isDowngrade(from: target, to: next.target) {
                return .fail(downgrade.code, downgrade.reason)
            }
            return .follow(next)
        }
    }

    private static func isDowngrade(from: TargetURI, to next: TargetURI) -> Bool {
        from.origin.isSecure && !next.origin.isSecure
    }

    private static func request(
        method: HTTPMethod, headers: HTTPHeaders, status: Int, from: TargetURI, to next: TargetURI, url: String, previous: String
    ) -> RedirectedRequest {
        let becomesGET = (status == 303 && method != .head && method != .get) || ((status == 301 || status == 302) && method == .post)
        var headers = headers
        if becomesGET {
            for name in bodyFields { headers.remove(name: name) }
        }
        if !next.hasSameOrigin(as: from) {
            // Credentials for one server must not be sent to another (RFC 9110 section 15.4).
            for name in headers.map(\.name) where Redaction.isCredential(fieldName: name) { headers.remove(name: name) }
            headers.remove(name: "Host")
        }
        // RFC 9110 section 10.1.3.
        if isDowngrade(from: from, to: next) { headers.remove(name: "Referer") }
        // A fragment is inherited, unless the target has its own (RFC 9110 section 10.2.2).
        let fragment = url.contains("#") ? "" : previous.firstIndex(of: "#").map { String(previous[$0...]) } ?? ""
        return RedirectedRequest(
            method: becomesGET ? .get : method, url: next.string + (url.firstIndex(of: "#").map { String(url[$0...]) } ?? fragment),
            target: next,
            headers: headers, keepsBody: !becomesGET)
    }

    /// The Location field, with bytes above 127 percent-encoded.
    private static func location(of head: ResponseHead) -> String? {
        guard let value = head.headers.singleton("Location"), !value.isEmpty else { return nil }
        return Percent.encodingInvalidCharacters(Percent.encodingObsText(value))
    }
}
