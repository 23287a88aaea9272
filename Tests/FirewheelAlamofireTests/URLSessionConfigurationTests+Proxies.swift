import FirewheelTesting
import Foundation
import Testing

@testable import FirewheelAlamofire

extension URLSessionConfigurationTests {
    private static func proxy(_ dictionary: [String: any Sendable]) throws -> ProxyConfiguration {
        let settings = settings { $0.connectionProxyDictionary = dictionary }
        #expect(settings.problem == nil)
        return settings.configuration.proxy
    }

    /// The proxy of a URL as text.
    private static func proxy(of url: String, _ dictionary: [String: any Sendable]) async throws -> String {
        let proxy = try proxy(dictionary)
        guard case .custom(let choose) = proxy else { return proxy.description }
        return await choose(try #require(URL(string: url))).description
    }

    private static let http: [String: any Sendable] = ["HTTPEnable": 1, "HTTPProxy": "p.test", "HTTPPort": 3128]
    private static let https: [String: any Sendable] = ["HTTPSEnable": true, "HTTPSProxy": "s.test", "HTTPSPort": 3129]
    private static let socks: [String: any Sendable] = ["SOCKSEnable": 1, "SOCKSProxy": "k.test", "SOCKSPort": 1080]

    @Test("Without a dictionary the system's proxies count, with an empty one none")
    func proxiesOfTheSystem() throws {
        #expect(Self.settings { $0.connectionProxyDictionary = nil }.configuration.proxy.description == "system")
        #expect(try Self.proxy([:]).description == "none")
        #expect(try Self.proxy(["HTTPEnable": 0, "HTTPProxy": "p.test", "HTTPPort": 3128, "FTPEnable": 1]).description == "none")
    }

    @Test("Each scheme has its own proxy, and a SOCKS proxy is for those without one")
    func proxiesOfSchemes() async throws {
        let all = Self.http.merging(Self.https) { $1 }.merging(Self.socks) { $1 }
        let cases: [([String: any Sendable], plain: String, secure: String)] = [
            (Self.http, "http://p.test:3128", "none"), (Self.https, "none", "http://s.test:3129"),
            (Self.socks, "socks5://k.test:1080", "socks5://k.test:1080"), (all, "http://p.test:3128", "http://s.test:3129"),
            (Self.http.merging(Self.socks) { $1 }, "http://p.test:3128", "socks5://k.test:1080"),
        ]
        for (dictionary, plain, secure) in cases {
            #expect(try await Self.proxy(of: "http://a.test/", dictionary) == plain)
            #expect(try await Self.proxy(of: "https://a.test/", dictionary) == secure)
        }
    }

    @Test("Exceptions are networks, patterns, and names that stand for themselves alone")
    func proxyExceptions() async throws {
        var dictionary = Self.socks
        dictionary["ExceptionsList"] = ["*.local", "169.254/16", "10.0.0.1", "FD00::/8", "Example.com"]
        let proxied = "socks5://k.test:1080 except *.local, 169.254.0.0/16, 10.0.0.1, fd00::/8"
        #expect(try await Self.proxy(of: "http://a.example.com/", dictionary) == proxied)
        #expect(try await Self.proxy(of: "https://EXAMPLE.com/", dictionary) == "none")
        #expect(try await Self.proxy(of: "http://intranet/", dictionary) == proxied)
        dictionary["ExcludeSimpleHostnames"] = 1
        #expect(try await Self.proxy(of: "http://intranet/", dictionary) == "none")
        #expect(try await Self.proxy(of: "http://a.test/", dictionary) == proxied)
        #expect(try await Self.proxy(of: "http://[fd01::1]/", dictionary) == proxied)
    }

    @Test("The credentials of a proxy are not shown")
    func proxyCredentials() throws {
        let dictionary = Self.socks.merging(["kCFProxyUsernameKey": "ada", "kCFProxyPasswordKey": "hunter2"]) { $1 }
        let proxy = try Self.proxy(dictionary)
        guard case .socks5(_, _, let credential, _) = proxy else {
            Issue.record("\(proxy)")
            return
        }
        #expect(credential?.user == "ada" && credential?.password == "hunter2")
        #expect(!proxy.description.contains("hunter2"))
    }

    @Test("A request is sent to the proxy with its whole URL, and one to an exception is not")
    func proxyOnWire() async throws {
        let (proxy, server) = (try MockServer(), try MockServer())
        defer {
            proxy.shutdown()
            server.shutdown()
        }
        proxy.enqueue(.text("by proxy"))
        server.enqueue(.text("directly"))
        let port = try #require(URL(string: proxy.url())?.port)
        let settings = Self.settings {
            $0.connectionProxyDictionary = [
                "HTTPEnable": 1, "HTTPProxy": "127.0.0.1", "HTTPPort": port, "ExceptionsList": ["127.0/16"],
                "kCFProxyUsernameKey": "ada", "kCFProxyPasswordKey": "b",
            ]
        }
        #expect(settings.problem == nil)
        let session = Firewheel.Session(configuration: settings.configuration)
        #expect(try await session.get("http://a.test/x").serializingString().value == "by proxy")
        #expect(try await session.get(server.url()).serializingString().value == "directly")
        let request = try await proxy.takeRequest()
        #expect(request.target == "http://a.test/x")
        #expect(request.header("Proxy-Authorization") == "Basic \(Data("ada:b".utf8).base64EncodedString())")
    }

    @Test(
        "What is unclear or unknown is refused with its key",
        arguments: [
            (["HTTPProxy": "p.test", "HTTPPort": 1], "HTTPEnable"), (["HTTPPort": 1], "HTTPEnable"),
            (["HTTPEnable": 1, "HTTPPort": 1], "HTTPProxy"),
            (["HTTPSEnable": 1, "HTTPSProxy": "p.test"], "HTTPSPort"), (["HTTPEnable": 1, "HTTPProxy": "", "HTTPPort": 1], "HTTPProxy"),
            (["HTTPEnable": 1, "HTTPProxy": "p.test", "HTTPPort": 70_000], "HTTPPort"),
            (["HTTPEnable": 1, "HTTPProxy": "p.test", "HTTPPort": 80.5], "HTTPPort"),
            (["HTTPEnable": 1, "HTTPProxy": "p.test", "HTTPPort": "80"], "HTTPPort"),
            (["SOCKSEnable": "yes"], "SOCKSEnable"), (["SOCKSEnable": 1, "SOCKSProxy": 7, "SOCKSPort": 1], "SOCKSProxy"),
            (["ProxyAutoConfigEnable": 1, "ProxyAutoConfigURLString": "http://a.test/"], "ProxyAutoConfigEnable"),
            (["ProxyAutoConfigURLString": "http://a.test/"], "ProxyAutoConfigEnable"),
            (["ProxyAutoDiscoveryEnable": 1], "ProxyAutoDiscoveryEnable"), (["ExceptionsList": "*.local"], "ExceptionsList"),
            (["HttpProxy": "p.test"], "HttpProxy"),
        ] as [([String: any Sendable], String)])
    func proxiesRefused(dictionary: [String: any Sendable], key: String) {
        let settings = Self.settings { $0.connectionProxyDictionary = dictionary }
        #expect(settings.problems.map(\.field) == ["connectionProxyDictionary"])
        #expect(settings.problems.first?.reason.contains(key) == true)
    }

    @Test("A script that is switched off, and a key that is not text")
    func proxyScripts() throws {
        #expect(try Self.proxy(["ProxyAutoConfigEnable": 0, "ProxyAutoConfigURLString": "http://a.test/"]).description == "none")
        #expect(Self.refused { $0.connectionProxyDictionary = [7: 1] } == ["connectionProxyDictionary"])
    }
}
