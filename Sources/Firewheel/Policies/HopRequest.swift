import Foundation

/// The request of one hop, complete and checked.
///
/// A class, because it is passed around often and never changed.
final class HopRequest: Sendable {
    let method: HTTPMethod
    /// The absolute URL as given by the caller, with its fragment.
    let url: String
    let target: TargetURI
    /// The session's headers, overridden by the request's own.
    let headers: HTTPHeaders
    /// The fields that policies add for this hop only.
    let added: HTTPHeaders
    let bodySource: BodySource?
    /// In seconds; see `SessionConfiguration.timeoutIntervalForRequest`.
    let idleTimeout: TimeInterval
    /// The answer to a challenge that it sends; nil for none.
    let answer: ChallengeAnswer?
    /// Whether the body may wait for a 100 (Continue). False once a server has refused the expectation.
    let mayExpectContinue: Bool
    /// Whether cookies are sent and stored.
    let handlesCookies: Bool
    /// Whether the content codings of the response's body are undone.
    let decodesContent: Bool
    /// How the session's cache is used; nil without one.
    let cacheUse: CacheUse?

    init(
        method: HTTPMethod, url: String, target: TargetURI, headers: HTTPHeaders, added: HTTPHeaders = [:], bodySource: BodySource?,
        idleTimeout: TimeInterval, answer: ChallengeAnswer? = nil, mayExpectContinue: Bool = true, handlesCookies: Bool = true,
        decodesContent: Bool = true, cacheUse: CacheUse? = nil
    ) {
        self.cacheUse = cacheUse
        self.method = method
        self.url = url
        self.target = target
        self.headers = headers
        self.added = added
        self.bodySource = bodySource
        self.idleTimeout = idleTimeout
        self.answer = answer
        self.mayExpectContinue = mayExpectContinue
        self.handlesCookies = handlesCookies
        self.decodesContent = decodesContent
    }

    /// A copy with other values where they are given.
    private convenience init(
        _ other: HopRequest, headers: HTTPHeaders? = nil, added: HTTPHeaders? = nil, bodySource: BodySource? = nil,
        idleTimeout: TimeInterval? = nil, answer: ChallengeAnswer?? = nil, mayExpectContinue: Bool? = nil
    ) {
        self.init(
            method: other.method, url: other.url, target: other.target, headers: headers ?? other.headers, added: added ?? other.added,
            bodySource: bodySource ?? other.bodySource, idleTimeout: idleTimeout ?? other.idleTimeout, answer: answer ?? other.answer,
            mayExpectContinue: mayExpectContinue ?? other.mayExpectContinue, handlesCookies: other.handlesCookies,
            decodesContent: other.decodesContent, cacheUse: other.cacheUse)
    }

    /// The request with fields that a policy adds for this hop.
    func adding(_ fields: HTTPHeaders) -> HopRequest { HopRequest(self, added: added.merging(fields)) }

    /// The request with an answer to a challenge.
    func answering(_ answer: ChallengeAnswer) -> HopRequest { HopRequest(self, answer: answer) }

    /// The request with other fields of the caller's.
    func replacing(headers: HTTPHeaders) -> HopRequest { HopRequest(self, headers: headers) }

    /// The request with further directives in its `Cache-Control` field (RFC 9111 section 5.2.1). The hop before it may have had them.
    func asking(_ directives: String) -> HopRequest {
        let own = headers.value(for: "Cache-Control")
        if own?.hasSuffix(directives) == true { return self }
        var headers = headers
        headers.update(name: "Cache-Control", value: (own.map { $0 + ", " } ?? "") + directives)
        return HopRequest(self, headers: headers)
    }

    /// The request for a server that does not fulfill the expectation of a 100 (Continue).
    func withoutExpectation() -> HopRequest {
        var headers = headers
        headers.remove(name: "Expect")
        return HopRequest(self, headers: headers, mayExpectContinue: false)
    }

    /// The request without fields added by policies, optionally with the caller's idle timeout.
    func fresh(idleTimeout own: TimeInterval?) -> HopRequest {
        if added.isEmpty, own == nil { return self }
        return HopRequest(self, added: [:], idleTimeout: own, answer: .some(answer?.round == 0 ? nil : answer))
    }

