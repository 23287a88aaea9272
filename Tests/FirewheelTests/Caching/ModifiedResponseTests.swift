import FirewheelTesting
import Foundation
import Testing

@testable import Firewheel

extension CachedURLResponse {
    /// The response with other fields, of which nil removes one, another status or other data.
    func with(
        _ changes: [String: String?] = [:], status: Int? = nil, data: Data? = nil,
        storagePolicy: URLCache.StoragePolicy = .allowed
    ) -> CachedURLResponse {
        guard let response = response as? HTTPURLResponse, let url = response.url else { return self }
        var headers = response.headers
        for (name, value) in changes { headers[name] = value }
        let changed = HTTPURLResponse(
            url: url, statusCode: status ?? response.statusCode, httpVersion: "HTTP/1.1", headerFields: headers.dictionary)
        return CachedURLResponse(
            response: changed ?? response, data: data ?? self.data, userInfo: ["key": "value"], storagePolicy: storagePolicy)
    }
}

/// What a handler of cached responses may change, and what becomes of it.
@Suite("A response that a handler has changed", .timeLimit(.minutes(5)))
struct ModifiedResponseTests {
    private func bench(
        in folder: CacheFolder? = nil, _ fields: HTTPHeaders = [:],
        _ modify: @escaping @Sendable (CachedURLResponse) -> CachedURLResponse?
    ) -> CacheBench {
        CacheBench(in: folder, handler: .modify { _, response in modify(response) }) { _, _ in .of("one", fields) }
    }

