import Foundation

/// Encodes `Encodable` parameters into a request: ``URLEncodedFormParameterEncoder``, ``JSONParameterEncoder``, and types of your own.
///
/// For dictionaries of mixed types use ``ParameterEncoding``. Encodings of the same name send the same bytes.
public protocol ParameterEncoder: Sendable {
    /// Returns the request with the parameters encoded into it.
    ///
    /// - Parameters:
    ///   - parameters: The parameters. nil leaves the request unchanged.
    ///   - request: The request to encode into.
    /// - Throws: ``FirewheelError``, or an error of your own, which is reported as `parameterEncodingFailed(.customEncodingFailed)`.
    func encode<P: Encodable & Sendable>(_ parameters: P?, into request: URLRequest) throws -> URLRequest
}
