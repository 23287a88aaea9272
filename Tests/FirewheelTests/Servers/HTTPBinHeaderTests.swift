import Firewheel
import Foundation
import Testing

/// Header fields in both directions, and conditional requests.
@Suite("httpbin: headers", .needs(.httpbin), .timeLimit(.minutes(5)))
struct HTTPBinHeaderTests {
    private struct Headers: Decodable, Sendable {
        let headers: [String: String]
    }

    private let session = Session()

    @Test("The request's header fields arrive, in place of the session's")
    func request() async throws {
        let headers: HTTPHeaders = ["X-One": "1", "x-two": "a, b; c=\"d\"", "Accept-Language": "nl"]
        let url = try TestServer.httpbin.url("/headers")
        let echo = try await session.request(url, headers: headers).validate().serializingDecodable(Headers.self).value.headers
        #expect(echo["X-One"] == "1")
        #expect(echo["X-Two"] == "a, b; c=\"d\"")
        #expect(echo["Accept-Language"] == "nl")
        #expect(echo["Accept-Encoding"] == HTTPHeader.defaultAcceptEncoding.value)
        #expect(echo["Host"] == url.dropFirst("http://".count).dropLast("/headers".count).description)
    }

    @Test("The User-Agent is the library's, or the caller's")
    func userAgent() async throws {
        let url = try TestServer.httpbin.url("/user-agent")
        let own = try await session.request(url).serializingDecodable([String: String].self).value
        #expect(own == ["user-agent": HTTPHeader.defaultUserAgent.value])
        let callers = try await session.request(url, headers: [.userAgent("test/1")]).serializingDecodable([String: String].self).value
        #expect(callers == ["user-agent": "test/1"])
    }

    @Test("Repeated response fields stay separate and in order")
    func response() async throws {
        let url = try TestServer.httpbin.url("/response-headers?X-A=1&X-B=2&X-A=3&X-Empty=")
        let response = await session.request(url).validate().raw()
        #expect(response.headers.values(for: "x-a") == ["1", "3"])
        #expect(response.headers["X-B"] == "2")
        #expect(response.headers["X-Empty"] == "")
        #expect(response.response?.value(forHTTPHeaderField: "X-A")?.hasPrefix("1") == true)
    }

    @Test("An entity tag gives 304 for If-None-Match, and 412 for another If-Match")
    func entityTag() async throws {
        let url = try TestServer.httpbin.url("/etag/abc")
        let first = await session.request(url).raw()
        #expect(first.statusCode == 200 && first.headers["ETag"] == "abc")
        let same = await session.request(url, headers: ["If-None-Match": "\"abc\""]).raw()
        #expect(same.statusCode == 304 && same.content == Data())
        let changed = await session.request(url, headers: ["If-Match": "\"other\""]).raw()
        #expect(changed.statusCode == 412)
    }

    @Test("A conditional request gives 304, and Cache-Control gives the age")
    func cache() async throws {
        let url = try TestServer.httpbin.url("/cache")
        #expect(await session.request(url).raw().headers["Last-Modified"] != nil)
        let second = await session.request(url, headers: ["If-Modified-Since": "Sat, 01 Jan 2000 00:00:00 GMT"]).raw()
        #expect(second.statusCode == 304 && second.content == Data())
        let aged = await session.request(try TestServer.httpbin.url("/cache/60")).raw()
        #expect(aged.headers["Cache-Control"] == "public, max-age=60")
    }

    @Test(
        "A cookie set by a redirect is in that hop's response and sent next, and one set by hand is sent alone")
    func cookies() async throws {
        struct Cookies: Decodable, Sendable {
            let cookies: [String: String]
        }
        let url = try TestServer.httpbin.url("/cookies/set?a=1&b=2")
        let response = await session.request(url).validate().serializingDecodable(Cookies.self).response
        #expect(response.value?.cookies == ["a": "1", "b": "2"])
        #expect(response.response?.url?.path == "/cookies")
        let set = response.metrics?.transactionMetrics.first?.response?.value(forHTTPHeaderField: "Set-Cookie")
        #expect(set?.contains("a=1") == true && set?.contains("b=2") == true)
        let sent = session.request(try TestServer.httpbin.url("/cookies"), headers: ["Cookie": "c=3"])
        #expect(try await sent.serializingDecodable(Cookies.self).value.cookies == ["c": "3"])
    }
}
