#if os(Linux)
    import Foundation
    import Testing

    @testable import Firewheel

    /// Responses over HTTP/2: each is whole or an error, however its bytes are cut (RFC 9113 sections 8.1 to 8.3).
    @Suite("HTTP/2 codec: responses", .enabled(if: HTTP2Bench.isPossible))
    struct HTTP2ResponseTests {
        /// What a server sends, and the story of the exchange.
        struct Case: CustomTestStringConvertible, Sendable {
            let testDescription: String
            let frames: [UInt8]
            let story: String

            init(_ name: String, _ frames: [UInt8], _ story: String) {
                testDescription = name
                self.frames = frames
                self.story = story
            }
        }

        enum Ending {
            case stays, closes, resets
        }

        private static func head(status: String? = nil, _ fields: [(String, String)] = [], isLast: Bool = false) -> [UInt8] {
            var block = status.map { HTTP2Script.field(":status", $0) } ?? [0x88]
            for (name, value) in fields { block += HTTP2Script.field(name, value) }
            return HTTP2Script.frame(.headers, flags: isLast ? 5 : 4, block)
        }

        private static func trailers(_ fields: [(String, String)], isLast: Bool = true) -> [UInt8] {
            HTTP2Script.frame(.headers, flags: isLast ? 5 : 4, fields.flatMap { HTTP2Script.field($0.0, $0.1) })
        }

        private static let hello = HTTP2Script.data(Array("hello".utf8), isLast: true)
        private static func repeated(_ count: Int, _ frame: [UInt8]) -> [UInt8] { Array(repeatElement(frame, count: count).joined()) }

        private static func run(
            _ frames: [UInt8], pieces: Int = .max, method: HTTPMethod = .get, ending: Ending = .stays
        ) throws -> HTTP2Bench.Exchange {
            let bench = try HTTP2Bench()
            let exchange = try bench.exchange(method)
            bench.feed(frames, pieces: pieces)
            if ending != .stays { bench.codec.connectionEnded(isReset: ending == .resets) }
            return exchange
        }

        /// Runs a script whole, in two pieces cut at every byte, and byte by byte. Of long ones only some cuts.
        private static func check(_ script: Case, method: HTTPMethod = .get, ending: Ending = .stays) throws {
            let whole = try run(script.frames, method: method, ending: ending)
            #expect(whole.story == script.story)
            let bytewise = try run(script.frames, pieces: script.frames.count > 100_000 ? 1_001 : 1, method: method, ending: ending)
            #expect(bytewise.story == script.story)
            #expect(bytewise.heads == whole.heads && bytewise.trailers == whole.trailers)
            guard script.frames.count < 300 else { return }
            for cut in 1..<script.frames.count {
                let bench = try HTTP2Bench()
                let exchange = try bench.exchange(method)
                bench.feed(Array(script.frames[..<cut]))
                bench.feed(Array(script.frames[cut...]))
                if ending != .stays { bench.codec.connectionEnded(isReset: ending == .resets) }
                #expect(exchange.story == script.story, "cut at \(cut)")
            }
        }

        @Test(
            "Allowed responses",
            arguments: [
                Case("a body", head() + hello, "200 \"hello\" end complete"),
                Case("no body", head(isLast: true), "200 end complete"),
                Case("an empty body", head() + HTTP2Script.data([], isLast: true), "200 end complete"),
                Case("a length", head([("content-length", "5")]) + hello, "200 \"hello\" end complete"),
                Case("interim heads", head(status: "100") + head(status: "103") + head() + hello, "100 103 200 \"hello\" end complete"),
                Case("a status without a class", head(status: "999", isLast: true), "999 end complete"),
                Case("204 with a length of 0", head(status: "204", [("content-length", "0")], isLast: true), "204 end complete"),
                Case("304 with a length", head(status: "304", [("content-length", "5")], isLast: true), "304 end complete"),
                Case("trailer fields", head() + HTTP2Script.data([97]) + trailers([("x-t", "1")]), "200 \"a\" end complete"),
                Case("trailer fields alone", head() + trailers([("x-t", "1")]), "200 end complete"),
                Case(
                    "a head in pieces",
                    HTTP2Script.frame(.headers, [0x88]) + HTTP2Script.frame(.continuation, [])
                        + HTTP2Script.frame(.continuation, flags: 4, [])
                        + hello,
                    "200 \"hello\" end complete"),
                Case(
                    "padding", head() + HTTP2Script.frame(.data, flags: 9, [3] + Array("hello".utf8) + [0, 0, 0]),
                    "200 \"hello\" end complete"),
                Case(
                    "frames of unknown kinds", [0, 0, 2, 99, 0, 0, 0, 0, 1, 1, 2] + head() + [0, 0, 1, 88, 0, 0, 0, 0, 0, 1] + hello,
                    "200 \"hello\" end complete"),
                Case(
                    "frames between",
                    head() + HTTP2Script.frame(.ping, stream: 0, Array(repeating: 1, count: 8))
                        + HTTP2Script.frame(.settings, stream: 0, [])
                        + HTTP2Script.frame(.windowUpdate, [0, 0, 0, 1]) + HTTP2Script.frame(.priority, [0, 0, 0, 0, 1]) + hello,
                    "200 \"hello\" end complete"),
                Case(
                    "DATA of nothing, 20,000 times", head() + repeated(20_000, HTTP2Script.frame(.data, [])) + hello,
                    "200 \"hello\" end complete"),
                Case("a reset without an error behind it", head() + hello + HTTP2Script.reset(.noError), "200 \"hello\" end complete"),
                Case("a reset with one behind it", head() + hello + HTTP2Script.reset(.internalError), "200 \"hello\" end complete"),
                Case(
                    "GOAWAY with an error behind it", head() + hello + HTTP2Script.goAway(.internalError, lastStream: 1),
                    "200 \"hello\" end complete"),
            ])
        func allowed(script: Case) throws {
            try Self.check(script)
            try Self.check(script, ending: .closes)
            try Self.check(script, ending: .resets)
        }

        private static let fields = "failed: the response is malformed: its HTTP/2 header fields are not valid"
        private static let name = "failed: the response is malformed: the name of a header field is not valid"
        private static let value = "failed: the response is malformed: a header field has a line break or a NUL"
        private static let long = "failed: the response is malformed: it has a body where none may be"
        private static let length = "failed: the response is malformed: its body is not as long as its Content-Length says"
        private static let behind = "failed: the response is malformed: its HTTP/2 trailer fields are not valid"

        @Test(
            "Forbidden responses are errors",
            arguments: [
                Case("a line break in a value", head([("x-a", "a\r\nx-evil: 1")]) + hello, value),
                Case("a line feed in a value", head([("x-a", "a\nx-evil: 1")]) + hello, value),
                Case("a line feed behind a value", head([("x-a", "a\n")]) + hello, value),
                Case("NUL in a value", head([("x-a", "a\0b")]) + hello, value),
                Case("a line break in a name", head([("x-a: 1\r\nx-evil", "1")]) + hello, name),
                Case("a colon in a name", head([("x-evil: b", "1")]) + hello, name),
                Case("a space in a name", head([("x evil", "1")]) + hello, name),
                Case("no name", head([("", "1")]) + hello, name),
                Case("a name in upper case", head([("X-Evil", "1")]) + hello, fields),
                Case("Connection", head([("connection", "close")]) + hello, fields),
                Case("Transfer-Encoding", head([("transfer-encoding", "chunked")]) + hello, fields),
                Case("Upgrade", head([("upgrade", "h2c")]) + hello, fields),
                Case("no status", HTTP2Script.frame(.headers, flags: 4, HTTP2Script.field("x-a", "1")) + hello, fields),
                Case("a status twice", head([(":status", "200")]) + hello, fields),
                Case(
                    "a status behind a field", HTTP2Script.frame(.headers, flags: 4, HTTP2Script.field("x-a", "1") + [0x88]) + hello, fields
                ),
                Case("a request's field", head([(":path", "/")]) + hello, fields),
                Case("a status of five digits", head(status: "99999") + hello, fields),
                Case("a status of letters", head(status: "abc") + hello, fields),
                Case("a status with a field in it", head(status: "200 OK\r\nx-evil: 1") + hello, fields),
                Case("101 (section 8.6)", head(status: "101") + head() + hello, fields),
                Case("a status below 100", head(status: "099") + hello, "failed: the response is malformed: its status code is below 100"),
                Case("two lengths", head([("content-length", "5"), ("content-length", "6")]) + hello, fields),
                Case("a length of letters", head([("content-length", "abc")]) + hello, fields),
                Case("a length below zero", head([("content-length", "-1")]) + hello, fields),
                Case("a length beyond all numbers", head([("content-length", "99999999999999999999999")]) + hello, fields),
                Case(
                    "a length with white space and junk", head([("content-length", " 5 x ")]) + hello,
                    HTTP2ResponseTests.hasStrictValues
                        ? "failed: the response is malformed: its Content-Length is not a length" : fields),
                Case("an interim head alone", head(status: "103", isLast: true), fields),
                Case("a body with 204", head(status: "204") + hello, "204 " + long),
                Case("a body with 304", head(status: "304") + hello, "304 " + long),
                Case("no body, and a length", head([("content-length", "5")], isLast: true), fields),
                Case(
                    "a body shorter than it says", head([("content-length", "6")]) + hello,
                    "200 \"hello\" " + length),
                Case("two heads", head() + head() + hello, "200 " + behind),
                Case("a status in the trailer", head() + HTTP2Script.data([97]) + head(isLast: true), "200 \"a\" " + behind),
                Case(
                    "trailer fields that end nothing", head() + HTTP2Script.data([97]) + trailers([("x-t", "1")], isLast: false),
                    "200 \"a\" " + behind),
                Case(
                    "a line break in a trailer field", head() + HTTP2Script.data([97]) + trailers([("x-t", "1\r\nx-evil: 1")]),
                    "200 \"a\" " + value),
            ])
        func refused(script: Case) throws {
            let exchange = try Self.run(script.frames)
            #expect(exchange.story == script.story)
            #expect(exchange.heads.allSatisfy { $0.headers["x-evil"] == nil })
            try Self.check(script)
        }

        /// Whether the library refuses white space around a value (from 1.49).
        static let hasStrictValues: Bool = {
            guard let bench = try? HTTP2Bench(), let exchange = try? bench.exchange() else { return true }
            bench.feed(head([("content-length", " 0")], isLast: true))
            return exchange.end == .complete
        }()

        @Test("A body that is longer than it says is an error, and what is too much is not part of it")
        func tooLong() throws {
            let frames = Self.head([("content-length", "3")]) + Self.hello
            for pieces in [1, 2, 7, frames.count - 3, Int.max] {
                let exchange = try Self.run(frames, pieces: pieces)
                #expect(exchange.story.hasSuffix(Self.length) && exchange.body.count <= 3)
            }
        }

        @Test("A stream's window that grows too large is an error, of the connection with newer releases of the library")
        func largeWindow() throws {
            let exchange = try Self.run(Self.head() + HTTP2Script.frame(.windowUpdate, [0x7f, 0xff, 0xff, 0xff]))
            #expect(exchange.reason?.hasPrefix("the server broke the rules of HTTP/2 (FLOW_CONTROL_ERROR") == true)
        }

        @Test("Heads and trailer fields have limits", arguments: [false, true])
        func limits(isTrailer: Bool) throws {
            let start = isTrailer ? Self.head() : []
            let first: [UInt8] = isTrailer ? [] : [0x88]
            let reason = "the response's header \(isTrailer ? "and trailer " : "")fields are larger than 1 MiB"
            // A long field sent once and repeated by reference many times (RFC 7541 section 4).
            let bomb = try Self.run(start + HTTP2Script.frame(.headers, flags: 5, first + HTTP2Script.bomb(times: 3_000)))
            #expect(bomb.reason == reason)
            let endless = try Self.run(
                start + HTTP2Script.frame(.headers, flags: 1, first)
                    + Self.repeated(2_000, HTTP2Script.frame(.continuation, Self.repeated(50, HTTP2Script.field("x-a", "0123456789")))))
            #expect(
                endless.reason == reason || endless.end == .failed(HTTP2Words.flood) || endless.reason?.contains("CONTINUATION") == true)
        }

        @Test("Interim heads count, so that they end")
        func endlessInterim() throws {
            let exchange = try Self.run(Self.repeated(200_000, Self.head(status: "103")))
            #expect(exchange.end == .failed(HTTP2Words.flood) && exchange.heads.count > 1_000)
        }

        @Test("A head has its fields in order, repeated ones and obs-text included, and says that it is HTTP/2")
        func fieldsOfHead() throws {
            let block = HTTP2Script.field("set-cookie", "a=1") + HTTP2Script.field("set-cookie", "b=2") + [0, 1, 0x78, 2, 0x61, 0xE9]
            let exchange = try Self.run(
                HTTP2Script.frame(.headers, flags: 5, [0x88] + block + HTTP2Script.field("x-empty", "")))
            let head = try #require(exchange.heads.first)
            #expect(head.httpVersion == "HTTP/2" && head.statusCode == 200)
            #expect(head.headers.map { "\($0.name)=\($0.value)" } == ["set-cookie=a=1", "set-cookie=b=2", "x=aé", "x-empty="])
            #expect(head.headers.mayContain(.setCookie) && !head.headers.mayContain(.location))
        }

        /// Real servers send them, and they are one field here as in HTTP/1.
        @Test("Control characters and white space at the ends of a value are no reason to refuse it")
        func suspectValues() throws {
            let exchange = try Self.run(Self.head([("x-a", " a\u{1}b\t"), ("x-b", "c\u{7F}")], isLast: true))
            #expect(exchange.heads.first?.headers.map(\.value) == ["a\u{1}b", "c\u{7F}"])
        }

        @Test("Trailer fields that trailers may not have are left out")
        func trailerNames() throws {
            let exchange = try Self.run(
                Self.head() + Self.trailers([("x-t", "1"), ("content-length", "0"), ("set-cookie", "a=1"), ("date", "x")]))
            #expect(exchange.end == .complete)
            #expect(exchange.trailers == ["x-t": "1"])
        }

        @Test("A response to HEAD has no body, whatever length it has")
        func headMethod() throws {
            try Self.check(
                Case("", Self.head([("content-length", "5")], isLast: true), "200 end complete"), method: .head)
            try Self.check(Case("", Self.head() + Self.hello, "200 " + Self.long), method: .head)
        }

        @Test(
            "A response whose stream has not ended is an error, with a length and without", arguments: [true, false],
            [
                (
                    "the end of the connection", [], Ending.closes, "lost: the body ended 3 bytes early",
                    "lost: the connection closed before the end of the response"
                ),
                ("its reset", [], .resets, "lost: connection reset, receiving the response", nil),
                // RFC 9113 section 8.1 allows it only after a complete response.
                (
                    "a reset without an error", HTTP2Script.reset(.noError), .stays,
                    "broken: the server ended the HTTP/2 stream before the end of the response", nil
                ),
                (
                    "a reset with an error", HTTP2Script.reset(.internalError), .closes,
                    "broken: the server ended the HTTP/2 stream with an error: INTERNAL_ERROR", nil
                ),
                (
                    "one that says that the rules were broken", HTTP2Script.reset(.protocolError), .closes,
                    "failed: the server ended the HTTP/2 stream with an error: PROTOCOL_ERROR", nil
                ),
                (
                    "one that says cancelled", HTTP2Script.reset(.cancel), .stays,
                    "broken: the server ended the HTTP/2 stream with an error: CANCEL", nil
                ),
                (
                    "one that says refused", HTTP2Script.reset(.refusedStream), .stays,
                    "broken: the server ended the HTTP/2 stream with an error: REFUSED_STREAM", nil
                ),
                (
                    "GOAWAY, and the end", HTTP2Script.goAway(.noError, lastStream: 1), .closes, "lost: the body ended 3 bytes early",
                    "lost: the connection closed before the end of the response"
                ),
                (
                    "GOAWAY with an error, and the end", HTTP2Script.goAway(.internalError, lastStream: 1), .closes,
                    "lost: the server closed the HTTP/2 connection with an error: INTERNAL_ERROR", nil
                ),
                (
                    "GOAWAY that leaves it out", HTTP2Script.goAway(.internalError, lastStream: 0), .stays,
                    "lost: the server closed the HTTP/2 connection with an error: INTERNAL_ERROR", nil
                ),
                (
                    "that without an error", HTTP2Script.goAway(.noError, lastStream: 0), .stays,
                    "lost: the server closed the HTTP/2 connection before the end of the response", nil
                ),
            ] as [(String, [UInt8], Ending, String, String?)])
        func cutShort(hasLength: Bool, ending: (String, [UInt8], Ending, String, String?)) throws {
            let frames = Self.head(hasLength ? [("content-length", "8")] : []) + HTTP2Script.data(Array("hello".utf8)) + ending.1
            let story = hasLength ? ending.3 : ending.4 ?? ending.3
            try Self.check(Case(ending.0, frames, "200 \"hello\" " + story), ending: ending.2)
        }

        @Test(
            "Frames that break the rules of the connection end it, and GOAWAY says why (section 5.4.1)",
            arguments: [
                ("DATA on no stream", HTTP2Script.frame(.data, stream: 0, [1]), "PROTOCOL_ERROR"),
                ("DATA on a stream that is idle", HTTP2Script.frame(.data, stream: 3, [1]), "PROTOCOL_ERROR"),
                ("a padding that is longer than its frame", HTTP2Script.frame(.data, flags: 8, [200, 1]), "PROTOCOL_ERROR"),
                ("SETTINGS of one byte", HTTP2Script.frame(.settings, stream: 0, [1]), "FRAME_SIZE_ERROR"),
                ("a CONTINUATION of nothing", HTTP2Script.frame(.continuation, flags: 4, [0x88]), "PROTOCOL_ERROR"),
                ("a PUSH_PROMISE", HTTP2Script.frame(.pushPromise, flags: 4, [0, 0, 0, 2, 0x88]), "PROTOCOL_ERROR"),
                ("fields that cannot be decoded", HTTP2Script.frame(.headers, flags: 5, [0xff, 0xff, 0xff, 0x7f]), "COMPRESSION_ERROR"),
                ("a window that grows by nothing", HTTP2Script.frame(.windowUpdate, stream: 0, [0, 0, 0, 0]), "PROTOCOL_ERROR"),
                (
                    "the connection's window too large", HTTP2Script.frame(.windowUpdate, stream: 0, [0x7f, 0xff, 0xff, 0xff]),
                    "FLOW_CONTROL_ERROR"
                ),
                ("a frame that is too large", [0xff, 0, 0, 0, 0, 0, 0, 0, 1], "FRAME_SIZE_ERROR"),
                (
                    "HEADERS within HEADERS",
                    HTTP2Script.frame(.headers, flags: 1, HTTP2Script.field("x-a", "1")) + HTTP2Script.frame(.data, [1]), "PROTOCOL_ERROR"
                ),
                ("GOAWAY on a stream", HTTP2Script.frame(.goAway, [0, 0, 0, 0, 0, 0, 0, 0]), "PROTOCOL_ERROR"),
                (
                    "a violation behind GOAWAY", HTTP2Script.goAway(.noError, lastStream: 1) + HTTP2Script.frame(.ping, stream: 0, [1]),
                    "FRAME_SIZE_ERROR"
                ),
            ] as [(String, [UInt8], String)])
        func violations(name: String, frames: [UInt8], code: String) throws {
            for start in [[], Self.head() + HTTP2Script.data(Array("hello".utf8))] {
                for pieces in [1, Int.max] {
                    let bench = try HTTP2Bench()
                    let (exchange, other) = (try bench.exchange(), try #require(try bench.request()))
                    _ = bench.sentFrames()
                    bench.feed(start + frames, pieces: pieces)
                    guard case .failed(.cannotParseResponse, let reason)? = bench.failure else {
                        Issue.record("no error")
                        return
                    }
                    #expect(reason.hasPrefix("the server broke the rules of HTTP/2 (\(code)"), "\(reason)")
                    #expect(exchange.end == .failed(.failed(.cannotParseResponse, reason)))
                    #expect(other.end != nil && !bench.codec.canSubmit)
                    #expect(bench.sentFrames().last?.kind == .goAway && !bench.codec.wantsToSend)
                }
            }
        }

        @Test("A server that does not speak HTTP/2 is told apart, also if it speaks HTTP/1")
        func otherProtocols() throws {
            for (text, error) in [
                ("HTTP/1.1 400 Bad Request\r\n\r\n", HTTP2Words.http1), ("HTTP/", HTTP2Words.http1),
                ("SSH-2.0-OpenSSH_9.2\r\n", .failed(.cannotParseResponse, "the server does not speak HTTP/2")),
            ] {
                for pieces in [1, 3, Int.max] {
                    let bench = try HTTP2Bench(isGreeted: false)
                    let exchange = try bench.exchange()
                    bench.feed(Array(text.utf8), pieces: pieces)
                    #expect(bench.failure == error && exchange.end == .failed(error))
                }
            }
            let bench = try HTTP2Bench(isGreeted: false)
            let exchange = try bench.exchange()
            bench.feed(Array("HTT".utf8))
            bench.codec.connectionEnded(isReset: false)
            #expect(exchange.story == "lost: the server closed the connection without a response")
        }
    }
#endif
