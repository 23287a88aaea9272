import Foundation

/// A type that can be converted to a URL: `String`, `URL`, `URLComponents`, and types of your own.
public protocol URLConvertible: Sendable {
    /// The URL. Called once per attempt, on a thread that may be blocked.
    ///
    /// - Throws: ``FirewheelError`` of kind `invalidURL`, or an error of your own.
    func asURL() throws -> URL
}

/// A type that can be converted to a `URLRequest`: `URLRequest` itself, and types of your own, such as an enum of an API's endpoints.
public protocol URLRequestConvertible: Sendable {
    /// The request. Called once per attempt, on a thread that may be blocked.
    ///
    /// - Throws: Any error, which becomes the `underlyingError` of a ``FirewheelError`` of kind `createURLRequestFailed`. A
    ///   ``FirewheelError`` is reported unchanged.
    func asURLRequest() throws -> URLRequest
}

extension String: URLConvertible {
    /// The URL. Invalid characters such as spaces are percent-encoded; what is already encoded stays as it is.
    ///
    /// - Throws: ``FirewheelError`` of kind `invalidURL` if Foundation cannot create a URL, or if a `\(segment:)` in it was empty, `.` or
    ///   `..`.
    public func asURL() throws -> URL {
        if let problem = PathSegment.problem(in: self) { throw problem }
        guard let url = URL(string: Percent.encodingInvalidCharacters(self)) else {
            throw FirewheelError.invalidURL(self, base: nil)
        }
        return url
    }
}

extension URL: URLConvertible {
    /// The URL as it is.
    public func asURL() throws -> URL { self }
}

extension URLComponents: URLConvertible {
    /// The components' URL.
    ///
    /// - Throws: ``FirewheelError`` of kind `invalidURL` if the components make no URL.
    public func asURL() throws -> URL {
        guard let url else { throw FirewheelError.invalidURL(description, base: nil) }
        return url
    }
}

extension URLRequest: URLRequestConvertible {
    /// The request as it is.
    public func asURLRequest() throws -> URLRequest { self }
}

extension URLRequest {
    /// Creates a request with a URL, a method and headers.
    ///
    /// - Throws: The error of the URL's `asURL()`.
    public init(url: any URLConvertible, method: HTTPMethod, headers: HTTPHeaders? = nil) throws {
        self.init(url: try url.asURL())
        self.method = method
        if let headers { self.headers = headers }
    }

    /// `httpMethod` as an ``HTTPMethod``.
    public var method: HTTPMethod? {
        get { httpMethod.map(HTTPMethod.init(rawValue:)) }
        set { httpMethod = newValue?.rawValue }
    }

    /// `allHTTPHeaderFields` as ``HTTPHeaders``. Each field occurs once; a `URLRequest` keeps no order.
    public var headers: HTTPHeaders {
        get { HTTPHeaders(allHTTPHeaderFields ?? [:]) }
        set { allHTTPHeaderFields = newValue.dictionary }
    }

    /// Sets a field unless there is one of that name. Uses `allHTTPHeaderFields`, because `setValue` of Foundation on Linux silently drops
    /// values that it considers invalid.
    mutating func setIfAbsent(_ header: HTTPHeader) {
        if value(forHTTPHeaderField: header.name) == nil { headers.update(header) }
    }
}

extension HTTPURLResponse {
    /// `allHeaderFields` as ``HTTPHeaders``: Foundation keeps no order and joins repeated fields. `DataResponse.headers` has them as sent.
    public var headers: HTTPHeaders {
        HTTPHeaders(
            Dictionary(
                allHeaderFields.compactMap { key, value in (key as? String).map { ($0, "\(value)") } },
                uniquingKeysWith: { first, _ in first }))
    }
}

extension URLSessionConfiguration {
    /// `httpAdditionalHeaders` as ``HTTPHeaders``, sorted by name, because Foundation keeps no order.
    public var headers: HTTPHeaders {
        get {
            HTTPHeaders(
                Dictionary(
                    (httpAdditionalHeaders ?? [:]).compactMap { key, value in (key as? String).map { ($0, "\(value)") } },
                    uniquingKeysWith: { first, _ in first }))
        }
        set { httpAdditionalHeaders = newValue.dictionary }
    }
}
