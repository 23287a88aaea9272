import Dispatch
import Foundation

/// Requests with callbacks, in one sequence per share: the end of a request starts the next.
final class Sequences: Sendable {
    typealias Done = @Sendable (Result<Void, any Error>) -> Void

    private let send: @Sendable (_ done: @escaping Done) -> Void
    private let failure = FirstFailure()
    private let group = DispatchGroup()

    /// - Parameter send: Starts a request and calls `done` at its end.
    init(send: @escaping @Sendable (_ done: @escaping Done) -> Void) {
        self.send = send
    }

    /// Starts every sequence and returns the seconds until the last has ended. Throws the first error.
    func run(shares: [Int]) async throws -> Double {
        let start = DispatchTime.now()
        for share in shares {
            group.enter()
            step(remaining: share)
        }
        let seconds = await withCheckedContinuation { continuation in
            group.notify(queue: .global()) { continuation.resume(returning: start.secondsUntilNow) }
        }
        try failure.check()
        return seconds
    }

    private func step(remaining: Int) {
        guard remaining > 0 else { return group.leave() }
        send { result in
            switch result {
            case .success:
                self.step(remaining: remaining - 1)
            case .failure(let error):
                self.failure.record(error)
                self.group.leave()
            }
        }
    }
}

/// The same with one child task per share.
func runTasks(shares: [Int], request: @escaping @Sendable () async throws -> Void) async throws -> Double {
    let start = DispatchTime.now()
    try await withThrowingTaskGroup(of: Void.self) { group in
        for share in shares {
            group.addTask {
                for _ in 0..<share { try await request() }
            }
        }
        try await group.waitForAll()
    }
    return start.secondsUntilNow
}

/// The first error of a round, since the others usually follow from it.
private final class FirstFailure: @unchecked Sendable {
    // Sound because `error` is touched under the lock only.
    private let lock = NSLock()
    private var error: (any Error)?

    func record(_ error: any Error) {
        lock.withLock { self.error = self.error ?? error }
    }

    /// Throws the recorded error, if any.
    func check() throws {
        if let error = lock.withLock({ error }) { throw error }
    }
}

extension DispatchTime {
    var secondsUntilNow: Double {
        Double(DispatchTime.now().uptimeNanoseconds - uptimeNanoseconds) / 1e9
    }
}
