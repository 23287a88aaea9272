import FirewheelTesting
import Foundation
import Testing

@testable import Firewheel

/// Where a stale response may be used: in the background of a revalidation, and in place of a server that fails (RFC 5861).
@Suite("Responses that are no longer fresh", .timeLimit(.minutes(5)))
struct StaleResponseTests {
    @Test("stale-while-revalidate answers at once, and asks the server once in the background (RFC 5861 section 3)")
    func revalidatesInBackground() async throws {
        let bench = CacheBench { _, number in
            number == 1 ? .of("1", ["Cache-Control": "max-age=5, stale-while-revalidate=60", "ETag": "\"1\""]) : [.wait]
        }
        _ = await bench.get()
        bench.wait(6)
        for _ in 0..<3 { #expect(await bench.get().source == .stale(age: 6, because: .revalidating)) }
        try await waitUntil("the server is asked") { bench.count == 2 }
        let asked = try #require(bench.stub.requests.last)
        #expect(asked.headers["If-None-Match"] == "\"1\"")
        bench.stub.send(.of("2", ["Cache-Control": "max-age=60", "Set-Cookie": "a=1"]), to: asked.id)
        try await waitUntil("the new response is stored") { bench.cache.entries.first?.isFresh == true }
        #expect(await bench.get().value == Data("2".utf8))
        #expect(bench.count == 2)
        #expect(bench.session.cookieJar?.cookies(for: URL(string: "http://cache.test/a")!).map(\.value) == ["1"])
    }

    @Test("what is revalidated in the background is the whole response, and nothing if the server may not be asked")
    func backgroundOfParts() async throws {
        let bench = CacheBench { _, number in
            .of("0123456789", ["Cache-Control": number == 1 ? "max-age=5, stale-while-revalidate=60" : "max-age=60"])
        }
        _ = await bench.get()
        bench.wait(6)
        #expect(await bench.get(headers: ["Cache-Control": "only-if-cached"]).source == .stale(age: 6, because: .revalidating))
        #expect(bench.count == 1)
        #expect(await bench.get(method: .head, headers: ["Range": "bytes=0-1"]).source == .stale(age: 6, because: .revalidating))
        try await waitUntil("the new response is stored") { bench.cache.entries.first?.isFresh == true }
        let asked = try #require(bench.stub.requests.last)
        #expect(asked.method == .get && !asked.headers.contains(name: "Range"))
        #expect(bench.cache.statistics.networkCount == 1 && bench.cache.statistics.staleCount == 2)
    }

    @Test("stale-if-error stands in for errors of the server and of the connection, must-revalidate never (RFC 5861 section 4)")
    func staleIfError() async {
        let failures: [[StubTransport.Step]] = [
            .of(status: 500, [:]), .of(status: 503, [:]), [.fail(.failed(.networkConnectionLost, "lost"))],
            [.fail(.failed(.cannotFindHost, "unknown"))],
        ]
        for (directives, isUsed) in [("stale-if-error=60", true), ("stale-if-error=60, must-revalidate", false), ("no-cache", false)] {
            for failure in failures {
                let bench = CacheBench { _, number in
                    number == 1 ? .of("1", ["Cache-Control": "max-age=5, \(directives)", "ETag": "\"1\""]) : failure
                }
                _ = await bench.get()
                bench.wait(6)
                let response = await bench.get()
                #expect(response.value == Data("1".utf8) && response.source.age == 6 || !isUsed, "\(directives)")
                #expect(response.source == .network || isUsed, "\(directives)")
            }
        }
    }

    @Test("a server that cannot be reached is stood in for only by responses that once were fresh by their own word")
    func unreachable() async {
        for (control, isUsed) in [("max-age=5", true), ("max-age=0", false), ("must-revalidate, max-age=5", false), ("", false)] {
            let bench = CacheBench { _, number in
                var fields: HTTPHeaders = ["ETag": "\"1\""]
                if !control.isEmpty { fields.add(name: "Cache-Control", value: control) }
                return number == 1 ? .of("1", fields) : [.fail(.failed(.cannotConnectToHost, "refused"))]
            }
            _ = await bench.get()
            bench.wait(9)
            let response = await bench.get()
            #expect(response.source == (isUsed ? .stale(age: 9, because: .unreachable) : .network), "\(control)")
            #expect((response.error == nil) == isUsed, "\(control)")
        }
    }

    @Test("a server that is not trusted is an error, whatever is stored")
    func untrusted() async {
        let bench = CacheBench { _, number in
            number == 1 ? .of(["Cache-Control": "max-age=5"]) : [.fail(.failed(.serverCertificateUntrusted, "not trusted"))]
        }
        _ = await bench.get()
        bench.wait(6)
        #expect((await bench.get().error as? FirewheelError)?.kind == .transportFailed(.serverCertificateUntrusted))
    }

    @Test("a revalidation in the background goes on when its session is released")
    func backgroundAfterRelease() async throws {
        let now = Locked<TimeInterval>(1_000_000)
        let cache = HTTPCache(memoryCapacity: 1 << 20, clock: { now.withLock { $0 } })
        let server = try MockServer()
        defer { withExtendedLifetime(server) {} }
        server.route("/a") { request in
            .text(
                request.header("If-None-Match") ?? "1",
                headers: [("Cache-Control", "max-age=5, stale-while-revalidate=60"), ("ETag", "\"1\"")])
        }
        var configuration = SessionConfiguration()
        configuration.cache = cache
        for source in [ResponseSource.network, .stale(age: 6, because: .revalidating)] {
            let session = Session(configuration: configuration)
            if source != .network { now.withLock { $0 += 6 } }
            #expect(await session.request(server.url("/a")).serializingData().response.source == source)
        }
        try await waitUntil("the new response is stored") { cache.entries.first?.isFresh == true }
    }
}
