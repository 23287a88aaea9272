import Firewheel
import Testing

@testable import FirewheelAlamofire

/// The decisions of ``AuthenticationInterceptor``, without requests. Credentials are numbers; adaptations and decisions are names.
@Suite("RefreshMachine")
struct RefreshMachineTests {
    private typealias Machine = RefreshMachine<Int, String, String>

    private struct Odd: Error {}

    private static let start = MonotonicInstant(nanoseconds: 1_000_000_000)

    private func isWaiting(_ step: Machine.AdaptStep) -> Bool { if case .wait = step { true } else { false } }
    private func isWaiting(_ step: Machine.RetryStep) -> Bool { if case .wait = step { true } else { false } }
    private func applied(_ step: Machine.AdaptStep) -> Int? { if case .apply(let credential) = step { credential } else { nil } }
    private func error(_ step: Machine.AdaptStep) -> AuthenticationError? { if case .fail(let error) = step { error } else { nil } }
    private func error(_ step: Machine.RetryStep) -> (any Error)? { if case .fail(let error) = step { error } else { nil } }
    private func isRetry(_ step: Machine.RetryStep) -> Bool { if case .retry = step { true } else { false } }

    private func adapt(
        _ machine: inout Machine, _ name: String = "a", requiresRefresh: Bool = false, at seconds: Double = 0
    ) -> Machine.AdaptStep {
        machine.adapt(name, seeing: machine.version, requiresRefresh: requiresRefresh, now: Self.start.advanced(by: seconds))
    }

    private func retry(_ machine: inout Machine, _ name: String = "r", seeing version: UInt64? = nil, at seconds: Double = 0)
        -> Machine.RetryStep
    {
        machine.retry(name, seeing: version ?? machine.version, now: Self.start.advanced(by: seconds))
    }

    /// What need not wait any longer after the end of a refresh that is waited for.
    private func finish(_ machine: inout Machine, _ ticket: Machine.Ticket, with result: Result<Int, any Error>) throws -> Machine.Waiting {
        guard let waiting = machine.finish(ticket, with: result) else { throw Odd() }
        return waiting
    }

    private func ticket(_ step: Machine.AdaptStep) throws -> Machine.Ticket {
        guard case .refresh(let ticket, _) = step else { throw Odd() }
        return ticket
    }

    private func ticket(_ step: Machine.RetryStep) throws -> Machine.Ticket {
        guard case .refresh(let ticket, _) = step else { throw Odd() }
        return ticket
    }

    @Test("Without a credential requests fail, and refused ones are adapted again to fail")
    func missing() {
        var machine = Machine(credential: nil, window: nil)
        #expect(error(adapt(&machine)) == .missingCredential)
        #expect(isRetry(retry(&machine)))
    }

    @Test("One refresh answers all that wait for it, once")
    func shared() throws {
        var machine = Machine(credential: 1, window: nil)
        let ticket = try ticket(adapt(&machine, "a", requiresRefresh: true))
        #expect(isWaiting(adapt(&machine, "b", requiresRefresh: true)))
        #expect(isWaiting(adapt(&machine, "c")))
        #expect(isWaiting(retry(&machine, "r")))
        let waiting = try finish(&machine, ticket, with: .success(2))
        #expect(waiting.adaptations == ["a", "b", "c"] && waiting.decisions == ["r"] && waiting.error == nil)
        #expect(machine.credential == 2)
        #expect(machine.finish(ticket, with: .success(3)) == nil && machine.finish(ticket, with: .failure(Odd())) == nil)
        #expect(applied(adapt(&machine)) == 2)
    }

    @Test("During a refresh for a refused request others are adapted at once, even with an expired credential")
    func adaptedDuringRetry() throws {
        var machine = Machine(credential: 1, window: nil)
        let ticket = try ticket(retry(&machine, "r"))
        #expect(applied(adapt(&machine)) == 1)
        #expect(applied(adapt(&machine, requiresRefresh: true)) == 1)
        #expect(isWaiting(retry(&machine, "s")))
        #expect(try finish(&machine, ticket, with: .success(2)).decisions == ["r", "s"])
    }

