import Foundation
import Testing

@testable import Firewheel

/// Tests the lifetime of the task that runs a request's async steps.
@Suite("Async steps of a request", .timeLimit(.minutes(5)))
struct AsyncStepsTests {
    private final class Probe: Sendable {
        @TaskLocal static var current: Probe?
    }

    @Test("Async steps that are released or ended leave no task behind", arguments: [true, false])
    func dropped(isEnded: Bool) async throws {
        weak var probe: Probe?
        do {
            let value = Probe()
            probe = value
            // The task holds its creator's task-local values until it ends.
            let steps = Probe.$current.withValue(value) { AsyncSteps() }
            let (ran, done) = AsyncStream.makeStream(of: Bool.self)
            steps.run { done.yield(Probe.current != nil) }
            #expect(await ran.first { _ in true } == true)
            if isEnded { steps.end() }
        }
        let deadline = DispatchTime.now() + 10
        while probe != nil, DispatchTime.now() < deadline { try await Task.sleep(nanoseconds: 1_000_000) }
        #expect(probe == nil)
    }
}
