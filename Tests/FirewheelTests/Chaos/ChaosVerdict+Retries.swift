import Firewheel
import Foundation

// The verdict on questions to retriers and on their answers.
extension ChaosVerdict {
    func retryProblems(_ number: Int, _ record: ChaosRecord) -> [String] {
        let trip = scenario.trips[number]
        var problems = questionProblems(trip, record)
        if record.wasCancelledUnstarted || record.wasReleasedUnstarted, record.retryCount > 0 || !record.questions.isEmpty {
            problems.append("it was never started and retried \(record.retryCount) times")
        }
        for attempt in 0..<record.retryCount where !mayBeRetried(number, attempt, record) {
            problems.append("attempt \(attempt) was retried, which cannot fail or is not to be retried")
        }
        let isMade = ![.invalidURL, .invalidHeader, .throwingModifier].contains(trip.source)
        let sent = (0...record.retryCount).filter { attempt in
            isMade && trip.isSent(in: attempt)
        }
        // The last attempt may have been ended before anything was sent.
        let isShort = (record.wasCancelled || record.wasReleased || scenario.resourceTimeout != nil) && sent.last == record.retryCount
        if record.metricsCount > sent.count || record.metricsCount < sent.count - (isShort ? 1 : 0) {
            problems.append("there are metrics of \(record.metricsCount) attempts, of \(sent.count) that were sent")
        }
        return problems
    }

    private func questionProblems(_ trip: ChaosScenario.Trip, _ record: ChaosRecord) -> [String] {
        var problems: [String] = []
        let questions = record.questions
        // One question may have been under way.
        let late = questions.filter(\.isLate)
        if late.count > 1 { problems.append("retriers were asked \(late.count) times after it had been cut short: \(late)") }
        for question in questions {
            switch question.kind {
            case .explicitlyCancelled, .sessionInvalidated, .downloadedFileMoveFailed, .requestRetryFailed:
                problems.append("a retrier was asked about \(String(describing: question.kind))")
            case .responseStreamFailed,
                nil where trip.kind == .stream:
                problems.append("a retrier was asked after a byte had been handed over")
            case nil where trip.isFinalWhenComplete, .responseSerializationFailed where trip.isFinalWhenComplete:
                problems.append("a retrier was asked after a file had been placed")
            default: break
            }
        }
        let attempts = questions.map(\.attempt)
        if attempts != attempts.sorted() || attempts.contains(where: { $0 > record.retryCount }) {
            problems.append("retriers were asked about the attempts \(attempts), of \(record.retryCount + 1)")
        }
        for attempt in 0...record.retryCount {
            let answers = questions.filter { $0.attempt == attempt }.map { trip.policies.retriers[$0.retrier].answer(in: attempt) }
            let retries = answers.filter { $0 != .never && $0 != .refusal }.count
            // Each of several responses may fail, and all are asked about if the body cannot be sent again.
            if trip.isOneShot, attempt == record.retryCount { continue }
            if retries > 1 || attempt < record.retryCount && retries == 0 && !trip.isRefreshed(in: attempt) {
                problems.append("retriers wanted \(retries) retries of attempt \(attempt), of \(record.retryCount + 1)")
            }
            if let index = answers.firstIndex(where: { $0 != .never && $0 != .refusal }), index < answers.count - 1 {
                problems.append("a retrier was asked about attempt \(attempt) after another had decided")
            }
        }
        // Each question goes to the first retrier, and to the next where that one does not retry.
        for (index, question) in questions.enumerated() where question.retrier > 0 {
            let last = index > 0 ? questions[index - 1] : nil
            if last?.retrier != question.retrier - 1 || last?.attempt != question.attempt {
                problems.append("retrier \(question.retrier) was asked out of turn about attempt \(question.attempt)")
            }
        }
        return problems
    }

    /// Whether an attempt can fail in a way that the retriers retry.
    private func mayBeRetried(_ number: Int, _ attempt: Int, _ record: ChaosRecord) -> Bool {
        let trip = scenario.trips[number]
        if trip.isRefreshed(in: attempt) { return trip.access.tokens?.isRefreshed == true }
        guard trip.isRetried(in: attempt) else { return false }
        let oracle = ChaosOracle(scenario: scenario)
        return oracle.outlook(of: number, attempt: attempt).endings.contains { ending in
            if case .whole = ending {
                return !trip.isFinalWhenComplete && record.handlers.contains { Self.isFailure(expected($0.value, ending)) }
            }
            return oracle.asksRetriers(ending)
        }
    }

    /// Whether a handler may have been given this for a complete response, if nothing ended the request early.
    func accepts(_ report: ChaosReport, _ wanted: ChaosReport.Outcome, _ number: Int, _ record: ChaosRecord) -> Bool {
        guard Self.isFailure(wanted) else { return report.outcome == wanted }
        // A retry for a serializer's error that cannot send the body again.
        let isSpent = scenario.trips[number].isOneShot && scenario.trips[number].isRetried(in: record.retryCount)
        if isSpent, report.outcome == .failed(.uploadBodyFailed(.notRepeatable)) { return true }
        // Retriers are not asked about handlers attached after the end, or after the resource timeout.
        let isUnasked = !record.early.contains(report.handler) || scenario.resourceTimeout != nil
        switch scenario.trips[number].decision(in: record.retryCount) {
        case .never: return report.outcome == wanted
        case .refusal: return report.outcome == .failed(.requestRetryFailed) || isUnasked && report.outcome == wanted
        case .atOnce, .delayed: return isUnasked && report.outcome == wanted
        }
    }

    static func isFailure(_ outcome: ChaosReport.Outcome) -> Bool {
        switch outcome {
        case .failed, .own: true
        case .value, .loopCancelled, .unknown: false
        }
    }
}
