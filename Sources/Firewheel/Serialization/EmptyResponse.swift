/// A type with a value for responses without a body, such as a 204.
public protocol EmptyResponse {
    /// The value. If it is not of the requested type, the error is `responseSerializationFailed(.invalidEmptyResponse)`.
    static func emptyValue() -> Self
}

/// The type to decode if only success matters: `responseDecodable(of: Empty.self) { ... }`
public struct Empty: Codable, Hashable, Sendable, EmptyResponse {
    /// The only value.
    public static let value = Empty()

    public static func emptyValue() -> Empty { value }
}

/// Decides whether a response may have an empty body: by its status code and the request's method, and always a 304 (Not Modified) to a
/// GET or HEAD with an `If-None-Match` or `If-Modified-Since` field of the caller's.
public struct EmptyResponseRule: Sendable {
    /// 204 and 205, as in Alamofire (RFC 9110 sections 15.3.5 and 15.3.6).
    public static let defaultCodes: Set<Int> = [204, 205]
    /// HEAD (RFC 9110 section 9.3.2).
    public static let defaultMethods: Set<HTTPMethod> = [.head]

    let codes: Set<Int>
    let methods: Set<HTTPMethod>

    package init(codes: Set<Int>, methods: Set<HTTPMethod>) {
        self.codes = codes
        self.methods = methods
    }

    /// Fast if the sets share the storage of the default ones.
    var isDefault: Bool { codes == Self.defaultCodes && methods == Self.defaultMethods }

    func allowsEmpty(_ facts: ResponseFacts) -> Bool {
        facts.method.map(methods.contains) == true || facts.statusCode.map(codes.contains) == true || facts.isNotModified
    }

    package static func emptyValue<Value>() throws -> Value {
        if let type = Value.self as? any EmptyResponse.Type, let value = type.emptyValue() as? Value { return value }
        throw FirewheelError(.responseSerializationFailed(.invalidEmptyResponse(type: "\(Value.self)")))
    }
}
