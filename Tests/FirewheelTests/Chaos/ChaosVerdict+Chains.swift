import Firewheel
import Foundation

/// Compares the legs of a chain with what their servers did. The list of problems is empty if all are correct.
struct ChaosChainVerdict {
    let file: ChaosFile

    private var chain: ChaosScenario.Chain { file.chain }

    func problems(of number: Int, _ record: ChaosLegRecord) -> [String] {
        let problems =
            toldProblems(number, record) + outcomeProblems(number, record) + dataProblems(number, record) + requestProblems(number, record)
            + fileProblems(number, record) + progressProblems(number, record)
        return problems.map { "leg \(number): \($0)" }
    }

    // MARK: Handlers

    private func toldProblems(_ number: Int, _ record: ChaosLegRecord) -> [String] {
        var problems = record.told.enumerated().compactMap { index, outcomes in
            outcomes.count == 1 ? nil : "handler \(index) of \(record.told.count) was called \(outcomes.count) times"
        }
        let outcomes = record.told.flatMap(\.self)
        if outcomes.contains(where: { $0 != outcomes[0] }) { problems.append("handlers were told \(outcomes.map(Self.text))") }
        if record.asked != record.answered { problems.append("\(record.answered) of \(record.asked) closures were given resume data") }
        if !record.isSameData { problems.append("the response, the error, the request and the closures have other resume data") }
        return problems
    }

    // MARK: Outcome

    private func outcomeProblems(_ number: Int, _ record: ChaosLegRecord) -> [String] {
        guard let told = record.told.first?.first else { return [] }
        let possible = possibleOutcomes(number, record)
        return possible.contains(told) ? [] : ["told \(Self.text(told)); possible were \(possible.map(Self.text))"]
    }

    private func possibleOutcomes(_ number: Int, _ record: ChaosLegRecord) -> [ChaosLegRecord.Outcome] {
        var possible: [ChaosLegRecord.Outcome] = []
        if !record.cancels.isEmpty { possible.append(.failed(.explicitlyCancelled)) }
        if record.wasInvalidated { possible.append(.failed(.sessionInvalidated)) }
        // Only the last response of the last attempt counts.
        guard let last = record.servings.last(where: { $0.attempt == record.retryCount }) else { return possible }
        let end = Self.end(last)
        // A failure that is to be retried is no end.
        if let end, record.retryCount == chain.legs[number].retries { possible.append(.failed(end)) }
        if case .file(.no, _, _) = last.kind { possible.append(.value(file.bytes(last.version))) }
        return possible
    }

    /// The error that follows from a response; nil if it is no failure, or none by itself.
    private static func end(_ serving: ChaosServing) -> FirewheelError.Kind? {
        switch serving.kind {
        // Over HTTP/2 the front gives the stream up.
        case .file(.reset, _, _), .file(.close, _, _): .transportFailed(.networkConnectionLost)
        case .file, .useless: nil
        case .refused(let status): .downloadResumptionRefused(status)
        case .short: .transportFailed(.networkConnectionLost)
        case .overlong: .transportFailed(.badServerResponse)
        }
    }

    // MARK: Resume data

    private func dataProblems(_ number: Int, _ record: ChaosLegRecord) -> [String] {
        guard case .failed(let kind)? = record.told.first?.first else {
            return record.kept == nil && record.left == nil ? [] : ["it succeeded and has resume data"]
        }
        var problems: [String] = []
        if let kept = record.kept {
            if !chain.validator.isStrong { problems.append("there is resume data without a strong validator") }
            if !kept.isRight { problems.append("the partial file of \(kept.count) bytes is not the beginning of \(kept.condition)") }
            if kind == .explicitlyCancelled, record.cancels == [false] { problems.append("a plain cancel has left resume data") }
        } else if mustKeep(number, record, kind) {
            problems.append("there is no resume data after \(kind)")
        }
        // A plain cancel removes what was received, not what was given.
        if let left = record.left, !mayBeDropped(record, kind) || left != record.given {
            problems.append("the given partial file was left as \(left)")
        }
        // What there was is not lost, unless it is replaced by another version.
        if let given = record.given, let kept = record.kept, kept.condition == given.condition, !hasWhole(record),
            kept.count < given.count - 1
        {
            problems.append("of \(given.count) bytes \(kept.count) are left")
        }
        return problems
    }

