#if os(Linux)
    import FirewheelTesting
    import Foundation
    import Testing

    @testable import Firewheel

    /// What `.log()` says about a `DisabledTrustEvaluator`.
    @Suite("Warnings about trust", .timeLimit(.minutes(5)))
    struct TrustWarningTests {
        @Test(
            "A session with a disabled evaluator says so once, before its first line", arguments: [LogEventMonitor.Detail.line, .verbose])
        func once(detail: LogEventMonitor.Detail) async throws {
            let server = try MockServer()
            defer { server.shutdown() }
            server.route("*") { .text($0.path) }
            let warning = "DisabledTrustEvaluator trusts every server under these names, for development only: *.b.test, a.test"
            let disabled = DisabledTrustEvaluator()
            for (evaluator, isDisabled) in [
                (disabled, true), (CompositeTrustEvaluator(evaluators: [CompositeTrustEvaluator(evaluators: [disabled])]), true),
                (CompositeTrustEvaluator(evaluators: [disabled, DefaultTrustEvaluator()]), false), (DefaultTrustEvaluator(), false),
            ] as [(any ServerTrustEvaluating, Bool)] {
                let lines = Journal<String>()
                let session = Session(
                    serverTrustManager: ServerTrustManager(evaluators: ["a.test": evaluator, "*.b.test": evaluator]),
                    eventMonitors: [.log(detail) { lines.add($0) }])
                for path in ["/1", "/2"] { _ = await session.request(server.url(path)).raw() }
                try await waitUntil("the lines") { lines.entries.contains { $0.contains("/2 200, ") } }
                #expect(lines.entries.count { $0 == warning } == (isDisabled ? 1 : 0))
                #expect((lines.entries.first == warning) == isDisabled)
            }
        }
    }
#endif
