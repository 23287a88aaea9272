/// The options of a request that is made from a URL, before they are encoded. The engine takes them apart again, because it makes requests
/// faster than Foundation does.
struct RequestConvertible: URLRequestConvertible {
    let url: any URLConvertible
    let method: HTTPMethod
    let parameters: Parameters?
    let encoding: any ParameterEncoding
    let headers: HTTPHeaders?
    let requestModifier: Session.RequestModifier?

    func asURLRequest() throws -> URLRequest {
        var request = try URLRequest(url: url, method: method, headers: headers)
        try requestModifier?(&request)
        return try encoding.encode(request, with: parameters)
    }
}

/// The same with an encodable value as parameters.
struct EncodableRequestConvertible<Value: Encodable & Sendable>: URLRequestConvertible {
    let url: any URLConvertible
    let method: HTTPMethod
    let parameters: Value?
    let encoder: any ParameterEncoder
    let headers: HTTPHeaders?
    let requestModifier: Session.RequestModifier?

    func asURLRequest() throws -> URLRequest {
        var request = try URLRequest(url: url, method: method, headers: headers)
        try requestModifier?(&request)
        return try parameters.map { try encoder.encode($0, into: request) } ?? request
    }
}

/// Makes requests on the session's `requestQueue`.
struct QueuedConvertible: URLRequestConvertible {
    let convertible: any URLRequestConvertible
    let queue: DispatchQueue

    func asURLRequest() throws -> URLRequest { try queue.sync { try convertible.asURLRequest() } }
}

/// Fails every request of a session with a setting that cannot be honored.
struct FailingConvertible: URLRequestConvertible {
    let error: any Error

    func asURLRequest() throws -> URLRequest { throw error }
}

// A program can print these as the `convertible` of a request. They show only the method and the URL without credentials, because
// parameters and header fields may contain secrets.

extension RequestConvertible: CustomStringConvertible, CustomReflectable {
    var description: String { describe(method, url) }
    var customMirror: Mirror { Mirror(self, children: ["description": description]) }
}

extension EncodableRequestConvertible: CustomStringConvertible, CustomReflectable {
    var description: String { describe(method, url) }
    var customMirror: Mirror { Mirror(self, children: ["description": description]) }
}

private func describe(_ method: HTTPMethod, _ url: any URLConvertible) -> String {
    guard let url = try? url.asURL() else { return "\(method.rawValue), without a valid URL" }
    return "\(method.rawValue) \(Redaction.url(url.absoluteString))"
}
