import Foundation

/// Encodes parameters as a property list in the body. The name is Alamofire 4's.
///
/// Supported are a property list's types: strings, numbers, `Bool`, `Date`, `Data`, arrays, dictionaries with `String` keys; also `URL` and
/// `UUID` as text, `Decimal` as the nearest real number, sets as arrays sorted by their elements' text; and `Encodable` types, without
/// properties that are nil. Keys are sorted at every level, in both formats.
///
/// A property list has no null: nil and `NSNull` are errors, as are dictionaries with other keys. XML cannot represent most control
/// characters, fractional seconds of dates, which are truncated, and dates outside the years 1 to 9999; the binary format can.
public struct PropertyListEncoding: ParameterEncoding {
    /// An encoding to XML.
    public static var `default`: PropertyListEncoding { PropertyListEncoding() }
    /// An encoding to XML: the same as ``default``.
    public static var xml: PropertyListEncoding { PropertyListEncoding(format: .xml) }
    /// An encoding to Apple's binary format.
    public static var binary: PropertyListEncoding { PropertyListEncoding(format: .binary) }

    /// The format: `.xml` or `.binary`. `.openStep` can only be read, and makes every request fail.
    public let format: PropertyListSerialization.PropertyListFormat
    /// Foundation's writing options. None are defined, so they have no effect.
    public let options: PropertyListSerialization.WriteOptions

    /// Creates an encoding with one of the formats of property lists.
    ///
    /// - Parameters:
    ///   - format: `.xml` or `.binary`. Default: `.xml`.
    ///   - options: Default: 0, as Foundation requires.
    public init(format: PropertyListSerialization.PropertyListFormat = .xml, options: PropertyListSerialization.WriteOptions = 0) {
        self.format = format
        self.options = options
    }

    /// The request with the parameters as its body, as `application/x-plist` unless it has a Content-Type. nil leaves the request
    /// unchanged.
    ///
    /// - Throws: ``FirewheelError`` of kind `parameterEncodingFailed`: `.missingURL` if the request has no URL,
    ///   `.propertyListEncodingFailed` if a value is of a type that a property list cannot hold, or is nested more than 128 levels deep, or
    ///   the format cannot be written. `createURLRequestFailed` with the cause if `urlRequest` cannot be converted.
    public func encode(_ urlRequest: any URLRequestConvertible, with parameters: Parameters?) throws -> URLRequest {
        try encode(urlRequest, withPropertyList: parameters)
    }

    /// The request with any property list as its body: an array, a string or a number as well as a dictionary. nil leaves the request
    /// unchanged.
    ///
    /// - Throws: As ``encode(_:with:)``.
    public func encode(_ urlRequest: any URLRequestConvertible, withPropertyList propertyList: Any?) throws -> URLRequest {
        let request = try urlRequest.requestForEncoding()
        guard let propertyList else { return request }
        return try request.encodingPropertyList(ParameterTree(propertyList, as: .propertyList), as: format)
    }
}
