import Foundation

/// An adapter that can also change a body that is not in memory.
protocol BodyAdapter: RequestAdapter {
    /// Returns the body to send instead. Called once for each attempt, after all adapters.
    ///
    /// - Parameters:
    ///   - body: The body, which ``RequestAdapter/adapt(_:for:)`` has not seen.
    ///   - request: The adapted request, without a body.
    /// - Throws: Any error, as in ``RequestAdapter/adapt(_:for:)``.
    func adapt(_ body: BodySource, of request: inout URLRequest) throws -> BodySource
}

/// An adapter that calls others.
package protocol AdapterGroup: RequestAdapter {
    /// The others, in calling order.
    var adapters: [any RequestAdapter] { get }
}

extension Interceptor: AdapterGroup {}

extension RequestAdapter {
    /// This adapter, or those that it calls, as far as they adapt bodies, in calling order.
    var bodyAdapters: [any BodyAdapter] {
        switch self {
        case let adapter as any BodyAdapter: [adapter]
        case let group as any AdapterGroup: group.adapters.flatMap(\.bodyAdapters)
        default: []
        }
    }
}
