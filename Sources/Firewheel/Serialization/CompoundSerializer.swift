import Foundation

extension DataResponseSerializerProtocol {
    /// Tries serializers in order; the first value counts. For servers that respond in several formats.
    ///
    /// ```swift
    /// HTTP.request("https://api.example.com/settings")
    ///     .response(responseSerializer: .compound([.propertyList(), .json()])) { response in print(response.value ?? "none") }
    /// ```
    ///
    /// Serializers of different types are brought to one with ``DataResponseSerializer/map(_:)``: to `Any`, or to an enumeration of yours.
    ///
    /// ```swift
    /// let jsonOrText = DataResponseSerializer<Any>.compound([
    ///     .json().accepting(contentTypes: ["application/json"]), DataResponseSerializer.string().map { $0 },
    /// ])
    /// ```
    ///
    /// An earlier error is the result, as for every built-in serializer, and no serializer is tried. If all fail, the error is
    /// `responseSerializationFailed(.compoundSerializationFailed)` with a ``CompoundSerializationFailure``. The first serializer that
    /// accepts an empty body determines its value. If none does and the rules given here allow it, it is the empty value of the type, if
    /// there is one: of ``EmptyResponse`` types, `Data`, `String`, ``JSONValue``, and `NSNull` for `Any`.
    public static func compound<Value>(
        _ serializers: [DataResponseSerializer<Value>], dataPreprocessor: any DataPreprocessor = .passthrough,
        emptyResponseCodes: Set<Int> = EmptyResponseRule.defaultCodes,
        emptyRequestMethods: Set<HTTPMethod> = EmptyResponseRule.defaultMethods
    ) -> DataResponseSerializer<Value> where Self == DataResponseSerializer<Value> {
        let rule = EmptyResponseRule(codes: emptyResponseCodes, methods: emptyRequestMethods)
        return .calling(serializers) { serializers, request, response, data, error in
            if let error { return .failure(error) }
            return Result {
                let isEmpty = data?.isEmpty ?? true
                let data = isEmpty ? data : try data.map { try preprocessed($0, by: dataPreprocessor) }
                var errors: [any Error] = []
                for serializer in serializers {
                    switch serializer.serializeResponse(request, response, data, nil) {
                    case .success(let value): return value
                    case .failure(let error): errors.append(error)
                    }
                }
                if isEmpty, rule.allowsEmpty(ResponseFacts(request, response)) { return try EmptyResponseRule.emptyValueOfAnyType() }
                let failure = CompoundSerializationFailure(errors: errors)
                // The first value that one of them made of a response that it does not accept.
                let value = errors.lazy.compactMap { ($0 as? FirewheelError)?.responseValue }.first
                let error = FirewheelError(.responseSerializationFailed(.compoundSerializationFailed), underlyingError: failure)
                throw value.map { error.with(responseValue: $0) } ?? error
            }.mapError { error in
                (error as? FirewheelError)?.adding(request: request, response: response, responseData: data) ?? error
            }
        }
    }
}

/// The errors of a compound serializer, if all of its serializers failed.
public struct CompoundSerializationFailure: Error, Sendable, CustomStringConvertible, CustomReflectable {
    /// One error for each serializer, in order.
    public let errors: [any Error]

    /// The errors, separated by semicolons.
    public var description: String {
        errors.isEmpty ? "there are none" : errors.map(FirewheelError.words).joined(separator: "; ")
    }

    /// Empty, so that only the description is shown: Foundation's errors contain URLs.
    public var customMirror: Mirror { Mirror(self, children: [:]) }
}

extension EmptyResponseRule {
    fileprivate static func emptyValueOfAnyType<Value>() throws -> Value {
        let candidates: [Any] = Value.self == Any.self ? [NSNull()] : [Data(), "", JSONValue.null]
        return try candidates.lazy.compactMap { $0 as? Value }.first ?? emptyValue()
    }
}
