import Foundation

/// Parameters as a property list in the body, under Alamofire 4's name.
///
/// It takes what a property list has: strings, numbers, `Bool`, `Date`, `Data`, arrays, dictionaries with `String` keys; also `URL` and
/// `UUID` as their text, `Decimal` as the nearest real number, sets as arrays sorted by their elements' text; and types of your own that
/// are `Encodable`, less their properties that are nil. Keys are in sorted order at every level, in both formats.
///
/// A property list has no null: nil and `NSNull` are refused, and so are dictionaries whose keys are no strings. XML has no form for most
/// control characters, for fractions of a date's second, which are cut off, and for dates outside the years 1 to 9999; the binary format
/// has.
public struct PropertyListEncoding: ParameterEncoding {
    /// The encoding into XML.
    public static var `default`: PropertyListEncoding { PropertyListEncoding() }
    /// The encoding into XML: the same as ``default``.
    public static var xml: PropertyListEncoding { PropertyListEncoding(format: .xml) }
    /// The encoding into Apple's binary format.
    public static var binary: PropertyListEncoding { PropertyListEncoding(format: .binary) }

    /// The format: `.xml` or `.binary`. `.openStep` can only be read, and makes every request fail.
    public let format: PropertyListSerialization.PropertyListFormat
    /// Foundation's options, which it defines none of. They change nothing.
    public let options: PropertyListSerialization.WriteOptions

    /// An encoding into one of the formats of property lists.
    ///
    /// - Parameters:
    ///   - format: `.xml` or `.binary`. Default: `.xml`.
    ///   - options: Default: 0, as Foundation asks for.
    public init(format: PropertyListSerialization.PropertyListFormat = .xml, options: PropertyListSerialization.WriteOptions = 0) {
        self.format = format
        self.options = options
    }

    /// The request with the parameters as its body, as `application/x-plist` unless it has a Content-Type. nil leaves it as it is.
    ///
    /// - Throws: ``FirewheelError`` of kind `parameterEncodingFailed`: `.missingURL` if the request has no URL,
    ///   `.propertyListEncodingFailed` if a value is of a type that a property list cannot hold, or is nested more than 128 levels deep, or
    ///   the format cannot be written. `createURLRequestFailed` with the cause if `urlRequest` gives no request.
    public func encode(_ urlRequest: any URLRequestConvertible, with parameters: Parameters?) throws -> URLRequest {
        let request = try urlRequest.requestForEncoding()
        guard let parameters else { return request }
        return try request.encodingPropertyList(ParameterTree(parameters, as: .propertyList), as: format)
    }
}
