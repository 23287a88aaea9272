import Firewheel
import Foundation

// The verdict on bodies that are not in memory: what arrived of them, and what their progress showed.
extension ChaosVerdict {
    func uploadProblems(_ number: Int, _ record: ChaosRecord) -> [String] {
        guard scenario.trips[number].upload != nil else { return [] }
        return onceProblems(number, record) + wholeProblems(number, record) + progressProblems(number, record)
    }

    /// A body that can be produced once is sent once.
    private func onceProblems(_ number: Int, _ record: ChaosRecord) -> [String] {
        let count = record.requests.count { $0.size > 0 }
        guard scenario.trips[number].isOneShot, count > 1 else { return [] }
        return ["a body that can be produced once was sent \(count) times"]
    }

    /// A server that reads all of a body answers only when it has all of it.
    private func wholeProblems(_ number: Int, _ record: ChaosRecord) -> [String] {
        let trip = scenario.trips[number]
        let hops = trip.hops(of: record.retryCount)
        guard let count = scenario.requestBody(number)?.count, hops[0].intake == .whole else { return [] }
        // What followed the first server is not known for other outcomes.
        let isServed = record.reports.contains { report in
            if case .value(let data) = report.outcome { return data != ChaosTolerance.failed }
            return false
        }
        let isThere = record.requests.contains { $0.hop == 0 && $0.size == count && ($0.attempt ?? 0) <= record.retryCount }
        return isServed && !isThere ? ["it was answered, but its body of \(count) bytes has not arrived"] : []
    }

    private func progressProblems(_ number: Int, _ record: ChaosRecord) -> [String] {
        let trip = scenario.trips[number]
        var problems: [String] = []
        let count = Int64(scenario.requestBody(number)?.count ?? 0)
        let falls = zip(record.steps, record.steps.dropFirst()).count { $1 < $0 }
        if falls > record.retryCount { problems.append("its progress fell \(falls) times in \(record.retryCount + 1) attempts") }
        if let most = record.steps.max(), most > max(1, count) { problems.append("its progress was \(most) bytes of \(count)") }
        guard let sent = record.sent else { return problems }
        if sent.count > sent.total { problems.append("\(sent.count) bytes of \(sent.total) were sent in the end") }
        let isWhole = trip.hops(of: record.retryCount).allSatisfy { $0.intake == .whole }
        if isWhole, sent.total != max(1, count) || sent.count != sent.total {
            problems.append("\(sent.count) bytes of \(sent.total) were sent in the end, of \(count)")
        }
        return problems
    }
}
