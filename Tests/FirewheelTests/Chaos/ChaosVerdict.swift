import Firewheel
import FirewheelTesting
import Foundation

/// A handler's response in comparable form.
struct ChaosReport: Sendable, Equatable {
    enum Outcome: Sendable, Equatable {
        /// The value, as the bytes that it was made from.
        case value(Data)
        case failed(FirewheelError.Kind)
        /// A custom error of the caller.
        case own
        /// Only the task of a loop was cancelled.
        case loopCancelled
        case unknown(String)
    }

    /// The number of the handler, in the order of attaching.
    var handler: Int
    var outcome: Outcome
    /// The error's description.
    var reason = ""
    /// The body that came with a failure.
    var rest: Data?
    /// Whether a failed download left its file.
    var leavesFile = false
    /// Microseconds since the run began.
    var at = 0
}

/// What happened in one trip, as seen from outside.
struct ChaosRecord: Sendable {
    var handlers: [ChaosScenario.Handler] = []
    /// In the order in which the handlers were called, for each place.
    var reports: [ChaosReport] = []
    /// The microsecond of the first action on it.
    var began = 0
    /// Whether `cancel()` was called.
    var wasCancelled = false
    /// Whether that was before the start.
    var wasCancelledUnstarted = false
    /// Whether the session was released before every handler had been called.
    var wasReleased = false
    /// Whether that was before the start.
    var wasReleasedUnstarted = false
    /// The requests that the servers received: for each hop the method, and whether the body was right.
    var requests: [Arrival] = []
    /// The handlers certainly attached before the outcome was decided.
    var early: Set<Int> = []
    /// The readers of a stream that were certainly attached before its first byte.
    var full: Set<Int> = []
    /// The attempts in which readers were given something.
    var delivered: Set<Int> = []
    var questions: [ChaosNotes.Question] = []
    var retryCount = 0
    var metricsCount = 0
    /// How many bytes of its body an upload had sent, each time that its progress was shown; empty if nobody watched.
    var steps: [Int64] = []
    /// The same in the end, with the size; nil if nobody watched or it failed.
    var sent: Sent?

    struct Sent: Sendable, Equatable {
        var count: Int64
        var total: Int64
    }

    struct Arrival: Sendable, Equatable {
        var hop: Int
        var method: String
        var hasRightBody: Bool
        /// nil if the request does not name it.
        var attempt: Int?
        /// Whether it came to the other origin.
        var isAbroad = false
        /// Whether it has an `Authorization` field.
        var isAuthorized = false
        var cookies: [String] = []
        /// How many bytes of an upload were read.
        var size = 0
        /// Whether all of an upload was read.
        var isWhole = true
        /// Whether the server refused the expectation instead.
        var isUnexpected = false
    }
}

/// Compares a record with the possible results. The list of problems is empty if the record is correct.
struct ChaosVerdict {
    let scenario: ChaosScenario

    func problems(of number: Int, _ record: ChaosRecord) -> [String] {
        let problems =
            countProblems(record) + orderProblems(number, record) + outcomeProblems(number, record) + restProblems(number, record)
            + arrivalProblems(number, record) + accessProblems(number, record) + timeProblems(number, record)
            + retryProblems(number, record) + uploadProblems(number, record) + streamProblems(number, record)
        return problems.map { "trip \(number): \($0)" }
    }

    // MARK: Exactly once and in order

    private func countProblems(_ record: ChaosRecord) -> [String] {
        record.handlers.indices.compactMap { index in
            let count = record.reports.filter { $0.handler == index }.count
            return count == 1 ? nil : "handler \(index) of \(record.handlers.count) was called \(count) times"
        }
    }

    private func orderProblems(_ number: Int, _ record: ChaosRecord) -> [String] {
        // Each reader of a stream has its own pace.
        if scenario.trips[number].kind == .stream { return [] }
        return ChaosScenario.Place.allCases.filter(\.keepsOrder).compactMap { place in
            let order = record.reports.map(\.handler).filter { record.handlers.indices.contains($0) && record.handlers[$0].place == place }
            return order == order.sorted() ? nil : "handlers of \(place) were called in the order \(order)"
        }
    }

