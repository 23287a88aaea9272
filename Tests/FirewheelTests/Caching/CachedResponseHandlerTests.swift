import FirewheelTesting
import Foundation
import Testing

@testable import Firewheel

/// `cacheResponse(using:)` and `Session(cachedResponseHandler:)`: which responses are asked about, and what an answer decides.
@Suite("A handler of cached responses", .timeLimit(.minutes(5)))
struct CachedResponseHandlerTests {
    /// Keeps what it is asked about, and agrees.
    private final class Recorder: CachedResponseHandler {
        let asked = Locked<[(url: String, status: Int?, body: String, first: String?)]>([])

        func willCache(_ context: RequestContext, _ response: CachedURLResponse) async -> CachedURLResponse? {
            asked.withLock { asked in
                asked.append(
                    (
                        response.response.url?.path ?? "", (response.response as? HTTPURLResponse)?.statusCode,
                        String(decoding: response.data, as: UTF8.self), context.request?.url?.path
                    ))
            }
            return response
        }

        var paths: [String] { asked.withLock { $0.map(\.url) } }
    }

    private static let fresh: [StubTransport.Step] = .of("one", ["Cache-Control": "max-age=60"])

    private func get(
        _ bench: CacheBench, _ url: String = "http://cache.test/a", using handler: any CachedResponseHandler
    ) async -> DataResponse<Data> {
        await bench.session.get(url).cacheResponse(using: handler).serializingData(emptyResponseCodes: Set(100...599)).response
    }

