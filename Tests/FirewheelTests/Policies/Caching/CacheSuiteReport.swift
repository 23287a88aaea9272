import Foundation

/// The results of all cases, with the suite's rules for those that depend on others.
struct CacheSuiteReport: Sendable {
    /// The suite's result of one case.
    enum Result: Equatable, Sendable {
        case pass
        case fail(String)
        case setupFailure(String)
        case harnessFailure(String)
        /// A case that it depends on did not pass.
        case dependencyFailure(String)

        var reason: String {
            switch self {
            case .pass: ""
            case .fail(let reason), .setupFailure(let reason), .harnessFailure(let reason): reason
            case .dependencyFailure(let id): "depends on \(id)"
            }
        }

        /// The word of the table: a check has no right answer, so it does not fail.
        func word(for kind: CacheSuiteCase.Kind) -> String {
            switch self {
            case .pass: kind == .check ? "yes" : "pass"
            case .fail: kind == .check ? "no" : "FAIL"
            case .setupFailure: "setup failure"
            case .harnessFailure: "HARNESS FAILURE"
            case .dependencyFailure: "dependency failed"
            }
        }
    }

    /// How many of the optimal cases the best browser passes in the suite's published results.
    static let bestBrowser = 57

    /// The optimal cases that do not pass.
    static let failingOptional: Set<String> = [
        // Dates with other case than RFC 9110 section 5.6.7 has it are not read.
        "freshness-expires-wrong-case-month", "freshness-expires-wrong-case-tz", "freshness-expires-wrong-case-weekday",
        // Responses to POST are not stored.
        "method-POST",
        // The order of a list may be a preference, and nothing is chosen from what is stored by quality values.
        "vary-normalise-lang-order", "vary-normalise-lang-select",
        // Parts are not stored.
        "partial-store-partial-reuse-partial", "partial-store-partial-reuse-partial-byterange",
        "partial-store-partial-reuse-partial-absent",
        "partial-store-partial-reuse-partial-suffix", "partial-store-partial-complete",
    ]

    let cases: [CacheSuiteCase]
    /// Responses whose source contradicts what the server has seen.
    let contradictions: [String]
    /// Of the whole run.
    let seconds: TimeInterval
    private let results: [String: Result]

    /// Plays all cases for a private cache.
    ///
    /// - Parameter runner: What plays a case.
    static func make(
        with runner: @escaping @Sendable (CacheSuiteCase) async throws(CacheSuiteJudge.Failure) -> CacheSuiteRunner
    ) async throws -> CacheSuiteReport {
        let cases = try CacheSuite.privateCases()
        let start = DispatchTime.now().uptimeNanoseconds
        let runs = await CacheSuiteRunner.run(cases, with: runner)
        return CacheSuiteReport(cases, runs, seconds: TimeInterval(DispatchTime.now().uptimeNanoseconds - start) / 1e9)
    }

    init(_ cases: [CacheSuiteCase], _ runs: [String: CacheSuiteRunner.Run], seconds: TimeInterval) {
        self.cases = cases
        self.seconds = seconds
        contradictions = cases.flatMap { runs[$0.id]?.contradictions ?? [] }
        let byID = Dictionary(cases.map { ($0.id, $0) }, uniquingKeysWith: { first, _ in first })
        var results: [String: Result] = [:]
        func result(of id: String) -> Result {
            if let known = results[id] { return known }
            guard let test = byID[id], let run = runs[id] else { return .harnessFailure("there is no case \(id)") }
            // The suite has no circles of dependencies; one would end here.
            results[id] = .harnessFailure("depends on itself")
            let failed = test.dependencies.first { result(of: $0) != .pass }
            let result = failed.map(Result.dependencyFailure) ?? Self.result(of: run)
            results[id] = result
            return result
        }
        for test in cases { _ = result(of: test.id) }
        self.results = results
    }

    private static func result(of run: CacheSuiteRunner.Run) -> Result {
        switch run.failure {
        case nil: .pass
        case .assertion(let reason): .fail(reason)
        case .setup(let reason): .setupFailure(reason)
        case .harness(let reason): .harnessFailure(reason)
        }
    }

    func result(of test: CacheSuiteCase) -> Result { results[test.id] ?? .harnessFailure("not run") }

    func cases(of kind: CacheSuiteCase.Kind) -> [CacheSuiteCase] { cases.filter { $0.kind == kind } }

    /// The cases of a kind that did not pass, for whatever reason.
    func failures(of kind: CacheSuiteCase.Kind) -> [CacheSuiteCase] { cases(of: kind).filter { result(of: $0) != .pass } }

    /// A line for each case, with its reason.
    func lines(of cases: [CacheSuiteCase]) -> String {
        cases.map { test in
            let result = result(of: test)
            return "\(test.id)\t\(test.kind.rawValue)\t\(result.word(for: test.kind))\t\(result.reason)"
        }.joined(separator: "\n")
    }
}
