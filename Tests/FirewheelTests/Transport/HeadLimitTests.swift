import Firewheel
import FirewheelTesting
import Foundation
import Testing

/// Heads are limited as a whole: the error has one kind and names the limit.
@Suite("Limits of response heads", .eachTransport, .timeLimit(.minutes(5)))
struct HeadLimitTests {
    private static func fields(_ bytes: Int) -> [(String, String)] {
        (0..<bytes / 1000).map { ("X-\(1000 + $0)", String(repeating: "a", count: 990)) }
    }

    private func fetch(_ response: MockResponse) async throws -> DataResponse<Data?> {
        let server = try MockServer()
        defer { server.shutdown() }
        server.enqueue(response)
        let session = Session.onTest(configuration: .with { $0.timeoutIntervalForRequest = 20 })
        let result = await session.request(server.url()).raw()
        // The session still works.
        server.enqueue(.text("after"))
        #expect(await session.request(server.url()).raw().text == "after")
        return result
    }

    private func expectTooLarge(_ response: DataResponse<Data?>, _ word: String) throws {
        #expect(response.kind == .transportFailed(.cannotParseResponse))
        #expect(response.value == nil)
        let reason = try #require((response.error as? FirewheelError)?.underlyingError as? URLError).localizedDescription
        #expect(reason.contains(word) && ["larger than", "longer than"].contains { reason.contains($0) }, "\(reason)")
    }

    @Test("A line of 100,000 bytes and a head of 290,000 are accepted, also in interim responses")
    func taken() async throws {
        #expect(try await fetch(.text("x").failing(.longHeaderLine(bytes: 100_000))).text == "x")
        let many = try await fetch(MockResponse(headers: Self.fields(290_000), body: Data("x".utf8)))
        #expect(many.text == "x")
        #expect(many.headers["X-1289"]?.count == 990)
        let interim = (0..<28).reduce(MockResponse.text("x")) { response, _ in response.informational(103, headers: Self.fields(10_000)) }
        #expect(try await fetch(interim).text == "x")
    }

    /// Lines have no limit of their own on Linux. URLSession may have one.
    @Test(
        "A response head line is accepted up to the limit of the head, and an error beyond",
        arguments: [110_000, 500_000, 1_100_000, 5_000_000])
    func line(bytes: Int) async throws {
        if bytes <= TestTransport.current.longestHeaderLine {
            #expect(try await fetch(.text("x").failing(.longHeaderLine(bytes: bytes))).text == "x")
            return
        }
        try expectTooLarge(try await fetch(.text("x").failing(.longHeaderLine(bytes: bytes))), "header")
    }

    @Test("A response head over the limit is an error, whatever its size", arguments: [1_100_000, 3_000_000])
    func total(bytes: Int) async throws {
        try expectTooLarge(try await fetch(MockResponse(headers: Self.fields(bytes), body: Data("x".utf8))), "header fields")
    }

    @Test("Interim heads count towards the limit, alone and together")
    func interim() async throws {
        let response = (0..<120).reduce(MockResponse.text("x")) { response, _ in
            response.informational(103, headers: Self.fields(10_000))
        }
        try expectTooLarge(try await fetch(response), "header fields")
        let empty = (0..<100_000).reduce(into: MockResponse.text("x")) { response, _ in response.informational.append((100, [])) }
        try expectTooLarge(try await fetch(empty), "header fields")
    }

    @Test("Trailer fields count towards the head limit, and one may have 4,000 bytes")
    func trailers() async throws {
        func response(_ count: Int, _ bytes: Int) -> MockResponse {
            var response = MockResponse.text("hello").framed(.chunked)
            response.trailers = (0..<count).map { ("T-\($0)", String(repeating: "a", count: bytes)) }
            return response
        }
        #expect(try await fetch(response(100, 4_000)).text == "hello")
        try expectTooLarge(try await fetch(response(300, 4_000)), "trailer")
        try expectTooLarge(try await fetch(response(1, 2_000_000)), "trailer")
    }
}
