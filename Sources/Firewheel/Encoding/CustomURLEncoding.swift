import Foundation

/// Encodes parameters as text that a closure writes, in the URL's query or in the body, for servers whose format ``URLEncoding`` does not
/// have.
///
/// ```swift
/// let commaSeparated = CustomURLEncoding { request, parameters in
///     parameters.keys.sorted().map { "\($0):\(parameters[$0] as? Int ?? 0)" }.joined(separator: ",")
/// }
/// HTTP.get("https://api.example.com/users", parameters: ["page": 2, "size": 50], encoding: commaSeparated).response { print($0.result) }
/// // ?page:2,size:50
/// ```
public struct CustomURLEncoding: ParameterEncoding {
    /// Writes parameters as text. It must escape what has a meaning in its format.
    ///
    /// The text is the request's query or body. In a query, characters that a query cannot contain are percent-encoded; a percent sign with
    /// two hexadecimal digits behind it stays.
    public typealias Serialization = @Sendable (_ request: URLRequest, _ parameters: Parameters) throws -> String

    /// The destination of the text.
    public let destination: URLEncoding.Destination
    private let serialization: Serialization

    /// Creates an encoding with a closure that writes the text.
    ///
    /// - Parameters:
    ///   - destination: The destination of the text. Default: the query for GET, HEAD and DELETE, otherwise the body.
    ///   - serialization: Gets the request before the parameters are added, and the parameters. Called once per attempt, on a thread that
    ///     may be blocked. An error that it throws makes the request fail with `parameterEncodingFailed(.customEncodingFailed)`.
    public init(destination: URLEncoding.Destination = .methodDependent, serialization: @escaping Serialization) {
        self.destination = destination
        self.serialization = serialization
    }

    /// The request with the text in its query, or in its body as UTF-8, as `application/x-www-form-urlencoded; charset=utf-8` unless it has
    /// a Content-Type. nil parameters leave the request unchanged, and empty text leaves its query unchanged.
    ///
    /// - Throws: The closure's error. ``FirewheelError`` of kind `parameterEncodingFailed(.missingURL)` if the request has no URL;
    ///   `createURLRequestFailed` with the cause if `urlRequest` cannot be converted.
    public func encode(_ urlRequest: any URLRequestConvertible, with parameters: Parameters?) throws -> URLRequest {
        var request = try urlRequest.requestForEncoding()
        guard let parameters else { return request }
        _ = try request.urlForEncoding()
        let text = try serialization(request, parameters)
        if destination.isQuery(for: request.method ?? .get) { return try request.addingToQuery(text) }
        request.setForm(text)
        return request
    }
}

extension ParameterEncoding where Self == CustomURLEncoding {
    /// Parameters as text that a closure writes: a ``CustomURLEncoding``.
    public static func url(
        destination: URLEncoding.Destination = .methodDependent, serialization: @escaping CustomURLEncoding.Serialization
    ) -> CustomURLEncoding {
        CustomURLEncoding(destination: destination, serialization: serialization)
    }
}