    // MARK: Outcome

    private func outcomeProblems(_ number: Int, _ record: ChaosRecord) -> [String] {
        let outcomes = record.reports.sorted { $0.handler < $1.handler }.filter { record.handlers.indices.contains($0.handler) }
        guard !outcomes.isEmpty else { return [] }
        let endings = possibleEndings(number, record)
        let isRight = endings.contains { fits(outcomes, $0, number, record) }
        guard !isRight else { return [] }
        let told = outcomes.map { "\($0.handler) (\(record.handlers[$0.handler].value)): \(Self.text($0.outcome)) \($0.reason)" }
        return ["told \(told.joined(separator: ", ")); possible were \(endings.map(Self.text))"]
    }

    func possibleEndings(_ number: Int, _ record: ChaosRecord) -> [ChaosOracle.Ending] {
        let cancelled = ChaosOracle.Ending.failed(.explicitlyCancelled)
        let invalidated = ChaosOracle.Ending.failed(.sessionInvalidated)
        if record.wasReleasedUnstarted { return record.wasCancelled ? [invalidated, cancelled] : [invalidated] }
        if record.wasCancelledUnstarted { return record.wasReleased ? [invalidated, cancelled] : [cancelled] }
        var endings = ChaosOracle(scenario: scenario).endings(of: number, attempt: record.retryCount)
        if record.wasCancelled { endings.append(cancelled) }
        if record.wasReleased { endings.append(invalidated) }
        if scenario.trips[number].kind == .stream { endings += streamEndings(number, record) }
        return endings
    }

    /// Whether all handlers report one ending. Handlers before a cancel or another early end may report the ending before it, except for
    /// downloads, whose file is either complete or not.
    private func fits(_ reports: [ChaosReport], _ ending: ChaosOracle.Ending, _ number: Int, _ record: ChaosRecord) -> Bool {
        if scenario.trips[number].kind == .stream {
            if reports.allSatisfy({ streamAccepts($0, ending, number, record) }) { return true }
            guard case .whole = ending else { return false }
            return possibleCuts(record).contains { cut in
                (0...reports.count).contains { count in
                    reports.prefix(count).allSatisfy { streamAccepts($0, ending, number, record) }
                        && reports.dropFirst(count).allSatisfy { streamAccepts($0, .failed(cut), number, record) }
                }
            }
        }
        let values = reports.map { record.handlers[$0.handler].value }
        guard case .whole = ending, !scenario.trips[number].isFinalWhenComplete else {
            return zip(reports, values).allSatisfy { $0.outcome == expected($1, ending) }
        }
        let cuts = possibleCuts(record)
        if zip(reports, values).allSatisfy({ accepts($0, expected($1, ending), number, record) }) { return true }
        // A complete file stays, but retriers may be cut short.
        guard scenario.trips[number].kind == .data else {
            return !cuts.isEmpty
                && zip(reports, values).allSatisfy { report, value in
                    let wanted = expected(value, ending)
                    return report.outcome == wanted || accepts(report, wanted, number, record)
                }
        }
        return cuts.contains { cut in
            (0...reports.count).contains { count in
                let isRight = zip(reports, values).prefix(count).enumerated().allSatisfy { index, pair in
                    let wanted = expected(pair.1, ending)
                    // Retriers were asked about the last one without success.
                    return accepts(pair.0, wanted, number, record) || index == count - 1 && pair.0.outcome == wanted
                }
                return isRight && zip(reports, values).dropFirst(count).allSatisfy { $0.outcome == expected($1, .failed(cut)) }
            }
        }
    }

    /// The errors that may end a trip while its responses are made.
    private func possibleCuts(_ record: ChaosRecord) -> [FirewheelError.Kind] {
        (record.wasCancelled ? [.explicitlyCancelled] : []) + (record.wasReleased ? [.sessionInvalidated] : [])
            + (scenario.resourceTimeout == nil ? [] : [.transportFailed(.timedOut)])
    }

