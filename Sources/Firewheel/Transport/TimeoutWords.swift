import Foundation

/// What the errors of timeouts say, on every transport.
enum TimeoutWords {
    static let resource = "timed out, resource timeout exceeded (see timeoutIntervalForResource and timeout(total:))"

    /// - Parameter phase: What the request was doing: `waiting for the response`.
    static func idle(_ seconds: TimeInterval, _ phase: String) -> String {
        "timed out, no byte for \(text(seconds)), \(phase)"
    }

    /// - Parameter step: `connecting to example.com:443`
    static func connecting(_ seconds: TimeInterval, _ step: String) -> String {
        "timed out after \(text(seconds)), \(step)"
    }

    /// `0.3 s`, `60 s`
    private static func text(_ seconds: TimeInterval) -> String {
        Int(exactly: seconds).map { "\($0) s" } ?? "\(seconds) s"
    }
}
