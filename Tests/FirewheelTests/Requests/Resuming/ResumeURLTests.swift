import FirewheelTesting
import Foundation
import Testing

@testable import Firewheel

/// What resume data says about the request: the URL, and no secret besides.
@Suite("The URL of a resumed download", .timeLimit(.minutes(5)))
struct ResumeURLTests {
    @Test("A signed URL that expired is replaced by another one, which the next resume data has")
    func otherURL() async throws {
        let bench = try ResumeBench()
        bench.thenLose(after: 40_000)
        let data = try #require(await bench.download(bench.server.url("/file?signature=old")).end.resumeData)
        _ = try bench.takeRequest()
        bench.then { exchange, _ in try ServedFile.send(403, ["Content-Length: 0"], to: exchange) }
        let refused = await bench.resume(data).end
        #expect(refused.kind == .downloadResumptionRefused(403) && refused.resumeData == data)
        #expect(try bench.takeRequest().target == "/file?signature=old")
        bench.thenLose(after: 10_000)
        let url = bench.server.url("/file?signature=new")
        let next = await bench.session.download(
            resumingWith: data, url: url, headers: ["X-Key": "a"], to: bench.destination,
            requestModifier: { $0.setValue("b", forHTTPHeaderField: "X-Own") }
        ).end
        let seen = try bench.takeRequest()
        #expect(seen.header("X-Own") == "b")
        #expect(seen.target == "/file?signature=new" && seen.header("X-Key") == "a" && seen.header("Range") == "bytes=39999-")
        let kept = try #require(next.resumeData)
        #expect(try ResumeData(kept).url.string == url)
        try await bench.expectFile(resuming: kept)
        #expect(try bench.takeRequest().target == "/file?signature=new")
    }

    @Test("A URL with another file begins again, and one with the same file that is not the server's is refused")
    func foreignURL() async throws {
        let (bench, other) = (try ResumeBench(), try ResumeBench(ServedFile(body: ServedFile.bytes(90_000, seed: 8), version: 7)))
        let data = try await bench.lost()
        let response = await bench.session.download(resumingWith: data, url: other.server.url("/file"), to: bench.destination).end
        #expect(response.error == nil)
        #expect(try Data(contentsOf: bench.target) == other.body)
        try await bench.expectNothingLeft()
        // Neither a caller's own fields nor another scheme get in the way.
        let again = try await bench.lost()
        let headers: HTTPHeaders = ["Range": "bytes=0-9", "If-Range": "\"x\"", "Accept-Encoding": "gzip"]
        let own = bench.session.download(resumingWith: again, url: bench.server.url("/file"), headers: headers, to: bench.destination)
        try await bench.expectFile(await own.end)
        let wrong = await bench.session.download(resumingWith: again, url: "file:///etc/passwd", to: bench.destination).end
        #expect(wrong.kind == .invalidURL)
    }

    @Test("Resume data has no header field, no path and no credential, neither of the URL nor of an adapter")
    func secrets() async throws {
        let bench = try ResumeBench()
        let url = "http://user:topsecret@127.0.0.1:\(bench.server.port)/file"
        bench.thenLose(after: 40_000)
        let secret = URLQueryItem(name: "token", value: "topsecret")
        let response = await bench.session.download(url, headers: ["X-Key": "topsecret"], to: bench.destination)
            .adapt { request, _ in request.url?.append(queryItems: [secret]) }.end
        let data = try #require(response.resumeData)
        #expect(try bench.takeRequest().target == "/file?token=topsecret")
        let text = String(decoding: data, as: UTF8.self)
        for secret in ["topsecret", "user", "X-Key", "Authorization", "token", bench.temporary.path, "firewheel-partial"] {
            #expect(!text.contains(secret), "\(secret)")
        }
        // An adapter is called again, and adds its part once.
        let resumed = bench.resume(data).adapt { request, _ in request.url?.append(queryItems: [URLQueryItem(name: "token", value: "1")]) }
        #expect(await resumed.end.error == nil)
        let last = try bench.takeRequest()
        #expect(last.target == "/file?token=1" && last.header("Range") == "bytes=39999-")
        #expect(try Data(contentsOf: bench.target) == bench.body)
    }
}
