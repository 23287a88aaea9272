import Foundation

/// Makes what the caller gave into a request that is complete and checked. All that a caller can get wrong about a request is found here.
struct RequestBuilder: Sendable {
    private let headers: HTTPHeaders
    private let headersProblem: FirewheelError?
    private let baseURL: URL?
    private let idleTimeout: TimeInterval

    init(configuration: SessionConfiguration) {
        headers = configuration.headers
        headersProblem = Self.problem(in: configuration.headers)
        idleTimeout = configuration.timeoutIntervalForRequest
        baseURL = configuration.baseURL.map(Self.asFolder)
    }

    /// - Throws: ``FirewheelError``, or what a user's code throws.
    func build(_ source: RequestSource) throws -> PreparedRequest {
        if let headersProblem { throw headersProblem }
        switch source {
        case .url(let convertible, let method, let headers, nil, nil):
            let (url, target) = try resolve(convertible)
            return try check(method, url, target, headers: headers ?? [:], body: nil, idleTimeout: idleTimeout)
        case .url(let convertible, let method, let headers, let encode, let modifier):
            let (url, _) = try resolve(convertible)
            guard let foundationURL = URL(string: url) else { throw FirewheelError(.invalidURL, detail: Redaction.possibleURL(url)) }
            var request = URLRequest(url: foundationURL)
            request.method = method
            if let headers {
                // Checked before Foundation, which drops or mangles what it does not like.
                if let problem = Self.problem(in: headers) { throw problem }
                request.headers = headers
            }
            request.timeoutInterval = idleTimeout
            try modifier?(&request)
            if let encode { request = try Self.encode(request, with: encode) }
            return try prepare(request, idleTimeout: request.timeoutInterval)
        case .convertible(let convertible):
            let request = try convertible.asURLRequest()
            // 60 seconds is what a URLRequest has that was told nothing.
            return try prepare(request, idleTimeout: request.timeoutInterval == 60 ? idleTimeout : request.timeoutInterval)
        }
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

    private func prepare(_ request: URLRequest, idleTimeout: TimeInterval) throws -> PreparedRequest {
        guard let foundationURL = request.url else { throw FirewheelError(.invalidURL, detail: "the request has no URL") }
        if request.httpBodyStream != nil { throw FirewheelError(.urlRequestValidationFailed(.bodyStreamUnsupported)) }
        let (url, target) = try resolve(foundationURL)
        return try check(
            request.method ?? .get, url, target, headers: request.headers, body: request.httpBody, idleTimeout: idleTimeout)
    }

    private func check(
        _ method: HTTPMethod, _ url: String, _ target: TargetURI, headers own: HTTPHeaders, body: Data?, idleTimeout: TimeInterval
    ) throws -> PreparedRequest {
        if let problem = Self.problem(in: own) { throw problem }
        try method.validate(body: body)
        let body = method.allowsBody ? body : nil
        var all = own.isEmpty ? headers : headers.merging(own)
        if let userInfo = target.userInfo, !all.contains(name: "Authorization") { all.update(Self.authorization(userInfo)) }
        return PreparedRequest(method: method, url: url, target: target, headers: all, body: body, idleTimeout: idleTimeout)
    }

    private static func problem(in headers: HTTPHeaders) -> FirewheelError? {
        headers.first { !$0.isValid }.map { header in
            let name = header.name.isHTTPToken ? header.name : header.name.debugDescription
            return FirewheelError(.invalidHeader, detail: "the field \(name)")
        }
    }

    /// User information in a URL is credentials for the Basic scheme, as curl and AsyncHTTPClient have it.
    private static func authorization(_ userInfo: String) -> HTTPHeader {
        let parts = userInfo.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false).map { part in
            part.removingPercentEncoding ?? String(part)
        }
        return .authorization(username: parts[0], password: parts.count > 1 ? parts[1] : "")
    }

    // MARK: URLs

    /// The absolute URL as text, and as it goes to the transport.
    private func resolve(_ convertible: any URLConvertible) throws -> (String, TargetURI) {
        if let text = convertible as? String { return try resolve(text) }
        return try resolve(try convertible.asURL().absoluteString)
    }

    private func resolve(_ text: String) throws -> (String, TargetURI) {
        switch TargetURI.parse(text) {
        case .success(let target):
            return (text, target)
        case .failure(.unsupportedScheme):
            throw FirewheelError(.invalidURL, detail: "\(Redaction.possibleURL(text)): the scheme is neither http nor https")
        case .failure(.malformed):
            guard Percent.hasPlainAuthority(text) else { throw FirewheelError(.invalidURL, detail: Redaction.possibleURL(text)) }
            // Relative, or with characters that have to be percent-encoded first.
            let encoded = Percent.encodingInvalidCharacters(text)
            if case .success(let target) = TargetURI.parse(encoded) { return (encoded, target) }
            // An empty reference is the base itself (RFC 3986 section 5.2.2), which Foundation makes no URL of.
            let reference = text.isEmpty ? baseURL : URL(string: encoded, relativeTo: baseURL)
            guard let url = reference?.absoluteString, case .success(let target) = TargetURI.parse(url) else {
                throw FirewheelError(.invalidURL, detail: Redaction.possibleURL(text))
            }
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
