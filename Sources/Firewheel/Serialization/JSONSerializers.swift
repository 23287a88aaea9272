import Foundation

private let defaultJSON = DataResponseSerializer<Any>.json()

extension DataResponseSerializerProtocol where Self == DataResponseSerializer<Any> {
    /// The body as a JSON value of `JSONSerialization`.
    public static var json: DataResponseSerializer<Any> { defaultJSON }

    /// The body as a JSON value of `JSONSerialization`, in any of the encodings UTF-8, UTF-16 and UTF-32, with and without a byte order
    /// mark, or, if it is not valid UTF-8, in the `charset` of the response. An empty body, or one that is a single space, is `NSNull` if
    /// allowed.
    ///
    /// - Parameters:
    ///   - options: Default: `.fragmentsAllowed`.
    ///   - removesKeysWithNullValues: Whether members of objects and elements of arrays that are null are left out, at every level. A body
    ///     that is just `null` is kept. Default: false. The rule is AFNetworking 4's.
    ///   - keepsNullsInArrays: Whether only members of objects are left out, as in AFNetworking 3. Default: false.
    ///   - dataPreprocessor: Transforms the body before it is serialized. Default: `.passthrough`, no change.
    ///   - emptyResponseCodes: The status codes with which the body may be empty. Default: 204, 205.
    ///   - emptyRequestMethods: The methods with which the body may be empty. Default: HEAD.
    public static func json(
        options: JSONSerialization.ReadingOptions = .fragmentsAllowed, removesKeysWithNullValues: Bool = false,
        keepsNullsInArrays: Bool = false, dataPreprocessor: any DataPreprocessor = .passthrough,
        emptyResponseCodes: Set<Int> = EmptyResponseRule.defaultCodes,
        emptyRequestMethods: Set<HTTPMethod> = EmptyResponseRule.defaultMethods
    ) -> DataResponseSerializer<Any> {
        .parsing(
            EmptyResponseRule(codes: emptyResponseCodes, methods: emptyRequestMethods), dataPreprocessor,
            takesSpaceAsEmpty: true, empty: { NSNull() },
            parse: { facts, data in
                let value = try parsing(data, or: .jsonSerializationFailed) {
                    try JSONSerialization.jsonObject(with: JSONText.utf8(data, contentType: facts.contentType), options: options)
                }
                guard removesKeysWithNullValues else { return value }
                return withoutNulls(value, isMutable: options.contains(.mutableContainers), keepsInArrays: keepsNullsInArrays)
            })
    }

    /// The body as a property list of `PropertyListSerialization`: XML or binary. An empty body is `NSNull` if allowed. A binary property
    /// list whose objects, each counted as often as it is referred to, are much larger than the body is an error.
    ///
    /// - Parameters:
    ///   - options: Whether containers and strings are mutable. Default: immutable.
    ///   - dataPreprocessor: Transforms the body before it is serialized. Default: `.passthrough`, no change.
    ///   - emptyResponseCodes: The status codes with which the body may be empty. Default: 204, 205.
    ///   - emptyRequestMethods: The methods with which the body may be empty. Default: HEAD.
    public static func propertyList(
        options: PropertyListSerialization.ReadOptions = [], dataPreprocessor: any DataPreprocessor = .passthrough,
        emptyResponseCodes: Set<Int> = EmptyResponseRule.defaultCodes,
        emptyRequestMethods: Set<HTTPMethod> = EmptyResponseRule.defaultMethods
    ) -> DataResponseSerializer<Any> {
        .parsing(
            EmptyResponseRule(codes: emptyResponseCodes, methods: emptyRequestMethods), dataPreprocessor,
            empty: { NSNull() },
            parse: { _, data in
                try parsing(data, or: .propertyListSerializationFailed) {
                    try PropertyListBody.object(data, options: options)
                }
            })
    }
}

extension DataResponseSerializerProtocol where Self == DataResponseSerializer<JSONValue> {
    /// The body as a Sendable JSON value with exact numbers. An empty body, or one that is a single space, is `null` if allowed.
    ///
    /// - Parameters:
    ///   - removesKeysWithNullValues: Whether members of objects and elements of arrays that are null are left out, at every level. A body
    ///     that is just `null` is kept. Default: false.
    ///   - keepsNullsInArrays: Whether only members of objects are left out. Default: false.
    ///   - dataPreprocessor: Transforms the body before it is serialized. Default: `.passthrough`, no change.
    ///   - emptyResponseCodes: The status codes with which the body may be empty. Default: 204, 205.
    ///   - emptyRequestMethods: The methods with which the body may be empty. Default: HEAD.
    public static func jsonValue(
        removesKeysWithNullValues: Bool = false, keepsNullsInArrays: Bool = false,
        dataPreprocessor: any DataPreprocessor = .passthrough, emptyResponseCodes: Set<Int> = EmptyResponseRule.defaultCodes,
        emptyRequestMethods: Set<HTTPMethod> = EmptyResponseRule.defaultMethods
    ) -> DataResponseSerializer<JSONValue> {
        .parsing(
            EmptyResponseRule(codes: emptyResponseCodes, methods: emptyRequestMethods), dataPreprocessor,
            takesSpaceAsEmpty: true, empty: { .null },
            parse: { facts, data in
                let value = try parsing(data, or: .jsonSerializationFailed) {
                    try JSONValue(data: JSONText.utf8(data, contentType: facts.contentType))
                }
                return removesKeysWithNullValues ? withoutNulls(value, keepsInArrays: keepsNullsInArrays) : value
            })
    }
}

/// The value without nulls in its dictionaries and, unless they are kept, in its arrays. `JSONSerialization` limits the depth of the
/// recursion.
private func withoutNulls(_ value: Any, isMutable: Bool, keepsInArrays: Bool) -> Any {
    switch value {
    case let elements as [Any]:
        let kept = elements.filter { keepsInArrays || !($0 is NSNull) }
            .map { withoutNulls($0, isMutable: isMutable, keepsInArrays: keepsInArrays) }
        return isMutable ? NSMutableArray(array: kept) : kept
    case let members as [String: Any]:
        let kept = members.filter { !($0.value is NSNull) }
            .mapValues { withoutNulls($0, isMutable: isMutable, keepsInArrays: keepsInArrays) }
        return isMutable ? NSMutableDictionary(dictionary: kept) : kept
    default:
        return value
    }
}

/// The same for Firewheel's own value, whose parser limits the depth, too.
private func withoutNulls(_ value: JSONValue, keepsInArrays: Bool) -> JSONValue {
    switch value {
    case .array(let elements):
        .array(elements.filter { keepsInArrays || $0 != .null }.map { withoutNulls($0, keepsInArrays: keepsInArrays) })
    case .object(let members):
        .object(members.filter { $0.value != .null }.mapValues { withoutNulls($0, keepsInArrays: keepsInArrays) })
    default: value
    }
}