    /// The request with the body of an earlier attempt if both are equal, so that a large body is not kept several times.
    func sharingBody(of earlier: HopRequest?) -> HopRequest {
        guard let body, let other = earlier?.body, body == other else { return self }
        return HopRequest(self, bodySource: .data(other))
    }

    /// The body if it is in memory; nil for none, and for one from another source.
    var body: Data? { bodySource?.data }

    /// Whether it has a body that is not empty.
    var hasBody: Bool { bodySource.map { $0.length != 0 } ?? false }

    /// The fields as sent. A policy's field overrides the caller's.
    var sentHeaders: HTTPHeaders { added.isEmpty ? headers : headers.merging(added) }

    /// The request as a `URLRequest`. Building it is slow, so this is done only on demand.
    func makeURLRequest() -> URLRequest? {
        guard let url = URL(string: url) ?? URL(string: target.string) else { return nil }
        var request = URLRequest(url: url)
        request.httpMethod = method.rawValue
        request.allHTTPHeaderFields = sentHeaders.dictionary
        request.httpBody = body
        request.timeoutInterval = idleTimeout
        // Set only where it differs from the default: each change of a `URLRequest` copies it.
        if !handlesCookies { request.httpShouldHandleCookies = false }
        if let policy = cacheUse?.policy, policy != .useProtocolCachePolicy { request.cachePolicy = policy }
        return request
    }
}

// MARK: - Validation

extension HopRequest {
    /// Creates a request after validating its method, fields and body.
    ///
    /// - Parameters:
    ///   - own: The request's own fields.
    ///   - defaults: Fields that are sent unless the request has the same.
    ///   - codings: Which content codings the response may have.
    ///   - cacheUse: How the session's cache is used; nil without one, and with the default policy.
    /// - Throws: ``FirewheelError``.
    convenience init(
        checking method: HTTPMethod, url: String, target: TargetURI, headers own: HTTPHeaders, over defaults: HTTPHeaders,
        body: BodySource?, idleTimeout: TimeInterval, handlesCookies: Bool = true, codings: CodingPreference,
        cacheUse: CacheUse? = nil
    ) throws {
        if let problem = own.problem { throw problem }
        try method.validate(hasBody: body.map { $0.length != 0 } ?? false, body?.data)
        var headers = own.isEmpty ? defaults : defaults.merging(own)
        // A range counts the bytes of the body as it is sent, so a part of a compressed one cannot be decoded (Fetch, Go and OkHttp do the
        // same).
        if codings != .decodable || own.contains(name: "Range"), !own.contains(name: "Accept-Encoding") {
            let offered = headers["Accept-Encoding"]
            let isDefault = offered == HTTPHeader.defaultAcceptEncoding.value
            if isDefault, codings == .asSent {
                headers.remove(name: "Accept-Encoding")
            } else if isDefault || offered == nil && codings == .identity {
                headers.update(.acceptEncoding("identity"))
            }
        }
        if let cacheUse {
            guard cacheUse.hasCache || cacheUse.mode != .storedOnly else {
                throw FirewheelError.transportFailed(
                    .resourceUnavailable, "the cachePolicy allows no loading, and the session has no cache")
            }
            cacheUse.addFields(to: &headers)
        }
        self.init(
            method: method, url: url, target: target, headers: headers, bodySource: method.allowsBody ? body : nil,
            idleTimeout: idleTimeout, handlesCookies: handlesCookies, decodesContent: codings != .asSent,
            cacheUse: cacheUse?.hasCache == true ? cacheUse : nil)
    }
}

/// Which content codings a response may have (RFC 9110 section 8.4), as the library asks for them. A field of the caller's overrides it.
enum CodingPreference: Sendable {
    /// Those that can be decoded.
    case decodable
    /// None, so that the size of a download is known and it can be resumed.
    case identity
    /// The server decides, and the body is not decoded.
    case asSent
}

extension HTTPHeaders {
    /// The error for the first invalid field.
    var problem: FirewheelError? {
        first { !$0.isValid }.map { header in
            // If a whole line was given as a name, a credential may follow its colon.
            let name = header.name.isHTTPToken ? header.name : String(header.name.prefix { $0 != ":" }).debugDescription
            let problem =
                header.name.isHTTPToken
                ? "the value of the header field \(name) holds CR, LF or NUL" : "\(name) is not the name of a header field"
            return FirewheelError(.invalidHeader, detail: problem)
        }
    }
}
