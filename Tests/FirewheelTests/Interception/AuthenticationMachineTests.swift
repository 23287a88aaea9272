import Foundation
import Testing

@testable import Firewheel

/// Tests the state machine of an `AuthenticationInterceptor` alone.
@Suite("State machine of the credential refresh")
struct AuthenticationMachineTests {
    private typealias Machine = CredentialMachine<String>

    private static let window = RefreshWindow(interval: 30, maximumAttempts: 5)

    private static func instant(_ seconds: Double) -> MonotonicInstant { MonotonicInstant(nanoseconds: 0).advanced(by: 1_000 + seconds) }

    /// Describes a machine's actions as short text.
    private struct Bench {
        var machine: Machine
        var tickets: [Machine.Ticket] = []

        init(_ credential: String? = "a", window: RefreshWindow? = AuthenticationMachineTests.window) {
            machine = Machine(credential: credential, window: window)
        }

        mutating func ask(_ waiter: UInt64, at seconds: Double = 0, version: UInt64? = nil, start: Double? = nil) -> String {
            let question = Machine.Question(
                waiter: waiter, version: version ?? machine.version, context: RequestContext(id: waiter), requestStart: start.map(instant))
            return handle(.ask(question), at: seconds)
        }

        /// - Parameter ticket: The number of the refresh, from 0.
        mutating func refreshed(_ credential: String, by ticket: Int = 0, isUnchanged: Bool = false, at seconds: Double = 0) -> String {
            handle(.refreshed(tickets[ticket], credential, isUnchanged: isUnchanged), at: seconds)
        }

        mutating func failed(
            _ ticket: Int = 0, _ reason: FirewheelError.AuthenticationFailureReason = .refreshFailed, at seconds: Double = 0
        ) -> String {
            handle(.failed(tickets[ticket], FirewheelError(.authenticationFailed(reason))), at: seconds)
        }

        mutating func handle(_ input: Machine.Input, at seconds: Double = 0) -> String {
            switch machine.handle(input, now: instant(seconds)) {
            case .nothing: return "-"
            case .refresh(let ticket, let credential, let context):
                tickets.append(ticket)
                return "refresh \(credential) for \(context.id)"
            case .answer(let waiters, let answer): return "\(waiters.map(String.init).joined(separator: ",")): \(Self.text(answer))"
            }
        }

        private static func text(_ answer: Machine.Answer) -> String {
            switch answer {
            case .credential(let credential): "use \(credential)"
            case .unchanged(let credential): "unchanged \(credential)"
            case .failure(let error): "\(reason(error).map { "\($0)" } ?? "?")"
            case .left: "left"
            }
        }
    }

    @Test("The first request starts a refresh, others wait for it, and its credential answers all of them")
    func shared() {
        var bench = Bench()
        #expect(bench.ask(1) == "refresh a for 1")
        #expect(bench.ask(2) == "-")
        #expect(bench.ask(3) == "-")
        #expect(bench.refreshed("b") == "1,2,3: use b")
        #expect(bench.machine.credential == "b" && bench.machine.runningTicket == nil)
    }

    @Test("A request refused with an earlier credential gets the present one, also during a refresh")
    func earlierVersion() {
        var bench = Bench()
        _ = bench.ask(1)
        _ = bench.refreshed("b")
        #expect(bench.ask(2, version: 0) == "2: use b")
        #expect(bench.ask(3) == "refresh b for 3")
        #expect(bench.ask(4, version: 0) == "4: use b")
    }

    @Test("Without a credential nothing is refreshed")
    func missing() {
        var bench = Bench(nil)
        #expect(bench.ask(1) == "1: missingCredential")
        #expect(bench.handle(.replace("a")) == "-")
        #expect(bench.ask(2) == "refresh a for 2")
    }

    @Test("A failed refresh fails the waiting requests, those within a second, and those that started earlier")
    func failure() {
        var bench = Bench()
        #expect(bench.ask(1) == "refresh a for 1")
        _ = bench.ask(2)
        #expect(bench.failed(at: 5) == "1,2: refreshFailed")
        #expect(bench.ask(3, at: 5.9) == "3: refreshFailed")
        #expect(bench.ask(4, at: 20, start: 4) == "4: refreshFailed")
        #expect(bench.ask(5, at: 20, start: 6) == "refresh a for 5")
        #expect(bench.refreshed("b", by: 1, at: 21) == "5: use b")
        #expect(bench.ask(6, at: 21) == "refresh b for 6", "with another credential it is forgotten")
    }

