import FirewheelTesting
import Foundation
import Testing

@testable import Firewheel

/// `HTTPCache.explain(_:)`: why something is stored and used, or not.
@Suite("Explanations of a cache", .timeLimit(.minutes(5)))
struct CacheExplanationTests {
    private func explanation(
        _ bench: CacheBench, _ headers: HTTPHeaders = [:], method: HTTPMethod = .get,
        policy: URLRequest.CachePolicy = .useProtocolCachePolicy
    ) -> String {
        guard let url = URL(string: "http://cache.test/a?token=secret") else { return "" }
        var request = URLRequest(url: url)
        request.method = method
        request.headers = headers
        request.cachePolicy = policy
        return bench.cache.explain(request)
    }

    @Test(
        "why a response was not stored",
        arguments: [
            (["Cache-Control": "no-store"], 200, "because it had Cache-Control: no-store"), (["Vary": "*"], 200, "because it had Vary: *"),
            ([:], 500, "because it had status 500, which needs max-age"),
            (["Cache-Control": "max-age=9"], 206, "because a response with status 206"),
            (["Content-Length": "9999999"], 200, "because it is larger than a tenth"),
        ] as [(HTTPHeaders, Int, String)])
    func refused(_ fields: HTTPHeaders, _ status: Int, _ words: String) async {
        let bench = CacheBench { _, _ in .of(status: status, fields) }
        #expect(explanation(bench) == "GET http://cache.test/a?token=<redacted>: nothing is stored. The server answers.")
        _ = await bench.get("http://cache.test/a?token=secret")
        #expect(explanation(bench).contains(words), "\(explanation(bench))")
    }

    @Test("removeAll() forgets the reasons, too")
    func forgotten() async {
        let bench = CacheBench { _, _ in .of(["Cache-Control": "no-store"]) }
        _ = await bench.get("http://cache.test/a?token=secret")
        bench.cache.removeAll()
        #expect(explanation(bench).hasSuffix("nothing is stored. The server answers."))
    }

    @Test("an interrupted body")
    func interrupted() async {
        let bench = CacheBench { _, _ in [.response(ResponseHead(statusCode: 200)), .fail(.failed(.networkConnectionLost, "lost"))] }
        _ = await bench.get("http://cache.test/a?token=secret")
        #expect(explanation(bench).contains("because its body was interrupted"))
    }

    @Test("what is done with a stored response")
    func stored() async {
        let bench = CacheBench { _, _ in .of(["Cache-Control": "max-age=60", "ETag": "\"1\"", "Vary": "X-A"]) }
        _ = await bench.get("http://cache.test/a?token=secret")
        bench.wait(10)
        #expect(explanation(bench).hasSuffix("is stored, 10 seconds old, fresh for 50 seconds more by max-age, and is used."))
        #expect(
            explanation(bench, ["X-A": "1"]).contains("one response is stored, but for other values of the fields that Vary names: x-a."))
        #expect(explanation(bench, ["Authorization": "Bearer x"]).contains("because it was sent to a request with another Authorization"))
        #expect(
            explanation(bench, ["Cache-Control": "no-cache"]).contains("is asked with If-None-Match whether it is current, because the"))
        #expect(
            explanation(bench, ["Cache-Control": "max-age=5"]).contains("because the request's max-age or min-fresh asks for a fresher"))
        #expect(explanation(bench, ["Cache-Control": "no-store"]).contains("no-store, so nothing is read or stored"))
        #expect(explanation(bench, ["If-None-Match": "\"2\""]).contains("a condition of its own"))
        #expect(explanation(bench, method: .post).contains("removes what is stored"))
        #expect(explanation(bench, method: .options).contains("are not cached"))
        #expect(explanation(bench, policy: .reloadIgnoringLocalCacheData).contains("cachePolicy has the server answer"))
        bench.wait(60)
        #expect(explanation(bench).contains("70 seconds old, stale by max-age. The server is asked with If-None-Match"))
        #expect(explanation(bench, policy: .returnCacheDataDontLoad).hasSuffix("and is used, because the request accepts it."))
        #expect(explanation(bench, ["Cache-Control": "only-if-cached"]).contains("does not allow asking the server, although it is stale"))
        bench.wait(-100)
        #expect(explanation(bench).contains("the clock was set back"))
    }

    @Test("why the last response was not stored, also if another one is")
    func later() async {
        let bench = CacheBench { _, number in .of(status: number == 1 ? 200 : 404, ["Cache-Control": "max-age=60", "Vary": "X-A"]) }
        _ = await bench.get("http://cache.test/a?token=secret")
        for value in [nil, "1"] {
            let request = bench.session.get("http://cache.test/a?token=secret", headers: value.map { ["X-A": $0] }) {
                $0.cachePolicy = .reloadIgnoringLocalCacheData
            }
            _ = await request.cacheResponse(using: .doNotCache).serializingData(emptyResponseCodes: [404]).response
            let words = explanation(bench, value.map { ["X-A": $0] } ?? [:])
            #expect(words.contains("The last response was not stored, because its handler stores nothing."))
            #expect(words.contains(value == nil ? "and is used." : "for other values of the fields that Vary names: x-a."))
        }
    }

    @Test("a request without an http URL, and one for which nothing may be loaded")
    func others() throws {
        let cache = HTTPCache()
        #expect(cache.explain(URLRequest(url: try #require(URL(string: "ftp://a.test/")))).contains("no http or https URL"))
        let bench = CacheBench { _, _ in [] }
        #expect(
            explanation(bench, policy: .returnCacheDataDontLoad).hasSuffix(
                "nothing is stored. The request does not allow asking the server."))
    }

    @Test("the reasons of many URLs take bounded memory")
    func bounded() {
        var refusals = CacheRefusals()
        for number in 0..<1_000 { refusals.add("\(number)", .noStore) }
        #expect(refusals.reason(for: "743") == nil && refusals.reason(for: "744") == .noStore)
        refusals.add("744", .varyStar)
        #expect(refusals.reason(for: "744") == .varyStar)
    }
}