    private func hasWhole(_ record: ChaosLegRecord) -> Bool {
        record.servings.contains { serving in
            if case .file(_, _, isPart: false) = serving.kind { return true }
            return false
        }
    }

    /// Whether a plain cancel may have decided that there is no resume data. It may come while the session's end is handled.
    private func mayBeDropped(_ record: ChaosLegRecord, _ kind: FirewheelError.Kind) -> Bool {
        record.cancels.contains(false) && [.explicitlyCancelled, .sessionInvalidated].contains(kind)
    }

    private func mustKeep(_ number: Int, _ record: ChaosLegRecord, _ kind: FirewheelError.Kind) -> Bool {
        guard chain.validator.isStrong else { return false }
        if mayBeDropped(record, kind) { return false }
        if record.given != nil, !hasWhole(record) { return true }
        // A server that closes the connection has been heard to the end.
        guard kind != .explicitlyCancelled, kind != .sessionInvalidated else { return false }
        guard case .file(.close, let sent, _)? = record.servings.last?.kind else { return false }
        return sent > 0
    }

    // MARK: Requests

    private func requestProblems(_ number: Int, _ record: ChaosLegRecord) -> [String] {
        var problems: [String] = []
        for serving in record.servings where serving.start != nil {
            if serving.codings != "identity" { problems.append("a range was asked for with the codings \(serving.codings ?? "none")") }
            if serving.condition == nil { problems.append("a range was asked for without a condition") }
        }
        guard let first = record.servings.first, first.attempt == 0 else { return problems }
        // A modification date says nothing about the file of another URL.
        let mayGoOn = chain.validator != .lastModified || !chain.legs[number].usesURL
        let wanted = record.given.flatMap { mayGoOn && $0.count > 1 ? Int($0.count) - 1 : nil }
        if first.start != wanted || wanted != nil && first.condition != record.given?.condition {
            problems.append("the rest from \(String(describing: first.start)) was asked for with \(first.condition ?? "no condition")")
        }
        return problems
    }

    // MARK: Files

    private func fileProblems(_ number: Int, _ record: ChaosLegRecord) -> [String] {
        var problems: [String] = []
        if record.strays > 0 { problems.append("\(record.strays) temporary files were left") }
        let expected = record.kept == nil && record.left == nil ? 0 : 1
        if record.partials != expected { problems.append("\(record.partials) partial files were left, not \(expected)") }
        var isValue = false
        if case .value? = record.told.first?.first { isValue = true }
        if record.hasFile != (isValue && chain.legs[number].hasDestination) {
            problems.append("there is \(record.hasFile ? "a" : "no") file at its destination")
        }
        return problems
    }

    // MARK: Progress

    private func progressProblems(_ number: Int, _ record: ChaosLegRecord) -> [String] {
        var problems: [String] = []
        let falls = zip(record.steps, record.steps.dropFirst()).count { $1 < $0 }
        if falls > record.retryCount { problems.append("its progress fell \(falls) times in \(record.retryCount + 1) attempts") }
        guard case .value(let bytes)? = record.told.first?.first else { return problems }
        let count = Int64(bytes.count)
        if record.received != .init(count: count, total: count) {
            problems.append("its progress ended as \(record.received.map { "\($0.count) of \($0.total)" } ?? "none"), of \(count)")
        }
        return problems
    }

    private static func text(_ outcome: ChaosLegRecord.Outcome) -> String {
        if case .value(let data) = outcome { return ChaosVerdict.text(data) }
        return "\(outcome)"
    }
}
