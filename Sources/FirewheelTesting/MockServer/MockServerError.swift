import Foundation

/// What can go wrong with the mock server itself.
public enum MockServerError: Error, Equatable, CustomStringConvertible {
    /// No request came within the time given to ``MockServer/takeRequest(timeout:)``, or none can come because the server is shut down.
    case noRequest
    /// The system refused a call; `code` is its `errno`.
    case system(call: String, code: Int32)

    public var description: String {
        switch self {
        case .noRequest:
            "No request arrived at the mock server in time, or it was shut down before one did; those already taken do not count."
        case .system(let call, let code): "The mock server's call of \(call) failed: \(String(cString: strerror(code))) (errno \(code))."
        }
    }
}
