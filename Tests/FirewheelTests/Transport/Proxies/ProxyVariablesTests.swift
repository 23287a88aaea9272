#if os(Linux)
    import Foundation
    import Testing

    @testable import Firewheel
    @testable import FirewheelTesting

    /// The environment's proxies, from the variables to the wire. ``ProxyEnvironmentTests`` compares the choice with curl's.
    @Suite("Proxies of the environment on the wire", .timeLimit(.minutes(5)))
    struct ProxyVariablesTests {
        @Test("A session keeps the proxies that the environment had, with their credentials, for https and SOCKS too")
        func kept() async {
            await #expect(processExitsWith: .success) {
                ProcessFacts.giveUp(after: 150)
                for name in ["http_proxy", "no_proxy", "NO_PROXY", "ALL_PROXY", "HTTPS_PROXY"] { unsetenv(name) }
                let (bench, tunnel) = (try TrustBench(), try TestProxy())
                let (server, socks) = (try MockServer(), try TestSOCKSProxy(users: ["ada": "p:a@s"]))
                defer {
                    socks.stop()
                    server.shutdown()
                    tunnel.stop()
                    bench.stop()
                }
                server.route("*") { .text($0.path) }
                setenv("https_proxy", "http://ada:p%3Aa%40s@127.0.0.1:\(tunnel.port)", 1)
                setenv("all_proxy", "socks5h://ada:p%3Aa%40s@127.0.0.1:\(socks.port)", 1)
                let session = Session(configuration: try bench.configuration())
                setenv("https_proxy", "http://127.0.0.1:1", 1)
                setenv("all_proxy", "http://127.0.0.1:1", 1)
                #expect(await session.request(bench.url("/secure")).raw().text == "/secure")
                let basic = Data("ada:p:a@s".utf8).base64EncodedString()
                #expect(tunnel.heads.first?.contains("Proxy-Authorization: Basic \(basic)\r\n") == true, "\(tunnel.heads)")
                #expect(await session.request("http://localhost:\(server.port)/plain").raw().text == "/plain")
                #expect(socks.asked == [.init(version: 5, host: "localhost", port: server.port, user: "ada", password: "p:a@s")])
                #expect(try await server.takeRequest().header("Proxy-Authorization") == nil)
            }
        }

        @Test("Exceptions of a megabyte are read and found")
        func manyExceptions() async {
            await #expect(processExitsWith: .success) {
                ProcessFacts.giveUp(after: 150)
                for name in ["no_proxy", "all_proxy", "ALL_PROXY"] { unsetenv(name) }
                let (server, proxy) = (try MockServer(), try MockServer())
                defer {
                    server.shutdown()
                    proxy.shutdown()
                }
                server.route("*") { _ in .text("by the server") }
                proxy.route("*") { _ in .text("by the proxy") }
                setenv("http_proxy", "http://127.0.0.1:\(proxy.port)", 1)
                let names = (0..<50_000).map { "host\($0).example.com" }.joined(separator: ",")
                setenv("NO_PROXY", names + ",127.0.0.0/8,fake-last.test", 1)
                #expect(names.utf8.count > 1 << 20)
                for (host, text) in [("127.0.0.1", "by the server"), ("fake-last.test", "by the server"), ("a.test", "by the proxy")] {
                    let response = await once { $0.request("http://\(host):\(server.port)/") }.response
                    #expect(response.text == text, "\(host): \(response)")
                }
            }
        }

        @Test("A closure that returns the system's gets those that it had when the session was made")
        func chosen() async {
            await #expect(processExitsWith: .success) {
                ProcessFacts.giveUp(after: 150)
                for name in ["no_proxy", "NO_PROXY", "all_proxy", "ALL_PROXY"] { unsetenv(name) }
                let proxy = try MockServer()
                defer { proxy.shutdown() }
                proxy.route("*") { .text("\($0.target) by the proxy") }
                setenv("http_proxy", "http://127.0.0.1:\(proxy.port)", 1)
                let session = ProxyBench.session(.custom { _ in .system })
                setenv("http_proxy", "gopher://127.0.0.1", 1)
                #expect(await session.request("http://a.test/x").raw().text == "http://a.test/x by the proxy")
                let later = await ProxyBench.session(.custom { _ in .system }).request("http://a.test/x").raw()
                #expect(later.words.contains("the environment variable http_proxy is not the URL of a proxy"), "\(later)")
            }
        }
    }
#endif
