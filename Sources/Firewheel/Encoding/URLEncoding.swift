import Foundation

/// Parameters as `application/x-www-form-urlencoded` text, in the URL's query or in the body.
///
/// What is sent, all of it Alamofire's form but for the order of nested keys, which Alamofire leaves to chance:
///
/// - Keys are in alphabetical order at every level. An array keeps its order: `k[]=3&k[]=1`. A set, which has none, is its key again for
///   every element, sorted by their text, without brackets: `k=1&k=3`. That is AFNetworking's rule; it holds for every ``ArrayEncoding``.
/// - A nested dictionary is `k[sub]=…`. A `Bool` is `1` or `0`. nil and `NSNull` are left out, and so are empty arrays and dictionaries.
/// - `Data` is base64, a `Date` is its seconds since the reference date, `URL`, `UUID` and `Decimal` are their text. An `Encodable` type is
///   encoded through its `encode(to:)`, exactly as ``URLEncodedFormParameterEncoder`` does it.
/// - Everything but letters, digits and `-._~/?` is percent-encoded as UTF-8, the space as `%20` (RFC 3986 section 3.4 leaves `?` and `/`
///   alone).
public struct URLEncoding: ParameterEncoding {
    /// Where the text goes.
    public enum Destination: Sendable {
        /// Into the query for GET, HEAD and DELETE, into the body for every other method.
        case methodDependent
        /// Into the query, joined with `&` to what is there already.
        case queryString
        /// Into the body, replacing what is there, as `application/x-www-form-urlencoded; charset=utf-8` unless the request has a
        /// Content-Type.
        case httpBody
    }

    /// What is added to a key for an element of an array.
    public typealias ArrayEncoding = URLEncodedFormEncoder.ArrayEncoding
    /// How a `Bool` is written.
    public typealias BoolEncoding = URLEncodedFormEncoder.BoolEncoding

    /// The encoding with all defaults: ``Destination/methodDependent``.
    public static let `default` = URLEncoding()
    /// The encoding into the query, whatever the method.
    public static let queryString = URLEncoding(destination: .queryString)
    /// The encoding into the body, whatever the method.
    public static let httpBody = URLEncoding(destination: .httpBody)

    /// Where the text goes.
    public let destination: Destination
    /// What is added to a key for an element of an array.
    public var arrayEncoding: ArrayEncoding { encoder.arrayEncoding }
    /// How a `Bool` is written.
    public var boolEncoding: BoolEncoding { encoder.boolEncoding }

    private let encoder: URLEncodedFormEncoder

    /// An encoding with options for what differs between servers: the place, arrays and Booleans.
    ///
    /// - Parameters:
    ///   - destination: Where the text goes. Default: into the query for GET, HEAD and DELETE, else into the body.
    ///   - arrayEncoding: What is added to a key for an element of an array. Default: `[]`.
    ///   - boolEncoding: How a `Bool` is written. Default: `1` and `0`.
    public init(
        destination: Destination = .methodDependent, arrayEncoding: ArrayEncoding = .brackets, boolEncoding: BoolEncoding = .numeric
    ) {
        self.destination = destination
        encoder = URLEncodedFormEncoder(arrayEncoding: arrayEncoding, boolEncoding: boolEncoding)
    }

    /// The request with the parameters in its query or body. nil leaves it as it is, and an empty dictionary leaves its query as it is.
    ///
    /// - Throws: ``FirewheelError`` of kind `parameterEncodingFailed`: `.missingURL` if the request has no URL,
    ///   `.urlEncodedFormEncodingFailed` if a value is of a type that has no form here, is not a number or infinite, or is nested more than
    ///   128 levels deep. `createURLRequestFailed` with the cause if `urlRequest` gives no request.
    public func encode(_ urlRequest: any URLRequestConvertible, with parameters: Parameters?) throws -> URLRequest {
        let request = try urlRequest.requestForEncoding()
        guard let parameters else { return request }
        return try request.encodingForm(ParameterTree(parameters, as: .form), with: encoder, into: destination)
    }
}

extension ParameterEncoding where Self == URLEncoding {
    /// ``URLEncoding/default``.
    public static var url: URLEncoding { .default }
}
