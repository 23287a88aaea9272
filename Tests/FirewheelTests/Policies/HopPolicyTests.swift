import Foundation
import Testing

@testable import Firewheel

/// What policies add and see, and whose verdict counts.
@Suite("Hop policies")
struct HopPolicyTests {
    private struct Policy: HopPolicy {
        var heldStatuses: Set<Int> = []
        var field: HTTPHeader?
        var seen: Journal<Int>?
        var verdict: @Sendable (ResponseHead, HopRequest) -> HopVerdict = { _, _ in .pass }

        func prepare(_ request: inout HopRequest, of attempt: HopOwner) {
            if let field { request = request.adding([field]) }
        }

        func judge(_ head: ResponseHead, of request: HopRequest, facts: () -> HopFacts) -> HopVerdict {
            seen?.add(head.statusCode)
            return verdict(head, request)
        }
    }

    private static let request = HopRequest(
        method: .get, url: "http://a.test/", target: TargetURI("http://a.test/")!, headers: ["X-Own": "o"], bodySource: nil, idleTimeout: 60
    )

    private static func started(_ action: CallMachine.Action, _ rules: SessionRules) -> TransportRequest? {
        guard case .tell(.start(let hop, let deadline), _) = action else { return nil }
        return hop.makeTransportRequest(rules, deadline: deadline)
    }

    /// A machine whose first hop runs in the transport.
    private func running(_ policies: [any HopPolicy]) throws -> (CallMachine, TransportRequest) {
        var machine = CallMachineTests.makeMachine(policies: policies)
        guard case .start(let step, _, _, _) = machine.resume(now: .now()) else { throw CancellationError() }
        let started = try #require(Self.started(machine.didBuild(Self.request, adapting: nil, in: step, now: .now()), machine.rules))
        _ = machine.didTell()
        return (machine, started)
    }

    private func end(_ status: Int) -> TransportResult {
        TransportResult(head: ResponseHead(statusCode: status), metrics: TransportMetrics(start: .now(), end: .now()))
    }

    @Test("A field that a policy adds is sent with its hop, apart from the caller's fields, and not with the next")
    func added() throws {
        let policy = Policy(
            heldStatuses: [401], field: HTTPHeader(name: "X-Added", value: "a"),
            verdict: { head, request in head.statusCode == 401 ? .again(request.adding([HTTPHeader(name: "X-Next", value: "n")])) : .pass })
        var (machine, first) = try running([policy])
        #expect(first.headers["X-Own"] == "o" && first.headers["X-Added"] == "a")
        #expect(machine.attempt.current?.request.headers["X-Added"] == nil)
        let next = try #require(Self.started(machine.didEnd(end(401), of: first.id), machine.rules))
        #expect(next.id.hop == 1 && next.id.attempt == 0)
        #expect(next.headers["X-Own"] == "o" && next.headers["X-Added"] == "a" && next.headers["X-Next"] == nil)
    }

    @Test("Every policy sees every head, and the first verdict other than pass counts")
    func order() throws {
        let seen = Journal<Int>()
        let failing = Policy(seen: seen, verdict: { _, _ in .fail(FirewheelError(.responseBodyTooLarge)) })
        var (machine, first) = try running([
            Policy(seen: seen), Policy(seen: seen, verdict: { _, request in .again(request) }), failing, Policy(seen: seen),
        ])
        #expect(Self.started(machine.didEnd(end(204), of: first.id), machine.rules) != nil)
        #expect(seen.entries == [204, 204, 204, 204])
    }

    @Test("The transport holds only heads with a status on which a policy may act")
    func held() throws {
        let (_, request) = try running([Policy(heldStatuses: [401]), Policy(heldStatuses: [407, 401])])
        #expect(request.heldHeads == .statuses([401, 407]))
        #expect(try running([]).1.heldHeads == .none)
        #expect(try running([RedirectHopPolicy()]).1.heldHeads == .statuses([301, 302, 303, 307, 308]))
    }

    @Test("A held head is judged at once: its body is discarded, and the next hop starts when this one has ended")
    func atTheHead() throws {
        var (machine, first) = try running([RedirectHopPolicy()])
        let head = ResponseHead(statusCode: 302, headers: ["Location": "/next"])
        guard case .tell(.proceed(first.id, .discard), _) = machine.didReceive(head, at: .now(), of: first.id) else {
            Issue.record("the body was not refused")
            return
        }
        _ = machine.didTell()
        var over = end(302)
        over.head = head
        let next = try #require(Self.started(machine.didEnd(over, of: first.id), machine.rules))
        #expect(next.target.string == "http://a.test/next" && next.id.hop == 1)
    }
}
