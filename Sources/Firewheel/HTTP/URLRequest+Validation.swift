import Foundation

extension URLRequest {
    /// Checks the method and the body by the rules that apply to every request before it is sent. An empty body counts as none.
    ///
    /// - Throws: ``FirewheelError`` of kind `urlRequestValidationFailed`: `.bodyDataInGETRequest` (RFC 9110 section 9.3.1),
    ///   `.bodyDataInHEADRequest` (section 9.3.2), or `.invalidMethod` if the method is not a token (section 9.1).
    public func validate() throws {
        try checkMethodAndBody()
    }

    /// As ``validate()``, for a product that hides it.
    package func checkMethodAndBody() throws(FirewheelError) {
        try (method ?? .get).validate(hasBody: httpBody?.isEmpty == false, httpBody)
    }
}

extension URLRequest {
    /// Refuses what cannot be honored.
    func checkProperties() throws(FirewheelError) {
        if httpBodyStream != nil { throw FirewheelError(.urlRequestValidationFailed(.bodyStreamUnsupported)) }
    }

    /// The time limit in seconds. 60 is the default of a `URLRequest`, so that the caller has set none.
    func timeoutInterval(or other: TimeInterval) -> TimeInterval { timeoutInterval == 60 ? other : timeoutInterval }
}

extension HTTPMethod {
    /// Whether HTTP defines a meaning for a request body with this method.
    var allowsBody: Bool { self != .get && self != .head }

    /// - Parameter body: The body for the error, if it is in memory.
    func validate(hasBody: Bool, _ body: @autoclosure () -> Data?) throws(FirewheelError) {
        guard rawValue.isHTTPToken else {
            throw FirewheelError(.urlRequestValidationFailed(.invalidMethod), detail: rawValue.debugDescription)
        }
        guard allowsBody || !hasBody else {
            throw FirewheelError(.urlRequestValidationFailed(self == .get ? .bodyDataInGETRequest : .bodyDataInHEADRequest))
                .with(subject: body().map { .body($0) })
        }
    }
}
