import Firewheel

/// Creates requests with default header fields, default settings and encoded parameters: AFNetworking's `AFHTTPRequestSerializer`, and with
/// the ``format`` `.json` or `.propertyList` its `AFJSONRequestSerializer` and `AFPropertyListRequestSerializer`.
///
/// ```swift
/// var serializer = HTTPRequestSerializer.json
/// serializer.setValue("en", forHTTPHeaderField: "Accept-Language")
/// serializer.timeoutInterval = 20
/// let request = try serializer.request(
///     withMethod: .post, urlString: "https://api.example.com/users", parameters: ["name": "Ada"])
/// ```
///
/// It is a value: a copy does not change with the original.
public struct HTTPRequestSerializer: Sendable {
    /// How parameters are written in a request's body.
    public enum Format: Sendable {
        /// `application/x-www-form-urlencoded`. A body is set even if there are no parameters.
        case form
        /// `application/json`. A fragment, which is a value other than an array or a dictionary, is an error without `.fragmentsAllowed`.
        /// `.prettyPrinted` and `.withoutEscapingSlashes` have their meaning; keys are always sorted.
        case json(JSONSerialization.WritingOptions)
        /// `application/x-plist`, as `.xml` or `.binary`.
        case propertyList(PropertyListSerialization.PropertyListFormat)
    }

    /// Writes parameters as text: the query of ``methodsEncodingParametersInURI``, the body of other methods with the format `.form`.
    ///
    /// It gets the request before anything is added to it, and the parameters as they were passed. In a query, characters that a query
    /// cannot contain are percent-encoded.
    public typealias QueryStringSerialization = @Sendable (_ request: URLRequest, _ parameters: Any) throws -> String

    /// A serializer with the format `.json([])`.
    public static var json: HTTPRequestSerializer { HTTPRequestSerializer(format: .json([])) }
    /// A serializer with the format `.propertyList(.xml)`.
    public static var propertyList: HTTPRequestSerializer { HTTPRequestSerializer(format: .propertyList(.xml)) }

    /// How parameters are written in a request's body. Default: `.form`.
    public var format: Format
    /// The header fields of requests that do not have them. Default: `Accept-Language` and `User-Agent`, as those of a session.
    public var headers: Firewheel.HTTPHeaders = [.defaultAcceptLanguage, .defaultUserAgent]
    /// The methods whose parameters are written in the query, URL-encoded whatever the format. Matched case-insensitively. Default: GET,
    /// HEAD and DELETE.
    public var methodsEncodingParametersInURI: Set<HTTPMethod> = [.get, .head, .delete]
    /// Writes the text of queries and forms; nil for the rules of `URLEncoding` with null as a bare key. Default: nil.
    public var queryStringSerialization: QueryStringSerialization?
    /// The encoding of a form's text in a body, and of the texts of a multipart form. Default: UTF-8.
    public var stringEncoding: String.Encoding = .utf8

    // MARK: Settings of requests. Each is copied to the requests that this serializer creates unless it is nil, the default.

    /// The time in seconds without a byte in either direction. nil, or 60, the default of a `URLRequest`, is the session's
    /// `SessionConfiguration.timeoutIntervalForRequest`.
    public var timeoutInterval: TimeInterval?
    /// How requests use the cache of the session (`SessionConfiguration.cache`). Without one, a request with `.returnCacheDataDontLoad`
    /// fails with `resourceUnavailable`, and all others go to the server.
    public var cachePolicy: URLRequest.CachePolicy?
    /// Whether the requests send and store cookies, if `SessionConfiguration.cookies` has a jar.
    public var httpShouldHandleCookies: Bool?
    /// Set on requests, for adapters of your own to read. It has no effect.
    public var networkServiceType: URLRequest.NetworkServiceType?
    /// Set on requests, for adapters of your own to read. It has no effect.
    public var allowsCellularAccess: Bool?
    /// Not set on requests, because Foundation has deprecated it, and without an effect, because Firewheel does not pipeline.
    public var httpShouldUsePipelining: Bool?

    /// Creates a serializer with all defaults.
    ///
    /// - Parameter format: How parameters are written in a request's body. Default: `.form`.
    public init(format: Format = .form) {
        self.format = format
    }
}

// MARK: - Header fields

extension HTTPRequestSerializer {
    /// The ``headers`` as a dictionary.
    public var httpRequestHeaders: [String: String] { headers.dictionary }

    /// Sets a default header field; nil removes it. The session may still send its own field of that name.
    public mutating func setValue(_ value: String?, forHTTPHeaderField field: String) {
        headers[field] = value
    }

    /// The value of a default header field, whose name is case-insensitive; nil if there is none.
    public func value(forHTTPHeaderField field: String) -> String? {
        headers[field]
    }

    /// Sets the default `Authorization` to Basic credentials (RFC 7617).
    public mutating func setAuthorization(username: String, password: String) {
        headers.update(.authorization(username: username, password: password))
    }

    /// Removes the default `Authorization`.
    public mutating func clearAuthorizationHeader() {
        headers.remove(name: "Authorization")
    }
}