    @Test("A failed refresh is forgotten after a second for a request whose start is unknown")
    func failureMemory() {
        var bench = Bench()
        _ = bench.ask(1)
        _ = bench.failed(at: 1)
        #expect(bench.ask(2, at: 1.999) == "2: refreshFailed")
        #expect(bench.ask(3, at: 2) == "refresh a for 3")
    }

    @Test("An unchanged credential is remembered like a failed refresh, and its version does not change")
    func unchanged() {
        var bench = Bench()
        _ = bench.ask(1)
        #expect(bench.refreshed("a", isUnchanged: true) == "1: unchanged a")
        #expect(bench.ask(2, at: 0.5) == "2: unchanged a")
        #expect(bench.machine.version == 0)
    }

    @Test("The sixth refresh within 30 seconds is excessive, until the first is 30 seconds old")
    func window() {
        var bench = Bench()
        for number in 0..<5 {
            #expect(bench.ask(UInt64(number), at: Double(number)) == "refresh \(number == 0 ? "a" : "\(number)") for \(number)")
            _ = bench.refreshed("\(number + 1)", by: number, at: Double(number))
        }
        #expect(bench.ask(6, at: 29.9) == "6: excessiveRefresh")
        #expect(bench.ask(7, at: 30) == "refresh 5 for 7")
        _ = bench.refreshed("6", by: 5, at: 30)
        #expect(bench.ask(8, at: 30.5) == "8: excessiveRefresh")
    }

    @Test("Failed refreshes count in the window, and excessiveRefresh carries the last one's reason")
    func windowOfFailures() throws {
        var machine = Machine(credential: "a", window: RefreshWindow(interval: 30, maximumAttempts: 1))
        let question = Machine.Question(waiter: 1, version: 0, context: RequestContext(id: 1))
        guard case .refresh(let ticket, _, _) = machine.handle(.ask(question), now: Self.instant(0)) else {
            Issue.record("no refresh")
            return
        }
        _ = machine.handle(.failed(ticket, FirewheelError(.authenticationFailed(.refreshTimedOut))), now: Self.instant(0))
        guard case .answer([1], .failure(let error)) = machine.handle(.ask(question), now: Self.instant(2)) else {
            Issue.record("no failure")
            return
        }
        #expect(error.kind == .authenticationFailed(.excessiveRefresh))
        #expect(kind(error.underlyingError) == .authenticationFailed(.refreshTimedOut))
    }

    @Test(
        "A refresh window with a zero, negative, infinite or NaN limit, or no window, has a defined meaning",
        arguments: [
            (RefreshWindow(interval: 0, maximumAttempts: 1), 100), (RefreshWindow(interval: -1, maximumAttempts: 1), 100),
            (RefreshWindow(interval: .infinity, maximumAttempts: 2), 2), (RefreshWindow(interval: .nan, maximumAttempts: 3), 3),
            (RefreshWindow(maximumAttempts: 0), 0), (RefreshWindow(maximumAttempts: -1), 0), (nil, 100),
        ])
    func bounds(window: RefreshWindow?, expected: Int) {
        var bench = Bench(window: window)
        var refreshes = 0
        for number in 0..<100 {
            guard bench.ask(UInt64(number)).hasPrefix("refresh") else { continue }
            _ = bench.refreshed("b", by: refreshes)
            refreshes += 1
        }
        #expect(refreshes == expected)
    }

    @Test("A request that stops waiting is answered once, and the refresh goes on without it")
    func leaving() {
        var bench = Bench()
        _ = bench.ask(1)
        _ = bench.ask(2)
        #expect(bench.handle(.leave(1)) == "1: left")
        #expect(bench.handle(.leave(1)) == "-")
        #expect(bench.handle(.leave(2)) == "2: left")
        #expect(bench.handle(.leave(7)) == "-")
        #expect(bench.ask(3) == "-", "it is still waited for")
        #expect(bench.handle(.leave(3)) == "3: left")
        #expect(bench.refreshed("b") == "-")
        #expect(bench.machine.credential == "b")
    }

