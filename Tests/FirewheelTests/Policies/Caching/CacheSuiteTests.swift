import Foundation
import Testing

/// The suite of github.com/http-tests/cache-tests, which compares the caches of browsers, proxies and content delivery networks, as for a
/// browser. It has required cases, optimal ones, and checks, which have no right answer.
@Suite("The public suite of HTTP caching tests", .timeLimit(.minutes(5)))
struct CacheSuiteTests {
    private static let table = ProcessInfo.processInfo.environment["FIREWHEEL_CACHE_TABLE"]
    /// One run for all tests.
    private static let report = Task { try await CacheSuiteReport.make { CacheSuiteRunner(overStandIn: $0) } }

    @Test("All cases for a private cache are read")
    func counts() async throws {
        let report = try await Self.report.value
        #expect(Set(report.cases.map(\.id)).count == 300)
        #expect(report.cases(of: .required).count == 137)
        #expect(report.cases(of: .optimal).count == 77)
        #expect(report.cases(of: .check).count == 86)
    }

    @Test("All required cases pass")
    func required() async throws {
        let report = try await Self.report.value
        let failures = report.failures(of: .required)
        #expect(failures.isEmpty, "\(failures.count) of 137 do not pass:\n\(report.lines(of: failures))")
    }

    @Test("Exactly the known optimal cases do not pass")
    func optimal() async throws {
        let report = try await Self.report.value
        let failures = report.failures(of: .optimal)
        let passed = report.cases(of: .optimal).count - failures.count
        #expect(passed >= CacheSuiteReport.bestBrowser)
        let ids = Set(failures.map(\.id))
        let unexpected = failures.filter { !CacheSuiteReport.failingOptional.contains($0.id) }
        #expect(unexpected.isEmpty, "these should pass:\n\(report.lines(of: unexpected))")
        #expect(CacheSuiteReport.failingOptional.subtracting(ids).sorted() == [], "these pass now")
    }

    @Test("No case fails for a reason of the runner's")
    func harness() async throws {
        let report = try await Self.report.value
        let failures = report.cases.filter { if case .harnessFailure = report.result(of: $0) { true } else { false } }
        #expect(failures.isEmpty, "\(report.lines(of: failures))")
    }

    @Test("Each response says where it comes from as the server has seen it")
    func sources() async throws {
        let contradictions = try await Self.report.value.contradictions
        #expect(contradictions.isEmpty, "\(contradictions.joined(separator: "\n"))")
    }

    /// `FIREWHEEL_CACHE_TABLE=1 swift test --filter CacheSuiteTests`
    @Test("The table of results", .enabled(if: table != nil))
    func printTable() async throws {
        let report = try await Self.report.value
        let passed = CacheSuiteCase.Kind.allCases.map { "\(report.cases(of: $0).count - report.failures(of: $0).count) \($0.rawValue)" }
        print("id\tkind\tresult\treason\n\(report.lines(of: report.cases))")
        print("passed: \(passed.joined(separator: ", ")), in \(report.seconds) s")
    }
}
