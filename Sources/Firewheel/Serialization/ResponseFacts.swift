import Foundation

/// The properties of a response that the built-in serializers need, from any source.
package struct ResponseFacts: Sendable {
    let method: HTTPMethod?
    let statusCode: Int?
    /// Whether it is a 304 that the caller has asked for.
    let isNotModified: Bool
    private let headers: HTTPHeaders

    /// The value of the `Content-Type` field.
    package var contentType: String? { headers.singleton("Content-Type") }

    init(method: HTTPMethod?, statusCode: Int?, isNotModified: Bool = false, headers: HTTPHeaders) {
        self.method = method
        self.statusCode = statusCode
        self.isNotModified = isNotModified
        self.headers = headers
    }

    init(_ request: URLRequest?, _ response: HTTPURLResponse?) {
        let isNotModified =
            response?.statusCode == 304 && request.map { $0.headers.asksWhetherModified($0.method ?? .get) } == true
        self.init(
            method: request?.method, statusCode: response?.statusCode, isNotModified: isNotModified, headers: response?.headers ?? [:])
    }
}

extension HTTPHeaders {
    /// Whether a request with these fields asks for a response only if it is another one than the caller has (RFC 9110 sections 13.1.2 and
    /// 13.1.3). The answer is 304 (Not Modified) if it is not. The other conditions, and these with a method that changes something, are
    /// answered by 412: a 304 to a PUT does not say that anything was done.
    func asksWhetherModified(_ method: HTTPMethod) -> Bool {
        (method == .get || method == .head) && (contains(name: "If-None-Match") || contains(name: "If-Modified-Since"))
    }
}
