import Foundation

/// Parameters as a JSON body (RFC 8259), with keys in sorted order.
///
/// It takes what JSON has: strings, finite numbers, `Bool`, nil and `NSNull`, arrays, dictionaries with `String` keys; also `URL`, `UUID`
/// and sets, as arrays sorted by their elements' text; and types of your own that are `Encodable`, as `JSONEncoder` writes them. For all of
/// these the bytes are those of ``JSONParameterEncoder``.
///
/// A `Date` or `Data` among the values is refused, since JSON has no form for them: put in the text or number that the server expects, or
/// use ``JSONParameterEncoder`` with an encoder that has a strategy for them.
public struct JSONEncoding: ParameterEncoding {
    /// The encoding into compact JSON.
    public static var `default`: JSONEncoding { JSONEncoding() }
    /// The encoding into JSON for a person to read.
    public static var prettyPrinted: JSONEncoding { JSONEncoding(options: .prettyPrinted) }

    /// How the JSON is written. Keys are sorted and fragments are allowed without saying so.
    public let options: JSONSerialization.WritingOptions

    /// An encoding with Foundation's options for writing JSON.
    ///
    /// - Parameter options: `.prettyPrinted` and `.withoutEscapingSlashes` count; the others are always on.
    public init(options: JSONSerialization.WritingOptions = []) {
        self.options = options
    }

    /// The request with the parameters as its body, as `application/json` unless it has a Content-Type. nil leaves it as it is.
    ///
    /// - Throws: ``FirewheelError`` of kind `parameterEncodingFailed`: `.missingURL` if the request has no URL, `.jsonEncodingFailed` if a
    ///   value is of a type that JSON has no form for, is not a number or infinite, or is nested more than 128 levels deep.
    ///   `createURLRequestFailed` with the cause if `urlRequest` gives no request.
    public func encode(_ urlRequest: any URLRequestConvertible, with parameters: Parameters?) throws -> URLRequest {
        try encode(urlRequest, withJSONObject: parameters)
    }

    /// The request with any JSON value as its body: an array, or a mere string or number, as well as a dictionary, from `JSONSerialization`
    /// for instance. nil leaves it as it is.
    ///
    /// - Throws: as ``encode(_:with:)``.
    public func encode(_ urlRequest: any URLRequestConvertible, withJSONObject jsonObject: Any? = nil) throws -> URLRequest {
        let request = try urlRequest.requestForEncoding()
        guard let jsonObject else { return request }
        return try request.encodingJSON(ParameterTree(jsonObject, as: .json), with: encoder)
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
