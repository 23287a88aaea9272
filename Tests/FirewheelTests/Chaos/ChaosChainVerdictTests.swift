import Firewheel
import FirewheelTesting
import Foundation
import Testing

/// Tests the chaos verdict on downloads that are interrupted and resumed.
@Suite("Chaos verdict: resumed downloads")
struct ChaosChainVerdictTests {
    private static let lost = ChaosLegRecord.Outcome.failed(.transportFailed(.networkConnectionLost))
    private static let cancelled = ChaosLegRecord.Outcome.failed(.explicitlyCancelled)

    /// A file of which two legs get a half each.
    private static func file(_ change: (inout ChaosScenario.Chain) -> Void = { _ in }) -> ChaosFile {
        var chain = ChaosScenario.Chain()
        chain.legs = [ChaosScenario.Leg(), ChaosScenario.Leg()]
        change(&chain)
        return ChaosFile(chain, seed: 1)
    }

    private static let held = ChaosLegRecord.Held(count: 500, condition: "\"v1\"", isRight: true)

    /// The record of the leg that is lost, or of the one that ends well.
    private static func record(_ number: Int, _ file: ChaosFile) -> ChaosLegRecord {
        var record = ChaosLegRecord()
        if number == 0 {
            record.told = [[lost], [lost]]
            record.kept = held
            record.servings = [.init(leg: 0, attempt: 0, version: 1, kind: .file(isCut: .close, sent: 500, isPart: false))]
            record.steps = [0, 500]
            record.received = .init(count: 500, total: 1_000)
            record.partials = 1
        } else {
            record.told = [[.value(file.bytes(1))], [.value(file.bytes(1))]]
            record.given = held
            record.servings = [
                .init(
                    leg: 1, attempt: 0, version: 1, kind: .file(isCut: .no, sent: 501, isPart: true), start: 499, condition: "\"v1\"",
                    codings: "identity")
            ]
            record.steps = [499, 1_000]
            record.received = .init(count: 1_000, total: 1_000)
            record.hasFile = true
        }
        return record
    }

    private static func problems(
        _ number: Int, _ file: ChaosFile = file(), _ change: (inout ChaosLegRecord) -> Void = { _ in }
    ) -> [String] {
        var record = record(number, file)
        change(&record)
        return ChaosChainVerdict(file: file).problems(of: number, record)
    }

    private static func tell(_ record: inout ChaosLegRecord, _ outcome: ChaosLegRecord.Outcome) {
        record.told = record.told.map { _ in [outcome] }
    }

    /// Changes the record as if the download had not got any further.
    private static func end(_ record: inout ChaosLegRecord, _ outcome: ChaosLegRecord.Outcome) {
        tell(&record, outcome)
        (record.kept, record.partials, record.hasFile) = (held, 1, false)
    }

