import Foundation

/// Builds a complete, checked request from the caller's values. All of a caller's mistakes about a request are reported here.
struct RequestBuilder: Sendable {
    private let headers: HTTPHeaders
    private let headersProblem: FirewheelError?
    private let baseURL: URL?
    private let idleTimeout: TimeInterval
    private let cachePolicy: URLRequest.CachePolicy
    private let hasCache: Bool
    private let deduplicates: Bool
    /// Whether the cache concerns requests without a cache policy of their own.
    private let usesCache: Bool
    /// Whether requests open WebSockets: their URLs have the schemes ws and wss.
    private var opensWebSockets = false

    private static let withoutURL = FirewheelError(.invalidURL, detail: "the URLRequest has no URL")

    init(configuration: SessionConfiguration) {
        headers = configuration.headers
        headersProblem = configuration.headers.problem
        idleTimeout = configuration.timeoutIntervalForRequest
        cachePolicy = configuration.requestCachePolicy
        hasCache = configuration.cache != nil
        deduplicates = configuration.deduplicatesRequests
        usesCache = hasCache || deduplicates || cachePolicy != .useProtocolCachePolicy
        baseURL = configuration.baseURL.map(Self.asFolder)
    }

    /// The same for requests that open WebSockets.
    var forWebSockets: RequestBuilder {
        var builder = self
        builder.opensWebSockets = true
        return builder
    }

    /// Builds the complete and checked request of a source.
    ///
    /// - Parameters:
    ///   - codings: Which content codings the response may have. Default: those that can be decoded.
    ///   - isAwaited: Asked between two calls of the caller's code.
    /// - Throws: ``FirewheelError``, or what the caller's code throws. `CancellationError` if the request has ended in the meantime.
    func build(
        _ source: RequestSource, codings: CodingPreference = .decodable, while isAwaited: () -> Bool = { true }
    ) throws -> HopRequest {
        guard case .url(let convertible, let method, let own, nil, nil) = source else {
            return try prepare(makeURLRequest(source, while: isAwaited), sending: source.uploaded, codings: codings)
        }
        if let headersProblem { throw headersProblem }
        let (url, target) = try resolve(convertible)
        return try HopRequest(
            checking: method, url: url, target: target, headers: own ?? [:], over: headers, body: nil, idleTimeout: idleTimeout,
            codings: codings, cacheUse: usesCache ? cacheUse(.useProtocolCachePolicy) : nil)
    }

    /// The source's method and URL, for the error of a request that was not built; nil if only the caller's code could provide them.
    func outline(of source: RequestSource) -> URLRequest? {
        switch source {
        case .url(let convertible, let method, _, _, _):
            guard convertible is String || convertible is URL, let (text, _) = try? resolve(convertible), let url = URL(string: text) else {
                return nil
            }
            var request = URLRequest(url: url)
            request.method = method
            return request
        case .convertible(let convertible): return convertible as? URLRequest
        case .upload(let request, _): return outline(of: request)
        case .resumption: return nil
        }
    }

    /// Builds the request as the caller gave it: without the session's headers, and not yet checked as a whole.
    ///
    /// - Parameter isAwaited: Asked between two calls of the caller's code.
    /// - Throws: ``FirewheelError``, or what the caller's code throws. `CancellationError` if the request has ended in the meantime.
    func makeURLRequest(_ source: RequestSource, while isAwaited: () -> Bool = { true }) throws -> URLRequest {
        switch source {
        case .url(let convertible, let method, let headers, let encode, let modifier):
            let (url, _) = try resolve(convertible)
            guard let foundationURL = URL(string: url) else { throw FirewheelError.invalidURL(url, base: baseURL) }
            var request = URLRequest(url: foundationURL)
            request.method = method
            if let headers {
                // Checked before Foundation gets them, which drops or changes invalid header fields.
                if let problem = headers.problem { throw problem }
                request.headers = headers
            }
            request.timeoutInterval = idleTimeout
            if let modifier {
                guard isAwaited() else { throw CancellationError() }
                try modifier(&request)
            }
            guard let encode else { return request }
            guard isAwaited() else { throw CancellationError() }
            return try Self.encode(request, with: encode)
        case .convertible(let convertible):
            var request = try convertible.asURLRequest()
            // Foundation traps if a request without a URL is modified.
            guard request.url != nil else { throw Self.withoutURL }
            request.timeoutInterval = request.timeoutInterval(or: idleTimeout)
            return request
        case .resumption(let data, let url, let headers, let modifier):
            let resumed = try ResumeData(data)
            let source = RequestSource.url(
                url ?? resumed.url.string, method: .get, headers: headers, encode: nil, modifier: modifier)
            return try makeURLRequest(source, while: isAwaited)
        case .upload(let request, let body):
            return body.added(to: try makeURLRequest(request, while: isAwaited))
        }
    }

