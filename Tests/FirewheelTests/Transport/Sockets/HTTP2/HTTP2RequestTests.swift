#if os(Linux)
    import Foundation
    import Testing

    @testable import Firewheel

    /// What a server receives of requests over HTTP/2 (RFC 9113 section 8).
    @Suite("HTTP/2 codec: requests", .enabled(if: HTTP2Bench.isPossible))
    struct HTTP2RequestTests {
        private static func fields(
            _ method: HTTPMethod = .get, _ url: String = "https://a.example/x?y=1", _ headers: HTTPHeaders = [:],
            body: RequestWriter.BodyLength = .none, expectsContinue: Bool = false
        ) throws -> [String] {
            let bench = try HTTP2Bench()
            _ = bench.sentFrames()
            _ = try #require(try bench.request(method, url, headers, body: body, expectsContinue: expectsContinue))
            bench.send()
            let head = try #require(bench.sentFrames().first { $0.kind == .headers })
            #expect(head.isLast == (body == .none || body == .known(0)))
            return head.fields.map { "\($0.name): \($0.value)" }
        }

        @Test("The first frames announce windows and limits, and switch pushing off (sections 3.4 and 6.5.2)")
        func preface() throws {
            let bench = try HTTP2Bench(isGreeted: false)
            #expect(bench.codec.wantsToSend)
            bench.send()
            #expect(bench.output.starts(with: HTTP2Bench.preface))
            let frames = bench.sentFrames()
            #expect(frames.map(\.kind) == [.settings, .windowUpdate])
            let settings = frames[0].payload
            let entries = stride(from: 0, to: settings.count, by: 6).map { start in
                (Int(settings[start + 1]), settings[(start + 2)..<(start + 6)].reduce(0) { $0 << 8 | Int($1) })
            }
            #expect(entries.map { $0.0 } == [2, 4, 6] && entries.map { $0.1 } == [0, HTTP2Codec.streamWindow, 1 << 20])
            #expect(frames[1].stream == 0 && frames[1].number == HTTP2Codec.connectionWindow - 65_535)
        }

        @Test("Pseudo-header fields come first, names are in lower case, and Accept is added (section 8.3.1)")
        func form() throws {
            #expect(
                try Self.fields(.get, "http://a.example:81/x?y=1", ["X-Mixed": " a b\t", "Cookie": "a=1; b=2", "X-Empty": ""])
                    == [
                        ":method: GET", ":scheme: http", ":authority: a.example:81", ":path: /x?y=1", "x-mixed: a b", "cookie: a=1; b=2",
                        "x-empty: ", "accept: */*",
                    ])
            #expect(try Self.fields(.get, "https://[::1]/", ["ACCEPT": "text/html"]).suffix(2) == [":path: /", "accept: text/html"])
        }

        @Test("The caller's Host is the authority, and fields of the connection are left out (sections 8.2.2 and 8.3.1)")
        func dropped() throws {
            let fields = try Self.fields(
                .get, "https://a.example/",
                [
                    "Host": "b.example", "Connection": "close, x-a", "Keep-Alive": "1", "Proxy-Connection": "close", "Upgrade": "h2c",
                    "Transfer-Encoding": "chunked", "Content-Length": "5", "TE": "gzip", "Accept": "*/*",
                ])
            #expect(fields == [":method: GET", ":scheme: https", ":authority: b.example", ":path: /", "accept: */*"])
            #expect(try Self.fields(.get, "https://a.example/", ["te": "Trailers"]).contains("te: Trailers"))
        }

        @Test("Content-Length follows from the body (RFC 9110 section 8.6)")
        func length() throws {
            func lengths(_ method: HTTPMethod, _ body: RequestWriter.BodyLength) throws -> [String] {
                try Self.fields(method, "https://a.example/", ["Content-Length": "7"], body: body).filter { $0.hasPrefix("content-length") }
            }
            #expect(try lengths(.post, .none) == ["content-length: 0"])
            #expect(try lengths(.get, .none).isEmpty)
            #expect(try lengths(.put, .known(5)) == ["content-length: 5"])
            #expect(try lengths(.get, .known(0)) == ["content-length: 0"])
            #expect(try lengths(.head, .known(0)).isEmpty)
            #expect(try lengths(.put, .unknown).isEmpty)
        }

        @Test("Expect: 100-continue is for requests with a body")
        func expectation() throws {
            #expect(try Self.fields(.put, body: .known(5), expectsContinue: true).contains("expect: 100-continue"))
            #expect(try !Self.fields(.put, expectsContinue: true).contains("expect: 100-continue"))
        }

        @Test("Fields with credentials are never indexed (RFC 7541 section 7.1.3)")
        func sensitive() throws {
            let bench = try HTTP2Bench()
            _ = bench.sentFrames()
            // One of them is a proxy's, and is not sent to servers (RFC 9110 section 11.7.2).
            let names = ["Authorization", "X-Auth-Token", "Cookie", "Set-Cookie", "X-API-Key", "Accept", "X-Plain"]
            let given = names + ["Proxy-Authorization"]
            for _ in 0..<2 {
                _ = try bench.request(.get, "https://a.example/", HTTPHeaders(given.map { HTTPHeader(name: $0, value: "0123456789") }))
                bench.send()
                let fields = bench.sentFrames().flatMap(\.fields)
                #expect(fields.filter(\.isNeverIndexed).map(\.name) == names.prefix(5).map { $0.lowercased() })
                #expect(fields.count == names.count + 4)
            }
        }

        @Test(
            "What is no field or no method is an error, and nothing is sent",
            arguments: [
                ("GET", "a\r\nb", "1"), ("GET", "", "1"), ("GET", ":path", "/"), ("GET", "a b", "1"), ("GET", "a", "1\r\nb: 1"),
                ("GET", "a", "1\n"), ("GET", "a", "1\0"), ("GE T", "a", "1"), ("GET", "Host", "a\nb"),
            ])
        func invalid(method: String, name: String, value: String) throws {
            let bench = try HTTP2Bench()
            _ = bench.sentFrames()
            #expect(throws: RequestWriter.Problem.self) {
                _ = try bench.request(HTTPMethod(rawValue: method), "https://a.example/", [name: value])
            }
            bench.send()
            #expect(bench.sentFrames().isEmpty && bench.codec.streamCount == 0)
        }

        @Test("Obs-text is sent as its bytes")
        func obsText() throws {
            let bench = try HTTP2Bench()
            _ = try bench.request(.get, "https://a.example/", HTTPHeaders(received: [HTTPHeader(name: "x-a", octets: [0x61, 0xE9])]))
            bench.send()
            // Without Huffman coding, which would be longer.
            #expect(bench.output.firstRange(of: [0x61, 0xE9]) != nil)
        }

        @Test("A head of 1 MB is sent whole, and one of 9 MB is an error")
        func large() throws {
            let bench = try HTTP2Bench()
            _ = bench.sentFrames()
            let headers = HTTPHeaders((0..<40).map { HTTPHeader(name: "x-\($0)", value: String(repeating: "z", count: 25_000)) })
            _ = try #require(try bench.request(.get, "https://a.example/", headers))
            bench.send()
            let frames = bench.sentFrames()
            #expect(frames.flatMap(\.fields).count == 45 && frames.dropFirst().allSatisfy { $0.kind == .continuation })
            #expect(frames.allSatisfy { $0.payload.count <= 16_384 })
            #expect(throws: RequestWriter.Problem.invalidField) {
                _ = try bench.request(.get, "https://a.example/", ["a": String(repeating: "z", count: 9 << 20)])
            }
        }

        @Test("A body that is there goes out behind the head, and its last frame ends the stream")
        func body() throws {
            let bench = try HTTP2Bench()
            _ = bench.sentFrames()
            let exchange = try #require(try bench.request(.put, body: .known(20_000)))
            let stream = try #require(exchange.stream)
            try bench.codec.send(pattern(20_000), on: stream)
            try bench.codec.endBody(of: stream)
            bench.send()
            let frames = bench.sentFrames()
            #expect(frames.map(\.kind) == [.headers, .data, .data])
            #expect(frames.map(\.isLast) == [false, false, true])
            #expect(Data(frames.dropFirst().flatMap(\.payload)) == pattern(20_000))
            #expect(exchange.bytesSent == 20_000 && exchange.asks == 0 && stream.isRequestSent)
        }

        @Test("A body of pieces is asked for one by one, and trailer fields follow it (section 8.1)")
        func pieces() throws {
            let bench = try HTTP2Bench()
            _ = bench.sentFrames()
            let exchange = try #require(try bench.request(.put, body: .unknown))
            let stream = try #require(exchange.stream)
            for round in 1...3 {
                bench.send()
                bench.send()
                #expect(exchange.asks == round)
                try bench.codec.send(Data("abc".utf8), on: stream)
            }
            bench.send()
            try bench.codec.endBody(of: stream, trailers: ["X-Sum": "9", "Content-Length": "1", "Host": "x"])
            bench.send()
            let frames = bench.sentFrames()
            #expect(frames.map(\.kind) == [.headers, .data, .data, .data, .headers])
            #expect(frames.map(\.isLast) == [false, false, false, false, true])
            #expect(frames.last?.fields.map { "\($0.name): \($0.value)" } == ["x-sum: 9"])
            #expect(exchange.bytesSent == 9)
        }

        @Test("Trailer fields follow bytes that wait, too, and invalid ones are an error")
        func trailersAtOnce() throws {
            let bench = try HTTP2Bench()
            _ = bench.sentFrames()
            let stream = try #require(try bench.request(.put, body: .known(3))?.stream)
            try bench.codec.send(Data("abc".utf8), on: stream)
            #expect(throws: RequestWriter.Problem.invalidField) { try bench.codec.endBody(of: stream, trailers: ["a": "1\r\n"]) }
            try bench.codec.endBody(of: stream, trailers: ["a": "1"])
            bench.send()
            #expect(bench.sentFrames().map(\.kind) == [.headers, .data, .headers])
        }

        @Test("A body must have its declared length")
        func wrongLength() throws {
            let bench = try HTTP2Bench()
            let stream = try #require(try bench.request(.put, body: .known(5))?.stream)
            #expect(throws: RequestWriter.Problem.wrongLength) { try bench.codec.send(Data("abcdef".utf8), on: stream) }
            try bench.codec.send(Data("abc".utf8), on: stream)
            #expect(throws: RequestWriter.Problem.wrongLength) { try bench.codec.endBody(of: stream) }
            try bench.codec.send(Data("de".utf8), on: stream)
            try bench.codec.endBody(of: stream)
            #expect(throws: RequestWriter.Problem.wrongLength) { try bench.codec.send(Data("f".utf8), on: stream) }
        }

        @Test("Nothing is sent beyond the server's windows, which SETTINGS change in mid-body (sections 6.9.1 and 6.9.2)")
        func windows() throws {
            let bench = try HTTP2Bench(isGreeted: false)
            bench.send()
            bench.feed(HTTP2Script.frame(.settings, stream: 0, [0, 4, 0, 0, 0, 100]))
            _ = bench.sentFrames()
            let exchange = try #require(try bench.request(.put, body: .known(1_000)))
            try bench.codec.send(pattern(1_000), on: #require(exchange.stream))
            try bench.codec.endBody(of: #require(exchange.stream))
            func sent() -> Int { bench.sentFrames().filter { $0.kind == .data }.reduce(0) { $0 + $1.payload.count } }
            bench.send()
            #expect(sent() == 100 && !bench.codec.wantsToSend)
            bench.feed(HTTP2Script.frame(.windowUpdate, [0, 0, 0, 50]))
            #expect(sent() == 50)
            // The window shrinks below zero, and then grows.
            bench.feed(HTTP2Script.frame(.settings, stream: 0, [0, 4, 0, 0, 0, 10]))
            bench.feed(HTTP2Script.frame(.windowUpdate, [0, 0, 0, 90]))
            #expect(sent() == 0)
            bench.feed(HTTP2Script.frame(.settings, stream: 0, [0, 4, 0, 1, 0, 0]))
            #expect(sent() == 850 && exchange.bytesSent == 1_000)
        }

        @Test("Output is taken in portions, so that a large body does not wait in memory")
        func portions() throws {
            let bench = try HTTP2Bench(isGreeted: false)
            bench.send()
            bench.feed(HTTP2Script.frame(.settings, stream: 0, [0, 4, 0x7f, 0xff, 0xff, 0xff]))
            bench.feed(HTTP2Script.frame(.windowUpdate, stream: 0, [0x7f, 0, 0, 0]))
            let stream = try #require(try bench.request(.put, body: .known(1 << 20))?.stream)
            try bench.codec.send(pattern(1 << 20), on: stream)
            try bench.codec.endBody(of: stream)
            var portions = 0
            while bench.codec.wantsToSend {
                let before = bench.output.count
                bench.send(least: 65_536)
                #expect(bench.output.count - before <= 65_536 + 16_384 + 9)
                portions += 1
            }
            #expect(portions >= 12)
            #expect(Data(bench.sentFrames().filter { $0.kind == .data }.flatMap(\.payload)) == pattern(1 << 20))
        }
    }
#endif
