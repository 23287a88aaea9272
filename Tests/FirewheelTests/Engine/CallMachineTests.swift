import Foundation
import Testing

@testable import Firewheel

/// Tests the state machine alone, without threads, sockets or a clock.
@Suite("Call state machine")
struct CallMachineTests {
    // MARK: Random walks

    private static let forms: [(file: Bool, retriers: Bool, gates: Bool, validators: Bool, resumed: Bool, kept: Bool)] = (0..<64).map {
        ($0 & 1 != 0, $0 & 2 != 0, $0 & 4 != 0, $0 & 8 != 0, $0 & 16 != 0, $0 & 32 != 0)
    }

    /// Walks of at most 60 moves, followed by the moves needed to end.
    private static let walked: (broken: [MachineWorld.Broken: Int], retried: Int, held: Int, refused: Int, walks: Int) = {
        var generator = SeededGenerator(state: 13)
        var broken: [MachineWorld.Broken: Int] = [:]
        var (retried, held, refused) = (0, 0, 0)
        let walks = TestDepth.choose(5_000, deep: 20_000)
        for number in 0..<walks {
            let form = forms[number % forms.count]
            var world = MachineWorld(
                savesToFile: form.file, hasRetriers: form.retriers, hasGates: form.gates, hasValidators: form.validators,
                isResumed: form.resumed, isKept: form.kept)
            for _ in 0..<Int.random(in: 1...60, using: &generator) { world.move(using: &generator) }
            world.finish(using: &generator)
            for invariant in world.broken { broken[invariant, default: 0] += 1 }
            if world.attempts > 1 { retried += 1 }
            if world.heldHeads > 0 { held += 1 }
            if world.refusedBodies > 0 { refused += 1 }
        }
        return (broken, retried, held, refused, walks)
    }()

    @Test("Random walks reach retries, held heads and long bodies of refused responses")
    func walksRetry() {
        #expect(Self.walked.retried > Self.walked.walks / 20)
        #expect(Self.walked.held > Self.walked.walks / 20)
        #expect(Self.walked.refused > 0)
    }

