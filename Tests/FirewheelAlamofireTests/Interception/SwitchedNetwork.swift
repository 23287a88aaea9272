import Foundation

@testable import Firewheel

/// A network that is away until a test switches it on.
final class SwitchedNetwork: NetworkPaths {
    private struct State: Sendable {
        var isThere = false
        var listeners: [@Sendable () -> Void] = []
    }

    /// A note for each observation that begins, and for each that ends.
    let (observed, forgotten) = (Notes<Void>(), Notes<Void>())
    private let state = Locked(State())
    private let queue = DispatchQueue(label: "test.network")

    var isThere: Bool { state.withLock { $0.isThere } }

    func comeBack() {
        let listeners = state.withLock { state in
            state.isThere = true
            defer { state.listeners = [] }
            return state.listeners
        }
        queue.async { for listener in listeners { listener() } }
    }

    /// A retrier that waits for this network, for any time.
    func retrier() -> OfflineRetrier {
        OfflineRetrier(maximumWait: 1, network: self) { _ in
            // Ends when the task is cancelled.
            for await _ in AsyncStream.makeStream(of: Void.self).stream {}
        }
    }

    func status(of destination: NetworkDestination) -> NetworkStatus { isThere ? .reachable(isCellular: false) : .unreachable }

    func observe(_ changed: @escaping @Sendable () -> Void) -> NetworkObservation? {
        state.withLock { $0.listeners.append(changed) }
        queue.async(execute: changed)
        observed.add(())
        return NetworkObservation { [weak self, forgotten] in
            self?.state.withLock { $0.listeners = [] }
            forgotten.add(())
        }
    }
}