    @Test("A failure answers what is refused until another request is adapted")
    func failure() throws {
        var machine = Machine(credential: 1, window: nil)
        let first = try ticket(retry(&machine, "r"))
        #expect(try finish(&machine, first, with: .failure(Odd())).error is Odd)
        #expect(error(retry(&machine)) is Odd)
        #expect(applied(adapt(&machine)) == 1)
        let second = try ticket(retry(&machine, "s"))
        #expect(first != second)
        // What requires a refresh causes one, whether or not the last one failed.
        _ = machine.finish(second, with: .failure(Odd()))
        let third = try ticket(adapt(&machine, requiresRefresh: true))
        #expect(try finish(&machine, third, with: .success(2)).adaptations == ["a"])
    }

    @Test("A credential that changed in the meantime is looked at again, or is reason enough to retry")
    func changed() throws {
        var machine = Machine(credential: 1, window: nil)
        let version = machine.version
        #expect(machine.replace(with: 2).isEmpty)
        if case .lookAgain = machine.adapt("a", seeing: version, requiresRefresh: true, now: Self.start) {} else { Issue.record() }
        #expect(isRetry(retry(&machine, seeing: version)))
    }

    @Test("Setting a credential ends the wait, and the refresh is dropped")
    func replaced() throws {
        var machine = Machine(credential: 1, window: nil)
        let ticket = try ticket(adapt(&machine, "a", requiresRefresh: true))
        #expect(isWaiting(retry(&machine, "r")))
        let waiting = machine.replace(with: 5)
        #expect(waiting.adaptations == ["a"] && waiting.decisions == ["r"] && waiting.error == nil)
        #expect(machine.finish(ticket, with: .success(2)) == nil)
        #expect(machine.credential == 5)
        _ = try self.ticket(retry(&machine))
    }

    @Test("Removing the credential does not end the wait: the refresh says why, or that none is left")
    func removed() throws {
        for result in [Result<Int, any Error>.failure(Odd()), .success(2)] {
            var machine = Machine(credential: 1, window: nil)
            let ticket = try ticket(adapt(&machine, "a", requiresRefresh: true))
            #expect(machine.replace(with: nil).isEmpty)
            #expect(error(adapt(&machine, "b")) == .missingCredential)
            #expect(isRetry(retry(&machine)))
            let waiting = try finish(&machine, ticket, with: result)
            #expect(waiting.adaptations == ["a"])
            let isFailure = (try? result.get()) == nil
            #expect(waiting.error is Odd == isFailure)
            #expect((waiting.error as? AuthenticationError == .missingCredential) == !isFailure)
            #expect(machine.credential == nil)
        }
    }

    @Test("A refresh that never ends is no longer waited for once a credential is set, removed before or not")
    func removedAndReplaced() throws {
        var machine = Machine(credential: 1, window: nil)
        _ = try ticket(adapt(&machine, "a", requiresRefresh: true))
        #expect(machine.replace(with: nil).isEmpty)
        #expect(machine.replace(with: 3).adaptations == ["a"])
        #expect(applied(adapt(&machine)) == 3)
    }

    @Test("The window limits the refreshes, whatever became of them")
    func window() throws {
        var machine = Machine(credential: 1, window: RefreshWindow(interval: 10, maximumAttempts: 2))
        _ = machine.finish(try ticket(retry(&machine, at: 0)), with: .success(2))
        _ = machine.finish(try ticket(retry(&machine, at: 1)), with: .failure(Odd()))
        #expect(error(adapt(&machine, requiresRefresh: true, at: 2)) == .excessiveRefresh)
        #expect(error(retry(&machine, at: 3)) as? AuthenticationError == .excessiveRefresh)
        // A set credential does not clear the history.
        #expect(machine.replace(with: 7).isEmpty)
        #expect(error(retry(&machine, at: 4)) as? AuthenticationError == .excessiveRefresh)
        _ = adapt(&machine)
        _ = machine.finish(try ticket(retry(&machine, at: 10.5)), with: .success(8))
        #expect(error(retry(&machine, at: 10.6)) as? AuthenticationError == .excessiveRefresh)
    }

    @Test("A window without attempts allows none; without a length or absent there is no limit")
    func windows() throws {
        var none = Machine(credential: 1, window: RefreshWindow(interval: 10, maximumAttempts: -1))
        #expect(error(retry(&none)) as? AuthenticationError == .excessiveRefresh)
        for window in [nil, RefreshWindow(interval: -.infinity, maximumAttempts: 1)] {
            var machine = Machine(credential: 1, window: window)
            for attempt in 0..<100 {
                _ = machine.finish(try ticket(retry(&machine, at: Double(attempt + 1))), with: .success(attempt))
            }
            #expect(machine.credential == 99)
        }
    }
}