    /// Why the last response was not stored.
    private func reason(_ bench: CacheBench) throws -> String {
        #expect(bench.cache.entries.isEmpty)
        return bench.cache.explain(URLRequest(url: try #require(URL(string: "http://cache.test/a"))))
    }

    @Test("the client may say how long a response is fresh whose server does not")
    func freshness() async {
        let bench = bench { $0.with(["Cache-Control": "max-age=60"]) }
        let first = await bench.get()
        #expect(first.source == .network && first.headers["Cache-Control"] == nil)
        bench.wait(59)
        let second = await bench.get()
        #expect(second.source == .cache(age: 59) && second.value == Data("one".utf8))
        #expect(second.headers["Cache-Control"] == "max-age=60")
        bench.wait(1)
        #expect(await bench.get().source == .network)
    }

    @Test("other data is stored with its length, and so is another status")
    func data() async {
        let fields: HTTPHeaders = ["Cache-Control": "max-age=60", "Content-Length": "3", "ETag": "\"1\""]
        let bench = bench(fields) { $0.with(data: Data("another".utf8)) }
        #expect(await bench.get().value == Data("one".utf8))
        let second = await bench.get()
        #expect(second.value == Data("another".utf8))
        #expect(second.headers.values(for: "Content-Length") == ["7"])
        #expect(await bench.get(headers: ["Range": "bytes=5-"]).value == Data("er".utf8))
        let head = await bench.get(method: .head)
        #expect(head.headers["Content-Length"] == "7" && head.source == .cache(age: 0))
        let other = self.bench(fields) { $0.with(status: 203) }
        #expect(await other.get().statusCode == 200)
        #expect(await other.get().statusCode == 203)
    }

    @Test("a length that is not that of the data does not count")
    func length() async {
        let bench = bench(["Cache-Control": "max-age=60", "Content-Length": "3"]) { $0.with(["Content-Length": "9999"]) }
        _ = await bench.get()
        let second = await bench.get()
        #expect(second.value == Data("one".utf8) && second.headers.values(for: "Content-Length") == ["3"])
    }

    @Test("repeated fields stay as the server has sent them, unless they were changed")
    func repeated() async {
        let fields = HTTPHeaders(received: [
            HTTPHeader(name: "Set-Cookie", value: "a=1"), HTTPHeader(name: "set-cookie", value: "b=2"),
            HTTPHeader(name: "X-Twice", value: "1"), HTTPHeader(name: "X-Twice", value: "2"), HTTPHeader(name: "X-Gone", value: "1"),
        ])
        let bench = bench(fields) { $0.with(["cache-control": "max-age=60", "x-twice": "3", "X-Gone": nil]) }
        _ = await bench.get()
        let second = await bench.get()
        #expect(second.source == .cache(age: 0))
        #expect(second.headers.values(for: "Set-Cookie") == ["a=1", "b=2"])
        #expect(second.headers.values(for: "X-Twice") == ["3"] && !second.headers.contains(name: "X-Gone"))
    }

    @Test(
        "fields that it has set or removed stay so when the server confirms the response, also after a restart", arguments: [false, true])
    func confirmed(onDisk: Bool) async throws {
        let folder = onDisk ? try CacheFolder() : nil
        let handler = ResponseCacher.modify { _, response in response.with(["Cache-Control": "max-age=60", "Expires": nil]) }
        let answer: CacheBench.Answer = { request, _ in
            let fields: HTTPHeaders = ["Cache-Control": "no-cache", "ETag": "\"1\"", "Expires": "0", "X-A": "\(request.id.request)"]
            return request.headers["If-None-Match"] == nil
                ? .of("one", fields) : [.response(ResponseHead(statusCode: 304, headers: fields)), .finish()]
        }
        let first = CacheBench(in: folder, handler: handler, answer)
        _ = await first.get()
        first.settle()
        let bench = onDisk ? CacheBench(in: folder, answer) : first
        bench.wait(61)
        let confirmed = await bench.get()
        #expect(confirmed.source == .revalidated(age: 0) && confirmed.headers["Cache-Control"] == "max-age=60")
        #expect(!confirmed.headers.contains(name: "Expires") && confirmed.headers["X-A"] != "1")
        bench.wait(59)
        #expect(await bench.get().source == .cache(age: 59))
    }

    @Test("an age and a date of the server that it has removed do not count, nor do those of a confirmation")
    func ages() async {
        let date = "Fri, 15 Jan 2027 07:50:00 GMT"
        let handler = ResponseCacher.modify { _, response in
            response.with(["Cache-Control": "max-age=300", "Age": nil, "Date": nil])
        }
        let bench = CacheBench(handler: handler) { request, _ in
            let fields: HTTPHeaders = ["Age": "600", "Date": date, "ETag": "\"1\""]
            return request.headers["If-None-Match"] == nil
                ? .of("one", fields) : [.response(ResponseHead(statusCode: 304, headers: fields)), .finish()]
        }
        _ = await bench.get()
        bench.wait(299)
        #expect(await bench.get().source == .cache(age: 299))
        bench.wait(1)
        #expect(await bench.get().source == .revalidated(age: 0))
        bench.wait(299)
        let third = await bench.get()
        #expect(third.source == .cache(age: 299) && !third.headers.contains(name: "Date"))
        #expect(bench.count == 2)
    }

    @Test("a no-store of the confirming server removes the response all the same")
    func confirmedWithNoStore() async {
        let bench = CacheBench(handler: .modify { _, response in response.with(["Cache-Control": "max-age=5"]) }) { request, number in
            number == 1
                ? .of("one", ["ETag": "\"1\""])
                : [.response(ResponseHead(statusCode: 304, headers: ["Cache-Control": "no-store"])), .finish()]
        }
        _ = await bench.get()
        bench.wait(6)
        #expect(await bench.get().source == .revalidated(age: 0))
        #expect(bench.cache.entries.isEmpty)
    }

    @Test("it is judged like a response of the server")
    func judged() async throws {
        let fields: HTTPHeaders = ["Cache-Control": "max-age=60"]
        for (changed, words): (@Sendable (CachedURLResponse) -> CachedURLResponse?, String) in [
            ({ _ in nil }, "the handler refused it"),
            ({ $0.with(["Cache-Control": "no-store"]) }, "it had Cache-Control: no-store"),
            ({ $0.with(["Vary": "*"]) }, "it had Vary: *"),
            ({ $0.with(status: 206) }, "a response with status 206 is of no use to others"),
            ({ $0.with(status: 700) }, "a response with status 700 is of no use to others"),
            ({ $0.with(["X-A": "1\r\nSet-Cookie: a=1"]) }, "the handler's response has an invalid header field"),
            ({ $0.with(["X A": "1"]) }, "the handler's response has an invalid header field"),
            ({ $0.with(status: 204) }, "the handler's response has a body, which its status 204 does not allow"),
            ({ $0.with(data: Data(count: 1 << 20)) }, "it is larger than a tenth of the cache's capacity"),
            ({ $0.with(storagePolicy: .notAllowed) }, "the handler's storagePolicy does not allow it"),
            (
                {
                    CachedURLResponse(
                        response: URLResponse(
                            url: $0.response.url ?? URL(fileURLWithPath: "/"), mimeType: nil, expectedContentLength: 3,
                            textEncodingName: nil),
                        data: $0.data)
                }, "the handler's response is not an HTTPURLResponse"
            ),
        ] {
            let bench = bench(fields, changed)
            #expect(await bench.get().value == Data("one".utf8))
            #expect(try reason(bench).contains("the last response was not, because \(words)"), "\(words)")
        }
    }

    @Test("a response with very many fields takes no longer than they need")
    func manyFields() async {
        let fields = (0..<100_000).map { HTTPHeader(name: "X-\($0)", value: "1") }
        let bench = bench(HTTPHeaders(received: fields)) { $0.with(["Cache-Control": "max-age=60"], data: Data("1".utf8)) }
        _ = await bench.get()
        // It is too large to be stored in this cache.
        #expect(bench.cache.entries.isEmpty && bench.count == 1)
    }

    @Test("what is allowed in memory only is not written to a disk")
    func memoryOnly() async throws {
        let fields: HTTPHeaders = ["Cache-Control": "max-age=60"]
        let folder = try CacheFolder()
        let disk = bench(in: folder, fields) { $0.with(storagePolicy: .allowedInMemoryOnly) }
        _ = await disk.get()
        #expect(try reason(disk).contains("the handler allows it in memory only, and the cache is on disk"))
        #expect(folder.files(".body").isEmpty && !folder.contains("one"))
        // Also with all caches of the tests on disk.
        let cache = HTTPCache(memoryCapacity: 1 << 20)
        let session = Session(
            configuration: .with { $0.cache = cache }, transport: StubTransport { _ in .of("one", fields) },
            cachedResponseHandler: .modify { _, response in response.with(storagePolicy: .allowedInMemoryOnly) })
        _ = await session.get("http://cache.test/a").serializingData().response
        #expect(cache.entries.count == 1)
    }

    @Test("a Vary that it adds keeps variants apart, one that it removes does not")
    func vary() async {
        let added = bench(["Cache-Control": "max-age=60"]) { $0.with(["Vary": "Accept-Language"]) }
        _ = await added.get(headers: ["Accept-Language": "de"])
        #expect(await added.get(headers: ["Accept-Language": "en"]).source == .network)
        #expect(await added.get(headers: ["Accept-Language": "de"]).source == .cache(age: 0))
        let removed = bench(["Cache-Control": "max-age=60", "Vary": "Accept-Language"]) { $0.with(["Vary": nil]) }
        _ = await removed.get(headers: ["Accept-Language": "de"])
        #expect(await removed.get(headers: ["Accept-Language": "en"]).source == .cache(age: 0))
    }

    @Test("a body that was decoded is shown decoded, and is not decoded again")
    func decoded() async {
        let bench = bench(["Cache-Control": "max-age=60", "Content-Encoding": "gzip", "Content-Length": "3"]) {
            $0.with(data: Data("text".utf8))
        }
        _ = await bench.get()
        let second = await bench.get()
        #expect(second.value == Data("text".utf8) && second.headers["Content-Encoding"] == "gzip")
        #expect(!second.headers.contains(name: "Content-Length"))
    }

    @Test("a content coding that it removes takes the length of the coded body with it")
    func codingRemoved() async {
        let bench = bench(["Cache-Control": "max-age=60", "Content-Encoding": "gzip", "Content-Length": "99"]) {
            $0.with(["Content-Encoding": nil])
        }
        _ = await bench.get()
        let second = await bench.get()
        #expect(second.headers.values(for: "Content-Length") == ["3"] && !second.headers.contains(name: "Content-Encoding"))
        #expect(await bench.get(headers: ["Range": "bytes=1-"]).value == Data("ne".utf8))
    }

    @Test("a field of the server's with a name that is none does not count as the handler's")
    func serversField() async {
        let bench = bench(HTTPHeaders(received: [HTTPHeader(name: "X Foo", value: "1")])) { $0.with(["Cache-Control": "max-age=60"]) }
        _ = await bench.get()
        #expect(await bench.get().source == .cache(age: 0))
    }
}
