import Foundation

/// Encodes `Encodable` parameters as `application/x-www-form-urlencoded` text in the URL's query or in the body.
///
/// The format is described at ``URLEncoding``, which does the same for ``Parameters``, and the options at ``URLEncodedFormEncoder``.
public struct URLEncodedFormParameterEncoder: ParameterEncoder {
    /// The destination of the text.
    public typealias Destination = URLEncoding.Destination

    /// The encoder with all defaults: the query for GET, HEAD and DELETE, the body for other methods.
    public static let `default` = URLEncodedFormParameterEncoder()

    /// The encoder that writes the text.
    public let encoder: URLEncodedFormEncoder
    /// The destination of the text.
    public let destination: Destination

    /// Creates a parameter encoder with a given form encoder and destination.
    ///
    /// - Parameters:
    ///   - encoder: The encoder that writes the text. Default: one with all defaults.
    ///   - destination: The destination of the text. Default: the query for GET, HEAD and DELETE, otherwise the body.
    public init(encoder: URLEncodedFormEncoder = URLEncodedFormEncoder(), destination: Destination = .methodDependent) {
        self.encoder = encoder
        self.destination = destination
    }

    /// The request with the parameters in its query or body. nil leaves the request unchanged; parameters without values leave its query
    /// unchanged.
    ///
    /// - Throws: ``FirewheelError`` of kind `parameterEncodingFailed`: `.missingURL` if the request has no URL,
    ///   `.urlEncodedFormEncodingFailed` with the cause if the parameters have no keys, contain a number that is not finite, are nested
    ///   more than 128 levels deep, or throw an error.
    public func encode<P: Encodable>(_ parameters: P?, into request: URLRequest) throws -> URLRequest {
        guard let parameters else { return request }
        return try request.encodingForm(parameters, with: encoder, into: destination)
    }
}

extension ParameterEncoder where Self == URLEncodedFormParameterEncoder {
    /// ``URLEncodedFormParameterEncoder/default``.
    public static var urlEncodedForm: URLEncodedFormParameterEncoder { .default }

    /// A URL-encoding encoder with custom options and destination.
    public static func urlEncodedForm(
        encoder: URLEncodedFormEncoder = URLEncodedFormEncoder(), destination: URLEncodedFormParameterEncoder.Destination = .methodDependent
    ) -> URLEncodedFormParameterEncoder {
        URLEncodedFormParameterEncoder(encoder: encoder, destination: destination)
    }
}
