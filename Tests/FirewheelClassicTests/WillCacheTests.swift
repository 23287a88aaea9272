import FirewheelClassic
import FirewheelTesting
import Testing

/// The closure that AFNetworking and Alamofire 4 ask before a response is stored.
@Suite("The will-cache closure", .timeLimit(.minutes(5)))
struct WillCacheTests {
    private let cache = HTTPCache()
    private let server: MockServer

    init() throws {
        server = try MockServer()
        server.route("/*") { _ in .text("hello", headers: [("Cache-Control", "max-age=60")]) }
    }

    private var configuration: SessionConfiguration {
        var configuration = SessionConfiguration()
        configuration.cache = cache
        return configuration
    }

    @Test("Of Alamofire 4: it gets the session and the task, and decides for requests that are created afterwards")
    func alamofire() async throws {
        let manager = SessionManager(configuration: configuration)
        #expect(manager.dataTaskWillCacheResponse == nil)
        let before = manager.request(server.url("/before"))
        let seen = Locked<[String]>([])
        manager.dataTaskWillCacheResponse = { [weak manager] session, task, proposed in
            seen.withLock { $0.append("\(session === manager) \(task.originalRequest?.url?.path ?? "")") }
            guard (task.response as? HTTPURLResponse)?.statusCode == 200, task.originalRequest?.url?.path != "/refused" else { return nil }
            return CachedURLResponse(response: proposed.response, data: Data("stored".utf8))
        }
        _ = await before.serializingData().response
        #expect(cache.entries.count == 1 && seen.withLock(\.self) == [])
        #expect(try await manager.request(server.url("/a")).serializingString().value == "hello")
        #expect(try await manager.request(server.url("/a")).serializingString().value == "stored")
        _ = await manager.request(server.url("/refused")).serializingData().response
        #expect(seen.withLock(\.self) == ["true /a", "true /refused"])
        #expect(cache.entries.map(\.url.path).sorted() == ["/a", "/before"])
        let own = manager.request(server.url("/own")).cacheResponse(using: .doNotCache)
        _ = await own.serializingData().response
        let made = manager.request(server.url("/c"))
        manager.dataTaskWillCacheResponse = nil
        _ = await made.serializingData().response
        #expect(cache.entries.count == 3 && seen.withLock(\.count) == 2)
        server.shutdown()
    }

    @Test("Without it the session's handler decides, also for a request that was created before")
    func withoutClosure() async throws {
        let manager = Session(configuration: configuration, cachedResponseHandler: .doNotCache)
        manager.dataTaskWillCacheResponse = { _, _, proposed in proposed }
        let made = manager.request(server.url("/a"))
        manager.dataTaskWillCacheResponse = nil
        _ = await made.serializingData().response
        _ = await manager.request(server.url("/b")).serializingData().response
        #expect(cache.entries.isEmpty)
        server.shutdown()
    }

    @Test("The policy of a URLSessionConfiguration is copied")
    func policy() {
        let configuration = URLSessionConfiguration.ephemeral
        configuration.requestCachePolicy = .returnCacheDataElseLoad
        #expect(SessionConfiguration(configuration).requestCachePolicy == .returnCacheDataElseLoad)
    }

    @Test("Without the session that it belongs to nothing is stored")
    func released() async throws {
        var manager: SessionManager? = SessionManager(configuration: configuration)
        manager?.dataTaskWillCacheResponse = { _, _, proposed in proposed }
        let request = try #require(manager?.request(server.url("/a")))
        manager = nil
        #expect(await request.serializingData().response.error == nil)
        #expect(cache.entries.isEmpty)
        server.shutdown()
    }

    @Test("Of AFNetworking: a block of the manager, which nil removes; the serializer's cachePolicy decides what is used")
    func networking() async throws {
        let manager = HTTPSessionManager(configuration: configuration)
        manager.responseSerializer = .data
        manager.completionQueue = .global()
        let isAsked = Locked(0)
        manager.setDataTaskWillCacheResponseBlock { _, _, proposed in
            isAsked.withLock { $0 += 1 }
            return proposed
        }
        func get(_ policy: URLRequest.CachePolicy) async -> Bool {
            manager.requestSerializer.cachePolicy = policy
            return await withCheckedContinuation { continuation in
                manager.get(
                    server.url("/a"), success: { _, _ in continuation.resume(returning: true) },
                    failure: { _, _ in continuation.resume(returning: false) })
            }
        }
        #expect(await get(.returnCacheDataDontLoad) == false)
        #expect(await get(.useProtocolCachePolicy))
        #expect(await get(.returnCacheDataDontLoad))
        #expect(server.requestCount == 1 && isAsked.withLock(\.self) == 1)
        manager.setDataTaskWillCacheResponseBlock(nil)
        #expect(await get(.reloadIgnoringLocalCacheData))
        #expect(server.requestCount == 2 && isAsked.withLock(\.self) == 1)
        server.shutdown()
    }
}
