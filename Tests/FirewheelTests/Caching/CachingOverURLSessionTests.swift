import FirewheelTesting
import Foundation
import Testing

@testable import Firewheel

@Suite("A cache over URLSession", .timeLimit(.minutes(5)))
struct CachingOverURLSessionTests {
    @Test("is the session's own: it stores what its handler allows, answers from it, and has it confirmed")
    func sameCache() async throws {
        let server = try MockServer()
        server.route("/*") { request in
            request.header("if-none-match") == "\"1\""
                ? MockResponse(status: 304)
                : .text("hello", headers: [("Cache-Control", "max-age=60"), ("ETag", "\"1\"")])
        }
        let cache = HTTPCache()
        let session = Session(
            configuration: .with { $0.cache = cache }, transport: URLSessionTransport(),
            cachedResponseHandler: .modify { _, response in response.response.url?.path == "/refused" ? nil : response })
        func get(_ path: String, _ policy: URLRequest.CachePolicy = .useProtocolCachePolicy) async -> DataResponse<Data> {
            await session.get(server.url(path)) { $0.cachePolicy = policy }.serializingData().response
        }
        #expect(await get("/a").source == .network)
        let stored = await get("/a")
        #expect(stored.value == Data("hello".utf8) && stored.source.age != nil && !stored.source.isFromServer)
        #expect(server.requestCount == 1)
        let confirmed = await get("/a", .reloadRevalidatingCacheData)
        #expect(confirmed.value == Data("hello".utf8) && confirmed.statusCode == 200 && confirmed.source.isFromServer)
        for _ in 0..<2 { #expect(await get("/refused").source == .network) }
        #expect(server.requestCount == 4 && cache.entries.count == 1)
        server.shutdown()
    }
}
