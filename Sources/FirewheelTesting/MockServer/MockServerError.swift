import Foundation

/// An error of the mock server itself.
public enum MockServerError: Error, Equatable, CustomStringConvertible {
    /// No request arrived within the timeout of `takeRequest(timeout:)`, or none can arrive because the server is shut down.
    case noRequest
    /// A system call failed; `code` is its `errno`.
    case system(call: String, code: Int32)
    /// OpenSSL cannot make a certificate, or a server with it.
    case tls(reason: String)

    /// What went wrong, as a sentence; for a failed system call, with its name and `errno`.
    public var description: String {
        switch self {
        case .noRequest:
            "No request arrived at the mock server in time, or it was shut down before one did; those already taken do not count."
        case .system(let call, let code): "The mock server's call of \(call) failed: \(String(cString: strerror(code))) (errno \(code))."
        case .tls(let reason): "TLS of the mock server: \(reason)."
        }
    }
}
