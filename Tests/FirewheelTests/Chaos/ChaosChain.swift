import Firewheel
import FirewheelTesting
import Foundation

extension ChaosScenario {
    /// A download of a file that is interrupted and resumed. Its last leg is a good one.
    struct Chain: Sendable {
        enum Validator: Sendable, Equatable, CaseIterable {
            case strongTag, weakTag, lastModified, none

            var isStrong: Bool { self == .strongTag || self == .lastModified }
        }

        var server = ServerKind.http
        var validator = Validator.strongTag
        /// The size of the first version in bytes; later ones are larger.
        var size = 1_000
        var legs: [Leg] = [Leg()]
    }

    /// One request of a chain.
    struct Leg: Sendable {
        /// The version of the file on the server.
        var version = 1
        /// What the server does in each attempt; the last one is for all further ones.
        var answers: [Answer] = [Answer()]
        /// How often a failure is retried.
        var retries = 0
        var handlers: [Place] = [.first]
        var steps: [LegStep] = []
        /// Whether it is resumed with a URL of its own.
        var usesURL = false
        var isOnNewSession = false
        /// Whether the file is moved to a destination.
        var hasDestination = true
    }

    struct LegStep: Sendable, Equatable {
        enum Action: Sendable, Equatable {
            case suspend, resume
            case cancel(producesResumeData: Bool)
            /// Cancels, and asks for the resume data.
            case cancelForData
            case invalidate
        }

        /// Microseconds since the leg began.
        var at: Int
        var action: Action
    }

    struct Answer: Sendable, Equatable {
        /// How it answers a request for a range. It answers others with the whole file.
        enum Manner: Sendable, Equatable {
            /// As RFC 9110 section 14 says.
            case right
            /// Ignores the range.
            case whole
            case wrongStart, otherValidator, withoutRange, multipart, gzip
            /// Without a size, or with it.
            case unsatisfiable(hasSize: Bool)
            case refused(Int)
            case redirect
            /// Announces and sends half of the rest.
            case short
            /// Announces half of the rest, and sends all.
            case overlong
        }

        /// What happens to the body.
        enum Cut: Sendable, Equatable {
            case none
            case resets(after: Int)
            case closes(after: Int)
            /// Nothing more comes.
            case stalls(after: Int)
        }

        var manner = Manner.right
        var cut = Cut.none
        var isChunked = false
        /// Milliseconds.
        var headDelay = 0
        var pieces = 0

        var stalls: Bool {
            if case .stalls = cut { return true }
            return false
        }
    }
}

/// The file of a chain in all its versions, each with bytes of its own.
struct ChaosFile: Sendable {
    let chain: ChaosScenario.Chain
    let versions: [Data]

    init(_ chain: ChaosScenario.Chain, seed: UInt64) {
        self.chain = chain
        let count = chain.legs.map(\.version).max() ?? 1
        versions = (1...max(1, count)).map { version in
            var generator = SeededGenerator(state: seed ^ UInt64(version) &* 0x9E37)
            let size = chain.size + (version - 1) * 777
            let words = (0..<(size + 7) / 8).map { _ in generator.next() }
            return words.withUnsafeBytes { Data($0.prefix(size)) }
        }
    }

    func bytes(_ version: Int) -> Data { versions[version - 1] }

    /// The value of the field that tells a version from others.
    func validator(_ version: Int) -> String {
        switch chain.validator {
        case .strongTag: "\"v\(version)\""
        case .weakTag: "W/\"v\(version)\""
        case .lastModified: "Sun, 06 Nov 1994 08:49:1\(version) GMT"
        case .none: ""
        }
    }

    func fields(_ version: Int) -> [(String, String)] {
        switch chain.validator {
        case .strongTag, .weakTag: [("ETag", validator(version))]
        case .lastModified: [("Last-Modified", validator(version)), ("Date", "Sun, 06 Nov 1994 09:00:00 GMT")]
        case .none: []
        }
    }
}

// MARK: - Random choices

extension ChaosScenario {
    /// Adds a chain to some scenarios. It has a generator of its own, so that the rest of a seed's scenario does not depend on it.
    mutating func drawChain(isCalm: Bool) {
        var dice = ChaosDice(seed: seed ^ 0x5EED_0C4A_1700_00F2)
        dice.isCalm = isCalm
        guard dice.chance(35) else { return }
        chain = dice.chain()
    }
}