    @Test("The chaos verdict accepts the right record of a download that is lost and resumed")
    func right() {
        #expect(Self.problems(0) == [])
        #expect(Self.problems(1) == [])
        #expect(
            Self.problems(1) { record in
                record.cancels = [true]
                Self.end(&record, Self.cancelled)
            } == [])
        #expect(
            Self.problems(1) { record in
                record.wasInvalidated = true
                Self.end(&record, .failed(.sessionInvalidated))
            } == [])
    }

    @Test("The chaos verdict lets a plain cancel leave the file that was given, unchanged")
    func left() {
        let leave = { (change: (inout ChaosLegRecord) -> Void) in
            Self.problems(1) { record in
                record.cancels = [false]
                Self.end(&record, Self.cancelled)
                (record.kept, record.left) = (nil, Self.held)
                change(&record)
            }
        }
        #expect(leave { _ in } == [])
        #expect(leave { ($0.left, $0.partials) = (nil, 0) } == [])
        #expect(leave { $0.left?.isRight = false } != [])
        #expect(leave { $0.cancels = [true] } != [])
        let invalidated = { (record: inout ChaosLegRecord) in
            record.wasInvalidated = true
            Self.tell(&record, .failed(.sessionInvalidated))
        }
        #expect(leave(invalidated) == [])
        #expect(
            leave { record in
                invalidated(&record)
                record.cancels = []
            } != [])
        #expect(leave { $0.partials = 2 } != [])
    }

    private static let wrongs: [(name: String, change: @Sendable (inout ChaosLegRecord) -> Void)] = [
        ("a spliced file", { tell(&$0, .value(file().bytes(1).prefix(500) + file { $0.legs[1].version = 2 }.bytes(2)[500..<1_000])) }),
        ("a short file", { tell(&$0, .value(file().bytes(1).prefix(999))) }),
        ("a file of another version", { tell(&$0, .value(file { $0.legs[1].version = 2 }.bytes(2))) }),
        ("a handler called twice", { $0.told[0].append($0.told[0][0]) }),
        ("a handler never called", { $0.told[1] = [] }),
        ("handlers that were told different things", { $0.told[1] = [lost] }),
        ("other resume data for each", { $0.isSameData = false }),
        ("a closure that was not called", { $0.asked = 1 }),
        ("a failure out of nothing", { end(&$0, lost) }),
        ("an unrequested cancel", { end(&$0, cancelled) }),
        ("resume data after a success", { $0.kept = held }),
        ("a partial file that is left", { $0.partials = 1 }),
        ("a temporary file that is left", { $0.strays = 1 }),
        ("no file at the destination", { $0.hasFile = false }),
        ("another range than the rest", { $0.servings[0].start = 500 }),
        ("no range", { $0.servings[0].start = nil }),
        ("a range without a condition", { $0.servings[0].condition = nil }),
        ("a range of a coded file", { $0.servings[0].codings = "gzip" }),
        ("progress that falls", { $0.steps = [700, 499, 1_000] }),
        ("progress that ends elsewhere", { $0.received?.count = 999 }),
        (
            "a file at the destination after a failure",
            {
                $0.cancels = [true]
                end(&$0, cancelled)
                $0.hasFile = true
            }
        ),
        (
            "resume data that a cancel has lost",
            {
                $0.cancels = [true]
                end(&$0, cancelled)
                ($0.kept, $0.partials) = (nil, 0)
            }
        ),
        (
            "bytes that a cancel has lost",
            {
                $0.cancels = [true]
                end(&$0, cancelled)
                $0.kept?.count = 498
            }
        ),
        (
            "resume data of a plain cancel",
            {
                $0.cancels = [false]
                end(&$0, cancelled)
            }
        ),
    ]

    @Test("The chaos verdict finds each fault of a resumed download", arguments: wrongs.indices)
    func wrong(index: Int) {
        let (name, change) = Self.wrongs[index]
        #expect(Self.problems(1, Self.file(), change) != [], "\(name)")
    }

    private static let wrongLosses: [(name: String, change: @Sendable (inout ChaosLegRecord) -> Void)] = [
        ("no resume data", { ($0.kept, $0.partials) = (nil, 0) }),
        ("a partial file with other bytes", { $0.kept?.isRight = false }),
        ("the beginning as a value", { tell(&$0, .value(file().bytes(1).prefix(500))) }),
        ("all as a value", { tell(&$0, .value(file().bytes(1))) }),
        ("another failure", { tell(&$0, .failed(.transportFailed(.cannotParseResponse))) }),
        ("a failure before it was retried", { $0.retryCount = 1 }),
        ("no partial file", { $0.partials = 0 }),
    ]

    @Test("The chaos verdict finds each fault of a download that is lost", arguments: wrongLosses.indices)
    func wrongLoss(index: Int) {
        let (name, change) = Self.wrongLosses[index]
        #expect(Self.problems(0, Self.file(), change) != [], "\(name)")
    }

    @Test("The chaos verdict forbids resume data without a strong validator (RFC 9110 section 13.1.5)")
    func validators() {
        for validator in ChaosScenario.Chain.Validator.allCases {
            let file = Self.file { $0.validator = validator }
            let problems = Self.problems(0, file)
            #expect(problems.isEmpty == validator.isStrong)
            let without = Self.problems(0, file) { ($0.kept, $0.partials) = (nil, 0) }
            #expect(without.isEmpty == !validator.isStrong)
        }
    }

    @Test("The chaos verdict requires the error that follows from each response")
    func responses() {
        for (kind, error) in [
            (.refused(404), .downloadResumptionRefused(404)), (.short, .transportFailed(.networkConnectionLost)),
            (.overlong, .transportFailed(.badServerResponse)),
            (.file(isCut: .reset, sent: 1, isPart: true), .transportFailed(.networkConnectionLost)),
        ] as [(ChaosServing.Kind, FirewheelError.Kind)] {
            let told = { (outcome: ChaosLegRecord.Outcome) in
                Self.problems(1) { record in
                    record.servings[0].kind = kind
                    Self.end(&record, outcome)
                }
            }
            #expect(told(.failed(error)) == [], "\(kind)")
            #expect(told(.failed(.transportFailed(.timedOut))) != [], "\(kind)")
            #expect(Self.problems(1) { $0.servings[0].kind = kind } != [], "a success after \(kind)")
        }
    }

    @Test("2,000 chaos seeds draw every answer, every cut and every step of resumed downloads")
    func drawn() {
        let chains = (0..<2_000).compactMap { ChaosScenario(seed: UInt64($0)).chain }
        #expect(chains.count > 500)
        func names(_ values: [some Any]) -> Int { Set(values.map { String("\($0)".prefix { $0 != "(" }) }).count }
        let legs = chains.flatMap(\.legs)
        let answers = legs.flatMap(\.answers)
        #expect(names(answers.map(\.manner)) == 12)
        #expect(names(answers.map(\.cut)) == 4)
        #expect(names(legs.flatMap(\.steps).map(\.action)) == 5)
        #expect(names(chains.map(\.validator)) == 4 && names(chains.map(\.server)) == 4)
        #expect(chains.count { Set($0.legs.map(\.version)).count > 1 } > 100)
        #expect(legs.count(where: \.usesURL) > 100 && legs.count(where: \.isOnNewSession) > 100)
        // The last leg is a good one, so that every chain ends with the file.
        #expect(chains.allSatisfy { $0.legs.last?.answers == [ChaosScenario.Answer()] && $0.legs.last?.steps.isEmpty == true })
    }
}
