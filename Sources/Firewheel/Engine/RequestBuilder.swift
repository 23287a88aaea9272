import Foundation

/// Makes what the caller gave into a request that is complete and checked. All that a caller can get wrong about a request is found here.
struct RequestBuilder: Sendable {
    private let headers: HTTPHeaders
    private let headersProblem: FirewheelError?
    private let baseURL: URL?
    private let idleTimeout: TimeInterval

    private static let withoutURL = FirewheelError(.invalidURL, detail: "the request has no URL")

    init(configuration: SessionConfiguration) {
        headers = configuration.headers
        headersProblem = configuration.headers.problem
        idleTimeout = configuration.timeoutIntervalForRequest
        baseURL = configuration.baseURL.map(Self.asFolder)
    }

    /// The request that a source makes, complete and checked.
    ///
    /// - Parameter isAwaited: Asked between one piece of the caller's code and the next.
    /// - Throws: ``FirewheelError``, or what a user's code throws. `CancellationError` if nobody waits for the request any more.
    func build(_ source: RequestSource, while isAwaited: () -> Bool = { true }) throws -> HopRequest {
        if let headersProblem { throw headersProblem }
        guard case .url(let convertible, let method, let own, nil, nil) = source else {
            return try prepare(makeURLRequest(source, while: isAwaited))
        }
        let (url, target) = try resolve(convertible)
        return try HopRequest(
            checking: method, url: url, target: target, headers: own ?? [:], over: headers, body: nil, idleTimeout: idleTimeout)
    }

    /// The request as the caller gave it: without the session's headers, and not checked as a whole yet.
    ///
    /// - Parameter isAwaited: Asked between one piece of the caller's code and the next.
    /// - Throws: ``FirewheelError``, or what a user's code throws. `CancellationError` if nobody waits for the request any more.
    func makeURLRequest(_ source: RequestSource, while isAwaited: () -> Bool = { true }) throws -> URLRequest {
        switch source {
        case .url(let convertible, let method, let headers, let encode, let modifier):
            let (url, _) = try resolve(convertible)
            guard let foundationURL = URL(string: url) else { throw FirewheelError(.invalidURL, detail: Redaction.possibleURL(url)) }
            var request = URLRequest(url: foundationURL)
            request.method = method
            if let headers {
                // Checked before Foundation, which drops or mangles what it does not like.
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
            // Foundation ends the program where a request without a URL is changed.
            guard request.url != nil else { throw Self.withoutURL }
            // 60 seconds is what a URLRequest has that was told nothing.
            if request.timeoutInterval == 60 { request.timeoutInterval = idleTimeout }
            return request
        }
    }

    /// Completes and checks a request that may have been changed by the caller's code.
    ///
    /// - Throws: ``FirewheelError``.
    func prepare(_ request: URLRequest) throws -> HopRequest {
        if let headersProblem { throw headersProblem }
        guard let foundationURL = request.url else { throw Self.withoutURL }
        if request.httpBodyStream != nil { throw FirewheelError(.urlRequestValidationFailed(.bodyStreamUnsupported)) }
        let (url, target) = try resolve(foundationURL)
        return try HopRequest(
            checking: request.method ?? .get, url: url, target: target, headers: request.headers, over: headers, body: request.httpBody,
            idleTimeout: request.timeoutInterval)
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

    /// The absolute URL as text, and as it goes to the transport.
    private func resolve(_ convertible: any URLConvertible) throws -> (String, TargetURI) {
        if let text = convertible as? String { return try resolve(text) }
        let url = try convertible.asURL().absoluteString
        if let problem = PathSegment.problem(in: url) { throw problem }
        return try resolve(url)
    }

    private func resolve(_ text: String) throws -> (String, TargetURI) {
        switch TargetURI.parse(text) {
        case .success(let target):
            return (text, target)
        case .failure(.unsupportedScheme):
            throw FirewheelError(.invalidURL, detail: "\(Redaction.possibleURL(text)): the scheme is neither http nor https")
        case .failure(.malformed):
            if let problem = PathSegment.problem(in: text) { throw problem }
            guard Percent.hasPlainAuthority(text) else { throw FirewheelError(.invalidURL, detail: Redaction.possibleURL(text)) }
            // Relative, or with characters that have to be percent-encoded first.
            let encoded = Percent.encodingInvalidCharacters(text)
            if case .success(let target) = TargetURI.parse(encoded) { return (encoded, target) }
            // An empty reference is the base itself (RFC 3986 section 5.2.2), which Foundation makes no URL of.
            let reference = text.isEmpty ? baseURL : URL(string: encoded, relativeTo: baseURL)
            guard let url = reference?.absoluteString, case .success(let target) = TargetURI.parse(url) else {
                throw FirewheelError(.invalidURL, detail: Redaction.possibleURL(text))
            }
            // That of the base.
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
