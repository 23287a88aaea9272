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

        /// What does not hold through a proxy: the name, for which ways, and the reason.
        private static let excepted: [String: (ways: Set<Way>, reason: String)] = [
            "A port without a listener is cannotConnectToHost": ([.http], "the proxy answers 502"),
            "A reader is closed once when no connection can be made": ([.http], "the proxy answers 502"),
            "A name that does not exist is cannotFindHost": ([.http, .socks5], "the proxy looks names up"),
            "A stream is asked for no more than the server reads": ([.http, .socks5], "the proxy reads, too"),
            "A connection closed while idle is noticed": ([.http, .socks5], "the proxy passes the end on some time later"),
            "Counted values are correct where they are known": ([.http, .socks5], "remotePort is the proxy's"),
        ]

        @Test(
            "The socket transport conforms through proxies, with every feature",
            arguments: TransportConformance.cases + TransportConformance.featureCases, Way.allCases)
        func conforms(rule: TransportConformance.Case, way: Way) async throws {
            guard Self.excepted[rule.name]?.ways.contains(way) != true else { return }
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

        @Test("The cases that do not run through a proxy exist")
        func notRun() {
            let names = (TransportConformance.cases + TransportConformance.featureCases).map(\.name)
            #expect(Set(names).isSuperset(of: Self.excepted.keys))
        }
    }
#endif
