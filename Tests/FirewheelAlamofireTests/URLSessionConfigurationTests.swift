import FirewheelTesting
import Foundation
import Testing

@testable import FirewheelAlamofire

/// What becomes of each property of a `URLSessionConfiguration`.
@Suite("URLSessionConfiguration", .timeLimit(.minutes(5)))
struct URLSessionConfigurationTests {
    /// The settings of Foundation's default configuration after a change.
    static func settings(_ change: (URLSessionConfiguration) throws -> Void) rethrows -> SessionSettings {
        let configuration = URLSessionConfiguration.ephemeral
        try change(configuration)
        return SessionSettings(configuration)
    }

    /// The names of the refused properties.
    static func refused(_ change: (URLSessionConfiguration) throws -> Void) rethrows -> [String] {
        try settings(change).problems.map(\.field)
    }

    // MARK: All of them

    @Test("Foundation's own configurations are honored, with Foundation's limits")
    func defaults() {
        for configuration in [URLSessionConfiguration.default, .ephemeral, .af.default, .af.ephemeral] {
            let settings = SessionSettings(configuration)
            #expect(settings.problem == nil)
            #expect(settings.configuration.timeoutIntervalForRequest == 60)
            #expect(settings.configuration.timeoutIntervalForResource == 604_800)
            #expect(settings.configuration.maximumConnectionsPerHost == configuration.httpMaximumConnectionsPerHost)
            #expect(settings.configuration.proxy.description == "system")
            #expect(settings.configuration.cookies.description.hasPrefix("jar"))
        }
    }

    #if canImport(FoundationNetworking)
        @Test("Each property that Foundation stores is decided")
        func complete() {
            let stored = Mirror(reflecting: URLSessionConfiguration.default).children.compactMap(\.label)
            #expect(stored.count > 15)
            #expect(Set(stored).subtracting(ConfigurationField.all.map(\.name)) == [])
        }
    #endif

