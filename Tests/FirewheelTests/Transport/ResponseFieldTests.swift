import Firewheel
import FirewheelTesting
import Foundation
import Testing

/// The head of a response as the caller sees it.
@Suite("Response fields", .eachTransport, .timeLimit(.minutes(5)))
struct ResponseFieldTests {
    private func fetch(_ response: MockResponse) async throws -> DataResponse<Data?> { try await timed(response).response }

    private func timed(_ response: MockResponse) async throws -> (response: DataResponse<Data?>, seconds: TimeInterval) {
        let server = try MockServer()
        defer { server.shutdown() }
        server.enqueue(response)
        return await once { $0.request(server.url()) }
    }

    @Test("Response fields keep the server's order, case and repetition")
    func asSent() async throws {
        let response = try await fetch(
            MockResponse(
                headers: [
                    ("x-lower", "1"), ("Set-Cookie", "a=1; Path=/"), ("ETag", "\"t\""), ("SET-COOKIE", "b=2"), ("X-Empty", ""),
                    ("X-Spaces", "  in  between  "),
                ],
                body: Data("x".utf8)))
        #expect(response.headers.map(\.name) == ["x-lower", "Set-Cookie", "ETag", "SET-COOKIE", "X-Empty", "X-Spaces", "Content-Length"])
        #expect(response.headers.values(for: "set-cookie") == ["a=1; Path=/", "b=2"])
        #expect(response.headers["X-Empty"] == "")
        #expect(response.headers["x-spaces"] == "in  between")
        #expect(response.response?.value(forHTTPHeaderField: "X-LOWER") == "1")
        #expect(response.response?.statusCode == 200)
    }

    @Test("A field repeated in different case is complete in HTTPURLResponse")
    func foundationJoins() async throws {
        for _ in 0..<8 {
            let response = try await fetch(MockResponse(headers: [("X-A", "1"), ("x-a", "2")], body: Data("x".utf8)))
            #expect(response.response?.value(forHTTPHeaderField: "X-A") == "1, 2")
        }
    }

    @Test("Bytes above 127 in a field are read as ISO-8859-1 (RFC 9110 section 5.5)")
    func obsText() async throws {
        let response = try await fetch(
            .text("x").rawHeaderLine(Data("X-Name: caf".utf8) + Data([0xE9, 0xFF])).statusLine(reason: "Tr\u{E8}s bien"))
        #expect(response.kind == nil)
        #expect(response.headers["X-Name"] == "caf\u{E9}\u{FF}")
        #expect(response.text == "x")
    }

    @Test("A folded field is read as one field (RFC 9112 section 5.2)")
    func folded() async throws {
        let response = try await fetch(
            .text("x").rawHeaderLine(Data("X-Fold: one".utf8)).rawHeaderLine(Data("  two".utf8)).rawHeaderLine(Data("\tthree".utf8))
                .rawHeaderLine(Data("X-B: 2".utf8)))
        #expect(response.headers["X-Fold"] == "one two three")
        #expect(response.headers["X-B"] == "2")
        #expect(response.text == "x")
    }

    @Test("Unusual status codes are reported as they are", arguments: [200, 299, 418, 451, 599, 600, 999])
    func statuses(status: Int) async throws {
        let response = try await fetch(MockResponse(status: status, body: Data("x".utf8)).statusLine(reason: ""))
        #expect(response.statusCode == status)
        #expect(response.text == "x")
        #expect(response.response?.statusCode == status)
    }

    @Test("A repeated Content-Length with equal values is accepted", arguments: [["5", "5"], ["5, 5"], ["5,5", "5"]])
    func equalLengths(values: [String]) async throws {
        let response = try await fetch(MockResponse(headers: values.map { ("Content-Length", $0) }, body: Data("hello".utf8)))
        #expect(response.text == "hello")
    }

    @Test(
        "Different or invalid Content-Length values are an error (RFC 9112 section 6.3)",
        arguments: [["5", "6"], ["6", "5"], ["5, 6"], ["-1"], ["+5"], ["5 6"], ["99999999999999999999"], ["0x5"], ["five"], ["5,"]])
    func badLengths(values: [String]) async throws {
        let (response, seconds) = try await timed(MockResponse(headers: values.map { ("Content-Length", $0) }, body: Data("hello!".utf8)))
        #expect(response.kind == .transportFailed(.cannotParseResponse))
        #expect(seconds < 40)
    }

    @Test("A header line without a colon is an error", arguments: ["no colon here", ": no name"])
    func noField(line: String) async throws {
        let response = try await fetch(.text("x").rawHeaderLine(Data(line.utf8)))
        #expect(response.kind == .transportFailed(.cannotParseResponse))
    }

    @Test("A NUL in a field is an error or becomes a space (RFC 9110 section 5.5)")
    func nul() async throws {
        let response = try await fetch(.text("x").rawHeaderLine(Data("X-Nul: a\u{0}b".utf8)))
        if let kind = response.kind {
            #expect(kind == .transportFailed(.cannotParseResponse))
        } else {
            #expect(response.headers["X-Nul"] == "a b")
        }
    }

    @Test("A carriage return inside a field is an error or becomes a space (RFC 9110 section 5.5)")
    func bareCarriageReturn() async throws {
        let response = try await fetch(.text("x").rawHeaderLine(Data("X-CR: a\rb".utf8)))
        if let kind = response.kind {
            #expect(kind == .transportFailed(.cannotParseResponse))
        } else {
            #expect(response.headers["X-CR"] == "a b")
        }
    }

    @Test("A field of 50 kB is accepted")
    func longField() async throws {
        let response = try await fetch(.text("x").failing(.longHeaderLine(bytes: 50_000)))
        #expect(response.headers["X-Long"]?.count == 50_000 - 8)
        #expect(response.text == "x")
    }

    @Test("A thousand fields are accepted in their order")
    func manyFields() async throws {
        let response = try await fetch(MockResponse(headers: (0..<1000).map { ("X-\($0)", "\($0)") }, body: Data("x".utf8)))
        #expect(response.headers.map(\.value).prefix(1000) == (0..<1000).map(String.init)[...])
        #expect(response.text == "x")
    }
}
