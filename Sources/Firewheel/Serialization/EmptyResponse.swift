/// A type that has a value for a response without a body, such as a 204.
public protocol EmptyResponse {
    /// The value. If its type is not the conforming one, the response is `responseSerializationFailed(.invalidEmptyResponse)`.
    static func emptyValue() -> Self
}

/// Nothing: what to decode where only success matters. `responseDecodable(of: Empty.self) { ... }`
public struct Empty: Codable, Hashable, Sendable, EmptyResponse {
    /// The one value.
    public static let value = Empty()

    public static func emptyValue() -> Empty { value }
}

/// When a response may have no body.
public struct EmptyResponseRule: Sendable {
    /// 204 and 205, as in Alamofire (RFC 9110 sections 15.3.5 and 15.3.6).
    public static let defaultCodes: Set<Int> = [204, 205]
    /// HEAD (RFC 9110 section 9.3.2).
    public static let defaultMethods: Set<HTTPMethod> = [.head]

    let codes: Set<Int>
    let methods: Set<HTTPMethod>

    /// Quickly found where the sets are the default ones themselves.
    var isDefault: Bool { codes == Self.defaultCodes && methods == Self.defaultMethods }

    func allowsEmpty(_ facts: ResponseFacts) -> Bool {
        facts.method.map(methods.contains) == true || facts.statusCode.map(codes.contains) == true
    }

    static func emptyValue<Value>() throws -> Value {
        if let type = Value.self as? any EmptyResponse.Type, let value = type.emptyValue() as? Value { return value }
        throw FirewheelError(.responseSerializationFailed(.invalidEmptyResponse(type: "\(Value.self)")))
    }
}
