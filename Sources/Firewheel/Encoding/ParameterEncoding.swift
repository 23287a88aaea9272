import Foundation

/// Named parameters of a request, with values of any type that the encoding supports. A value of any other type makes the request fail with
/// `parameterEncodingFailed`; its `description` is never sent.
///
/// ```swift
/// HTTP.request("https://api.example.com/users", parameters: ["page": 2, "tags": ["a", "b"], "filter": ["active": true]])
/// ```
public typealias Parameters = [String: any Any & Sendable]

/// Encodes ``Parameters`` into a request: ``URLEncoding``, ``JSONEncoding``, and types of your own.
///
/// For `Encodable` parameters use ``ParameterEncoder``. Encodings of the same name send the same bytes.
public protocol ParameterEncoding: Sendable {
    /// Returns the request with the parameters encoded into it.
    ///
    /// - Parameters:
    ///   - urlRequest: The request to encode into.
    ///   - parameters: The parameters. nil leaves the request unchanged.
    /// - Throws: ``FirewheelError``, or an error of your own, which is reported as `parameterEncodingFailed(.customEncodingFailed)`.
    func encode(_ urlRequest: any URLRequestConvertible, with parameters: Parameters?) throws -> URLRequest
}

extension URLRequestConvertible {
    /// The converted request. Throws a ``FirewheelError`` with the cause if the conversion fails.
    func requestForEncoding() throws -> URLRequest {
        do {
            return try asURLRequest()
        } catch let error as FirewheelError {
            throw error
        } catch {
            throw FirewheelError(.createURLRequestFailed, underlyingError: error)
        }
    }
}