    @Test("nothing of a request is stored whose handler says so, and the cache says why")
    func doNotCache() async throws {
        let bench = CacheBench { _, _ in Self.fresh }
        for _ in 0..<2 { #expect(await get(bench, using: .doNotCache).value == Data("one".utf8)) }
        #expect(bench.count == 2 && bench.cache.entries.isEmpty)
        let words = bench.cache.explain(URLRequest(url: try #require(URL(string: "http://cache.test/a"))))
        #expect(words.contains("the last response was not, because its handler stores nothing"))
        _ = await bench.get()
        #expect(await get(bench, using: .doNotCache).source == .cache(age: 0))
        #expect(bench.count == 3)
    }

    @Test("the session's handler decides for requests without their own")
    func precedence() async {
        let bench = CacheBench(handler: .doNotCache) { _, _ in Self.fresh }
        _ = await bench.get()
        #expect(bench.cache.entries.isEmpty)
        _ = await get(bench, using: .cache)
        #expect(bench.cache.entries.count == 1)
        #expect(await bench.get().source == .cache(age: 0))
    }

    @Test("one handler may be set without the other")
    func bothHandlers() async {
        let bench = CacheBench { request, _ in
            request.target.string.hasSuffix("/a")
                ? .of("", status: 302, ["Location": "/b", "Cache-Control": "max-age=60"]) : Self.fresh
        }
        let stopped = await bench.session.get("http://cache.test/a").redirect(using: .doNotFollow).cacheResponse(using: .doNotCache)
            .serializingData().response
        #expect(stopped.statusCode == 302 && bench.cache.entries.isEmpty)
        let again = await bench.session.get("http://cache.test/a").cacheResponse(using: .doNotCache).redirect(using: .doNotFollow)
            .serializingData().response
        #expect(again.statusCode == 302 && again.source == .network && bench.cache.entries.isEmpty)
    }

    @Test("it is asked about each complete response of the server that may be stored, redirects as well")
    func asked() async {
        let recorder = Recorder()
        let bench = CacheBench(handler: recorder) { request, number in
            switch request.target.string {
            case "http://cache.test/moved": .of("gone", status: 301, ["Location": "/a", "Cache-Control": "max-age=60"])
            case "http://cache.test/no-store": .of(["Cache-Control": "no-store"])
            case "http://cache.test/lost": [.response(ResponseHead(statusCode: 200)), .fail(.failed(.networkConnectionLost, "lost"))]
            default: request.method == .post ? .of(["Cache-Control": "max-age=60"]) : Self.fresh
            }
        }
        #expect(await bench.get("http://cache.test/moved").value == Data("one".utf8))
        #expect(recorder.paths == ["/moved", "/a"])
        let asked = recorder.asked.withLock(\.self)
        #expect(asked.map(\.body) == ["gone", "one"] && asked.map(\.status) == [301, 200])
        #expect(asked.map(\.first) == ["/moved", "/moved"])
        for url in ["moved", "a", "no-store", "lost"] { _ = await bench.get("http://cache.test/\(url)") }
        _ = await bench.get("http://cache.test/b", method: .post)
        _ = await bench.get("http://cache.test/a", headers: ["Range": "bytes=7-9"])
        #expect(recorder.paths == ["/moved", "/a"])
        #expect(await bench.get("http://cache.test/a").source == .cache(age: 0))
    }

    @Test("a confirmation of the server is not asked about; without a handler's consent to a new response the stored one goes")
    func confirmed() async {
        let recorder = Recorder()
        let bench = CacheBench(handler: recorder) { request, number in
            request.headers["If-None-Match"] != nil && number == 2
                ? [.response(ResponseHead(statusCode: 304, headers: ["Cache-Control": "max-age=5"])), .finish()]
                : .of("\(number)", ["Cache-Control": "max-age=5", "ETag": "\"\(number)\""])
        }
        _ = await bench.get()
        bench.wait(6)
        #expect(await bench.get().source == .revalidated(age: 0))
        #expect(recorder.paths == ["/a"])
        bench.wait(6)
        #expect(await get(bench, using: .modify { _, _ in nil }).value == Data("3".utf8))
        #expect(bench.cache.entries.isEmpty)
    }

    @Test("what is stored stays as it is when the server confirms it to a request that stores nothing, unless it may not stay")
    func confirmedWithoutStoring() async {
        let bench = CacheBench { request, number in
            request.headers["If-None-Match"] == nil
                ? .of("one", ["Cache-Control": "max-age=5", "ETag": "\"1\"", "X-A": "1"])
                : [
                    .response(
                        ResponseHead(statusCode: 304, headers: ["Cache-Control": number == 2 ? "max-age=50" : "no-store", "X-A": "2"])),
                    .finish(),
                ]
        }
        _ = await bench.get()
        bench.wait(6)
        let confirmed = await get(bench, using: .doNotCache)
        #expect(confirmed.source == .revalidated(age: 0) && confirmed.headers["X-A"] == "2")
        #expect(bench.cache.entries.first?.isFresh == false)
        #expect(await get(bench, using: .doNotCache).value == Data("one".utf8))
        #expect(bench.count == 3 && bench.cache.entries.isEmpty)
    }

    @Test("a download and a stream get their bodies, and the handler sees them whole")
    func downloads() async throws {
        let recorder = Recorder()
        let bench = CacheBench(handler: recorder) { _, _ in
            [
                .response(ResponseHead(statusCode: 200, headers: ["Cache-Control": "max-age=60"])), .chunk(Data("one".utf8)),
                .chunk(Data("two".utf8)), .finish(),
            ]
        }
        let file = try await bench.session.download("http://cache.test/a").serializingDownload(using: .data).value
        var streamed = Data()
        for try await piece in bench.session.streamRequest("http://cache.test/b").streamTask().streamingData() { streamed += piece }
        #expect(file == Data("onetwo".utf8) && streamed == file)
        #expect(recorder.asked.withLock { $0.map(\.body) } == ["onetwo", "onetwo"])
        #expect(bench.cache.entries.count == 2)
    }

    @Test("it sees the task-local values of the code that started the request")
    func taskLocals() async {
        let bench = CacheBench { _, _ in Self.fresh }
        let seen = Locked("")
        await Trace.$id.withValue("mine") {
            _ = await get(
                bench,
                using: .modify { _, response in
                    seen.withLock { $0 = Trace.id }
                    return response
                })
        }
        #expect(seen.withLock(\.self) == "mine")
    }

    private enum Trace {
        @TaskLocal static var id = "none"
    }

    @Test("without a cache it is not asked")
    func withoutCache() async {
        let recorder = Recorder()
        let bench = CacheBench(usesCache: false, handler: recorder) { _, _ in Self.fresh }
        #expect(await get(bench, using: .doNotCache).value == Data("one".utf8))
        #expect(await bench.get().value == Data("one".utf8))
        #expect(recorder.paths.isEmpty)
    }

    @Test("a body that is too large to be shown is not stored, and the request gets it")
    func large() async throws {
        let recorder = Recorder()
        let folder = try CacheFolder()
        let bench = CacheBench(capacity: 1 << 30, in: folder, handler: recorder) { _, _ in
            .of("one", ["Cache-Control": "max-age=60", "Content-Length": "\(ProposedResponse.mostBytes + 1)"])
        }
        #expect(await bench.get().value == Data("one".utf8))
        #expect(recorder.paths.isEmpty && bench.cache.entries.isEmpty)
        let words = bench.cache.explain(URLRequest(url: try #require(URL(string: "http://cache.test/a"))))
        #expect(words.contains("because its body is larger than 64 MiB, the most that a handler is asked about"))
        _ = await get(bench, using: .cache)
        #expect(bench.cache.entries.count == 1)
    }

    @Test("a HEAD of a request that stores nothing does not refresh what is stored, and removes what it contradicts")
    func head() async {
        let bench = CacheBench { request, number in
            let fields: HTTPHeaders = ["Cache-Control": number == 1 ? "max-age=5" : "max-age=60", "ETag": number == 3 ? "\"2\"" : "\"1\""]
            return request.method == .head ? [.response(ResponseHead(statusCode: 200, headers: fields)), .finish()] : .of(fields)
        }
        _ = await bench.get()
        bench.wait(6)
        for (isFresh, count) in [(false, 1), (nil, 0)] {
            _ = await bench.session.head("http://cache.test/a").cacheResponse(using: .doNotCache)
                .serializingData(emptyResponseCodes: [200]).response
            #expect(bench.cache.entries.first?.isFresh == isFresh && bench.cache.entries.count == count)
        }
    }

    @Test("a request that stores nothing asks the server itself where a revalidation in the background would follow")
    func withoutBackground() async {
        let bench = CacheBench { request, number in
            request.headers["If-None-Match"] == nil
                ? .of("one", ["Cache-Control": "max-age=5, stale-while-revalidate=60", "ETag": "\"1\""])
                : [.response(ResponseHead(statusCode: 304)), .finish()]
        }
        _ = await bench.get()
        bench.wait(6)
        #expect(await get(bench, using: .doNotCache).source == .revalidated(age: 0))
        let part = await bench.session.get("http://cache.test/a", headers: ["Range": "bytes=0-1"]).cacheResponse(using: .doNotCache)
            .serializingData().response
        #expect(part.source == .network && bench.count == 3)
    }

    @Test("a body without a length that turns out to be too large is not stored either")
    func largeWithoutLength() async throws {
        let recorder = Recorder()
        let folder = try CacheFolder()
        let bench = CacheBench(capacity: 1 << 30, in: folder, handler: recorder) { _, _ in
            [
                .response(ResponseHead(statusCode: 200, headers: ["Cache-Control": "max-age=60"])),
                .finish(body: Data(count: ProposedResponse.mostBytes + 1)),
            ]
        }
        #expect(await bench.get().value?.count == ProposedResponse.mostBytes + 1)
        #expect(recorder.paths.isEmpty && bench.cache.entries.isEmpty)
    }
}