    @Test("The table in Alamofire5.md has each decided property once, in order of names")
    func page() throws {
        let root = (0..<3).reduce(URL(fileURLWithPath: #filePath)) { url, _ in url.deletingLastPathComponent() }
        let page = try String(contentsOf: root.appendingPathComponent("Documentation/Migration/Alamofire5.md"), encoding: .utf8)
        let afterTitle = try #require(page.components(separatedBy: "\n## URLSessionConfiguration\n").dropFirst().first)
        let section = afterTitle.components(separatedBy: "\n## ")[0]
        let documented = section.split(separator: "\n").compactMap { $0.firstMatch(of: /^\| `(\w+)` \|/)?.1 }.map(String.init)
        #expect(documented == (ConfigurationField.everywhere.map(\.name) + ConfigurationField.namesOnApple).sorted())
    }

    @Test("Every refused property is named, with the reason")
    func names() {
        let settings = Self.settings { configuration in
            configuration.identifier = "a.b"
            configuration.allowsCellularAccess.toggle()
            configuration.httpMaximumConnectionsPerHost = 0
        }
        #expect(settings.problems.map(\.field) == ["identifier", "httpMaximumConnectionsPerHost", "allowsCellularAccess"])
        #expect(settings.problem?.contains("URLSessionConfiguration.identifier cannot be honored: there are no background") == true)
        #expect(settings.problem?.contains("; URLSessionConfiguration.allowsCellularAccess cannot be honored: ") == true)
    }

    // MARK: Refused

    @Test("A background session is refused")
    func identifier() { #expect(Self.refused { $0.identifier = "com.example.transfers" } == ["identifier"]) }

    @Test("Kinds of traffic are refused")
    func networkServiceType() {
        for type in [URLRequest.NetworkServiceType.background, .video, .voice, .networkServiceTypeCallSignaling] {
            #expect(Self.refused { $0.networkServiceType = type } == ["networkServiceType"])
        }
    }

    @Test("Excluding cellular networks is refused")
    func allowsCellularAccess() { #expect(Self.refused { $0.allowsCellularAccess = false } == ["allowsCellularAccess"]) }

    @Test("Pipelining and the extended idle mode are refused")
    func deprecated() {
        #expect(Self.refused { ($0 as any DeprecatedFields).httpShouldUsePipelining = true } == ["httpShouldUsePipelining"])
        let field = "shouldUseExtendedBackgroundIdleMode"
        #expect(Self.refused { ($0 as any DeprecatedFields).shouldUseExtendedBackgroundIdleMode = true } == [field])
    }

    /// A protocol of a program's.
    private final class OwnProtocol: URLProtocol {}

    @Test("Protocols of the program are refused by name; Foundation's own, and none, are not")
    func protocolClasses() {
        let refused = Self.settings { $0.protocolClasses = [OwnProtocol.self] + ($0.protocolClasses ?? []) }
        #expect(refused.problems.map(\.field) == ["protocolClasses"])
        #expect(refused.problems.first?.reason.hasPrefix("OwnProtocol ") == true)
        #expect(Self.refused { $0.protocolClasses = nil } == [])
        #expect(Self.refused { $0.protocolClasses = [] } == [])
        #expect(Self.refused { $0.protocolClasses?.reverse() } == [])
    }

    @Test("A cache of the program's is refused; those of Foundation's configurations, an empty one and none are not")
    func urlCache() {
        func cache(_ memory: Int, _ disk: Int) -> URLCache { URLCache(memoryCapacity: memory, diskCapacity: disk, diskPath: nil) }
        #expect(Self.refused { $0.urlCache = cache(50_000_000, 0) } == ["urlCache"])
        #expect(Self.refused { $0.urlCache = cache(0, 50_000_000) } == ["urlCache"])
        #expect(Self.refused { $0.urlCache = cache(0, 0) } == [])
        #expect(Self.refused { $0.urlCache = nil } == [])
        #expect(Self.refused { $0.urlCache = .shared } == [])
    }

    // MARK: Without effect

    @Test("What concerns background sessions alone has no effect")
    func background() {
        let settings = Self.settings { $0.isDiscretionary = true }
        #expect(settings.problem == nil)
        #expect(settings.configuration.description == Self.settings { _ in }.configuration.description)
    }

    // MARK: Limits

    @Test("The timeouts are those of the session")
    func timeouts() {
        let settings = Self.settings { configuration in
            configuration.timeoutIntervalForRequest = 2.5
            configuration.timeoutIntervalForResource = 90
        }
        #expect(settings.problem == nil)
        #expect(settings.configuration.timeoutIntervalForRequest == 2.5)
        #expect(settings.configuration.timeoutIntervalForResource == 90)
    }

    @Test("A timeout ends a request on the wire")
    func timeoutOnWire() async throws {
        let server = try MockServer()
        defer { server.shutdown() }
        server.exchange("/") { _ = $0.waitForDisconnection() }
        let settings = Self.settings { $0.timeoutIntervalForRequest = 0.2 }
        let response = await Firewheel.Session(configuration: settings.configuration).get(server.url()).serializingData().response
        #expect(response.error?.asFirewheelError?.isTimeout == true)
    }

    @Test("The most connections to a host are those of the session; fewer than one are refused")
    func connections() {
        #expect(Self.settings { $0.httpMaximumConnectionsPerHost = 3 }.configuration.maximumConnectionsPerHost == 3)
        #expect(Self.refused { $0.httpMaximumConnectionsPerHost = 0 } == ["httpMaximumConnectionsPerHost"])
        #expect(Self.refused { $0.httpMaximumConnectionsPerHost = -1 } == ["httpMaximumConnectionsPerHost"])
    }

    // MARK: Cache policies

    @Test("The policy is that of the session: without a cache it is sent to caches on the way, and one without loading fails")
    func requestCachePolicy() async throws {
        let server = try MockServer()
        server.route("/*") { request in .text(request.header("cache-control") ?? "none") }
        func sent(_ policy: NSURLRequest.CachePolicy, headers: HTTPHeaders = []) async -> DataResponse<String, AFError> {
            let configuration = URLSessionConfiguration.ephemeral
            configuration.requestCachePolicy = policy
            configuration.headers = headers
            let session = Session(configuration: configuration)
            defer { withExtendedLifetime(session) {} }
            return await session.request(server.url("/")).serializingString().response
        }
        #expect(await sent(.useProtocolCachePolicy).value == "none")
        #expect(await sent(.reloadIgnoringLocalCacheData).value == "none")
        #expect(await sent(.reloadIgnoringLocalAndRemoteCacheData).value == "no-cache")
        #expect(await sent(.reloadRevalidatingCacheData).value == "max-age=0")
        #expect(await sent(.returnCacheDataElseLoad).value == "none")
        let reason = await sent(.returnCacheDataDontLoad).error?.localizedDescription
        #expect(reason?.contains("the cachePolicy allows no loading, and the session has no cache") == true)
        #expect(await sent(.reloadIgnoringLocalAndRemoteCacheData, headers: ["cache-control": "no-store"]).value == "no-store")
        server.shutdown()
    }
}