    /// Completes and checks a request that may have been changed by the caller's code.
    ///
    /// - Parameters:
    ///   - uploaded: The body of an upload; nil for other requests.
    ///   - adapters: They adapt the body if it is not in memory.
    ///   - codings: Which content codings the response may have.
    /// - Throws: ``FirewheelError``.
    func prepare(
        _ request: URLRequest, sending uploaded: UploadSource?, adapters: [any BodyAdapter] = [], codings: CodingPreference
    ) throws -> HopRequest {
        if let headersProblem { throw headersProblem }
        var request = request
        var body = try uploaded?.open()
        do {
            for adapter in adapters { body = try body.map { try adapter.adapt($0, of: &request) } }
        } catch {
            throw FirewheelError(.requestAdaptationFailed, underlyingError: error, request: request)
        }
        guard let foundationURL = request.url else { throw Self.withoutURL }
        try request.checkProperties()
        let (url, target) = try resolve(foundationURL)
        return try HopRequest(
            checking: request.method ?? .get, url: url, target: target, headers: request.headers, over: headers,
            body: body ?? request.httpBody.map { .data($0) },
            idleTimeout: request.timeoutInterval(or: idleTimeout), handlesCookies: request.httpShouldHandleCookies, codings: codings,
            cacheUse: cacheUse(request.cachePolicy, storesCookies: request.httpShouldHandleCookies))
    }

    /// nil if the cache policy has no effect.
    private func cacheUse(_ own: URLRequest.CachePolicy, storesCookies: Bool = true) throws -> CacheUse? {
        guard hasCache || !deduplicates else {
            throw FirewheelError.transportFailed(
                .resourceUnavailable, "deduplicatesRequests needs a cache; set the session's cache, or leave it off")
        }
        let policy = own == .useProtocolCachePolicy ? cachePolicy : own
        guard hasCache || policy != .useProtocolCachePolicy else { return nil }
        return CacheUse(policy, hasCache: hasCache, isDeduplicated: deduplicates, storesCookies: storesCookies)
    }

    private static func encode(_ request: URLRequest, with encode: (URLRequest) throws -> URLRequest) throws -> URLRequest {
        do {
            return try encode(request)
        } catch let error as FirewheelError {
            throw error
        } catch {
            throw FirewheelError(.parameterEncodingFailed(.customEncodingFailed), underlyingError: error)
        }
    }

    // MARK: URLs

    /// Resolves a URL, as text and as passed to the transport.
    private func resolve(_ convertible: any URLConvertible) throws -> (String, TargetURI) {
        if let text = convertible as? String { return try resolve(text) }
        let url = try convertible.asURL().absoluteString
        if let problem = PathSegment.problem(in: url) { throw problem }
        return try resolve(url)
    }

    private func resolve(_ text: String) throws -> (String, TargetURI) {
        guard opensWebSockets else { return try resolveHTTP(text) }
        let (url, target) = try resolveHTTP(WebSocketURL.httpForm(of: text))
        return (WebSocketURL.webSocketForm(of: url), target)
    }

    private func resolveHTTP(_ text: String) throws -> (String, TargetURI) {
        switch TargetURI.parse(text) {
        case .success(let target):
            return (text, target)
        case .failure(.unsupportedScheme):
            throw FirewheelError.invalidURL(text, base: baseURL)
        case .failure(.malformed):
            if let problem = PathSegment.problem(in: text) { throw problem }
            guard Percent.hasPlainAuthority(text) else { throw FirewheelError.invalidURL(text, base: baseURL) }
            // A relative URL, or one with characters that must be percent-encoded.
            let encoded = Percent.encodingInvalidCharacters(Percent.escapingZone(text))
            if case .success(let target) = TargetURI.parse(encoded) { return (encoded, target) }
            // An empty reference is the base URL itself (RFC 3986 section 5.2.2); Foundation makes no URL from it.
            let reference = text.isEmpty ? baseURL : URL(string: encoded, relativeTo: baseURL)
            guard let url = reference?.absoluteString, case .success(let target) = TargetURI.parse(url) else {
                throw FirewheelError.invalidURL(text, base: baseURL)
            }
            // The base URL may contain an invalid segment, too.
            if let problem = PathSegment.problem(in: url) { throw problem }
            return (url, target)
        }
    }

    private static func asFolder(_ url: URL) -> URL {
        guard var components = URLComponents(url: url, resolvingAgainstBaseURL: true), !components.percentEncodedPath.hasSuffix("/") else {
            return url
        }
        components.percentEncodedPath += "/"
        return components.url ?? url
    }
}
