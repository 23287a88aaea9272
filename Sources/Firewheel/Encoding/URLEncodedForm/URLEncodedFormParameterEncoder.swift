import Foundation

/// `Encodable` parameters as `application/x-www-form-urlencoded` text, in the URL's query or in the body.
///
/// What is sent for what is told at ``URLEncoding``, which does the same for ``Parameters``, and at ``URLEncodedFormEncoder``, which has
/// the options.
public struct URLEncodedFormParameterEncoder: ParameterEncoder {
    /// Where the text goes.
    public typealias Destination = URLEncoding.Destination

    /// The encoder with all defaults: into the query for GET, HEAD and DELETE, into the body for every other method.
    public static let `default` = URLEncodedFormParameterEncoder()

    /// What writes the text.
    public let encoder: URLEncodedFormEncoder
    /// Where the text goes.
    public let destination: Destination

    /// Parameters written by an encoder with options of yours, to a place of your choice.
    ///
    /// - Parameters:
    ///   - encoder: What writes the text. Default: one with all defaults.
    ///   - destination: Where the text goes. Default: into the query for GET, HEAD and DELETE, else into the body.
    public init(encoder: URLEncodedFormEncoder = URLEncodedFormEncoder(), destination: Destination = .methodDependent) {
        self.encoder = encoder
        self.destination = destination
    }

    /// The request with the parameters in its query or body. nil leaves it as it is, and parameters without any value leave its query as it
    /// is.
    ///
    /// - Throws: ``FirewheelError`` of kind `parameterEncodingFailed`: `.missingURL` if the request has no URL,
    ///   `.urlEncodedFormEncodingFailed` with the cause if the parameters have no keys, hold a number that is not finite, are nested more
    ///   than 128 levels deep, or throw.
    public func encode<P: Encodable & Sendable>(_ parameters: P?, into request: URLRequest) throws -> URLRequest {
        guard let parameters else { return request }
        return try request.encodingForm(parameters, with: encoder, into: destination)
    }
}

extension ParameterEncoder where Self == URLEncodedFormParameterEncoder {
    /// ``URLEncodedFormParameterEncoder/default``.
    public static var urlEncodedForm: URLEncodedFormParameterEncoder { .default }

    /// Parameters as URL-encoded text, written and placed as you say.
    public static func urlEncodedForm(
        encoder: URLEncodedFormEncoder = URLEncodedFormEncoder(), destination: URLEncodedFormParameterEncoder.Destination = .methodDependent
    ) -> URLEncodedFormParameterEncoder {
        URLEncodedFormParameterEncoder(encoder: encoder, destination: destination)
    }
}
