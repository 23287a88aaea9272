import Foundation

/// Encodes parameters as a JSON body (RFC 8259) with sorted keys.
///
/// Supported are JSON's types: strings, finite numbers, `Bool`, nil and `NSNull`, arrays, dictionaries with `String` keys; also `URL`,
/// `UUID` and sets, as arrays sorted by their elements' text; and `Encodable` types, as encoded by `JSONEncoder`. The result has the same
/// bytes as with ``JSONParameterEncoder``.
///
/// `Date` and `Data` values are errors, because JSON has no representation for them: pass the text or number that the server expects, or
/// use ``JSONParameterEncoder`` with an encoder that has a strategy for them.
public struct JSONEncoding: ParameterEncoding {
    /// An encoding to compact JSON.
    public static var `default`: JSONEncoding { JSONEncoding() }
    /// An encoding to pretty-printed JSON.
    public static var prettyPrinted: JSONEncoding { JSONEncoding(options: .prettyPrinted) }

    /// The writing options. Keys are always sorted, and fragments always allowed.
    public let options: JSONSerialization.WritingOptions

    /// Creates an encoding with Foundation's options for writing JSON.
    ///
    /// - Parameter options: `.prettyPrinted` and `.withoutEscapingSlashes` are optional; the others are always on.
    public init(options: JSONSerialization.WritingOptions = []) {
        self.options = options
    }

    /// The request with the parameters as its body, as `application/json` unless it has a Content-Type. nil leaves the request unchanged.
    ///
    /// - Throws: ``FirewheelError`` of kind `parameterEncodingFailed`: `.missingURL` if the request has no URL, `.jsonEncodingFailed` if a
    ///   value is of a type that JSON cannot represent, is NaN or infinite, or is nested more than 128 levels deep.
    ///   `createURLRequestFailed` with the cause if `urlRequest` cannot be converted.
    public func encode(_ urlRequest: any URLRequestConvertible, with parameters: Parameters?) throws -> URLRequest {
        try encode(urlRequest, withJSONObject: parameters)
    }

    /// The request with any JSON value as its body: an array, a string or a number as well as a dictionary, for example from
    /// `JSONSerialization`. nil leaves the request unchanged.
    ///
    /// - Throws: As ``encode(_:with:)``.
    public func encode(_ urlRequest: any URLRequestConvertible, withJSONObject jsonObject: Any? = nil) throws -> URLRequest {
        let request = try urlRequest.requestForEncoding()
        guard let jsonObject else { return request }
        return try encode(jsonObject: jsonObject, into: request)
    }

    /// The request with a JSON value as its body.
    ///
    /// - Throws: As ``encode(_:with:)``.
    package func encode(jsonObject: Any, into request: URLRequest) throws -> URLRequest {
        try request.encodingJSON(ParameterTree(jsonObject, as: .json), with: encoder)
    }

    private var encoder: JSONEncoder {
        var formatting: JSONEncoder.OutputFormatting = []
        if options.contains(.prettyPrinted) { formatting.insert(.prettyPrinted) }
        if options.contains(.withoutEscapingSlashes) { formatting.insert(.withoutEscapingSlashes) }
        return .sortingKeys(and: formatting)
    }
}

extension ParameterEncoding where Self == JSONEncoding {
    /// ``JSONEncoding/default``.
    public static var json: JSONEncoding { .default }
}