    @Test("A credential set during a refresh answers all requests, and the refresh's result is dropped")
    func replaced() {
        var bench = Bench()
        _ = bench.ask(1)
        _ = bench.ask(2)
        #expect(bench.handle(.replace("z")) == "1,2: use z")
        #expect(bench.refreshed("b") == "-")
        #expect(bench.failed() == "-")
        #expect(bench.machine.credential == "z")
        #expect(bench.ask(3) == "refresh z for 3")
    }

    @Test("A credential removed during a refresh fails all requests, and the refresh does not bring it back")
    func takenAway() {
        var bench = Bench()
        _ = bench.ask(1)
        #expect(bench.handle(.replace(nil)) == "1: missingCredential")
        #expect(bench.refreshed("b") == "-")
        #expect(bench.machine.credential == nil)
    }

    @Test("Setting a credential forgets failures and empties the refresh window")
    func replacedAfterFailures() {
        var bench = Bench(window: RefreshWindow(interval: 30, maximumAttempts: 1))
        _ = bench.ask(1)
        _ = bench.failed()
        #expect(bench.ask(2, at: 5) == "2: excessiveRefresh")
        _ = bench.handle(.replace("z"))
        #expect(bench.ask(3, at: 5) == "refresh z for 3")
    }

    @Test("After a timeout the next refresh may start; the late result is kept and the next one's dropped")
    func late() {
        var bench = Bench()
        _ = bench.ask(1)
        #expect(bench.failed(0, .refreshTimedOut, at: 60) == "1: refreshTimedOut")
        #expect(bench.ask(2, at: 70) == "refresh a for 2")
        #expect(bench.refreshed("late", by: 0, at: 71) == "2: use late")
        #expect(bench.refreshed("second", by: 1, at: 72) == "-")
        #expect(bench.failed(1, at: 72) == "-")
        #expect(bench.machine.credential == "late")
    }

    @Test("A late failure, or a late credential that did not change, changes nothing")
    func lateFailure() {
        var bench = Bench()
        _ = bench.ask(1)
        _ = bench.failed(0, .refreshTimedOut)
        _ = bench.ask(2, at: 2)
        #expect(bench.failed(0, at: 3) == "-")
        #expect(bench.refreshed("a", by: 0, isUnchanged: true, at: 3) == "-")
        #expect(bench.refreshed("b", by: 1, at: 4) == "2: use b")
    }

    @Test("A request may carry an earlier credential only if it started before the last change, or at an unknown time")
    func earlierCredential() {
        var bench = Bench()
        #expect(!bench.machine.mayCarryEarlierCredential(startedAt: nil, isRetry: false))
        _ = bench.handle(.replace("b"), at: 10)
        #expect(bench.machine.mayCarryEarlierCredential(startedAt: nil, isRetry: false))
        #expect(bench.machine.mayCarryEarlierCredential(startedAt: Self.instant(9), isRetry: false))
        #expect(bench.machine.mayCarryEarlierCredential(startedAt: Self.instant(10), isRetry: false), "a clock may be coarse")
        #expect(!bench.machine.mayCarryEarlierCredential(startedAt: Self.instant(10.1), isRetry: false))
        #expect(!bench.machine.mayCarryEarlierCredential(startedAt: Self.instant(10.1), isRetry: true))
        #expect(bench.machine.mayCarryEarlierCredential(startedAt: Self.instant(9.9), isRetry: true))
        #expect(!bench.machine.mayCarryEarlierCredential(startedAt: nil, isRetry: true))
        _ = bench.ask(1, at: 20)
        _ = bench.refreshed("c", at: 21)
        #expect(bench.machine.mayCarryEarlierCredential(startedAt: Self.instant(15), isRetry: false))
    }

    // MARK: Random walks

    /// Walks of random inputs with invariants checked after each step.
    @Test("In random walks one refresh runs at a time, each request gets one answer, and failures keep the credential")
    func walks() {
        var generator = SeededGenerator(state: 14)
        var refreshes = 0
        for _ in 0..<2_000 {
            var world = AuthenticationWorld(using: &generator)
            for _ in 0..<Int.random(in: 1...80, using: &generator) { world.move(using: &generator) }
            world.finish()
            #expect(world.broken == [])
            refreshes += world.refreshes
        }
        #expect(refreshes > 2_000)
    }
}
