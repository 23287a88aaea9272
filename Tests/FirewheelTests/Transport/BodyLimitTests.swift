import Firewheel
import FirewheelTesting
import Foundation
import Testing

@Suite("maximumResponseBodySize", .eachTransport, .timeLimit(.minutes(5)))
struct BodyLimitTests {
    private func fetch(_ size: Int, limit: Int?, framing: MockResponse.Framing, method: HTTPMethod = .get) async throws -> DataResponse<
        Data?
    > {
        let server = try MockServer()
        defer { server.shutdown() }
        server.enqueue(MockResponse.data(pattern(size)).framed(framing))
        return await once(.with { $0.maximumResponseBodySize = limit }) { $0.request(server.url(), method: method) }.response
    }

    @Test("A body of exactly the limit is accepted, and one byte more is an error, in every framing", arguments: [0, 1, 1000, 100_000])
    func exact(limit: Int) async throws {
        for framing in [MockResponse.Framing.contentLength, .chunked, .chunked(size: 333), .untilClose] {
            let exact = try await fetch(limit, limit: limit, framing: framing)
            #expect(exact.content == pattern(limit), "\(framing)")
            let over = try await fetch(limit + 1, limit: limit, framing: framing)
            #expect(over.kind == .responseBodyTooLarge, "\(framing)")
            #expect(over.statusCode == 200)
            #expect((over.error as? FirewheelError)?.urlErrorCode == .dataLengthExceedsMaximum)
        }
    }

    @Test("Without a body limit every size is accepted")
    func none() async throws {
        #expect(try await fetch(3_000_000, limit: nil, framing: .contentLength).content?.count == 3_000_000)
    }

    @Test("The Content-Length of a response to HEAD does not count as a body")
    func head() async throws {
        #expect(try await fetch(1000, limit: 10, framing: .contentLength, method: .head).kind == nil)
    }

    @Test("The session can be used after a body that was too large")
    func after() async throws {
        let server = try MockServer()
        defer { server.shutdown() }
        let session = Session.onTest(configuration: .with { $0.maximumResponseBodySize = 5 })
        for _ in 0..<5 {
            server.enqueue(.text("too long"), .text("short"))
            #expect(await session.request(server.url()).raw().kind == .responseBodyTooLarge)
            #expect(await session.request(server.url()).raw().text == "short")
        }
    }

    @Test("A redirect is followed however large its own body is")
    func redirect() async throws {
        let server = try MockServer()
        defer { server.shutdown() }
        let session = Session.onTest(configuration: .with { $0.maximumResponseBodySize = 100 })
        server.enqueue(MockResponse(status: 302, headers: [("Location", "/next")], body: pattern(5_000)), .text("arrived"))
        #expect(await session.request(server.url()).raw().text == "arrived")
    }
}
