import Foundation

private let defaultJSON = DataResponseSerializer<Any>.json()

extension DataResponseSerializerProtocol where Self == DataResponseSerializer<Any> {
    /// The body as a JSON value of `JSONSerialization`.
    public static var json: DataResponseSerializer<Any> { defaultJSON }

    /// The body as a JSON value of `JSONSerialization`. An empty body is `NSNull` if allowed.
    ///
    /// - Parameters:
    ///   - options: Default: `.fragmentsAllowed`.
    ///   - removesKeysWithNullValues: Whether members of objects and elements of arrays that are null are left out, at every level. A body
    ///     that is just `null` is kept. Default: false. The rule is AFNetworking 4's.
    ///   - dataPreprocessor: Transforms the body before it is serialized. Default: `.passthrough`, no change.
    ///   - emptyResponseCodes: The status codes with which the body may be empty. Default: 204, 205.
    ///   - emptyRequestMethods: The methods with which the body may be empty. Default: HEAD.
    public static func json(
        options: JSONSerialization.ReadingOptions = .fragmentsAllowed, removesKeysWithNullValues: Bool = false,
        dataPreprocessor: any DataPreprocessor = .passthrough, emptyResponseCodes: Set<Int> = EmptyResponseRule.defaultCodes,
        emptyRequestMethods: Set<HTTPMethod> = EmptyResponseRule.defaultMethods
    ) -> DataResponseSerializer<Any> {
        .parsing(
            EmptyResponseRule(codes: emptyResponseCodes, methods: emptyRequestMethods), dataPreprocessor,
            empty: { NSNull() },
            parse: { _, data in
                let value = try parsing(data, or: .jsonSerializationFailed) {
                    try JSONSerialization.jsonObject(with: data, options: options)
                }
                return removesKeysWithNullValues ? withoutNulls(value, isMutable: options.contains(.mutableContainers)) : value
            })
    }

    /// The body as a property list of `PropertyListSerialization`: XML or binary. An empty body is `NSNull` if allowed.
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
                    try PropertyListSerialization.propertyList(from: data, options: options, format: nil)
                }
            })
    }
}

extension DataResponseSerializerProtocol where Self == DataResponseSerializer<JSONValue> {
    /// The body as a Sendable JSON value with exact numbers. An empty body is `null` if allowed.
    public static func jsonValue(
        dataPreprocessor: any DataPreprocessor = .passthrough, emptyResponseCodes: Set<Int> = EmptyResponseRule.defaultCodes,
        emptyRequestMethods: Set<HTTPMethod> = EmptyResponseRule.defaultMethods
    ) -> DataResponseSerializer<JSONValue> {
        .parsing(
            EmptyResponseRule(codes: emptyResponseCodes, methods: emptyRequestMethods), dataPreprocessor,
            empty: { .null },
            parse: { _, data in try parsing(data, or: .jsonSerializationFailed) { try JSONValue(data: data) } })
    }
}

/// The value without nulls in its arrays and dictionaries. `JSONSerialization` limits the depth of the recursion.
private func withoutNulls(_ value: Any, isMutable: Bool) -> Any {
    switch value {
    case let elements as [Any]:
        let kept = elements.filter { !($0 is NSNull) }.map { withoutNulls($0, isMutable: isMutable) }
        return isMutable ? NSMutableArray(array: kept) : kept
    case let members as [String: Any]:
        let kept = members.filter { !($0.value is NSNull) }.mapValues { withoutNulls($0, isMutable: isMutable) }
        return isMutable ? NSMutableDictionary(dictionary: kept) : kept
    default:
        return value
    }
}
