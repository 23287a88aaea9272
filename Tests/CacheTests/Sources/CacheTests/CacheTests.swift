import Firewheel
import Foundation

/// Plays the cases against a server that runs, and prints the results.
@main
enum CacheTests {
    private static let requiredCount = 137
    /// The server of the suite sends a `Transfer-Encoding` that nobody knows. `SocketTransport` refuses such a response, as nginx, Squid
    /// and Varnish do, since what it contains cannot be known.
    private static let refusedOnWire: Set = ["headers-store-Transfer-Encoding"]

    static func main() async throws {
        guard CommandLine.arguments.count == 2 else {
            print("usage: CacheTests <origin of the suite's server>")
            exit(2)
        }
        let origin = CommandLine.arguments[1]
        let requests = try requests()
        var configuration = SessionConfiguration()
        configuration.proxy = .none
        let control = Session(configuration: configuration)
        let report = try await CacheSuiteReport.make { test throws(CacheSuiteJudge.Failure) in
            guard let requests = requests[test.id] else { throw .harness("there is no case \(test.id)") }
            let server = try await SuiteServer(requests, origin: origin, control: control)
            var configuration = CacheSuiteRunner.configuration(with: HTTPCache(memoryCapacity: 1 << 24))
            configuration.proxy = .none
            let session = Session(configuration: configuration, redirectHandler: Redirector.doNotFollow)
            return CacheSuiteRunner(test, server: server, session: session, patience: 10)
        }
        exit(show(report) ? 0 : 1)
    }

    /// The requests of each case, by its id, in the form that the server reads.
    private static func requests() throws -> [String: Data] {
        typealias Object = [String: Any]
        let suites = try JSONSerialization.jsonObject(with: Data(contentsOf: CacheSuite.file)) as? [Object] ?? []
        var requests: [String: Data] = [:]
        for test in suites.flatMap({ $0["tests"] as? [Object] ?? [] }) {
            guard let id = test["id"] as? String, let name = test["name"] as? String else { continue }
            let exchanges = (test["requests"] as? [Object] ?? []).map { exchange in
                exchange.merging(["name": name, "id": id]) { $1 }
            }
            requests[id] = try JSONSerialization.data(withJSONObject: exchanges)
        }
        return requests
    }

    /// - Returns: Whether the required cases pass but for those that are refused, and as many optimal ones as in the best browser.
    private static func show(_ report: CacheSuiteReport) -> Bool {
        let (required, optimal) = (report.failures(of: .required), report.failures(of: .optimal))
        if ProcessInfo.processInfo.environment["FIREWHEEL_CACHE_TABLE"] != nil {
            print("id\tkind\tresult\treason\n\(report.lines(of: report.cases))")
        } else {
            // A check has no right answer, so only those without any answer are failures.
            let unanswered = report.failures(of: .check).filter { if case .fail = report.result(of: $0) { false } else { true } }
            for test in required + optimal + unanswered { print(report.lines(of: [test])) }
        }
        for contradiction in report.contradictions { print(contradiction) }
        for id in differences(required + optimal) { print("\(id): not the result of the tests over the stand-in for the server") }

        for kind in CacheSuiteCase.Kind.allCases {
            let cases = report.cases(of: kind)
            let passed = cases.count - report.failures(of: kind).count
            print("\(kind.rawValue): \(passed) of \(cases.count)\(kind == .check ? " are answered with yes" : "")")
        }
        print("seconds: \(Int(report.seconds.rounded()))")
        let passedOptimal = report.cases(of: .optimal).count - optimal.count
        return Set(required.map(\.id)) == refusedOnWire && report.cases(of: .required).count == requiredCount
            && passedOptimal >= CacheSuiteReport.bestBrowser
    }

    /// The required and optimal cases whose result is not the one that the tests over the stand-in expect.
    private static func differences(_ failures: [CacheSuiteCase]) -> [String] {
        CacheSuiteReport.failingOptional.union(refusedOnWire).symmetricDifference(failures.map(\.id)).sorted()
    }
}
