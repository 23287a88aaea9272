import Foundation

extension FirewheelError: LocalizedError, CustomStringConvertible {
    /// The ``description``, also returned by `localizedDescription`.
    public var errorDescription: String? { description }

    /// The request's method and URL, a colon, and what happened, on one line: `GET http://example.com/: connection refused`.
    ///
    /// Credentials in the URL are redacted, and control characters are escaped, so that text from a server or from a caller's data cannot
    /// add lines to a log. For an error without a request it is only what happened.
    public var description: String {
        (request.map { "\(Redaction.line(of: $0)): " } ?? "").onOneLine + message
    }

    /// The longest message, in characters: names in it may be a server's.
    private static let longestMessage = 4_000

    /// What happened, without the request.
    var message: String {
        var text = kind.message(of: self)
        if let redirectedTo, !kind.isOfRedirect { text += " (redirected to \(redirectedTo))" }
        if let originalError { text += "; the failure before that: \(words(of: originalError))" }
        return text.onOneLine.cut(to: Self.longestMessage)
    }

    /// A description of an underlying error, without the request if it is the same one.
    func words(of cause: any Error) -> String {
        guard let cause = cause as? FirewheelError else { return Self.words(of: cause) }
        let isOfSameRequest = cause.request.map(Redaction.line) == request.map(Redaction.line)
        return isOfSameRequest ? cause.message : cause.description
    }

    /// A colon and the description of the cause; empty if there is none.
    var because: String { underlyingError.map { ": \(words(of: $0))" } ?? "" }
}

extension FirewheelError: CustomReflectable {
    /// The parts that `dump` and debuggers show: no header values, no user information of URLs, and no bodies.
    public var customMirror: Mirror {
        Mirror(
            self,
            children: [
                "kind": kind, "detail": detail as Any, "underlyingError": underlyingError.map { words(of: $0) } as Any,
                "originalError": originalError.map { words(of: $0) } as Any,
                "request": request.map(Redaction.line) as Any,
                "statusCode": response?.statusCode as Any, "responseData": responseData.map { "\($0.count) bytes" } as Any,
            ], displayStyle: .struct)
    }
}
