import Foundation

/// Encodes `Encodable` parameters as a JSON body with a `JSONEncoder`.
///
/// Unordered collections are sorted by their elements' text, so that equal parameters have the same bytes in every run: sets, and
/// dictionaries that Swift encodes as an array of keys and values because their keys are neither strings nor integers.
public struct JSONParameterEncoder: ParameterEncoder {
    /// Compact JSON with sorted keys, so that equal parameters have the same bytes.
    public static var `default`: JSONParameterEncoder { JSONParameterEncoder() }
    /// Pretty-printed JSON with sorted keys.
    public static var prettyPrinted: JSONParameterEncoder { JSONParameterEncoder(encoder: .sortingKeys(and: .prettyPrinted)) }
    /// JSON with sorted keys: the same as ``default``, under Alamofire's name.
    public static var sortedKeys: JSONParameterEncoder { JSONParameterEncoder() }

    /// The encoder that writes the JSON.
    public let encoder: JSONEncoder

    /// Creates an encoder with sorted keys and otherwise default options.
    public init() {
        self.init(encoder: .sortingKeys())
    }

    /// Creates an encoder that uses a given `JSONEncoder`.
    ///
    /// - Parameter encoder: The encoder, with its own formatting and strategies: keys are sorted only with its option for that. Do not
    ///   change it afterwards.
    public init(encoder: JSONEncoder) {
        self.encoder = encoder
    }

    /// The request with the parameters as its body, as `application/json` unless it has a Content-Type. nil leaves the request unchanged.
    ///
    /// The parameters' `encode(to:)` is called twice, first to find values that would make `JSONEncoder` overflow the stack or write
    /// invalid JSON.
    ///
    /// - Throws: ``FirewheelError`` of kind `parameterEncodingFailed`: `.missingURL` if the request has no URL, `.jsonEncodingFailed` with
    ///   the encoder's error, or if values are nested more than 128 levels deep.
    public func encode<P: Encodable>(_ parameters: P?, into request: URLRequest) throws -> URLRequest {
        guard let parameters else { return request }
        return try request.encodingJSON(parameters, with: encoder)
    }
}

extension ParameterEncoder where Self == JSONParameterEncoder {
    /// ``JSONParameterEncoder/default``.
    public static var json: JSONParameterEncoder { .default }

    /// A JSON encoder with a custom `JSONEncoder`. Default: that of ``JSONParameterEncoder/default``.
    public static func json(encoder: JSONEncoder = JSONParameterEncoder.default.encoder) -> JSONParameterEncoder {
        JSONParameterEncoder(encoder: encoder)
    }
}

extension JSONEncoder {
    static func sortingKeys(and formatting: OutputFormatting = []) -> JSONEncoder {
        let encoder = JSONEncoder()
        encoder.outputFormatting = formatting.union(.sortedKeys)
        return encoder
    }
}
