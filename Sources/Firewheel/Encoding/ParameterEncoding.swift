import Foundation

/// Parameters of a request by name: values of any type that the encoding knows. A value of any other type makes the request fail with
/// `parameterEncodingFailed`; its `description` is never sent.
///
/// ```swift
/// HTTP.request("https://api.example.com/users", parameters: ["page": 2, "tags": ["a", "b"], "filter": ["active": true]])
/// ```
public typealias Parameters = [String: any Any & Sendable]

/// How ``Parameters`` get into a request: ``URLEncoding``, ``JSONEncoding``, and types of your own.
///
/// For `Encodable` parameters there is ``ParameterEncoder``. The encodings of the same name send the same bytes.
public protocol ParameterEncoding: Sendable {
    /// The request with the parameters encoded into it.
    ///
    /// - Parameters:
    ///   - urlRequest: What to encode into.
    ///   - parameters: What to encode. nil leaves the request as it is.
    /// - Throws: ``FirewheelError``, or an error of your own, which is reported as `parameterEncodingFailed(.customEncodingFailed)`.
    func encode(_ urlRequest: any URLRequestConvertible, with parameters: Parameters?) throws -> URLRequest
}

extension URLRequestConvertible {
    /// The request, or a ``FirewheelError`` that says why there is none.
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
