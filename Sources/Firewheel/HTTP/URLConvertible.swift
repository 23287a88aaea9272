import Foundation

/// What a URL can be made from: `String`, `URL`, `URLComponents`, and types of your own.
public protocol URLConvertible: Sendable {
    /// - Throws: ``FirewheelError`` of kind `invalidURL`, or an error of your own.
    func asURL() throws -> URL
}

/// What a `URLRequest` can be made from: `URLRequest`, and types of your own, such as an enum of an API's endpoints.
public protocol URLRequestConvertible: Sendable {
    func asURLRequest() throws -> URLRequest
}

extension String: URLConvertible {
    /// The URL. What may not stand in one, such as a space, is percent-encoded; what is encoded already stays as it is.
    ///
    /// - Throws: ``FirewheelError`` of kind `invalidURL` if Foundation makes no URL of this, or a `\(segment:)` in it was empty, `.` or
    ///   `..`.
    public func asURL() throws -> URL {
        if let problem = PathSegment.problem(in: self) { throw problem }
        guard let url = URL(string: Percent.encodingInvalidCharacters(self)) else {
            throw FirewheelError(.invalidURL, detail: Redaction.possibleURL(self))
        }
        return url
    }
}

extension URL: URLConvertible {
    public func asURL() throws -> URL { self }
}

extension URLComponents: URLConvertible {
    /// - Throws: ``FirewheelError`` of kind `invalidURL` if the components make no URL.
    public func asURL() throws -> URL {
        guard let url else { throw FirewheelError(.invalidURL, detail: Redaction.possibleURL(description)) }
        return url
    }
}

extension URLRequest: URLRequestConvertible {
    public func asURLRequest() throws -> URLRequest { self }
}

extension URLRequest {
    /// A request for a URL with a method and headers.
    ///
    /// - Throws: what the URL's `asURL()` throws.
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

    /// `allHTTPHeaderFields` as ``HTTPHeaders``. Each field is there once; a `URLRequest` keeps no order.
    public var headers: HTTPHeaders {
        get { HTTPHeaders(allHTTPHeaderFields ?? [:]) }
        set { allHTTPHeaderFields = newValue.dictionary }
    }

    /// The same request with a field set unless it has one of that name. Through `allHTTPHeaderFields`, since Foundation on Linux drops
    /// a value that it does not like without a word in `setValue`.
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
    /// `httpAdditionalHeaders` as ``HTTPHeaders``. Foundation keeps no order, so they come sorted by name.
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
