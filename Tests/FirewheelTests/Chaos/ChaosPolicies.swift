import Firewheel

extension ChaosScenario {
    /// The caller's async code during a trip.
    struct Policies: Sendable {
        var adapters: [Adapter] = []
        var retriers: [Retrier] = []
        var redirects: Redirects?
        var gates: [Gate] = []
        /// Whether each request names its attempt.
        var isStamped = false
        /// The servers of attempts after the first; nil for the same ones.
        var later: [Hop]?

        var isEmpty: Bool { adapters.isEmpty && retriers.isEmpty && redirects == nil && gates.isEmpty && !isStamped }
    }

    enum Adapter: Sendable, Equatable {
        case passing
        /// Takes this many microseconds.
        case slow(Int)
        case throwingOnce
        /// Throws in retries only.
        case throwingLater
        case throwing

        func throwsIn(_ attempt: Int) -> Bool {
            switch self {
            case .throwing: true
            case .throwingOnce: attempt == 0
            case .throwingLater: attempt > 0
            case .passing, .slow: false
            }
        }
    }

    struct Retrier: Sendable, Equatable {
        enum Answer: Sendable, Equatable {
            case never
            case atOnce
            /// Retries after this many milliseconds.
            case delayed(Int)
            /// Does not retry, and fails with its own error.
            case refusal
        }

        var answer = Answer.never
        /// How often it retries.
        var limit = 1
        /// Microseconds until it answers.
        var pause = 0

        func answer(in attempt: Int) -> Answer {
            switch answer {
            case .never, .refusal: answer
            case .atOnce, .delayed: attempt < limit ? answer : .never
            }
        }
    }

    enum Redirects: Sendable, Equatable {
        case follow, doNotFollow
        /// Follows with an additional field, after this many microseconds.
        case changing(Int)
        /// Does not follow, after this many microseconds.
        case refusing(Int)
        case throwing
    }

    enum Gate: Sendable, Equatable {
        case allowing
        /// After this many microseconds.
        case slow(Int)
        case cancelling
    }
}

extension ChaosScenario.Trip {
    /// The servers of an attempt.
    func hops(of attempt: Int) -> [ChaosScenario.Hop] { attempt == 0 ? hops : policies.later ?? hops }

    /// The servers of all attempts.
    var allHops: [ChaosScenario.Hop] { hops + (policies.later ?? []) }

    /// The retriers' decision about a failed attempt. Only after one that does not retry is the next one asked.
    func decision(in attempt: Int) -> ChaosScenario.Retrier.Answer {
        policies.retriers.lazy.map { $0.answer(in: attempt) }.first { $0 != .never } ?? .never
    }

    func isRetried(in attempt: Int) -> Bool { ![.never, .refusal].contains(decision(in: attempt)) }

    /// The maximum number of retries.
    var retryBound: Int { (0...).first { !isRetried(in: $0) && !isRefreshed(in: $0) } ?? 0 }
}

// MARK: - Random choices

extension ChaosScenario {
    /// Adds policies to some trips. It has a generator of its own, so that the rest of a seed's scenario does not depend on it.
    mutating func drawPolicies(isCalm: Bool, isLine: Bool) {
        var dice = ChaosDice(seed: seed ^ 0x5EED_0F90_11C1_E500)
        (dice.isCalm, dice.isLine) = (isCalm, isLine)
        guard dice.chance(45) else { return }
        hasSessionInterceptor = dice.chance(20)
        for index in trips.indices where dice.chance(60) {
            trips[index].policies = dice.policies(for: trips[index])
        }
    }
}

extension ChaosDice {
    mutating func policies(for trip: ChaosScenario.Trip) -> ChaosScenario.Policies {
        var policies = ChaosScenario.Policies()
        if chance(70) { policies.retriers = (0..<number(1...3)).map { _ in retrier() } }
        if chance(45) {
            policies.adapters = (0..<number(1...2)).map { _ in
                one(of: [
                    .passing, .passing, .slow(number(0...3_000)), .slow(number(0...3_000)), .throwingOnce, .throwingLater,
                    .throwing,
                ])
            }
        }
        if chance(trip.hops.count > 1 ? 60 : 10) {
            policies.redirects = one(of: [
                .follow, .doNotFollow, .changing(0), .changing(number(0...3_000)), .refusing(number(0...1_000)), .throwing,
            ])
        }
        if chance(25) {
            policies.gates = (0..<number(1...2)).map { _ in one(of: [.allowing, .allowing, .slow(number(0...3_000)), .cancelling]) }
        }
        guard !policies.retriers.isEmpty, chance(70) else { return policies }
        policies.isStamped = true
        guard chance(70) else { return policies }
        var later = hops(for: trip)
        // Both attempts send the same request, which is answered before or after its body.
        later[0].isEarly = trip.hops[0].isEarly
        if later[0].fault == .resetBeforeReading { later[0].fault = .resetBeforeHead }
        if trip.upload != nil { for index in later.indices { takeIn(&later[index], of: trip) } }
        policies.later = later
        return policies
    }

    private mutating func retrier() -> ChaosScenario.Retrier {
        ChaosScenario.Retrier(
            answer: one(of: [.never, .atOnce, .atOnce, .atOnce, .delayed(number(0...4)), .delayed(number(0...4)), .refusal]),
            limit: number(1...3), pause: chance(30) ? number(0...3_000) : 0)
    }
}

extension ChaosScenario.Policies: CustomStringConvertible {
    var description: String {
        var parts: [String] = []
        if !adapters.isEmpty { parts.append("adapters \(adapters)") }
        if !retriers.isEmpty {
            parts.append("retriers \(retriers.map { "\($0.answer) up to \($0.limit)\($0.pause > 0 ? " in \($0.pause) µs" : "")" })")
        }
        if let redirects { parts.append("redirects \(redirects)") }
        if !gates.isEmpty { parts.append("gates \(gates)") }
        if isStamped { parts.append("stamped") }
        return parts.joined(separator: ", ") + (later?.enumerated().map { "\n    later hop \($0.offset): \($0.element)" }.joined() ?? "")
    }
}
