import FirewheelTesting
import Foundation
import Testing

@testable import Firewheel

/// Fields that should be there once (RFC 9110 section 5.5), and are there more than once.
@Suite("Fields that should be there once", .timeLimit(.minutes(5)))
struct SingletonFieldTests {
    /// The Fetch standard, "extract a MIME type", with its examples.
    @Test(
        "Of several media types the last valid one counts",
        arguments: [
            (["application/json", "application/json"], "application/json"), (["application/json, application/json"], "application/json"),
            (["text/plain; charset=utf-8", "text/plain; charset=utf-8"], "text/plain; charset=utf-8"),
            (["a/b, c/d"], "c/d"), (["a/b,c/d"], "c/d"), (["a/b", "c/d"], "c/d"), (["a/b, ,"], "a/b"),
            (["text/event-stream", ""], "text/event-stream"),
            (["text/plain;charset=gbk, text/html"], "text/html"),
            (["text/html;charset=gbk;a=b, text/html;x=y"], "text/html;x=y;charset=gbk"),
            (["text/html;charset=gbk;a=b", "text/html;x=y"], "text/html;x=y;charset=gbk"),
            (["text/html;charset=gbk", "x/x", "text/html;x=y"], "text/html;x=y"),
            (["text/html", "cannot-parse"], "text/html"), (["text/html", "*/*"], "text/html"),
            (["text/html", "*/*;charset=gbk"], "text/html"),
            (["text/html", "text/*"], "text/*"), (["*/*"], "*/*"), (["x, y"], "x, y"), ([""], ""),
            (["text/plain; a=\"x, c/d\""], "text/plain; a=\"x, c/d\""), (["a/b; x=\"\\\", c/d"], "a/b; x=\"\\\", c/d"),
        ])
    func mediaTypes(values: [String], expected: String) {
        let headers = HTTPHeaders(received: values.map { HTTPHeader(name: "content-type", value: $0) })
        #expect(headers.singleton("Content-Type") == expected)
    }

    @Test("Of values that are compared none counts, and of others the first")
    func others() {
        func headers(_ name: String, _ values: String...) -> HTTPHeaders {
            HTTPHeaders(received: values.map { HTTPHeader(name: name, value: $0) })
        }
        for name in ["ETag", "Last-Modified", "Date", "Content-Range"] {
            #expect(headers(name, "1").singleton(name) == "1")
            #expect(headers(name, "1", "1").singleton(name) == nil)
            #expect(headers("Other", "1").singleton(name) == nil)
        }
        #expect(headers("Content-Length", "1", "1").singleton("Content-Length") == "1")
        #expect(headers("Content-Length", "1", "2").singleton("Content-Length") == nil)
        #expect(headers("Location", "/a", "/b").singleton("Location") == "/a")
        #expect(headers("Retry-After", "1", "9").singleton("Retry-After") == "1, 9")
    }

    @Test("A media type of 100,000 members is read in linear time")
    func many() {
        let value = Array(repeating: "text/plain; charset=utf-8", count: 100_000).joined(separator: ", ")
        let headers = HTTPHeaders(received: [HTTPHeader(name: "Content-Type", value: value)])
        #expect(headers.singleton("Content-Type") == "text/plain; charset=utf-8")
    }

    @Test("A response with its media type twice is validated, decoded and shown by it", .eachTransport)
    func response() async throws {
        let server = try MockServer()
        defer { server.shutdown() }
        let json = ("Content-Type", "application/json")
        let text = ("Content-Type", "text/plain; charset=utf-8")
        server.enqueue(
            MockResponse(headers: [json, json], body: Data("[1]".utf8)), MockResponse(headers: [text, text], body: Data("ä".utf8)),
            MockResponse(
                headers: [("Content-Type", "a/b, c/d")]
                    + Array(repeating: ("Content-Disposition", "attachment; filename=\"a.txt\""), count: 2),
                body: Data("x".utf8)))
        let session = Session()
        let array = await session.request(server.url("/")).validate(contentType: ["application/json"]).serializingDecodable([Int].self)
            .response
        #expect(array.value == [1], "\(array)")
        #expect(array.response?.mimeType == "application/json")
        #expect(array.headers.values(for: "Content-Type") == ["application/json", "application/json"])
        let string = await session.request(server.url("/")).validate(contentType: ["text/plain"]).serializingString().response
        #expect(string.value == "ä" && string.response?.mimeType == "text/plain" && string.response?.textEncodingName == "utf-8")
        #expect(string.debugDescription.contains("ä"))
        let last = await session.request(server.url("/")).validate(contentType: ["c/d"]).serializingData().response
        #expect(last.error == nil && last.response?.mimeType == "c/d")
        #expect(last.response?.suggestedFilename == "a.txt" && last.response?.safeFilename == "a.txt")
    }

    @Test("An event source with its media type twice delivers events", .eachTransport)
    func events() async throws {
        let bench = try EventBench()
        let type = ("Content-Type", "text/event-stream")
        bench.respond(MockResponse(headers: [type, type], body: Data("data: x\n\n".utf8)))
        #expect(try await bench.source().all().map(\.data) == ["x"])
    }

    @Test("A retry waits for the longest of several Retry-After fields", .eachTransport)
    func retry() async throws {
        let server = try MockServer()
        defer { server.shutdown() }
        server.enqueue(MockResponse(status: 503, headers: [("Retry-After", "61"), ("Retry-After", "1")]))
        let session = Session(interceptor: RetryPolicy(backoff: .constant(0)))
        // A policy that waits for a minute at most gives up at once.
        #expect(await session.request(server.url("/")).validate().serializingData().response.response?.statusCode == 503)
        #expect(server.requestCount == 1)
    }
}
