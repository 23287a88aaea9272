import Firewheel
import Foundation
import Testing

/// Tests the chaos verdict on event sources: it accepts correct records and finds each kind of problem.
@Suite("Chaos verdict: feeds")
struct ChaosFeedVerdictTests {
    /// Five events: two, a connection that is cut in the third, a 503, and the rest.
    private static let right = ChaosFeedRecord(
        events: (1...5).map(ChaosFeedRecord.text), ends: [.ended], loop: .ended,
        arrivals: [
            .init(lastEventID: 0, answer: .events(2, isWhole: true)), .init(lastEventID: 2, answer: .events(2, isWhole: false)),
            .init(lastEventID: 3, answer: .refused(503)), .init(lastEventID: 3, answer: .events(2, isWhole: true)),
            .init(lastEventID: 5, answer: .end),
        ], arrivalsAtEnd: 5)

    private static func problems(
        _ change: (inout ChaosFeedRecord) -> Void = { _ in }, of plan: (inout ChaosScenario.Feed) -> Void = { _ in }
    ) -> [String] {
        var (record, feed) = (right, ChaosScenario.Feed(count: 5))
        change(&record)
        plan(&feed)
        return ChaosFeedVerdict(feed: feed).problems(of: record)
    }

    private static let cancelled = ChaosFeedRecord.Outcome.failed(.explicitlyCancelled)

    private static func cut(_ record: inout ChaosFeedRecord, _ end: ChaosFeedRecord.Outcome) {
        (record.events, record.ends, record.loop) = (Array(record.events.prefix(1)), [end], end)
        record.arrivals = [record.arrivals[0]]
    }

    @Test("The chaos verdict accepts a feed that is whole, left, cancelled and refused")
    func right() {
        #expect(Self.problems() == [])
        #expect(
            Self.problems {
                Self.cut(&$0, .ended)
            } of: {
                $0.leaves = 1
            } == [])
        #expect(
            Self.problems {
                Self.cut(&$0, Self.cancelled)
            } of: {
                $0.steps = [.init(at: 0, action: .cancel)]
            } == [])
        #expect(
            Self.problems { record in
                Self.cut(&record, .failed(.responseValidationFailed(.unacceptableStatusCode(404))))
                record.arrivals.append(.init(lastEventID: 1, answer: .refused(404)))
                record.arrivals[0].answer = .events(1, isWhole: true)
            } == [])
    }

    @Test("The chaos verdict finds lost, repeated and foreign events, a second end, and requests that should not be")
    func wrong() {
        #expect(Self.problems { $0.events.removeLast() } != [])
        #expect(Self.problems { $0.events.remove(at: 2) } != [])
        #expect(Self.problems { $0.events.insert($0.events[2], at: 2) } != [])
        #expect(Self.problems { $0.events[4] = "lost lost" } != [])
        #expect(Self.problems { $0.ends = [] } != [])
        #expect(Self.problems { $0.ends.append(.ended) } != [])
        #expect(Self.problems { $0.loop = nil } != [])
        #expect(Self.problems { $0.loop = Self.cancelled } != [])
        #expect(Self.problems { Self.cut(&$0, .ended) } != [])
        #expect(Self.problems { Self.cut(&$0, Self.cancelled) } != [])
        #expect(Self.problems { $0.arrivals[1].lastEventID = 1 } != [])
        #expect(Self.problems { $0.arrivals[3].lastEventID = 2 } != [])
        #expect(Self.problems { $0.arrivals[2].isRight = false } != [])
        #expect(Self.problems { $0.arrivals.append($0.arrivals[4]) } != [])
        #expect(Self.problems { $0.arrivalsAtEnd = 3 } != [])
        #expect(Self.problems { $0.heldEvents = 1 } != [])
        #expect(
            Self.problems { _ in
            } of: {
                $0.isStandard = true
            } != [])
        #expect(
            Self.problems { _ in
            } of: {
                $0.leaves = 3
            } != [])
    }
}
