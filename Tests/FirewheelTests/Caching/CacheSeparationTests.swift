import FirewheelTesting
import Foundation
import Testing

@testable import Firewheel

/// Which requests a stored response is for: not those with other fields, users or hosts.
@Suite("Responses to other requests", .timeLimit(.minutes(5)))
struct CacheSeparationTests {
    @Test("responses are stored per variant, with the cookies and credentials that are sent (section 4.1)")
    func variants() async {
        let bench = CacheBench { request, _ in
            .of(request.headers["Cookie"] ?? "-", ["Cache-Control": "max-age=60", "Vary": "Accept-Language, cookie"])
        }
        let first = await bench.get(headers: ["Accept-Language": "en, de", "Cookie": "a=1"])
        let second = await bench.get(headers: ["Accept-Language": "fr", "Cookie": "a=1"])
        let third = await bench.get(headers: ["Accept-Language": "EN,de", "Cookie": "a=1"])
        let fourth = await bench.get(headers: ["Accept-Language": "en, de", "Cookie": "a=2"])
        #expect([first, second, third, fourth].map(\.source) == [.network, .network, .cache(age: 0), .network])
        #expect(third.value == Data("a=1".utf8) && bench.cache.entries.count == 3)
    }

    @Test("a response to one user is not used for another unasked, unless it is public")
    func credentials() async {
        let bench = CacheBench { request, _ in
            if request.headers["If-None-Match"] != nil { return [.response(ResponseHead(statusCode: 304)), .finish()] }
            let access = request.target.string.hasSuffix("public") ? "public, " : ""
            return .of(request.headers["Authorization"] ?? "", ["Cache-Control": access + "max-age=60", "ETag": "\"1\""])
        }
        for url in ["http://cache.test/own", "http://cache.test/public"] {
            _ = await bench.get(url, headers: [.authorization(bearerToken: "A")])
            #expect(await bench.get(url, headers: [.authorization(bearerToken: "A")]).source == .cache(age: 0))
        }
        #expect(await bench.get("http://cache.test/public", headers: [.authorization(bearerToken: "B")]).source == .cache(age: 0))
        let others = await bench.get("http://cache.test/own", headers: [.authorization(bearerToken: "B")])
        #expect(others.source == .network && others.value == Data("Bearer B".utf8))
        let nobody = await bench.get("http://cache.test/own", policy: .returnCacheDataDontLoad)
        #expect((nobody.error as? FirewheelError)?.kind == .transportFailed(.resourceUnavailable))
    }

    @Test("cookies of stored responses are not stored again, those of a 304 are")
    func cookies() async {
        let bench = CacheBench { _, number in
            number == 1
                ? .of(["Cache-Control": "max-age=5", "ETag": "\"1\"", "Set-Cookie": "session=1"])
                : [.response(ResponseHead(statusCode: 304, headers: ["Set-Cookie": "session=2"])), .finish()]
        }
        _ = await bench.get()
        #expect(bench.session.cookieJar?.cookies(for: URL(string: "http://cache.test/a")!).map(\.value) == ["1"])
        bench.session.cookieJar?.removeAll()
        let cached = await bench.get()
        #expect(cached.source.isCached && cached.headers["Set-Cookie"] == "session=1")
        #expect(bench.session.cookieJar?.cookies(for: URL(string: "http://cache.test/a")!).isEmpty == true)
        bench.wait(6)
        _ = await bench.get()
        #expect(bench.session.cookieJar?.cookies(for: URL(string: "http://cache.test/a")!).map(\.value) == ["2"])
    }

    @Test("a HEAD of another user does not make a response the other's")
    func headOfOtherUser() async {
        let bench = CacheBench { request, _ in .of(request.method == .head ? "" : "A's", ["Cache-Control": "max-age=60"]) }
        _ = await bench.get(headers: [.authorization(bearerToken: "A")])
        #expect(await bench.get(method: .head, headers: [.authorization(bearerToken: "B")]).source == .network)
        #expect(await bench.get(headers: [.authorization(bearerToken: "B")]).source == .network)
    }

    @Test("a Host field of another server keeps a request away from the cache")
    func otherHost() async {
        let bench = CacheBench { request, _ in .of(request.headers["Host"] ?? "-", ["Cache-Control": "max-age=60"]) }
        for host in ["a.test", "b.test", "cache.test:81"] {
            #expect(await bench.get(headers: ["Host": host]).value == Data(host.utf8))
        }
        #expect(bench.cache.entries.isEmpty)
        #expect(await bench.get().value == Data("-".utf8))
        #expect(await bench.get(headers: ["Host": "CACHE.test"]).source == .cache(age: 0))
    }

    @Test("fields that differ in bytes differ, even if their texts mean the same")
    func bytes() async {
        let bench = CacheBench { _, _ in .of(["Cache-Control": "max-age=60", "Vary": "X-A"]) }
        for name in ["X-A", "Authorization"] {
            _ = await bench.get(headers: [name: "\u{e4}"])
            #expect(await bench.get(headers: [name: "\u{e4}"]).source == .cache(age: 0))
            #expect(await bench.get(headers: [name: "a\u{308}"]).source == .network)
        }
    }

    @Test("a body that was not decoded does not answer a request that wants it decoded")
    func codings() async {
        let bench = CacheBench { _, _ in .of("x", ["Cache-Control": "max-age=60", "Content-Encoding": "gzip"]) }
        _ = await bench.get()
        #expect(await bench.get().source.isCached)
        let coded = await bench.session.request("http://cache.test/a").decodesContent(false).serializingData().response
        #expect(coded.source == .network)
    }
}
