import Firewheel
import Foundation
import Testing

/// Bodies in every coding, framing and speed.
@Suite("httpbin: bodies", .needs(.httpbin), .timeLimit(.minutes(5)))
struct HTTPBinBodyTests {
    private let session = Session()

    @Test("Content codings are decoded", arguments: [("gzip", "gzipped"), ("deflate", "deflated"), ("brotli", "brotli")])
    func coding(path: String, field: String) async throws {
        struct Compressed: Decodable, Sendable {
            let gzipped: Bool?
            let deflated: Bool?
            let brotli: Bool?
        }
        let response = await session.request(try TestServer.httpbin.url("/\(path)")).validate().serializingDecodable(Compressed.self)
            .response
        let value = try response.result.get()
        #expect([value.gzipped, value.deflated, value.brotli].compactMap(\.self) == [true])
        #expect(response.text?.contains("\"\(field)\": true") == true)
        #expect(response.headers["Content-Encoding"] == (path == "brotli" ? "br" : path))
    }

    @Test("UTF-8 text is decoded")
    func utf8() async throws {
        let text = try await session.request(TestServer.httpbin.url("/encoding/utf8")).validate().serializingString().value
        #expect(text.contains("∮ E⋅da = Q,  n → ∞, ∑ f(i) = ∏ g(i)") && text.contains("สิบสองกษัตริย์ก่อนหน้าแลถัดไป"))
    }

    @Test(
        "HTML, XML and JSON arrive with their content types",
        arguments: [("html", "text/html"), ("xml", "application/xml"), ("json", "application/json")])
    func documents(path: String, type: String) async throws {
        let url = try TestServer.httpbin.url("/\(path)")
        let fits = await session.request(url, headers: [.accept(type)]).validate().raw()
        let received = try #require(fits.headers["Content-Type"])
        #expect(fits.error == nil && received.hasPrefix(type))
        let other = await session.request(url, headers: [.accept("image/png")]).validate().raw()
        #expect(other.kind == .responseValidationFailed(.unacceptableContentType(acceptable: ["image/png"], received: type)))
    }

    @Test("An image arrives byte for byte, in the type that Accept asks for", arguments: ["png", "jpeg", "webp", "svg+xml"])
    func image(type: String) async throws {
        let response = await session.request(try TestServer.httpbin.url("/image"), headers: [.accept("image/\(type)")]).validate().raw()
        let direct = await session.request(
            try TestServer.httpbin.url("/image/\(type.prefix { $0 != "+" })")
        ).validate(contentType: ["image/\(type)"]).raw()
        #expect(response.error == nil && response.content == direct.content)
        #expect(response.headers["Content-Length"] == response.content.map { "\($0.count)" })
        if type == "png" { #expect(response.content?.starts(with: [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]) == true) }
    }

    @Test("Twenty lines of JSON in chunks all arrive")
    func stream() async throws {
        struct Line: Decodable { let id: Int }
        let response = await session.request(try TestServer.httpbin.url("/stream/20")).validate().raw()
        #expect(response.headers["Transfer-Encoding"] == "chunked")
        let lines = try #require(response.content).split(separator: 0x0A).map { try JSONDecoder().decode(Line.self, from: Data($0)).id }
        #expect(lines == Array(0..<20))
    }

    @Test("Random bytes arrive in the requested number, with a length and in chunks")
    func randomBytes() async throws {
        let whole = await session.request(try TestServer.httpbin.url("/bytes/50000")).validate().raw()
        let chunked = await session.request(try TestServer.httpbin.url("/stream-bytes/50000?chunk_size=777")).validate().raw()
        #expect(whole.headers["Content-Length"] == "50000" && whole.content?.count == 50_000)
        #expect(chunked.headers["Transfer-Encoding"] == "chunked" && chunked.content?.count == 50_000)
    }

    @Test("A Range request gives the requested bytes")
    func range() async throws {
        let url = try TestServer.httpbin.url("/range/1000")
        let part = await session.request(url, headers: ["Range": "bytes=26-51"]).raw()
        #expect(part.statusCode == 206 && part.text == "abcdefghijklmnopqrstuvwxyz")
        #expect(part.headers["Content-Range"] == "bytes 26-51/1000")
        #expect(await session.request(url).raw().content?.count == 1000)
    }

    @Test("A slowly dripping body does not hit the idle timeout, and silence does")
    func pace() async throws {
        let session = Session(configuration: .with { $0.timeoutIntervalForRequest = 5 })
        async let silent = session.request(try TestServer.httpbin.url("/delay/9")).raw()
        let dripping = await session.request(try TestServer.httpbin.url("/drip?numbytes=12&duration=7&delay=0")).raw()
        #expect(dripping.text == "************")
        #expect(try await silent.kind == .transportFailed(.timedOut))
        withExtendedLifetime(session) {}
    }

    @Test("A delayed response is awaited")
    func delay() async throws {
        let (response, seconds) = await session.request(try TestServer.httpbin.url("/delay/1")).validate().timed()
        #expect(response.error == nil && seconds > 0.9)
    }

    @Test(
        "validate() accepts 200 to 299 of httpbin's status codes", arguments: [200, 201, 204, 299, 304, 400, 404, 418, 429, 500, 503, 599])
    func status(code: Int) async throws {
        let response = await session.request(try TestServer.httpbin.url("/status/\(code)")).validate().raw()
        #expect(response.statusCode == code)
        #expect(response.kind == ((200..<300).contains(code) ? nil : .responseValidationFailed(.unacceptableStatusCode(code))))
    }
}
