#if os(Linux)
    import Firewheel
    import FirewheelTesting
    import Foundation

    /// Many chaos runs, some of them concurrent.
    final class ChaosBatch: Sendable {
        /// The number of threads that run scenarios, most of which wait.
        private static let width = 24
        /// After this many failures the remaining runs are skipped.
        private static let enough = 20

        private let seeds: [UInt64]
        private let server: ChaosServer
        private let folder: URL
        private let lock = NSLock()
        // Only touched while holding `lock`.
        private nonisolated(unsafe) var next = 0
        private nonisolated(unsafe) var bad: [(run: ChaosRun, problems: [String])] = []
        private nonisolated(unsafe) var runs: [ChaosRun] = []
        private nonisolated(unsafe) var counts: [String: Int] = [:]
        private nonisolated(unsafe) var longest: (milliseconds: Int, seed: UInt64) = (0, 0)

        /// - Parameters:
        ///   - seeds: The seed of each run.
        ///   - folder: The folder for downloads, which has to be empty again afterwards.
        init(seeds: [UInt64], server: ChaosServer, folder: URL) {
            self.seeds = seeds
            self.server = server
            self.folder = folder
        }

        func perform() async {
            await onThreads(min(Self.width, seeds.count)) { _ in
                while let number = self.take() { self.perform(number) }
            }
        }

        /// Each failed run with its seed, its scenario and its problems.
        var failures: [String] {
            lock.withLock {
                let late = runs.filter { run in !run.problems.isEmpty && !bad.contains { $0.run === run } }.map { ($0, $0.problems) }
                return (bad.map { ($0.run, $0.problems) } + late).map { run, problems in
                    "CHAOS seed \(run.scenario.seed)\n" + problems.map { "  ! \($0)\n" }.joined() + run.scenario.description
                        + "  again: FIREWHEEL_CHAOS_SEED=\(run.scenario.seed) swift test --filter ChaosTests"
                }
            }
        }

        /// How often each kind of outcome was reported, and how many trips were retried.
        var outcomes: [String: Int] { lock.withLock { counts } }

        /// The run that took longest.
        var slowest: (milliseconds: Int, seed: UInt64) { lock.withLock { longest } }

        var count: Int { lock.withLock { runs.count } }

        private func take() -> Int? {
            lock.withLock {
                guard next < seeds.count, bad.count < Self.enough else { return nil }
                defer { next += 1 }
                return next
            }
        }

        private func perform(_ number: Int) {
            let scenario = ChaosScenario(seed: seeds[number])
            let run = ChaosRun(scenario, number: number, server: server, folder: folder)
            let records = run.perform()
            let verdict = ChaosVerdict(scenario: scenario)
            let problems = run.problems + records.enumerated().flatMap { verdict.problems(of: $0.offset, $0.element) }
            lock.withLock {
                runs.append(run)
                if run.microseconds / 1000 > longest.milliseconds { longest = (run.microseconds / 1000, scenario.seed) }
                if !problems.isEmpty { bad.append((run, problems)) }
                for report in records.flatMap(\.reports) { counts[Self.name(report.outcome), default: 0] += 1 }
                for (number, record) in records.enumerated() { count(scenario.trips[number], record) }
                for record in run.legs { count(record) }
                if let record = run.feed { count(record) }
                for record in records where record.retryCount > 0 {
                    counts["retried", default: 0] += 1
                    if record.reports.contains(where: { Self.name($0.outcome) == "value" }) {
                        counts["retried to a value", default: 0] += 1
                    }
                }
            }
        }

        /// Counts the requests with credentials and cookies, and those to each kind of server. Call while holding `lock`.
        private func count(_ trip: ChaosScenario.Trip, _ record: ChaosRecord) {
            let access = trip.access
            let isValue = record.reports.contains { Self.name($0.outcome) == "value" }
            let isAuthorized = record.requests.contains(where: \.isAuthorized)
            for (name, isTrue) in [
                ("authenticated to a value", isValue && isAuthorized && access.account != nil),
                ("refreshed to a value", isValue && access.tokens.map { $0.need != .never } ?? false),
                ("sent credentials abroad", record.requests.contains { $0.isAbroad && $0.isAuthorized }),
                ("sent abroad without them", record.requests.contains { $0.isAbroad && !$0.isAuthorized }),
                ("a value from \(trip.server)", isValue),
                ("sent cookies", record.requests.contains { !$0.cookies.isEmpty }),
                ("uploaded \(trip.upload?.kind.rawValue ?? "")", isValue && trip.upload != nil),
                ("streamed to a value", isValue && trip.kind == .stream),
                ("streamed in part", trip.kind == .stream && record.reports.contains { $0.rest.map { !$0.isEmpty } ?? false }),
                ("streamed in duplex", isValue && trip.kind == .stream && trip.upload != nil),
                ("uploaded in part", record.requests.contains { !$0.isWhole }),
                ("refused an expectation", record.requests.contains(where: \.isUnexpected)),
                ("notRepeatable", record.reports.contains { $0.outcome == .failed(.uploadBodyFailed(.notRepeatable)) }),
            ] where isTrue {
                counts[name, default: 0] += 1
            }
        }

        /// Counts a leg of a chain. Call while holding `lock`.
        private func count(_ record: ChaosLegRecord) {
            var isValue = false
            if case .value? = record.told.first?.first { isValue = true }
            let isPart = record.servings.contains { serving in
                if case .file(_, _, isPart: true) = serving.kind { return true }
                return false
            }
            for (name, isTrue) in [
                ("leg", true), ("leg kept a part", record.kept != nil), ("leg kept nothing", !isValue && record.kept == nil),
                ("leg resumed to a value", isValue && record.given != nil && isPart),
                ("leg began again", isValue && record.given != nil && !isPart),
                ("leg retried to a value", isValue && record.retryCount > 0),
            ] where isTrue {
                counts[name, default: 0] += 1
            }
        }

        /// Counts a feed. Call while holding `lock`.
        private func count(_ record: ChaosFeedRecord) {
            for (name, isTrue) in [
                ("feed", true), ("feed to its end", record.arrivals.last?.answer == .end),
                ("feed over three connections", record.arrivals.count >= 3 && record.events.count >= 3),
                ("feed cancelled", record.ends == [.failed(.explicitlyCancelled)]),
            ] where isTrue {
                counts[name, default: 0] += 1
            }
        }

        private static func name(_ outcome: ChaosReport.Outcome) -> String {
            switch outcome {
            case .value: "value"
            case .failed(.transportFailed(let code)): "transport \(code.rawValue)"
            case .failed(.responseValidationFailed): "validation"
            case .failed(.responseSerializationFailed): "serialization"
            case .failed(let kind): "\(kind)"
            case .own: "own"
            case .loopCancelled: "loop cancelled"
            case .unknown: "unknown"
            }
        }
    }
#endif
