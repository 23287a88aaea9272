import Foundation

/// Encodes parameters as `application/x-www-form-urlencoded` text in the URL's query or in the body.
///
/// The format is Alamofire's, except that the order of nested keys, which is arbitrary in Alamofire, is defined:
///
/// - Keys are in alphabetical order at every level. An array keeps its order: `k[]=3&k[]=1`. A set, which is unordered, repeats its key for
///   every element, sorted by text, without brackets: `k=1&k=3`. This is AFNetworking's rule, and applies with every ``ArrayEncoding``.
/// - A nested dictionary is `k[sub]=…`. A `Bool` is `1` or `0`. nil and `NSNull` are omitted, unless a ``NilEncoding`` writes them. Empty
///   arrays and dictionaries are omitted.
/// - `Data` is base64, a `Date` is its seconds since the reference date; `URL`, `UUID` and `Decimal` are text. An `Encodable` type is
///   encoded with its `encode(to:)`, as in ``URLEncodedFormParameterEncoder``.
/// - Everything except letters, digits and `-._~/?` is percent-encoded as UTF-8, the space as `%20` (RFC 3986 section 3.4 allows `?` and
///   `/`).
public struct URLEncoding: ParameterEncoding {
    /// The destination of the text.
    public enum Destination: Sendable, Hashable {
        /// The query for GET, HEAD and DELETE, the body for other methods.
        case methodDependent
        /// The query for these methods, the body for other methods.
        case query(for: Set<HTTPMethod>)
        /// The query, appended with `&` to an existing one.
        case queryString
        /// The body, replacing an existing one, as `application/x-www-form-urlencoded; charset=utf-8` unless the request has a
        /// Content-Type.
        case httpBody
    }

    /// How an array element changes the key.
    public typealias ArrayEncoding = URLEncodedFormEncoder.ArrayEncoding
    /// How a `Bool` is written.
    public typealias BoolEncoding = URLEncodedFormEncoder.BoolEncoding
    /// How nil and `NSNull` are written.
    public typealias NilEncoding = URLEncodedFormEncoder.NilEncoding

    /// The encoding with all defaults: ``Destination/methodDependent``.
    public static let `default` = URLEncoding()
    /// An encoding to the query for every method.
    public static let queryString = URLEncoding(destination: .queryString)
    /// An encoding to the body for every method.
    public static let httpBody = URLEncoding(destination: .httpBody)

    /// The destination of the text.
    public let destination: Destination
    /// How an array element changes the key.
    public var arrayEncoding: ArrayEncoding { encoder.arrayEncoding }
    /// How a `Bool` is written.
    public var boolEncoding: BoolEncoding { encoder.boolEncoding }
    /// How nil and `NSNull` are written.
    public var nilEncoding: NilEncoding { encoder.nilEncoding }

    private let encoder: URLEncodedFormEncoder

    /// Creates an encoding with options for what differs between servers: the destination, arrays, Booleans and nil.
    ///
    /// - Parameters:
    ///   - destination: The destination of the text. Default: the query for GET, HEAD and DELETE, otherwise the body.
    ///   - arrayEncoding: How an array element changes the key. Default: `[]` is appended.
    ///   - boolEncoding: How a `Bool` is written. Default: `1` and `0`.
    ///   - nilEncoding: How nil and `NSNull` are written. Default: they are omitted with their key.
    public init(
        destination: Destination = .methodDependent, arrayEncoding: ArrayEncoding = .brackets, boolEncoding: BoolEncoding = .numeric,
        nilEncoding: NilEncoding = .dropKey
    ) {
        self.destination = destination
        encoder = URLEncodedFormEncoder(arrayEncoding: arrayEncoding, boolEncoding: boolEncoding, nilEncoding: nilEncoding)
    }

    /// The request with the parameters in its query or body. nil leaves the request unchanged; an empty dictionary leaves its query
    /// unchanged.
    ///
    /// - Throws: ``FirewheelError`` of kind `parameterEncodingFailed`: `.missingURL` if the request has no URL,
    ///   `.urlEncodedFormEncodingFailed` if a value is of an unsupported type, is NaN or infinite, or is nested more than 128 levels deep.
    ///   `createURLRequestFailed` with the cause if `urlRequest` cannot be converted.
    public func encode(_ urlRequest: any URLRequestConvertible, with parameters: Parameters?) throws -> URLRequest {
        let request = try urlRequest.requestForEncoding()
        guard let parameters else { return request }
        return try request.encodingForm(ParameterTree(parameters, as: .form), with: encoder, into: destination)
    }

    /// A text percent-encoded as this encoding does it in keys and values: everything except ASCII letters, digits and `-._~/?`. For
    /// encodings of your own, such as a ``CustomURLEncoding``.
    public func escape(_ text: String) -> String {
        var output: [UInt8] = []
        encoder.escaping.append(text, to: &output)
        return String(decoding: output, as: UTF8.self)
    }

    /// The form's text for parameters of any type: a dictionary with `String` keys, or an `Encodable` type with named properties.
    ///
    /// - Throws: ``FirewheelError`` of kind `parameterEncodingFailed(.urlEncodedFormEncodingFailed)`.
    package func text(of parameters: Any) throws -> String {
        try encoder.encode(ParameterTree(parameters, as: .form))
    }

    /// The form's fields for parameters of any type, in the order of their text, with `Data` as it is.
    ///
    /// - Throws: As ``text(of:)``.
    package func fields(of parameters: Any) throws -> [FormField] {
        try encoder.fields(of: ParameterTree(parameters, as: .form))
    }
}

extension ParameterEncoding where Self == URLEncoding {
    /// ``URLEncoding/default``.
    public static var url: URLEncoding { .default }
}