extension ChaosDice {
    mutating func chain() -> ChaosScenario.Chain {
        var chain = ChaosScenario.Chain()
        chain.server = one(of: ChaosScenario.ServerKind.allCases)
        chain.validator = one(of: [.strongTag, .strongTag, .strongTag, .lastModified, .lastModified, .weakTag, .none])
        chain.size = one(of: [number(2...20), number(2...20_000), number(2...300_000), number(50_000...300_000)])
        chain.legs = (0..<number(1...4)).map { _ in leg(chain.size) }
        for index in chain.legs.indices.dropFirst() {
            chain.legs[index].version = chain.legs[index - 1].version + (chance(20) ? 1 : 0)
        }
        var last = ChaosScenario.Leg()
        last.version = (chain.legs.last?.version ?? 1) + (chance(20) ? 1 : 0)
        last.isOnNewSession = chance(30)
        last.hasDestination = chance(80)
        chain.legs.append(last)
        return chain
    }

    private mutating func leg(_ size: Int) -> ChaosScenario.Leg {
        var leg = ChaosScenario.Leg()
        leg.retries = chance(35) ? number(1...3) : 0
        leg.answers = (0...leg.retries).map { _ in answer(size) }
        leg.handlers = (0..<number(1...3)).map { _ in one(of: ChaosScenario.Place.allCases) }
        leg.usesURL = chance(40)
        leg.isOnNewSession = chance(25)
        leg.hasDestination = chance(80)
        if chance(isCalm ? 30 : 70) {
            leg.steps = (0..<number(1...5)).map { _ in legStep() }.sorted { $0.at < $1.at }
        }
        return leg
    }

    private mutating func legStep() -> ChaosScenario.LegStep {
        let action = one(of: [
            ChaosScenario.LegStep.Action.suspend, .suspend, .resume, .resume, .cancel(producesResumeData: true),
            .cancel(producesResumeData: true), .cancelForData, .cancel(producesResumeData: false), .invalidate,
        ])
        return ChaosScenario.LegStep(at: moment(), action: action)
    }

    private mutating func answer(_ size: Int) -> ChaosScenario.Answer {
        var answer = ChaosScenario.Answer()
        let after = number(0...size)
        answer.manner = one(of: [
            .right, .right, .right, .right, .right, .whole, .wrongStart, .otherValidator, .withoutRange, .multipart, .gzip,
            .unsatisfiable(hasSize: chance(50)), .refused(one(of: [401, 404, 410, 503])), .redirect, .short, .overlong,
        ])
        answer.cut = one(of: [
            .none, .closes(after: after), .closes(after: after), .closes(after: after), .resets(after: after), .stalls(after: after),
        ])
        answer.isChunked = chance(30)
        if chance(25) { answer.headDelay = number(1...6) }
        if chance(40) { answer.pieces = number(2...6) }
        return answer
    }
}

// MARK: - Description

extension ChaosScenario.Chain: CustomStringConvertible {
    var description: String {
        var text = "\(server), \(validator), \(size) bytes\n"
        for (number, leg) in legs.enumerated() { text += "    leg \(number): \(leg)\n" }
        return text
    }
}

extension ChaosScenario.Leg: CustomStringConvertible {
    var description: String {
        var text = "version \(version), handlers \(handlers), retries \(retries), answers \(answers.map(String.init(describing:)))"
        if !steps.isEmpty { text += ", steps " + steps.map { "\($0.at): \($0.action)" }.joined(separator: "; ") }
        return text + (usesURL ? ", own URL" : "") + (isOnNewSession ? ", new session" : "") + (hasDestination ? "" : ", no destination")
    }
}

extension ChaosScenario.Answer: CustomStringConvertible {
    var description: String {
        "\(manner)\(cut == .none ? "" : " \(cut)")\(isChunked ? " chunked" : "")"
            + "\(headDelay > 0 ? " head after \(headDelay) ms" : "")\(pieces > 0 ? " in \(pieces) pieces" : "")"
    }
}