    @Test("In random walks the beginning of a refused body is kept up to the limit")
    func refusedBodies() { #expect(Self.walked.broken[.wrongPartOfRefusedBody] == nil) }

    @Test("In random walks the outcome is delivered once")
    func deliveredOnce() { #expect(Self.walked.broken[.deliveredTwice] == nil) }

    @Test("Every random walk ends")
    func ends() { #expect(Self.walked.broken[.notDelivered] == nil) }

    @Test("In random walks every handler is served once, in the order in which it was attached")
    func handlers() { #expect(Self.walked.broken[.handlersNotServedInOrder] == nil) }

    @Test("In random walks every command to the transport fits the ones before it")
    func commands() { #expect(Self.walked.broken[.commandOutOfOrder] == nil) }

    @Test("In random walks only one thread at a time tells the transport")
    func oneTeller() { #expect(Self.walked.broken[.toldTwiceAtOnce] == nil) }

    @Test("In random walks nothing is sent while the request is suspended")
    func suspended() { #expect(Self.walked.broken[.sentWhileSuspended] == nil) }

    @Test("In random walks nothing is sent after a cancel or the end")
    func sentAfterTheEnd() { #expect(Self.walked.broken[.sentAfterTheEnd] == nil) }

    @Test("In random walks retriers are not asked after a cancel")
    func cancelled() { #expect(Self.walked.broken[.decidedAfterCancel] == nil) }

    @Test("In random walks a placed file is not downloaded again")
    func placed() { #expect(Self.walked.broken[.retriedAfterPlacing] == nil) }

    @Test("In random walks the cancelled and finished states are final")
    func endStates() { #expect(Self.walked.broken[.stateLeftItsEnd] == nil) }

    @Test("In random walks the transport is released at the end")
    func transport() { #expect(Self.walked.broken[.transportKept] == nil) }

    @Test("In random walks every file of a download is placed or removed")
    func files() { #expect(Self.walked.broken[.fileKept] == nil) }

    @Test("In random walks every held head is answered, or its hop ends otherwise")
    func heldHeads() { #expect(Self.walked.broken[.heldHeadNotAnswered] == nil) }

    @Test("In random walks only held heads are answered, and each only once")
    func answers() { #expect(Self.walked.broken[.answeredWithoutAHold] == nil) }

    @Test("In random walks a decision made while suspended takes effect at resume()")
    func decisions() { #expect(Self.walked.broken[.wentOnWhileSuspended] == nil) }

    // MARK: Alarms

    @Test("A redirect held by suspend() ends by the resource timeout, even if that passed just before the redirect came")
    func heldAfterTheDeadline() throws {
        var options = RequestOptions()
        options.totalTimeout = 1
        var machine = Self.makeMachine(policies: [RedirectHopPolicy()], options)
        let begun = ClockReading(instant: .now(), wall: 0)
        let late = ClockReading(instant: begun.instant.advanced(by: 2), wall: 2)
        guard case .start(let step, _, _, _) = machine.resume(now: begun) else { throw WaitedInVain(what: "the start") }
        _ = machine.didBuild(MachineWorld.request, adapting: nil, in: step, now: begun.instant)
        _ = machine.didTell()
        let hop = try #require(machine.attempt.current?.id)
        _ = machine.setAlarm(by: nil)
        // The transport checks the deadline of the transfer, but the redirect has already arrived.
        #expect(machine.rang(now: late).next == nil)
        _ = machine.suspend()
        _ = machine.didTell()
        let redirect = ResponseHead(statusCode: 302, headers: ["Location": "/next"])
        let metrics = TransportMetrics(start: begun.instant, end: late.instant)
        guard case .hold = machine.didEnd(TransportResult(head: redirect, metrics: metrics), of: hop) else {
            Issue.record("no alarm is set")
            return
        }
        #expect(machine.setAlarm(by: nil) == begun.instant.advanced(by: 1))
        _ = machine.rang(now: late)
        #expect(kind(machine.outcome?.error) == .transportFailed(.timedOut))
    }

    // MARK: Refused bodies

    @Test("A refused body is waited for until the idle timeout, at most 5 seconds, which do not run while the request is suspended")
    func refusedBody() throws {
        let begun = ClockReading.now()
        func later(_ seconds: Double) -> ClockReading {
            ClockReading(instant: begun.instant.advanced(by: seconds), wall: begun.wall + seconds)
        }
        for (idle, patience) in [(60.0, 5.0), (2, 2), (0, 5)] {
            for isSuspended in [true, false] {
                var options = RequestOptions()
                options.idleTimeout = idle
                options.validators = [Validator(owner: .library, check: { _ in nil })]
                var machine = CallMachine(
                    id: 1, rules: SessionRules(), savesToFile: false, stream: StreamSink(), sourceOwner: .library, options: options)
                guard case .start(let step, _, _, _) = machine.resume(now: begun) else { throw WaitedInVain(what: "the start") }
                _ = machine.didBuild(MachineWorld.request, adapting: nil, in: step, now: begun.instant)
                _ = machine.didTell()
                let hop = try #require(machine.attempt.current?.id)
                let refusal = FirewheelError(.responseValidationFailed(.unacceptableStatusCode(503)))
                guard case .askGates(let asked, _, _, _, _) = machine.didReceive(ResponseHead(statusCode: 503), at: begun.instant, of: hop),
                    case .wait(let until) = machine.didRefuseHead(refusal, in: asked, now: later(1).instant),
                    case .tell(.proceed(_, .deliver), _) = machine.nextCommand()
                else { throw WaitedInVain(what: "the body") }
                #expect(until == later(1 + patience).instant)
                _ = machine.didTell()
                guard case (.drop, _) = machine.didReceivePiece(Data("part".utf8), of: hop) else { throw WaitedInVain(what: "a piece") }
                let (early, next) = machine.rang(now: later(0.5 + patience))
                guard case .nothing = early, next == until else { throw WaitedInVain(what: "the same alarm") }
                var end = later(1 + patience)
                if isSuspended {
                    _ = machine.suspend()
                    _ = machine.didTell()
                    guard case .nothing = machine.rang(now: end).0 else { throw WaitedInVain(what: "nothing") }
                    // The time does not run while the request is suspended.
                    end = later(100 + patience)
                    guard case .wait(end.instant) = machine.resume(now: later(100)) else { throw WaitedInVain(what: "a new alarm") }
                    _ = machine.nextCommand()
                    _ = machine.didTell()
                }
                guard case .describe(_, let outcome) = machine.rang(now: end).0 else { throw WaitedInVain(what: "the outcome") }
                #expect(kind(outcome.error) == refusal.kind && outcome.data == Data("part".utf8))
                guard case .tell(.cancel(hop), _) = machine.nextCommand() else { throw WaitedInVain(what: "the cancellation") }
            }
        }
    }

    @Test("Pieces that still come while the request is suspended are not added to a refused body that has its limit")
    func refusedBodyWhileSuspended() throws {
        let begun = ClockReading.now()
        var options = RequestOptions()
        options.validators = [Validator(owner: .library, check: { _ in nil })]
        var machine = CallMachine(
            id: 1, rules: SessionRules(), savesToFile: false, stream: StreamSink(), sourceOwner: .library, options: options)
        guard case .start(let step, _, _, _) = machine.resume(now: begun) else { throw WaitedInVain(what: "the start") }
        _ = machine.didBuild(MachineWorld.request, adapting: nil, in: step, now: begun.instant)
        _ = machine.didTell()
        let hop = try #require(machine.attempt.current?.id)
        let refusal = FirewheelError(.responseValidationFailed(.unacceptableStatusCode(503)))
        guard case .askGates(let asked, _, _, _, _) = machine.didReceive(ResponseHead(statusCode: 503), at: begun.instant, of: hop) else {
            throw WaitedInVain(what: "the question")
        }
        _ = machine.didRefuseHead(refusal, in: asked, now: begun.instant)
        _ = machine.suspend()
        guard case (.enough, _) = machine.didReceivePiece(Data(count: 70_000), of: hop) else { throw WaitedInVain(what: "enough") }
        guard case .nothing = machine.endRefusedBody(of: hop, now: begun.instant) else { throw WaitedInVain(what: "nothing") }
        guard case (.late, _) = machine.didReceivePiece(Data(count: 70_000), of: hop) else { throw WaitedInVain(what: "a late piece") }
        guard case .describe(_, let outcome) = machine.resume(now: begun) else { throw WaitedInVain(what: "the outcome") }
        #expect(outcome.data?.count == 65_536)
    }

    // MARK: Suspended while waiting

    /// A machine whose first hop runs in the transport.
    private static func running(_ options: RequestOptions, at begun: ClockReading) throws -> (CallMachine, TransportTaskID) {
        var machine = makeMachine(options)
        guard case .start(let step, _, _, _) = machine.resume(now: begun) else { throw WaitedInVain(what: "the start") }
        _ = machine.didBuild(MachineWorld.request, adapting: nil, in: step, now: begun.instant)
        _ = machine.didTell()
        return (machine, try #require(machine.attempt.current?.id))
    }

    private static func result(_ status: Int?, _ error: TransportError? = nil, at now: ClockReading) -> TransportResult {
        let head = status.map { ResponseHead(statusCode: $0, headers: ["Location": "/next"]) }
        return TransportResult(error: error, head: head, metrics: TransportMetrics(start: now.instant, end: now.instant))
    }

    @Test("A retry delay that ends while the request is suspended waits for resume(), or for the resource timeout")
    func suspendedDelay() throws {
        let begun = ClockReading.now()
        func later(_ seconds: Double) -> ClockReading {
            ClockReading(instant: begun.instant.advanced(by: seconds), wall: begun.wall + seconds)
        }
        var options = RequestOptions()
        options.totalTimeout = 100
        options.interceptors = [Retrier { _, _ in .retry }]
        for isResumed in [true, false] {
            var (machine, hop) = try Self.running(options, at: begun)
            let failure = Self.result(nil, .failed(.networkConnectionLost, ""), at: begun)
            guard case .describe(let described, let outcome) = machine.didEnd(failure, of: hop),
                case .decide(let decided, _, _, _) = machine.didDescribe(outcome, in: described, now: { begun.instant }),
                case .wait = machine.didDecide(.retryWithDelay(10), in: decided, now: begun.instant)
            else {
                Issue.record("no delay")
                return
            }
            _ = machine.suspend()
            #expect(machine.rang(now: later(10)).next == begun.instant.advanced(by: 100))
            #expect(machine.stage == .delaying && machine.attempt.number == 0)
            if isResumed {
                guard case .build = machine.resume(now: later(11)) else {
                    Issue.record("no second attempt")
                    return
                }
                #expect(machine.attempt.number == 1)
            } else {
                _ = machine.rang(now: later(100))
                #expect(kind(machine.outcome?.error) == .transportFailed(.timedOut))
            }
        }
    }

    @Test("A redirect decision held back by suspend() is dropped if the exchange fails")
    func brokenWhileKept() throws {
        let begun = ClockReading.now()
        var options = RequestOptions()
        options.redirectHandler = Redirector.modify { _, request, _ in request }
        var (machine, hop) = try Self.running(options, at: begun)
        guard
            case .ask(let step, _) = machine.didReceive(
                ResponseHead(statusCode: 302, headers: ["Location": "/next"]), at: begun.instant, of: hop)
        else {
            Issue.record("the handler is not asked")
            return
        }
        _ = machine.suspend()
        _ = machine.didTell()
        guard case .nothing = machine.didJudge(.again(MachineWorld.request), in: step, now: .now()) else {
            Issue.record("the verdict is not kept")
            return
        }
        guard
            case .describe(let described, let outcome) = machine.didEnd(
                Self.result(nil, .failed(.networkConnectionLost, ""), at: begun), of: hop)
        else {
            Issue.record("no end")
            return
        }
        #expect(kind(outcome.error) == .transportFailed(.networkConnectionLost) && outcome.response == nil)
        guard case .nothing = machine.resume(now: begun) else {
            Issue.record("the verdict is taken up")
            return
        }
        guard case .deliver = machine.didDescribe(outcome, in: described, now: { begun.instant }) else {
            Issue.record("not delivered")
            return
        }
    }

    // MARK: Calls of the caller

    enum Move: CaseIterable { case resume, suspend, cancel }

    struct Row: Sendable, CustomTestStringConvertible {
        let path: [Move]
        let move: Move
        let state: Request.State
        var starts = false

        var testDescription: String { "after \(path): \(move)" }
    }

    /// initialized → resumed ⇄ suspended → cancelled, as in Alamofire.
    static let rows: [Row] = [
        Row(path: [], move: .resume, state: .resumed, starts: true),
        Row(path: [], move: .suspend, state: .suspended),
        Row(path: [], move: .cancel, state: .cancelled),
        Row(path: [.resume], move: .resume, state: .resumed),
        Row(path: [.resume], move: .suspend, state: .suspended),
        Row(path: [.resume], move: .cancel, state: .cancelled),
        Row(path: [.suspend], move: .resume, state: .resumed, starts: true),
        Row(path: [.suspend], move: .suspend, state: .suspended),
        Row(path: [.resume, .suspend], move: .resume, state: .resumed),
        Row(path: [.resume, .suspend], move: .cancel, state: .cancelled),
        Row(path: [.cancel], move: .resume, state: .cancelled),
        Row(path: [.cancel], move: .suspend, state: .cancelled),
        Row(path: [.resume, .cancel], move: .resume, state: .cancelled),
        Row(path: [.resume, .suspend, .cancel], move: .resume, state: .cancelled),
    ]

    @Test("Each call in each request state leads to Alamofire's next state", arguments: rows)
    func moves(row: Row) {
        var machine = Self.makeMachine()
        for move in row.path { _ = apply(move, to: &machine) }
        let action = apply(row.move, to: &machine)
        #expect(machine.state == row.state)
        if case .start = action { #expect(row.starts) } else { #expect(!row.starts) }
    }

    private func apply(_ move: Move, to machine: inout CallMachine) -> CallMachine.Action {
        switch move {
        case .resume: machine.resume(now: .now())
        case .suspend: machine.suspend()
        case .cancel: machine.cancel(now: .now())
        }
    }

    static func makeMachine(policies: [any HopPolicy] = [RedirectHopPolicy()], _ options: RequestOptions = RequestOptions()) -> CallMachine
    {
        CallMachine(id: 1, rules: SessionRules(policies: policies), savesToFile: false, sourceOwner: .library, options: options)
    }
}