    /// The report that a handler has to give for an ending.
    func expected(_ value: ChaosScenario.Value, _ ending: ChaosOracle.Ending) -> ChaosReport.Outcome {
        switch (value, ending) {
        case (.refusing, _): return .own
        case (.tolerant, .failed): return .value(ChaosTolerance.failed)
        case (_, .failed(let kind)): return .failed(kind)
        case (.raw, .whole(_, let body, _)), (.own, .whole(_, let body, _)), (.slow, .whole(_, let body, _)),
            (.tolerant, .whole(_, let body, _)), (.cancelling, .whole(_, let body, _)):
            return .value(body)
        case (_, .whole(_, let body, false)) where body.isEmpty:
            return .failed(.responseSerializationFailed(.inputDataNilOrZeroLength))
        case (.decodable, .whole(_, let body, _)) where body.isEmpty:
            return .failed(.responseSerializationFailed(.invalidEmptyResponse(type: "ChaosProbe")))
        case (.json, .whole(_, let body, _)) where !body.isEmpty && !Self.isProbe(body):
            return .failed(.responseSerializationFailed(.jsonSerializationFailed))
        case (.decodable, .whole(_, let body, _)) where !Self.isProbe(body):
            return .failed(.responseSerializationFailed(.decodingFailed))
        case (_, .whole(_, let body, _)): return .value(body)
        }
    }

    /// Truncated JSON is not valid.
    private static func isProbe(_ body: Data) -> Bool { body.first == UInt8(ascii: "{") && body.last == UInt8(ascii: "}") }

    // MARK: Nothing missing or duplicated

    /// The body with a failure is a prefix of what was sent.
    private func restProblems(_ number: Int, _ record: ChaosRecord) -> [String] {
        if scenario.trips[number].kind == .stream { return [] }
        return record.reports.compactMap { report -> String? in
            if report.leavesFile { return "the download failed for handler \(report.handler) and left its file" }
            guard let rest = report.rest, !rest.isEmpty else { return nil }
            let hops = scenario.trips[number].allHops.indices
            if hops.contains(where: { scenario.denial(number, $0).starts(with: rest) }) { return nil }
            let isKnown = (0...1).contains { attempt in
                scenario.trips[number].hops(of: attempt).indices.contains { isBeginning(rest, of: number, $0, attempt) }
            }
            return isKnown ? nil : "handler \(report.handler) was given \(rest.count) bytes that no server sent: \(Self.text(rest))"
        }
    }

    private func isBeginning(_ rest: Data, of number: Int, _ hop: Int, _ attempt: Int) -> Bool {
        let body = scenario.body(number, hop, attempt: attempt)
        if case .endlessBody = scenario.trips[number].hops(of: attempt)[hop].fault, rest.count > body.count {
            return rest.starts(with: body) && rest.dropFirst(body.count).allSatisfy { $0 == UInt8(ascii: "x") }
        }
        return body.starts(with: rest)
    }

    // MARK: Timeouts

    private func timeProblems(_ number: Int, _ record: ChaosRecord) -> [String] {
        let trip = scenario.trips[number]
        guard let shortest = [trip.idleTimeout, scenario.resourceTimeout].compactMap({ $0 }).min() else { return [] }
        // One millisecond of tolerance, because the clocks are read at different times.
        let due = record.began + shortest * 1000 - 1000
        return record.reports.filter { $0.outcome == .failed(.transportFailed(.timedOut)) && $0.at < due }.map { report in
            "handler \(report.handler) was told of a timeout at \(report.at) µs, which was due at \(due) µs"
        }
    }

    // MARK: Description

    static func text(_ data: Data) -> String {
        "\(data.count) bytes \(String(decoding: data.prefix(60), as: UTF8.self).debugDescription)"
    }

    static func text(_ outcome: ChaosReport.Outcome) -> String {
        if case .value(let data) = outcome { return text(data) }
        return "\(outcome)"
    }

    static func text(_ ending: ChaosOracle.Ending) -> String {
        if case .whole(let status, let body, _) = ending { return "\(status) with \(text(body))" }
        return "\(ending)"
    }
}

enum ChaosTolerance {
    /// The value that a tolerant serializer makes of failures.
    static let failed = Data("failed".utf8)
}
