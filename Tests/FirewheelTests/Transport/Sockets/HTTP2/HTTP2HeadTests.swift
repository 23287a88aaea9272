#if os(Linux)
    import Foundation
    import Testing

    @testable import Firewheel

    /// Heads that an HTTP/2 server may send (RFC 9113 section 8), and forbidden ones, which are errors and inject no field.
    @Suite("HTTP/2 on the wire: heads", .needsHTTP2Server, .timeLimit(.minutes(5)))
    struct HTTP2HeadTests {
        private static let hello = HTTP2Script.data(Array("hello".utf8), isLast: true)

        private static func response(to frames: [UInt8]) async throws -> DataResponse<Data?> {
            try await FrameScriptServer.response(to: HTTP2Script(frames: frames, close: .never)).response
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
                Answer("fields of 1 MB", block(fields(8_000)) + hello),
                Answer("a field of 64,000 bytes", block([0x88] + HTTP2Script.bomb(size: 64_000, times: 0)) + hello),
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

        /// Literal fields of 126 bytes each.
        private static func fields(_ count: Int) -> [UInt8] {
            [0x88] + Array(repeatElement(HTTP2Script.field("x-a", String(repeating: "b", count: 121)), count: count).joined())
        }

        /// A section in as many frames as it needs (section 6.10).
        private static func block(_ bytes: [UInt8]) -> [UInt8] {
            let size = 16_384
            return stride(from: 0, to: bytes.count, by: size).flatMap { start in
                let piece = Array(bytes[start..<min(bytes.count, start + size)])
                return HTTP2Script.frame(start == 0 ? .headers : .continuation, flags: start + size < bytes.count ? 0 : 4, piece)
            }
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
                Answer("fields of more than 1 MiB", block(fields(9_000)) + hello),
                Answer("a field of 100,000 bytes", block([0x88] + HTTP2Script.bomb(size: 100_000, times: 0)) + hello),
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
            #expect(response.kind == .transportFailed(.cannotParseResponse), "\(response)")
            #expect(response.response?.headers["x-evil"] == nil)
        }

        @Test(
            "Floods of frames that carry nothing are an error that says so, unless an earlier frame is one (section 10.5)",
            arguments: [
                Answer("PING", head() + repeated(20_000, HTTP2Script.frame(.ping, stream: 0, Array(repeating: 1, count: 8))) + hello),
                Answer("SETTINGS", head() + repeated(20_000, HTTP2Script.frame(.settings, stream: 0, [])) + hello),
                Answer("RST_STREAM", head() + repeated(20_000, HTTP2Script.frame(.reset, stream: 1, [0, 0, 0, 8]))),
                Answer("interim heads", repeated(20_000, head(status: "103")) + head() + hello),
                Answer("PRIORITY", head() + repeated(200_000, HTTP2Script.frame(.priority, [0, 0, 0, 0, 1])) + hello),
                Answer("DATA of nothing", head() + repeated(200_000, HTTP2Script.frame(.data, [])) + hello),
            ])
        func floods(answer: Answer) async throws {
            let response = try await Self.response(to: answer.frames)
            let isReset = answer.testDescription == "RST_STREAM"
            #expect(response.kind == .transportFailed(isReset ? .networkConnectionLost : .cannotParseResponse), "\(response)")
            let words =
                isReset
                ? "the server ended the HTTP/2 stream with an error: CANCEL" : "the server sent too many HTTP/2 frames that carry nothing"
            #expect(response.words.hasSuffix(": \(words)"), "\(response.words)")
        }
    }
#endif
