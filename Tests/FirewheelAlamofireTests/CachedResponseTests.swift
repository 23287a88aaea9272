import FirewheelAlamofire
import FirewheelTesting
import Testing

@Suite("Handlers of cached responses in Alamofire's form", .timeLimit(.minutes(5)))
struct CachedResponseTests {
    private let cache = HTTPCache()
    private let server: MockServer

    init() throws {
        server = try MockServer()
        server.route("/*") { _ in .text("hello", headers: [("Cache-Control", "max-age=60")]) }
    }

    private func session(_ handler: (any CachedResponseHandler)? = nil) -> Session {
        let cache = cache
        return Session(cachedResponseHandler: handler) { $0.cache = cache }
    }

    @Test("Responses are stored by default and with .cache, and not with .doNotCache")
    func fixed() async throws {
        let session = session()
        for _ in 0..<2 { #expect(try await session.request(server.url("/a")).serializingString().value == "hello") }
        #expect(server.requestCount == 1 && cache.entries.count == 1)
        _ = await session.request(server.url("/b")).cacheResponse(using: .doNotCache).serializingData().response
        #expect(cache.entries.count == 1)
        let silent = self.session(.doNotCache)
        #expect(silent.cachedResponseHandler is ResponseCacher)
        _ = await silent.request(server.url("/c")).serializingData().response
        #expect(cache.entries.count == 1)
        _ = await silent.request(server.url("/c")).cacheResponse(using: .cache).serializingData().response
        #expect(cache.entries.count == 2)
        server.shutdown()
    }

    @Test("A closure gets the task, and may change what is stored")
    func modified() async throws {
        let journal = Journal<String?>()
        let session = session(
            ResponseCacher(
                behavior: .modify { task, response in
                    journal.add(task.originalRequest?.url?.path)
                    journal.add(response.response.url?.path)
                    journal.add((task.response as? HTTPURLResponse)?.statusCode == 200 ? "200" : nil)
                    return CachedURLResponse(
                        response: response.response, data: Data("stored".utf8), userInfo: ["key": "value"], storagePolicy: .allowed)
                }))
        #expect(try await session.request(server.url("/a")).serializingString().value == "hello")
        #expect(try await session.request(server.url("/a")).serializingString().value == "stored")
        #expect(journal.elements == ["/a", "/a", "200"])
        _ = await session.request(server.url("/b")).cacheResponse(using: .modify { _, _ in nil }).serializingData().response
        #expect(cache.entries.count == 1)
        server.shutdown()
    }

    @Test("A handler that answers twice is heard once, one that never answers ends with cancel(), one that drops it stores nothing")
    func careless() async throws {
        struct Twice: CachedResponseHandler {
            func dataTask(
                _ task: URLSessionDataTask, willCacheResponse response: CachedURLResponse,
                completion: @escaping (CachedURLResponse?) -> Void
            ) {
                completion(response)
                completion(nil)
            }
        }
        final class Never: CachedResponseHandler, @unchecked Sendable {
            // Sound because the property is set once, before the journal tells of it.
            private var kept: ((CachedURLResponse?) -> Void)?
            let journal = Journal<Bool>()
            func dataTask(
                _ task: URLSessionDataTask, willCacheResponse response: CachedURLResponse,
                completion: @escaping (CachedURLResponse?) -> Void
            ) {
                kept = completion
                journal.add(true)
            }
        }
        struct Dropping: CachedResponseHandler {
            func dataTask(
                _ task: URLSessionDataTask, willCacheResponse response: CachedURLResponse,
                completion: @escaping (CachedURLResponse?) -> Void
            ) {}
        }
        let session = session()
        _ = await session.request(server.url("/a")).cacheResponse(using: Twice()).serializingData().response
        #expect(cache.entries.count == 1)
        let dropped = await session.request(server.url("/b")).cacheResponse(using: Dropping()).serializingData().response
        #expect(dropped.value == Data("hello".utf8) && cache.entries.count == 1)
        let never = Never()
        let request = session.request(server.url("/c")).cacheResponse(using: never)
        let task = request.serializingData()
        try await waitUntil("the question") { !never.journal.elements.isEmpty }
        request.cancel()
        #expect(await task.response.error?.isExplicitlyCancelledError == true)
        #expect(cache.entries.count == 1)
        server.shutdown()
    }

    @Test("A response that is revalidated after the end of its request is asked about")
    func background() async throws {
        let number = Journal<Int>()
        let server = try MockServer()
        server.route("/*") { _ in
            number.add(1)
            return .text("\(number.elements.count)", headers: [("Cache-Control", "max-age=0, stale-while-revalidate=600")])
        }
        let tasks = Journal<String>()
        let session = session(
            .modify { task, response in
                tasks.add("\(task.originalRequest?.url?.path ?? "") \(task.state == .completed)")
                return response
            })
        #expect(try await session.request(server.url("/a")).serializingString().value == "1")
        #expect(try await session.request(server.url("/a")).serializingString().value == "1")
        var stored = ""
        while stored != "2" {
            stored = try await session.request(server.url("/a")) { $0.cachePolicy = .returnCacheDataDontLoad }.serializingString().value
        }
        #expect(tasks.elements.count == 2 && tasks.elements.allSatisfy { $0.hasPrefix("/a ") })
        server.shutdown()
    }

    @Test("The policies of the configuration and of a request count")
    func policies() async throws {
        let cache = cache
        let configuration = URLSessionConfiguration.af.default
        configuration.requestCachePolicy = .returnCacheDataDontLoad
        let session = Session(configuration: configuration) { $0.cache = cache }
        let missing = await session.request(server.url("/a")).serializingData().response
        #expect(missing.error != nil && server.requestCount == 0)
        let loaded = await session.request(server.url("/a")) { $0.cachePolicy = .reloadIgnoringLocalCacheData }.serializingData().response
        #expect(loaded.error == nil && server.requestCount == 1)
        #expect(await session.request(server.url("/a")).serializingData().response.value == Data("hello".utf8))
        #expect(server.requestCount == 1)
        server.shutdown()
    }
}
