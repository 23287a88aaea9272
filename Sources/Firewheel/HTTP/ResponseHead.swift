import Foundation

/// The head of a response as sent by the server: status and header fields (RFC 9112 sections 4 and 5).
public struct ResponseHead: Sendable, Hashable {
    /// The status code as sent: three digits, possibly outside 100 to 599.
    public var statusCode: Int
    /// `"HTTP/1.0"`, `"HTTP/1.1"`, `"HTTP/2"`.
    public var httpVersion: String
    /// The fields in order, including repeated ones. Bytes above 127 are decoded as ISO-8859-1.
    public var headers: HTTPHeaders
    /// Where the response comes from.
    var mark = ResponseMark()

    /// Creates a head, for custom transports and stubs.
    ///
    /// - Parameters:
    ///   - statusCode: The status code, such as 200.
    ///   - httpVersion: Default: `"HTTP/1.1"`.
    ///   - headers: The fields in their order. Default: none.
    public init(statusCode: Int, httpVersion: String = "HTTP/1.1", headers: HTTPHeaders = [:]) {
        self.statusCode = statusCode
        self.httpVersion = httpVersion
        self.headers = headers
    }
}

extension ResponseHead {
    func makeHTTPURLResponse(from target: TargetURI) -> HTTPURLResponse? {
        guard let url = URL(string: target.string) else { return nil }
        return HTTPURLResponse(url: url, statusCode: statusCode, httpVersion: httpVersion, headerFields: foundationFields)
    }
}
