import Foundation
import Testing

@testable import Firewheel

/// Heads that an HTTP/2 server may send (RFC 9113 section 8), and forbidden ones, which are errors and inject no field.
@Suite("HTTP/2 heads", .needs(.frames), .timeLimit(.minutes(5)))
struct HTTP2HeadTests {
    private static let hello = HTTP2Script.data(Array("hello".utf8), isLast: true)

    private static func response(to frames: [UInt8]) async throws -> DataResponse<Data?> {
        try await TestServer.frames.once(
            "/", .with { $0.timeoutIntervalForRequest = 20 }, method: .put, body: HTTP2Script(frames: frames, close: .never).body)
    }

    private static func head(status: String? = nil, _ fields: [(String, String)] = [], isLast: Bool = false) -> [UInt8] {
        var block = status.map { HTTP2Script.field(":status", $0) } ?? [0x88]
        for (name, value) in fields { block += HTTP2Script.field(name, value) }
        return HTTP2Script.frame(.headers, flags: isLast ? 5 : 4, block)
    }

    private static func repeated(_ count: Int, _ frame: [UInt8]) -> [UInt8] { Array(repeatElement(frame, count: count).joined()) }

    struct Answer: CustomTestStringConvertible, Sendable {
        let testDescription: String
        let frames: [UInt8]

        init(_ name: String, _ frames: [UInt8]) {
            testDescription = name
            self.frames = frames
        }
    }

    @Test(
        "Allowed HTTP/2 heads and frames give the response",
        arguments: [
            Answer("an interim head first", head(status: "103", [("link", "</a>")]) + head() + hello),
            Answer("a thousand of them", repeated(1000, head(status: "103")) + head() + hello),
            Answer("400 fields", head(Array(repeatElement(("x-a", "0123456789"), count: 400))) + hello),
            Answer("a head in pieces", HTTP2Script.frame(.headers, [0x88]) + HTTP2Script.frame(.continuation, flags: 4, []) + hello),
            Answer("DATA of nothing, 20,000 times", head() + repeated(20_000, HTTP2Script.frame(.data, [])) + hello),
            Answer(
                "trailer fields",
                head() + HTTP2Script.data(Array("hello".utf8)) + HTTP2Script.frame(.headers, flags: 5, HTTP2Script.field("x-t", "1"))),
        ])
    func allowed(answer: Answer) async throws {
        let response = try await Self.response(to: answer.frames)
        #expect(response.kind == nil && response.statusCode == 200 && response.text == "hello", "\(response)")
        #expect(response.response?.headers["x-t"] == nil)
    }

    @Test(
        "Forbidden HTTP/2 heads are an error",
        arguments: [
            Answer("a line break in a value", head([("x-a", "a\r\nx-evil: 1")]) + hello),
            Answer("a line feed in a value", head([("x-a", "a\nx-evil: 1")]) + hello),
            Answer("NUL in a value", head([("x-a", "a\0b")]) + hello),
            Answer("a line break in a name", head([("x-a: 1\r\nx-evil", "1")]) + hello),
            Answer("a colon in a name", head([("x-evil: b", "1")]) + hello),
            Answer("a name in upper case", head([("X-Evil", "1")]) + hello),
            Answer("no name", head([("", "1")]) + hello),
            Answer("Connection", head([("connection", "close")]) + hello),
            Answer("Transfer-Encoding", head([("transfer-encoding", "chunked")]) + hello),
            Answer("no status", HTTP2Script.frame(.headers, flags: 4, HTTP2Script.field("x-a", "1")) + hello),
            Answer("a status twice", head([(":status", "200")]) + hello),
            Answer("a status behind a field", HTTP2Script.frame(.headers, flags: 4, HTTP2Script.field("x-a", "1") + [0x88]) + hello),
            Answer("a request's field", head([(":path", "/")]) + hello),
            Answer("a status of five digits", head(status: "99999") + hello),
            Answer("a status below 100", head(status: "099") + hello),
            Answer("a status of letters", head(status: "abc") + hello),
            Answer("a status with a field in it", head(status: "200 OK\r\nx-evil: 1") + hello),
            Answer("101 (RFC 9113 section 8.6)", head(status: "101") + head() + hello),
            Answer("an interim head alone", head(status: "103", isLast: true)),
            Answer("a body with 204", head(status: "204") + hello),
            Answer("a body longer than it says", head([("content-length", "3")]) + hello),
            Answer("no body, and a length", head([("content-length", "5")], isLast: true)),
            Answer("two lengths", head([("content-length", "5"), ("content-length", "6")]) + hello),
            Answer("a length of letters", head([("content-length", "abc")]) + hello),
            Answer("a length below zero", head([("content-length", "-1")]) + hello),
            Answer("a length beyond all numbers", head([("content-length", "99999999999999999999999")]) + hello),
            Answer("two heads", head() + head() + hello),
            // A long field sent once and repeated by reference many times (RFC 7541 section 4).
            Answer("a head that unfolds", HTTP2Script.frame(.headers, flags: 4, [0x88] + HTTP2Script.bomb(times: 3000)) + hello),
            Answer(
                "a head without end",
                HTTP2Script.frame(.headers, [0x88])
                    + repeated(2000, HTTP2Script.frame(.continuation, repeated(50, HTTP2Script.field("x-a", "0123456789"))))),
            Answer("one of nothing", HTTP2Script.frame(.headers, [0x88]) + repeated(20_000, HTTP2Script.frame(.continuation, []))),
            Answer(
                "a line break in a trailer field",
                head() + HTTP2Script.data(Array("hello".utf8))
                    + HTTP2Script.frame(.headers, flags: 5, HTTP2Script.field("x-t", "1\r\nx-evil: 1"))),
            Answer("a status in the trailer", head() + HTTP2Script.data(Array("hello".utf8)) + head(isLast: true)),
        ])
    func refused(answer: Answer) async throws {
        let response = try await Self.response(to: answer.frames)
        let kinds: [FirewheelError.Kind?] = [.transportFailed(.cannotParseResponse), .transportFailed(.networkConnectionLost)]
        #expect(kinds.contains(response.kind), "\(response)")
        #expect(response.response?.headers["x-evil"] == nil)
    }

    /// Some versions of libcurl refuse these, and others answer them.
    @Test(
        "Floods of frames that need an answer end with an error or a response",
        arguments: [
            Answer("PING", head() + repeated(20_000, HTTP2Script.frame(.ping, stream: 0, Array(repeating: 1, count: 8))) + hello),
            Answer("SETTINGS", head() + repeated(20_000, HTTP2Script.frame(.settings, stream: 0, [])) + hello),
        ])
    func floods(answer: Answer) async throws {
        let response = try await Self.response(to: answer.frames)
        let kinds: [FirewheelError.Kind?] = [.transportFailed(.cannotParseResponse), .transportFailed(.networkConnectionLost)]
        #expect(response.text == "hello" || kinds.contains(response.kind), "\(response)")
    }
}
