import Foundation

/// The messages of timeout errors, on every transport.
enum TimeoutWords {
    static let resource = "timed out, resource timeout exceeded (see timeoutIntervalForResource and timeout(total:))"

    /// - Parameter phase: The phase of the request, such as `waiting for the response`.
    static func idle(_ seconds: TimeInterval, _ phase: String) -> String {
        "timed out, no byte for \(text(seconds)), \(phase)"
    }

    /// - Parameter step: The step that took too long, such as `connecting to example.com:443`.
    static func connecting(_ seconds: TimeInterval, _ step: String) -> String {
        "timed out after \(text(seconds)), \(step)"
    }

    static func ping(_ seconds: TimeInterval) -> String {
        "timed out, the server did not answer a ping within \(text(seconds)) (pongTimeout), so the connection is lost"
    }

    static func closing(_ seconds: TimeInterval) -> String {
        "timed out, the server took nothing for \(text(seconds)) (closeTimeout), and not all messages before close() were sent"
    }

    /// - Parameters:
    ///   - seconds: How long the request has waited.
    ///   - count: The most connections to the server.
    static func waited(_ seconds: TimeInterval, _ count: Int, _ address: String) -> String {
        "waited \(tenths(seconds)) s for one of \(count) connections to \(address)"
    }

    /// - Parameter count: The most connections to all servers.
    static func waitedForAny(_ seconds: TimeInterval, _ count: Int) -> String {
        "waited \(tenths(seconds)) s for one of the session's connections, of which maximumTotalConnections allows \(count)"
    }

    private static func tenths(_ seconds: TimeInterval) -> String {
        let tenths = Int((seconds * 10).rounded())
        return "\(tenths / 10).\(tenths % 10)"
    }

    /// The interval as text, such as `0.3 s` or `60 s`.
    private static func text(_ seconds: TimeInterval) -> String {
        Int(exactly: seconds).map { "\($0) s" } ?? "\(seconds) s"
    }
}
