import Firewheel

/// Checks and parses the responses of an ``HTTPSessionManager``: AFNetworking's `AFHTTPResponseSerializer` and its subclasses, as a value.
///
/// ```swift
/// var serializer = HTTPResponseSerializer.json(removesKeysWithNullValues: true)
/// serializer.acceptableContentTypes?.insert("text/plain")
/// manager.responseSerializer = serializer
/// ```
///
/// The rules are AFNetworking's: see `DataResponseSerializer.accepting(statusCodes:contentTypes:)`. If only the status code is not
/// acceptable, the body is parsed all the same, and what it contains is the error's `FirewheelError.responseValue`, unless its type is not
/// Sendable, as that of an XML parser is not. An empty body has no media type and is the value nil, except with ``data`` and other
/// serializers that have a value for it.
public struct HTTPResponseSerializer: Sendable {
    /// The acceptable status codes; nil for every one. Default: 200 to 299.
    public var acceptableStatusCodes: Set<Int>? = Self.successes
    /// The acceptable media types of a body, which may have wildcards; nil for every one.
    public var acceptableContentTypes: Set<String>?

    private static let successes = Set(200..<300)

    /// The serializer with these status codes and media types.
    private let checked: @Sendable (any Sequence<Int> & Sendable, [String]?) -> DataResponseSerializer<Any?>

    private init(
        _ contentTypes: Set<String>?, checked: @escaping @Sendable (any Sequence<Int> & Sendable, [String]?) -> DataResponseSerializer<Any?>
    ) {
        acceptableContentTypes = contentTypes
        self.checked = checked
    }

    /// Creates a serializer that parses with another one, such as that of FirewheelXML.
    ///
    /// - Parameters:
    ///   - serializer: Parses the body. Its error for an empty one (`inputDataNilOrZeroLength`, `invalidEmptyResponse`) becomes the value
    ///     nil.
    ///   - acceptableContentTypes: nil for every media type. Default: nil.
    public init<Value>(_ serializer: DataResponseSerializer<Value>, acceptableContentTypes: Set<String>? = nil) {
        self.init(acceptableContentTypes) { codes, types in
            serializer.accepting(statusCodes: codes, contentTypes: types).map { $0 }
        }
    }

    /// Creates a serializer that parses with another one, whose values are Sendable, such as that of FirewheelImage.
    ///
    /// - Parameters:
    ///   - serializer: Parses the body. Its error for an empty one (`inputDataNilOrZeroLength`, `invalidEmptyResponse`) becomes the value
    ///     nil.
    ///   - acceptableContentTypes: nil for every media type. Default: nil.
    public init<Value: Sendable>(_ serializer: DataResponseSerializer<Value>, acceptableContentTypes: Set<String>? = nil) {
        self.init(acceptableContentTypes) { codes, types in
            serializer.accepting(statusCodes: codes, contentTypes: types).map { $0 }
        }
    }

    /// The serializer with its checks, for `response(responseSerializer:)`.
    public var dataResponseSerializer: DataResponseSerializer<Any?> {
        checked(statusCodes, acceptableContentTypes?.sorted()).mapResult { result, earlier in
            guard earlier == nil, case .failure(let failure as FirewheelError) = result else { return result }
            switch failure.kind {
            // The second is for the statuses and methods that allow no body.
            case .responseSerializationFailed(.inputDataNilOrZeroLength), .responseSerializationFailed(.invalidEmptyResponse):
                return .success(nil)
            default: return result
            }
        }
    }

    /// The acceptable status codes, as a range where possible, which an error describes in few words.
    var statusCodes: any Sequence<Int> & Sendable {
        guard let codes = acceptableStatusCodes else { return 0...Int.max }
        return codes == Self.successes ? 200..<300 : codes
    }
}

extension HTTPResponseSerializer {
    /// The body as data: `AFHTTPResponseSerializer`. An empty body is empty data. Every media type is acceptable.
    public static var data: HTTPResponseSerializer {
        HTTPResponseSerializer(
            DataResponseSerializer<Data> { _, _, data, error in error.map { .failure($0) } ?? .success(data ?? Data()) })
    }

    /// JSON with all defaults: see ``json(options:removesKeysWithNullValues:keepsNullsInArrays:)``.
    public static var json: HTTPResponseSerializer { .json() }

    /// The body as a JSON value of `JSONSerialization`: `AFJSONResponseSerializer`. An empty body, or one that is a single space, is nil.
    /// Acceptable are `application/json`, `text/json` and `text/javascript`.
    ///
    /// - Parameters:
    ///   - options: Default: none, so that a value other than an array or an object is an error.
    ///   - removesKeysWithNullValues: Whether members of objects and elements of arrays that are null are left out. Default: false.
    ///   - keepsNullsInArrays: Whether only members of objects are left out, as in AFNetworking 3. Default: false.
    public static func json(
        options: JSONSerialization.ReadingOptions = [], removesKeysWithNullValues: Bool = false, keepsNullsInArrays: Bool = false
    ) -> HTTPResponseSerializer {
        HTTPResponseSerializer(
            .json(
                options: options, removesKeysWithNullValues: removesKeysWithNullValues, keepsNullsInArrays: keepsNullsInArrays,
                emptyResponseCodes: [], emptyRequestMethods: []),
            acceptableContentTypes: ["application/json", "text/json", "text/javascript"])
    }

    /// The body as a property list, XML or binary: `AFPropertyListResponseSerializer`. Acceptable is `application/x-plist`.
    ///
    /// - Parameter options: Whether containers and strings are mutable. Default: immutable.
    public static func propertyList(options: PropertyListSerialization.ReadOptions = []) -> HTTPResponseSerializer {
        HTTPResponseSerializer(
            .propertyList(options: options, emptyResponseCodes: [], emptyRequestMethods: []),
            acceptableContentTypes: ["application/x-plist"])
    }

    /// A property list with all defaults: see ``propertyList(options:)``.
    public static var propertyList: HTTPResponseSerializer { .propertyList() }

    /// Tries serializers in order, each with its own checks: `AFCompoundResponseSerializer`. The first that can parse the body counts, also
    /// for a response whose status code is not acceptable. If there is none, the value is the body as data, for acceptable responses.
    public static func compound(_ serializers: [HTTPResponseSerializer]) -> HTTPResponseSerializer {
        HTTPResponseSerializer(nil) { codes, types in
            let others = Self.data.checked(codes, types)
            return .calling(serializers.map(\.dataResponseSerializer)) { serializers, request, response, data, error in
                if let error { return .failure(error) }
                for serializer in serializers {
                    let result = serializer.serializeResponse(request, response, data, nil)
                    switch result {
                    case .success(.some): return result
                    case .failure(let error as FirewheelError) where error.isOfParsedBody: return result
                    default: continue
                    }
                }
                return others.serializeResponse(request, response, data, nil)
            }
        }
    }
}
