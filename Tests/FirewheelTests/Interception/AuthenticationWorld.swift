import Foundation

@testable import Firewheel

/// A random environment of a `CredentialMachine`: requests that start and stop waiting, refreshes that end, credentials set by a user, and
/// time.
struct AuthenticationWorld {
    typealias Machine = CredentialMachine<Int>

    enum Broken: Hashable {
        case twoRefreshes, answeredTwice, answeredNobody, neverAnswered, refreshedAnother, tooManyRefreshes, oldCredential, forgotCredential
    }

    private(set) var broken: Set<Broken> = []
    private(set) var refreshes = 0
    private var machine: Machine
    private let limit: Int
    private var seconds = 100.0
    private var waiters: UInt64 = 0
    private var open: Set<UInt64> = []
    /// Refreshes whose code has not returned, whether or not a request still waits for them.
    private var running: [Machine.Ticket] = []
    private var beginnings: [Double] = []
    private var newest = 0

    init(using generator: inout some RandomNumberGenerator) {
        limit = Int.random(in: 0...6, using: &generator)
        machine = Machine(
            credential: Bool.random(using: &generator) ? 0 : nil, window: RefreshWindow(interval: 30, maximumAttempts: limit))
    }

    private var now: MonotonicInstant { MonotonicInstant(nanoseconds: 0).advanced(by: seconds) }

    mutating func move(using generator: inout some RandomNumberGenerator) {
        let before = (credential: machine.credential, version: machine.version)
        switch Int.random(in: 0..<12, using: &generator) {
        case 0..<4:
            waiters += 1
            open.insert(waiters)
            let version = Int.random(in: 0..<4, using: &generator) > 0 ? machine.version : machine.version - min(machine.version, 1)
            let start = Bool.random(using: &generator) ? nil : now
            handle(.ask(Machine.Question(waiter: waiters, version: version, context: RequestContext(id: waiters), requestStart: start)))
        case 4: handle(.leave(UInt64.random(in: 0...waiters, using: &generator)))
        case 5 where Int.random(in: 0..<4, using: &generator) == 0:
            newest += 1
            let credential = Bool.random(using: &generator) ? newest : nil
            handle(.replace(credential))
            beginnings = []
            if machine.credential != credential { broken.insert(.forgotCredential) }
        case 6, 7:
            guard let index = running.indices.randomElement(using: &generator) else { return }
            newest += 1
            handle(.refreshed(running.remove(at: index), newest, isUnchanged: Int.random(in: 0..<4, using: &generator) == 0))
        case 8: fail(.refreshFailed, isOver: true, using: &generator)
        case 9: fail(.refreshTimedOut, isOver: false, using: &generator)
        default: seconds += Double.random(in: 0...10, using: &generator)
        }
        if machine.version == before.version, machine.credential != before.credential { broken.insert(.oldCredential) }
    }

    private mutating func fail(
        _ reason: FirewheelError.AuthenticationFailureReason, isOver: Bool, using generator: inout some RandomNumberGenerator
    ) {
        guard let index = running.indices.randomElement(using: &generator) else { return }
        let credential = machine.credential
        handle(.failed(running[index], FirewheelError(.authenticationFailed(reason))))
        if isOver { running.remove(at: index) }
        if machine.credential != credential { broken.insert(.forgotCredential) }
    }

    /// Lets all refreshes return, so that no request waits any more.
    mutating func finish() {
        while let ticket = running.popLast() {
            newest += 1
            handle(.refreshed(ticket, newest, isUnchanged: false))
        }
        if !open.isEmpty || machine.runningTicket != nil { broken.insert(.neverAnswered) }
    }

    private mutating func handle(_ input: Machine.Input) {
        let wasRunning = machine.runningTicket
        switch machine.handle(input, now: now) {
        case .nothing: break
        case .refresh(let ticket, let credential, _):
            refreshes += 1
            if wasRunning != nil { broken.insert(.twoRefreshes) }
            if credential != machine.credential || ticket.version != machine.version { broken.insert(.refreshedAnother) }
            running.append(ticket)
            beginnings = beginnings.filter { seconds - $0 < 30 } + [seconds]
            if beginnings.count > limit { broken.insert(.tooManyRefreshes) }
        case .answer(let answered, let answer):
            if answered.isEmpty { broken.insert(.answeredNobody) }
            for waiter in answered where open.remove(waiter) == nil { broken.insert(.answeredTwice) }
            if case .credential(let credential) = answer, credential != machine.credential { broken.insert(.oldCredential) }
        }
    }
}
