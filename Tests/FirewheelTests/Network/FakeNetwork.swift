import Foundation

@testable import Firewheel

/// A network that goes down and up as a test says.
final class FakeNetwork: NetworkPaths {
    private struct State: Sendable {
        var status: NetworkStatus
        /// Of destinations with a status of their own.
        var others: [NetworkDestination: NetworkStatus] = [:]
        var observers: [UInt64: @Sendable () -> Void] = [:]
        var lastNumber: UInt64 = 0
        var asked = 0
        /// The next answer, in place of the status.
        var next: NetworkStatus?
        var whenAsked: (@Sendable () -> Void)?
    }

    private let queue = DispatchQueue(label: "test.network")
    private let state: Locked<State>
    private let reportsChanges: Bool

    /// - Parameter reportsChanges: Whether it can be observed. Default: true.
    init(_ status: NetworkStatus = .reachable(isCellular: false), reportsChanges: Bool = true) {
        state = Locked(State(status: status))
        self.reportsChanges = reportsChanges
    }

    /// How many observations there are.
    var observers: Int { state.withLock { $0.observers.count } }
    /// How often it was asked for a status.
    var asked: Int { state.withLock { $0.asked } }

    func status(of destination: NetworkDestination) -> NetworkStatus {
        let (status, whenAsked) = state.withLock { state in
            state.asked += 1
            return (state.next.take() ?? state.others[destination] ?? state.status, state.whenAsked.take())
        }
        whenAsked?()
        return status
    }

    /// Has the next question answered in another way than those that follow.
    func answer(once status: NetworkStatus) { state.withLock { $0.next = status } }

    /// Calls a closure with the next question.
    func whenAsked(_ action: @escaping @Sendable () -> Void) { state.withLock { $0.whenAsked = action } }

    func observe(_ changed: @escaping @Sendable () -> Void) -> NetworkObservation? {
        guard reportsChanges else { return nil }
        let number = state.withLock { state in
            state.lastNumber += 1
            state.observers[state.lastNumber] = changed
            return state.lastNumber
        }
        queue.async { [self] in report(to: number) }
        return NetworkObservation { [self] in
            let observer = state.withLock { $0.observers.removeValue(forKey: number) }
            _ = observer
        }
    }

    private func report(to number: UInt64) { state.withLock { $0.observers[number] }?() }

    /// Changes the status of a destination and reports that.
    ///
    /// - Parameter destination: nil for all that have none of their own.
    func set(_ status: NetworkStatus, of destination: NetworkDestination? = nil) {
        state.withLock { state in
            if let destination { state.others[destination] = status } else { state.status = status }
        }
        change()
    }

    /// Reports a change.
    func change() {
        queue.async { [self] in
            for number in state.withLock({ $0.observers.keys.sorted() }) { report(to: number) }
        }
    }

    /// Returns when everything that has happened until now is reported.
    func settle() async { await queue.drain() }
}
