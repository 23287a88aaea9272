import Foundation

extension URLRequest {
    /// Checks the method and the body by the rules that every request is held to before it is sent. An empty body is none.
    ///
    /// - Throws: ``FirewheelError`` of kind `urlRequestValidationFailed`: `.bodyDataInGETRequest` (RFC 9110 section 9.3.1),
    ///   `.bodyDataInHEADRequest` (section 9.3.2), or `.invalidMethod` if the method is no token (section 9.1).
    public func validate() throws {
        try (method ?? .get).validate(body: httpBody)
    }
}

extension HTTPMethod {
    /// Whether HTTP defines a meaning for the body of a request with this method.
    var allowsBody: Bool { self != .get && self != .head }

    func validate(body: Data?) throws(FirewheelError) {
        guard rawValue.isHTTPToken else {
            throw FirewheelError(.urlRequestValidationFailed(.invalidMethod), detail: rawValue.debugDescription)
        }
        guard allowsBody || body?.isEmpty ?? true else {
            throw FirewheelError(.urlRequestValidationFailed(self == .get ? .bodyDataInGETRequest : .bodyDataInHEADRequest))
        }
    }
}
