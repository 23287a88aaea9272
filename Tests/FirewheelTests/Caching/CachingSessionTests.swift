import FirewheelTesting
import Foundation
import Testing

@testable import Firewheel

/// Sessions with a cache: what a caller sees (RFC 9111).
@Suite("A session with a cache", .timeLimit(.minutes(5)))
struct CachingSessionTests {
    @Test("a fresh response is used again, with its age, and the network is not asked")
    func fresh() async throws {
        let bench = CacheBench { _, _ in .of("one", ["Cache-Control": "max-age=60", "Age": "3", "X-A": "1"]) }
        let first = await bench.get()
        #expect(first.source == .network && first.value == Data("one".utf8))
        bench.wait(10)
        let second = await bench.get()
        #expect(second.source == .cache(age: 13))
        #expect(second.value == Data("one".utf8) && second.statusCode == 200)
        #expect(second.headers.values(for: "Age") == ["13"] && second.headers["X-A"] == "1")
        #expect(bench.count == 1)
        bench.wait(48)
        let third = await bench.get()
        #expect(third.source == .network && bench.count == 2)
    }

    @Test("without a cache nothing is stored, and every response comes from the network")
    func noCache() async {
        let bench = CacheBench(usesCache: false) { _, _ in .of(["Cache-Control": "max-age=60"]) }
        for _ in 0..<2 { #expect(await bench.get().source == .network) }
        #expect(bench.count == 2 && bench.cache.entries.isEmpty)
    }

    @Test("a stale response with a validator is confirmed by a 304, whose fields replace stored ones (section 4.3.4)")
    func confirmed() async {
        let bench = CacheBench { request, number in
            guard number > 1 else { return .of("one", ["Cache-Control": "max-age=5", "ETag": "\"1\"", "X-A": "1", "X-B": "1"]) }
            #expect(request.headers.values(for: "If-None-Match") == ["\"1\""])
            return [
                .response(ResponseHead(statusCode: 304, headers: ["Cache-Control": "max-age=50", "X-A": "2", "Content-Length": "999"])),
                .finish(),
            ]
        }
        _ = await bench.get()
        bench.wait(6)
        let second = await bench.get()
        #expect(second.source == .revalidated(age: 0))
        #expect(second.statusCode == 200 && second.value == Data("one".utf8))
        #expect(second.headers["X-A"] == "2" && second.headers["X-B"] == "1" && second.headers["Content-Length"] == nil)
        bench.wait(49)
        #expect(await bench.get().source == .cache(age: 49))
        #expect(bench.count == 2)
    }

    @Test("the caller's own condition reaches the server, and its 304 the caller")
    func ownCondition() async {
        let bench = CacheBench { request, number in
            if request.headers["If-None-Match"] == "\"mine\"" { return [.response(ResponseHead(statusCode: 304)), .finish()] }
            return .of("one", ["Cache-Control": "max-age=60", "ETag": "\"1\""])
        }
        _ = await bench.get()
        let own = await bench.get(headers: ["If-None-Match": "\"mine\""])
        #expect(own.statusCode == 304 && own.source == .network)
        #expect(await bench.get().source == .cache(age: 0))
        #expect(bench.count == 2)
    }

    @Test(
        "an unsafe method removes what is stored for its URL, Location and Content-Location of the same origin (section 4.4)",
        arguments: [HTTPMethod.post, .put, .delete, .patch, HTTPMethod(rawValue: "M-SEARCH")])
    func invalidation(_ method: HTTPMethod) async {
        let bench = CacheBench { request, _ in
            guard request.method != .get else { return .of(request.target.string, ["Cache-Control": "max-age=60"]) }
            return .of("", status: 201, ["Location": "/b", "Content-Location": "http://other.test/c"])
        }
        let urls = ["http://cache.test/a", "http://cache.test/b", "http://cache.test/c", "http://other.test/c"]
        for url in urls { _ = await bench.get(url) }
        _ = await bench.get(method: method)
        var sources: [ResponseSource] = []
        for url in urls { sources.append(await bench.get(url).source) }
        #expect(sources == [.network, .network, .cache(age: 0), .cache(age: 0)])
    }

    @Test("a failed unsafe request removes nothing")
    func failedUnsafe() async {
        let bench = CacheBench { request, _ in .of(status: request.method == .get ? 200 : 500, ["Cache-Control": "max-age=60"]) }
        _ = await bench.get()
        _ = await bench.get(method: .post)
        #expect(await bench.get().source == .cache(age: 0))
    }

    @Test("a response to a request that was sent before an invalidation is not stored after it")
    func lateResponse() async throws {
        let bench = CacheBench { request, _ in request.method == .get ? [.wait] : .of(status: 204, [:]) }
        async let slow = bench.get()
        try await waitUntil("the request is sent") { bench.count == 1 }
        _ = await bench.get(method: .delete)
        let id = try #require(bench.stub.requests.first?.id)
        bench.stub.send(.of("old", ["Cache-Control": "max-age=60"]), to: id)
        #expect(await slow.value == Data("old".utf8))
        #expect(bench.cache.entries.isEmpty)
    }

    @Test("redirects are cached hop by hop, with their bodies")
    func redirects() async {
        @Sendable func answer(_ request: TransportRequest) -> [StubTransport.Step] {
            request.target.string.hasSuffix("/a")
                ? .of("moved", status: 301, ["Location": "/b", "Cache-Control": "max-age=60"]) : .of("two", ["Cache-Control": "max-age=5"])
        }
        let bench = CacheBench { request, _ in answer(request) }
        for _ in 0..<2 { #expect(await bench.get().value == Data("two".utf8)) }
        #expect(bench.count == 2)
        bench.wait(6)
        let third = await bench.get()
        #expect(third.source == .network && bench.count == 3)
        #expect(third.metrics?.transactionMetrics.map(\.resourceFetchType) == [.localCache, .networkLoad])
        let unfollowed = await bench.session.request("http://cache.test/a").redirect(using: Redirector.doNotFollow).serializingData()
            .response
        #expect(unfollowed.source == .cache(age: 6) && unfollowed.value == Data("moved".utf8))
    }

    @Test("only-if-cached without a stored response is a 504 (section 5.2.1.7)")
    func onlyIfCached() async {
        let bench = CacheBench { _, _ in .of(["Cache-Control": "max-age=60"]) }
        let without = await bench.get(headers: ["Cache-Control": "only-if-cached"])
        #expect(without.statusCode == 504 && bench.count == 0)
        _ = await bench.get()
        #expect(await bench.get(headers: ["Cache-Control": "only-if-cached"]).source == .cache(age: 0))
    }

    @Test("each cache policy of a URLRequest")
    func policies() async {
        let bench = CacheBench { request, number in
            if request.headers["If-None-Match"] != nil { return [.response(ResponseHead(statusCode: 304)), .finish()] }
            return .of("\(number)", ["Cache-Control": "max-age=5", "ETag": "\"1\""])
        }
        let unstored = await bench.get(policy: .returnCacheDataDontLoad)
        #expect((unstored.error as? FirewheelError)?.kind == .transportFailed(.resourceUnavailable) && bench.count == 0)
        #expect(await bench.get(policy: .returnCacheDataElseLoad).source == .network)
        #expect(await bench.get(policy: .reloadIgnoringLocalCacheData).value == Data("2".utf8))
        let everywhere = await bench.get(policy: .reloadIgnoringLocalAndRemoteCacheData)
        #expect(everywhere.value == Data("3".utf8) && everywhere.request?.value(forHTTPHeaderField: "Cache-Control") == "no-cache")
        #expect(await bench.get().source == .cache(age: 0))
        #expect(await bench.get(policy: .reloadRevalidatingCacheData).source == .revalidated(age: 0))
        #expect(bench.stub.requests.last?.headers["Cache-Control"] == "max-age=0")
        bench.wait(100)
        #expect(await bench.get(policy: .returnCacheDataElseLoad).source == .stale(age: 100, because: .accepted))
        #expect(await bench.get(policy: .returnCacheDataDontLoad).source == .stale(age: 100, because: .accepted))
        #expect(bench.count == 4)
    }

    @Test("cache(maxStale:onlyIfCached:) of a request, also on the hop after a redirect")
    func requestLimits() async {
        let bench = CacheBench { request, _ in
            request.target.string.hasSuffix("/from")
                ? .of("", status: 302, ["Location": "/a"]) : .of(["Cache-Control": "max-age=5"])
        }
        func get(
            _ url: String = "http://cache.test/a", maxStale: TimeInterval? = nil, onlyIfCached: Bool = false
        ) async -> DataResponse<Data> {
            await bench.session.request(url).cache(maxStale: maxStale, onlyIfCached: onlyIfCached).serializingData().response
        }
        #expect(await get(onlyIfCached: true).statusCode == 504 && bench.count == 0)
        #expect(await get(maxStale: 10).source == .network)
        #expect(bench.stub.requests.last?.headers.values(for: "Cache-Control") == ["max-stale=10"])
        bench.wait(12)
        #expect(await get(maxStale: 7.9, onlyIfCached: true).source == .stale(age: 12, because: .accepted))
        #expect(await get(maxStale: 6.9, onlyIfCached: true).statusCode == 504)
        for (seconds, status) in [(-1, 504), (.nan, 504), (1e300, 200), (.infinity, 200)] as [(TimeInterval, Int)] {
            #expect(await get(maxStale: seconds, onlyIfCached: true).statusCode == status)
        }
        #expect(await get("http://cache.test/from", maxStale: 100).source == .stale(age: 12, because: .accepted))
        let own = bench.session.request("http://cache.test/b", headers: ["Cache-Control": "no-transform"]).cache(maxStale: 1)
        #expect(await own.serializingData().response.request?.headers["Cache-Control"] == "no-transform, max-stale=1")
        #expect(await get().source == .network)
    }

    @Test("the session's requestCachePolicy applies to requests without their own")
    func sessionPolicy() async {
        let bench = CacheBench(configuration: .with { $0.requestCachePolicy = .reloadIgnoringLocalCacheData }) { _, _ in
            .of(["Cache-Control": "max-age=60"])
        }
        for _ in 0..<2 { #expect(await bench.get().source == .network) }
        #expect(await bench.session.request("http://cache.test/a").serializingData().response.source == .network)
        #expect(await bench.get(policy: .returnCacheDataElseLoad).source == .cache(age: 0))
    }

    @Test("a HEAD is answered by a fresh response to GET, and updates a stale one (section 4.3.5)")
    func head() async {
        let bench = CacheBench { request, number in
            .of(request.method == .head ? "" : "body", ["Cache-Control": number == 1 ? "max-age=5" : "max-age=60", "X-N": "\(number)"])
        }
        _ = await bench.get()
        let fresh = await bench.get(method: .head)
        #expect(fresh.source == .cache(age: 0) && fresh.data == nil)
        bench.wait(6)
        #expect(await bench.get(method: .head).source == .network)
        let updated = await bench.get()
        #expect(updated.source == .cache(age: 0) && updated.value == Data("body".utf8) && updated.headers["X-N"] == "2")
    }

    @Test("a HEAD of another representation removes what is stored")
    func headOfAnother() async {
        let bench = CacheBench { request, number in
            .of(request.method == .head ? "" : "body", ["Cache-Control": "max-age=5", "ETag": "\"\(number)\""])
        }
        _ = await bench.get()
        bench.wait(6)
        _ = await bench.get(method: .head)
        #expect(bench.cache.entries.isEmpty)
    }

    @Test("a policy without loading sends nothing: other methods, and parts that are not stored")
    func withoutLoading() async {
        let bench = CacheBench { _, _ in .of("0123456789", ["Cache-Control": "max-age=60"]) }
        _ = await bench.get()
        for method in [HTTPMethod.post, .options] {
            #expect(kind(await bench.get(method: method, policy: .returnCacheDataDontLoad).error) == .transportFailed(.resourceUnavailable))
        }
        let parts = await bench.get(headers: ["Range": "bytes=0-1,3-4"], policy: .returnCacheDataDontLoad)
        #expect(kind(parts.error) == .transportFailed(.resourceUnavailable))
        #expect(await bench.get(headers: ["Range": "bytes=20-", "Cache-Control": "only-if-cached"]).statusCode == 504)
        #expect(await bench.get(method: .head, headers: ["Range": "bytes=0-1"]).statusCode == 200)
        #expect(bench.count == 1)
    }

    @Test("a redirect handler that changes another field keeps the cache policy")
    func redirectHandler() async {
        let bench = CacheBench { request, _ in
            request.target.string.hasSuffix("/a")
                ? .of("", status: 302, ["Location": "/b", "Cache-Control": "max-age=60"]) : .of(["Cache-Control": "max-age=60"])
        }
        _ = await bench.get()
        let request = bench.session.request("http://cache.test/a") { $0.cachePolicy = .reloadIgnoringLocalCacheData }
        let handler = Redirector.modify { _, proposed, _ in
            var request = proposed
            request.headers.add(name: "X-A", value: "1")
            return request
        }
        let response = await request.redirect(using: handler).serializingData().response
        #expect(response.source == .network && bench.count == 4)
        #expect(response.request?.cachePolicy == .reloadIgnoringLocalCacheData)
    }

    @Test("a 304 with another strong entity tag confirms nothing: the response is loaded again (section 4.3.4)")
    func contradiction() async {
        let bench = CacheBench { request, number in
            request.headers["If-None-Match"] != nil
                ? [.response(ResponseHead(statusCode: 304, headers: ["ETag": "\"2\""])), .finish()]
                : .of("\(number)", ["Cache-Control": "max-age=5", "ETag": number == 1 ? "\"1\"" : "\"2\""])
        }
        _ = await bench.get()
        bench.wait(6)
        let second = await bench.get()
        #expect(second.value == Data("3".utf8) && second.headers["ETag"] == "\"2\"" && second.source == .network)
        bench.wait(6)
        #expect(await bench.get().source == .revalidated(age: 0))
    }

    @Test("a retry reaches the server, also if the failure is stored")
    func retry() async {
        let bench = CacheBench { _, number in .of("\(number)", status: number < 3 ? 404 : 200, ["Cache-Control": "max-age=60"]) }
        let request = bench.session.request("http://cache.test/a").validate().retry { _, _ in .retry }
        #expect(await request.serializingData().response.value == Data("3".utf8))
        #expect(await bench.get().source == .cache(age: 0))
    }

    @Test("validators are sent as they were received, or not at all")
    func validators() async {
        let tags: [(String, [UInt8]?)] = [
            ("\"\u{80}\u{ff}\"", [0x22, 0x80, 0xFF, 0x22]), ("W/\"1\"", Array("W/\"1\"".utf8)), ("\"\u{1}\"", nil), ("\"\u{7f}\"", nil),
            ("", nil),
        ]
        for (tag, octets) in tags {
            let head = ResponseHead(statusCode: 200, headers: HTTPHeaders(received: [HTTPHeader(name: "ETag", value: tag)]))
            let bench = CacheBench { _, _ in [.response(head), .finish(body: Data("x".utf8))] }
            for _ in 0..<2 { #expect(await bench.get().error == nil) }
            let sent = bench.stub.requests[1].headers.first { $0.name == "If-None-Match" }
            #expect(sent.map { $0.isObsText ? FieldOctets.received($0.value) : Array($0.value.utf8) } == octets)
        }
    }

    @Test("no-store on either side stores nothing")
    func noStore() async {
        let bench = CacheBench { request, _ in
            .of(["Cache-Control": request.target.string.hasSuffix("secret") ? "no-store, max-age=60" : "max-age=60"])
        }
        _ = await bench.get("http://cache.test/secret")
        _ = await bench.get(headers: ["Cache-Control": "no-store"])
        #expect(bench.cache.entries.isEmpty && bench.cache.statistics.byteCount == 0)
    }

    @Test("an interrupted body, and a part, are not stored")
    func incomplete() async {
        let bench = CacheBench { request, _ in
            if request.headers.contains(name: "Range") {
                return .of("o", status: 206, ["Cache-Control": "max-age=60", "Content-Range": "bytes 0-0/3"])
            }
            return [
                .response(ResponseHead(statusCode: 200, headers: ["Cache-Control": "max-age=60"])),
                .fail(.failed(.networkConnectionLost, "lost")),
            ]
        }
        #expect(await bench.get().error != nil)
        #expect(await bench.get(headers: ["Range": "bytes=0-0"]).statusCode == 206)
        #expect(bench.cache.entries.isEmpty)
    }

    @Test("a part of a complete fresh response comes from the cache, other ranges pass by")
    func ranges() async {
        let bench = CacheBench { request, _ in
            request.headers.contains(name: "Range") ? .of("x", status: 206, [:]) : .of("0123456789", ["Cache-Control": "max-age=60"])
        }
        _ = await bench.get()
        for (range, part, field) in [
            ("bytes=2-4", "234", "bytes 2-4/10"), ("bytes=7-", "789", "bytes 7-9/10"), ("bytes=-3", "789", "bytes 7-9/10"),
            ("bytes=8-99", "89", "bytes 8-9/10"), ("bytes=-99", "0123456789", "bytes 0-9/10"),
        ] {
            let response = await bench.get(headers: ["Range": range])
            #expect(response.statusCode == 206 && response.value == Data(part.utf8) && response.source.isCached, "\(range)")
            #expect(response.headers["Content-Range"] == field && response.headers["Content-Length"] == "\(part.utf8.count)")
        }
        for range in [
            "bytes=10-", "bytes=4-2", "bytes=0-1,3-4", "bytes=-0", "bytes=", "bytes=-", "lines=1-2", "bytes=a-b", "bytes=1-b",
            "bytes=99999999999999999999-",
        ] {
            #expect(await bench.get(headers: ["Range": range]).source == .network, "\(range)")
        }
        #expect(await bench.get(headers: ["Range": "bytes=0-1", "If-Range": "\"1\""]).source == .network)
        #expect(await bench.get().value == Data("0123456789".utf8))
    }

    @Test("a clock that goes back makes nothing fresh")
    func clockGoesBack() async {
        let bench = CacheBench { _, _ in .of(["Cache-Control": "max-age=60"]) }
        _ = await bench.get()
        bench.wait(-1)
        #expect(await bench.get().source == .network)
    }

    @Test("defaultFreshness is for responses that say nothing")
    func defaultFreshness() async {
        let bench = CacheBench(defaultFreshness: 30) { request, _ in
            .of(request.target.string.hasSuffix("/silent?q") ? [:] : ["Cache-Control": "max-age=1"])
        }
        for url in ["http://cache.test/silent?q", "http://cache.test/a"] { _ = await bench.get(url) }
        bench.wait(20)
        #expect(await bench.get("http://cache.test/silent?q").source == .cache(age: 20))
        #expect(await bench.get().source == .network)
    }

    @Test("events, the log line, the waterfall and the metrics say that the cache was used")
    func visible() async throws {
        let lines = Journal<String>()
        let bench = CacheBench { _, _ in .of(["Cache-Control": "max-age=60"]) }
        _ = await bench.get()
        let request = bench.session.request("http://cache.test/a").eventMonitor(.log { lines.add($0) })
        let metrics = try #require(await request.serializingData().response.metrics)
        #expect(metrics.transactionMetrics.map(\.resourceFetchType) == [.localCache])
        #expect(metrics.transactionMetrics.map(\.source) == [.cache(age: 0)])
        #expect(metrics.waterfall().contains("cached"))
        #expect(try await lines.wait(for: 1)[0].contains("cached"))
        try await waitUntil("the events") { bench.recorder.words.count { $0 == "didUseCache cached" } == 1 }
    }

    @Test("statistics count what came from where")
    func statistics() async {
        let bench = CacheBench { request, _ in
            request.headers["If-None-Match"] != nil
                ? [.response(ResponseHead(statusCode: 304)), .finish()]
                : .of("12345", ["Cache-Control": "max-age=5, stale-while-revalidate=1", "ETag": "\"1\""])
        }
        for _ in 0..<3 { _ = await bench.get() }
        bench.wait(60)
        _ = await bench.get()
        _ = await bench.get("http://cache.test/b")
        let statistics = bench.cache.statistics
        #expect(statistics.networkCount == 2 && statistics.hitCount == 2 && statistics.revalidatedCount == 1)
        #expect(statistics.entryCount == 2 && statistics.byteCount > 10 && statistics.evictionCount == 0)
        #expect(bench.cache.entries.map(\.url.absoluteString) == ["http://cache.test/a", "http://cache.test/b"])
        #expect(bench.cache.entries.map(\.bodyByteCount) == [5, 5])
        bench.cache.remove(for: URL(string: "http://cache.test/a#fragment")!)
        #expect(bench.cache.entries.map(\.url.absoluteString) == ["http://cache.test/b"])
        bench.cache.removeAll()
        #expect(bench.cache.entries.isEmpty && bench.cache.statistics.byteCount == 0)
    }
}
