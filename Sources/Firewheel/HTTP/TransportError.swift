import Foundation

/// Why an exchange failed.
public enum TransportError: Error, Sendable, Equatable {
    /// A failure with the code that URLSession reports, and an explanation.
    case failed(URLError.Code, String)
    /// The body exceeded `maximumBodySize`.
    case bodyTooLarge
}
