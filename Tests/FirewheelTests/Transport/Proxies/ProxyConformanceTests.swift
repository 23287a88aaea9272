#if os(Linux)
    import FirewheelTesting
    import Foundation
    import Testing

    @testable import Firewheel

    /// The rules of `Transport`, once more through proxies, which change nothing of what a server sees.
    @Suite("Transport conformance through proxies", .timeLimit(.minutes(10)))
    struct ProxyConformanceTests {
        enum Way: String, CaseIterable, Sendable {
            case http
            case socks5
        }

        /// Cases with large bodies run beside many others.
        private static let patience: TimeInterval = 240

        /// What does not hold for an http proxy: the name and the reason.
        private static let notOverHTTP = [
            "A port without a listener is cannotConnectToHost": "the proxy answers 502"
        ]

        /// The same cases as without a proxy. Many wait for seconds, so that only `.ci/deep` runs all of them.
        private static let cases: [TransportConformance.Case] = {
            let all = TransportConformance.cases + TransportConformance.featureCases
            return stride(from: 0, to: all.count, by: TestDepth.choose(3, deep: 1)).map { all[$0] }
        }()

        @Test("The socket transport conforms through proxies, with every feature", arguments: cases, Way.allCases)
        func conforms(rule: TransportConformance.Case, way: Way) async throws {
            guard way != .http || Self.notOverHTTP[rule.name] == nil else { return }
            let (forwarder, socks) = (try TestForwarder(), try TestSOCKSProxy())
            defer {
                socks.stop()
                forwarder.stop()
            }
            let proxy: ProxyConfiguration =
                way == .http ? .http(host: "127.0.0.1", port: forwarder.port) : .socks5(host: "127.0.0.1", port: socks.port)
            let routes = try #require(RouteRules(TLSConfiguration(), choosesProxies: true))
            try await rule.run(within: Self.patience) { ProxyChooser(of: SocketTransport(), routes: routes) { _ in proxy } }
        }

        @Test("The cases that do not run through an http proxy exist")
        func notRun() {
            let names = (TransportConformance.cases + TransportConformance.featureCases).map(\.name)
            #expect(Set(names).isSuperset(of: Self.notOverHTTP.keys))
        }
    }
#endif
