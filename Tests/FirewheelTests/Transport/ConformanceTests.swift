import Firewheel
import FirewheelTesting
import Foundation
import Testing

/// The rules of `Transport`, for every transport on this platform.
@Suite("Transport conformance", .timeLimit(.minutes(10)))
struct ConformanceTests {
    #if os(Linux)
        /// Cases with large bodies run beside many others.
        private static let patience: TimeInterval = 240

        private static let all = TransportConformance.cases + TransportConformance.featureCases

        @Test("The socket transport conforms, with every feature", arguments: all.filter { !$0.waits })
        @Sendable func sockets(_ rule: TransportConformance.Case) async throws {
            try await rule.run(within: Self.patience) { SocketTransport() }
        }

        @Test("The socket transport conforms where a case waits")
        func waitingSockets() async throws { try await atOnce(Self.all.filter(\.waits), sockets) }

        @Test("The cases that wait exist")
        func waiting() { #expect(TransportConformance.Case.waiting.isSubset(of: Self.all.map(\.name))) }

        /// What a test server with another one in front of it, which speaks TLS, cannot show: the name and the reason.
        private static let notOverTLS = [
            "A port without a listener is cannotConnectToHost": "the front listens",
            "A reader is closed once when no connection can be made": "the front listens",
            "A connection closed while idle is noticed": "the front closes its connection a moment after the server's",
            "A GET sends its method, target and fields": "Host has the front's port",
            "Counted values are correct where they are known": "the port is the front's",
            "A stream is asked for no more than the server reads": "the front reads, and the system's buffers are there twice",
            "A released transport ends its requests and closes its connections": "the fronts go with the transport",
            "A released transport closes its readers": "the fronts go with the transport",
        ]

        /// Many cases wait for seconds, so that only `.ci/deep` runs all of them.
        private static let overTLS: [TransportConformance.Case] = {
            let cases = all.filter { notOverTLS[$0.name] == nil }
            return stride(from: 0, to: cases.count, by: TestDepth.choose(3, deep: 1)).map { cases[$0] }
        }()

        @Test("The socket transport conforms over https, with every feature", .needsTLSServer, arguments: overTLS.filter { !$0.waits })
        @Sendable func secureSockets(_ rule: TransportConformance.Case) async throws {
            try await rule.run(within: Self.patience) { TestTransport.secureSockets.make() }
        }

        @Test("The socket transport conforms over https where a case waits", .needsTLSServer)
        func waitingSecureSockets() async throws { try await atOnce(Self.overTLS.filter(\.waits), secureSockets) }

        @Test("The cases that do not run over https exist")
        func notRunOverTLS() {
            #expect(Set(Self.all.map(\.name)).isSuperset(of: Self.notOverTLS.keys))
        }
    #endif

    /// The cases for URLSession, with those of the features that it has.
    private static let urlSessionCases =
        TransportConformance.cases
        + TransportConformance.featureCases.filter { $0.feature == .bodySources || $0.feature == .sentEvents }

    #if canImport(FoundationNetworking)
        // Its waits take processor time, and Linux does not use it unless a program asks for it. One at a time, because a stream without a
        // piece holds up every URLSession of the process.
        @Test(
            "The URLSession transport conforms", .serialized, .enabled(if: TestDepth.isDeep, "runs in .ci/deep"),
            arguments: urlSessionCases.filter { FoundationNetworkingLimits.notRun[$0.name] == nil })
        func urlSession(_ rule: TransportConformance.Case) async throws {
            if let symptom = FoundationNetworkingLimits.failing[rule.name] {
                await withKnownIssue("\(symptom)") { try await rule.run { URLSessionTransport() } }
            } else {
                try await rule.run { URLSessionTransport() }
            }
        }
    #else
        @Test("The URLSession transport conforms", arguments: urlSessionCases)
        func urlSession(_ rule: TransportConformance.Case) async throws {
            try await rule.run { URLSessionTransport() }
        }
    #endif

    @Test("Each conformance case has a unique name and names its rule")
    func names() {
        let cases = TransportConformance.cases + TransportConformance.featureCases
        #expect(cases.count >= 90)
        #expect(Set(cases.map(\.name)).count == cases.count)
        #expect(cases.allSatisfy { !$0.rule.isEmpty })
    }

    @Test("The cases that every transport must pass need no feature, and each feature has cases")
    func features() {
        #expect(TransportConformance.cases.allSatisfy { $0.feature == nil })
        #expect(TransportConformance.featureCases.allSatisfy { $0.feature != nil })
        #expect(Set(TransportConformance.featureCases.compactMap(\.feature)) == Set(TransportConformance.Feature.allCases))
    }

    @Test("Documentation/Platforms.md lists the same limits of URLSession on Linux as the conformance suite")
    func table() throws {
        let repository = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent()
        let page = try String(contentsOf: repository.appendingPathComponent("Documentation/Platforms.md"), encoding: .utf8)
        let limits = try #require(page.components(separatedBy: "## Known limits of URLSession on Linux\n").last)
        let rows = limits.split(separator: "\n").filter { $0.hasPrefix("| ") }.dropFirst(2).map(String.init)
        let expected =
            FoundationNetworkingLimits.notRun.map { "| \($0.key) | not run | \($0.value) |" }
            + FoundationNetworkingLimits.failing.map { "| \($0.key) | fails | \($0.value) |" }
        #expect(rows.sorted() == expected.sorted())
        let names = Set(Self.urlSessionCases.map(\.name))
        #expect(names.isSuperset(of: FoundationNetworkingLimits.notRun.keys))
        #expect(names.isSuperset(of: FoundationNetworkingLimits.failing.keys))
    }
}
