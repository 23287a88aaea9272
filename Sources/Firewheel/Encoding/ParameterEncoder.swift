import Foundation

/// How `Encodable` parameters get into a request: ``URLEncodedFormParameterEncoder``, ``JSONParameterEncoder``, and types of your own.
///
/// For dictionaries of mixed types there is ``ParameterEncoding``. The encodings of the same name send the same bytes.
public protocol ParameterEncoder: Sendable {
    /// The request with the parameters encoded into it.
    ///
    /// - Parameters:
    ///   - parameters: What to encode. nil leaves the request as it is.
    ///   - request: What to encode into.
    /// - Throws: ``FirewheelError``, or an error of your own, which is reported as `parameterEncodingFailed(.customEncodingFailed)`.
    func encode<P: Encodable & Sendable>(_ parameters: P?, into request: URLRequest) throws -> URLRequest
}
