import Foundation

/// The properties of a response that the built-in serializers need, from any source.
package struct ResponseFacts: Sendable {
    let method: HTTPMethod?
    let statusCode: Int?
    private let headers: HTTPHeaders

    /// The value of the `Content-Type` field.
    package var contentType: String? { headers.singleton("Content-Type") }

    init(method: HTTPMethod?, statusCode: Int?, headers: HTTPHeaders) {
        self.method = method
        self.statusCode = statusCode
        self.headers = headers
    }

    init(_ request: URLRequest?, _ response: HTTPURLResponse?) {
        self.init(method: request?.method, statusCode: response?.statusCode, headers: response?.headers ?? [:])
    }
}
