import Firewheel
import Foundation

/// Compares what an event source delivered with what its servers did. The list of problems is empty if all is correct.
struct ChaosFeedVerdict {
    let feed: ChaosScenario.Feed

    func problems(of record: ChaosFeedRecord) -> [String] {
        (eventProblems(record) + endProblems(record) + requestProblems(record)).map { "feed: \($0)" }
    }

    /// Each event comes once and in order, whatever ends a connection.
    private func eventProblems(_ record: ChaosFeedRecord) -> [String] {
        var problems: [String] = []
        let count = record.events.count
        if record.events != (1..<count + 1).map(ChaosFeedRecord.text) { problems.append("the events were \(record.events)") }
        if record.heldEvents > 0 { problems.append("\(record.heldEvents) events were delivered during a suspension") }
        if let leaves = feed.leaves, count > leaves { problems.append("\(count) events were delivered, and it left after \(leaves)") }
        guard let last = record.arrivals.last else { return count > 0 ? problems + ["events without a request"] : problems }
        var possible = last.lastEventID...last.lastEventID
        if case .events(let more, _) = last.answer { possible = last.lastEventID...last.lastEventID + more }
        if !possible.contains(count) { problems.append("\(count) events were delivered; possible were \(possible)") }
        return problems
    }

    private func endProblems(_ record: ChaosFeedRecord) -> [String] {
        guard record.ends.count == 1 else { return ["the end was told \(record.ends.count) times"] }
        var problems: [String] = []
        let possible = possibleEnds(record)
        for end in record.ends + (record.loop.map { [$0] } ?? []) where !possible.contains(end) {
            problems.append("told \(end); possible were \(possible)")
        }
        // A cancel can come while the loop deals with the event at which it leaves.
        let mayDiffer = record.events.count == feed.leaves && does(.cancel)
        if let loop = record.loop, loop != record.ends[0], !mayDiffer {
            problems.append("the loop was told \(loop), the handler \(record.ends)")
        }
        if feed.reader == .loop, record.loop == nil { problems.append("the loop did not end") }
        return problems
    }

    private func does(_ action: ChaosScenario.FeedStep.Action) -> Bool { feed.steps.contains { $0.action == action } }

    private func possibleEnds(_ record: ChaosFeedRecord) -> [ChaosFeedRecord.Outcome] {
        var possible: [ChaosFeedRecord.Outcome] = []
        if let leaves = feed.leaves, record.events.count == leaves { possible.append(.ended) }
        if does(.close) { possible.append(.ended) }
        if does(.cancel) { possible.append(feed.reader == .loop ? .failed(.explicitlyCancelled) : .ended) }
        if does(.invalidate) { possible.append(.failed(.sessionInvalidated)) }
        if let end = record.arrivals.last.flatMap({ end($0.answer) }) { possible.append(end) }
        return possible
    }

    /// The end that follows from an answer; nil if another request does.
    private func end(_ answer: ChaosFeedRecord.Answer) -> ChaosFeedRecord.Outcome? {
        switch answer {
        case .events: return nil
        case .end: return .ended
        case .wrongType:
            return .failed(
                .responseValidationFailed(
                    .unacceptableContentType(acceptable: ["text/event-stream"], received: "text/plain")))
        case .refused(let status):
            let isTemporary = status == 408 || status == 429 || status >= 500
            return isTemporary && !feed.isStandard ? nil : .failed(.responseValidationFailed(.unacceptableStatusCode(status)))
        }
    }

    /// Each request goes on after the last event that was delivered, and none follows an end.
    private func requestProblems(_ record: ChaosFeedRecord) -> [String] {
        var problems: [String] = []
        // One was perhaps on its way.
        let late = record.arrivals.count - record.arrivalsAtEnd
        if late > 1 { problems.append("\(late) requests came after the end") }
        for (number, arrival) in record.arrivals.enumerated() {
            if !arrival.isRight { problems.append("request \(number) has another method, body or field") }
            guard number > 0 else {
                if arrival.lastEventID != 0 { problems.append("the first request goes on after \(arrival.lastEventID)") }
                continue
            }
            let before = record.arrivals[number - 1]
            if end(before.answer) != nil { problems.append("request \(number) follows the end") }
            var possible = before.lastEventID...before.lastEventID
            if case .events(let more, let isWhole) = before.answer {
                possible = (before.lastEventID + (isWhole ? more : 0))...before.lastEventID + more
            }
            if !possible.contains(arrival.lastEventID) {
                problems.append("request \(number) goes on after \(arrival.lastEventID); possible were \(possible)")
            }
        }
        return problems
    }
}
