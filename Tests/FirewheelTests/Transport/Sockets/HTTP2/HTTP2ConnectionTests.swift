#if os(Linux)
    import Foundation
    import Testing

    @testable import Firewheel

    /// What happens to the streams of a connection together: limits, refusals, GOAWAY, windows, pings and their ends.
    @Suite("HTTP/2 codec: connections", .enabled(if: HTTP2Bench.isPossible))
    struct HTTP2ConnectionTests {
        private static let answer = HTTP2Script.frame(.headers, flags: 5, [0x88])
        private static let head = HTTP2Script.frame(.headers, flags: 4, [0x88])

        private static func settings(_ id: UInt8, _ value: UInt32) -> [UInt8] {
            HTTP2Script.frame(.settings, stream: 0, [0, id] + withUnsafeBytes(of: value.bigEndian) { Array($0) })
        }

        private static func answer(_ stream: Int) -> [UInt8] { HTTP2Script.frame(.headers, flags: 5, stream: UInt8(stream), [0x88]) }

        // MARK: Limits

        @Test("100 streams are assumed before SETTINGS, and what SETTINGS says counts then (section 5.1.2)")
        func streamLimit() throws {
            let bench = try HTTP2Bench(isGreeted: false)
            let exchanges = try (0..<100).compactMap { _ in try bench.request() }
            #expect(exchanges.count == 100 && !bench.codec.canSubmit && bench.codec.acceptsRequests)
            #expect(try bench.request() == nil)
            bench.send()
            bench.feed(Self.settings(3, 101))
            #expect(bench.codec.canSubmit)
            #expect(try bench.request() != nil)
            #expect(!bench.codec.canSubmit)
            bench.feed(Self.settings(3, 100) + Self.answer(1))
            #expect(!bench.codec.canSubmit, "as many are open as the lower limit allows")
            bench.feed(Self.answer(3))
            #expect(bench.codec.canSubmit && bench.codec.streamCount == 99)
        }

        @Test("Without a limit of the server's there is one here, and a limit of 0 allows no stream")
        func noLimit() throws {
            let bench = try HTTP2Bench()
            #expect(bench.codec.streamLimit == HTTP2Codec.mostStreams)
            bench.feed(Self.settings(3, 0))
            #expect(!bench.codec.canSubmit && bench.codec.acceptsRequests)
            guard case .roomChanged? = bench.events.last else {
                Issue.record("the change was not reported")
                return
            }
        }

        @Test("When the stream ids are used up, the connection accepts no more requests (section 5.1.1)")
        func idsUsedUp() throws {
            let bench = try HTTP2Bench(firstStream: .max - 2)
            let exchanges = [try bench.exchange(), try bench.exchange()]
            #expect(exchanges.map { $0.stream?.id } == [.max - 2, .max])
            #expect(!bench.codec.acceptsRequests && !bench.codec.canSubmit)
            #expect(try bench.request() == nil)
            bench.feed([0, 0, 1, 1, 5, 0x7f, 0xff, 0xff, 0xff, 0x88])
            #expect(exchanges[1].end == .complete && exchanges[0].end == nil && bench.failure == nil)
        }

        // MARK: Refusals

        @Test("A refused stream may be sent again, unless its response has begun (section 8.7)")
        func refused() throws {
            let bench = try HTTP2Bench()
            let exchange = try bench.exchange(.post)
            bench.feed(HTTP2Script.reset(.refusedStream))
            #expect(exchange.story == "refused" && bench.codec.acceptsRequests && bench.codec.streamCount == 0)
        }

        @Test("HTTP_1_1_REQUIRED has the request go over HTTP/1.1, as a reset and as GOAWAY (section 7)")
        func needsHTTP1() throws {
            let bench = try HTTP2Bench()
            let exchanges = [try bench.exchange(), try bench.exchange()]
            bench.feed(HTTP2Script.frame(.reset, [0, 0, 0, 13]))
            bench.feed(HTTP2Script.frame(.goAway, stream: 0, [0, 0, 0, 1, 0, 0, 0, 13]))
            #expect(exchanges.map(\.story) == ["needsHTTP1", "needsHTTP1"])
        }

        @Test("GOAWAY leaves streams that were processed, and refuses the others, those not sent included (section 6.8)")
        func goAway() throws {
            let bench = try HTTP2Bench()
            let exchanges = [try bench.exchange(), try bench.exchange(), try #require(try bench.request(.post))]
            let text = Array("bye\n".utf8)
            bench.feed(HTTP2Script.frame(.goAway, stream: 0, [0, 0, 0, 1, 0, 0, 0, 2] + text))
            #expect(exchanges.map(\.story) == ["", "refused", "refused"])
            #expect(bench.codec.goAway == HTTP2GoAway(lastStream: 1, code: HTTP2ErrorCode(rawValue: 2), text: "bye\\n"))
            #expect(!bench.codec.canSubmit && !bench.codec.acceptsRequests)
            bench.feed(Self.answer(1))
            #expect(exchanges[0].story == "200 end complete" && bench.failure == nil)
            #expect(bench.codec.streamCount == 0)
        }

        @Test("A GOAWAY that announces the real one refuses nothing yet")
        func graceful() throws {
            let bench = try HTTP2Bench()
            let exchange = try bench.exchange()
            bench.feed(HTTP2Script.frame(.goAway, stream: 0, [0x7f, 0xff, 0xff, 0xff, 0, 0, 0, 0]))
            #expect(exchange.end == nil && !bench.codec.canSubmit)
            bench.feed(HTTP2Script.goAway(.noError, lastStream: 1) + Self.answer)
            #expect(exchange.end == .complete)
        }

        @Test("When the connection ends, what was not sent is refused, and what was is lost, in words of its phase")
        func ends() throws {
            let bench = try HTTP2Bench()
            let (waiting, sending) = (try bench.exchange(), try #require(try bench.request(.put, body: .unknown)))
            bench.send()
            let unsent = try #require(try bench.request(.post))
            bench.codec.connectionEnded(isReset: true)
            #expect(waiting.story == "lost: connection reset, waiting for the response")
            #expect(sending.story == "lost: connection reset, sending the request")
            #expect(unsent.story == "refused")
            #expect(!bench.codec.canSubmit)
        }

        @Test("A reset behind a whole response ends the request's body, and is no error (section 8.1)")
        func earlyAnswer() throws {
            let bench = try HTTP2Bench()
            let exchange = try #require(try bench.request(.put, body: .known(100)))
            bench.send()
            bench.feed(Self.answer)
            #expect(exchange.story == "200 end" && exchange.asks == 1)
            // The request goes on until the server says otherwise.
            try bench.codec.send(Data(count: 50), on: #require(exchange.stream))
            bench.send()
            #expect(exchange.bytesSent == 50)
            bench.feed(HTTP2Script.reset(.noError))
            #expect(exchange.story == "200 end complete")
            try bench.codec.send(Data(count: 50), on: #require(exchange.stream))
            bench.send()
            #expect(exchange.bytesSent == 50)
        }

        @Test("The response may come while the request is being sent, and both are whole (full duplex)")
        func duplex() throws {
            let bench = try HTTP2Bench()
            let exchange = try #require(try bench.request(.put, body: .unknown))
            let stream = try #require(exchange.stream)
            bench.send()
            bench.feed(Self.head)
            for letter in ["a", "b"] {
                try bench.codec.send(Data(letter.utf8), on: stream)
                bench.send()
                bench.feed(HTTP2Script.data(Array(letter.utf8)))
            }
            bench.feed(HTTP2Script.data([], isLast: true))
            #expect(exchange.story == "200 \"ab\" end" && !stream.isRequestSent)
            try bench.codec.endBody(of: stream)
            bench.send()
            #expect(exchange.end == .complete && bench.codec.streamCount == 0)
        }

        // MARK: Cancelling and closing

        @Test("A cancelled stream is reset, nothing more is reported of it, and its place is free again")
        func cancel() throws {
            let bench = try HTTP2Bench()
            bench.feed(Self.settings(3, 2))
            let (sent, unsent) = (try bench.exchange(), try #require(try bench.request()))
            _ = bench.sentFrames()
            bench.feed(Self.head)
            bench.codec.cancel(try #require(sent.stream))
            bench.codec.cancel(try #require(unsent.stream))
            #expect(!bench.codec.canSubmit)
            bench.send()
            let frames = bench.sentFrames()
            #expect(frames.contains { $0.kind == .reset && $0.stream == 1 && $0.number == 8 })
            #expect(bench.codec.canSubmit && bench.codec.streamCount == 0)
            bench.feed(HTTP2Script.data([1, 2, 3], isLast: true) + Self.answer(3))
            #expect(sent.story == "200" && unsent.story == "" && bench.failure == nil)
        }

        @Test("A stream can be cancelled within its own events, and what was received with them is dropped")
        func cancelWithin() throws {
            let bench = try HTTP2Bench()
            let exchange = try bench.exchange()
            exchange.handler = { event in
                if case .head = event, let stream = exchange.stream { bench.codec.cancel(stream) }
            }
            bench.feed(Self.head + HTTP2Script.data([1], isLast: true))
            #expect(exchange.story == "200" && exchange.body.isEmpty)
            exchange.handler = nil
        }

        @Test("A body that is being sent stops when its stream is cancelled")
        func cancelUpload() throws {
            let bench = try HTTP2Bench()
            let stream = try #require(try bench.request(.put, body: .known(100_000))?.stream)
            try bench.codec.send(pattern(100_000), on: stream)
            bench.send(least: 20_000)
            bench.codec.cancel(stream)
            bench.send()
            let frames = bench.sentFrames().filter { $0.stream == 1 }
            #expect(frames.last?.kind == .reset && frames.filter { $0.kind == .data }.count < 3)
        }

        @Test("Closing says GOAWAY, and what comes later is ignored")
        func close() throws {
            let bench = try HTTP2Bench()
            let exchange = try bench.exchange()
            _ = bench.sentFrames()
            bench.codec.close()
            bench.send()
            let frames = bench.sentFrames()
            #expect(frames.map(\.kind) == [.goAway] && frames[0].payload == [0, 0, 0, 0, 0, 0, 0, 0])
            bench.feed(Self.answer)
            bench.codec.connectionEnded(isReset: true)
            #expect(exchange.story == "" && bench.failure == nil && !bench.codec.canSubmit && !bench.codec.wantsToSend)
        }

        @Test("A codec that is released with open streams releases their owners, too")
        func released() throws {
            weak var owner: HTTP2Bench.Exchange?
            do {
                let bench = try HTTP2Bench()
                let exchange = try #require(try bench.request(.put, body: .unknown))
                bench.send()
                bench.feed(Self.head)
                owner = exchange
            }
            #expect(owner == nil)
        }

        @Test("A ping is answered by the server, and the server's by this side (section 6.7)")
        func ping() throws {
            let bench = try HTTP2Bench()
            _ = bench.sentFrames()
            bench.codec.ping()
            bench.send()
            let frames = bench.sentFrames()
            #expect(frames.map(\.kind) == [.ping] && frames[0].flags == 0)
            bench.feed(HTTP2Script.frame(.ping, flags: 1, stream: 0, frames[0].payload))
            guard case .pong? = bench.events.last else {
                Issue.record("no pong")
                return
            }
            bench.feed(HTTP2Script.frame(.ping, stream: 0, [1, 2, 3, 4, 5, 6, 7, 8]))
            #expect(bench.sentFrames().first { $0.kind == .ping && $0.flags == 1 }?.payload == [1, 2, 3, 4, 5, 6, 7, 8])
        }

        // MARK: Windows

        private static func piece(_ stream: Int) -> [UInt8] {
            HTTP2Script.frame(.data, stream: UInt8(stream), Array(repeating: 7, count: 16_000))
        }

        @Test("A stream that nobody reads takes its own window only, and others go on (section 6.9)")
        func paused() throws {
            let bench = try HTTP2Bench()
            let (paused, other) = (try bench.exchange(), try bench.exchange())
            _ = bench.sentFrames()
            bench.feed(Self.head + HTTP2Script.frame(.headers, flags: 4, stream: 3, [0x88]))
            let round = Self.piece(1)
            for _ in 0..<65 { bench.feed(round) }
            #expect(paused.body.count == 1_040_000)
            #expect(!bench.sentFrames().contains { $0.kind == .windowUpdate && $0.stream == 1 })
            // Ten windows' worth for the other one, and beyond the connection's.
            var opened = (stream: 0, connection: 0)
            for _ in 0..<1_300 {
                bench.feed(Self.piece(3))
                bench.codec.consume(16_000, of: try #require(other.stream))
                bench.send()
                for frame in bench.sentFrames() where frame.kind == .windowUpdate {
                    if frame.stream == 0 { opened.connection += frame.number } else { opened.stream += frame.number }
                    #expect(frame.stream != 1)
                }
            }
            #expect(other.body.count == 1_300 * 16_000 && bench.failure == nil)
            #expect(opened.stream > other.body.count - HTTP2Codec.streamWindow)
            #expect(opened.connection > other.body.count + paused.body.count - HTTP2Codec.connectionWindow)
            bench.codec.consume(1_040_000, of: try #require(paused.stream))
            bench.send()
            #expect(bench.sentFrames().contains { $0.kind == .windowUpdate && $0.stream == 1 && $0.number == 1_040_000 })
        }

        @Test("A server that sends beyond a stream's window is refused")
        func overrun() throws {
            let bench = try HTTP2Bench()
            let exchange = try bench.exchange()
            bench.feed(Self.head)
            for _ in 0..<66 { bench.feed(Self.piece(1)) }
            // Newer releases of the library end the connection.
            #expect(exchange.reason?.hasPrefix("the server broke the rules of HTTP/2 (FLOW_CONTROL_ERROR") == true)
            #expect(exchange.body.count <= HTTP2Codec.streamWindow + 16_000)
        }

        // MARK: Floods

        @Test(
            "Frames that carry nothing end the connection when they are too many (section 10.5)",
            arguments: [
                ("PING", HTTP2Script.frame(.ping, stream: 0, Array(repeating: 1, count: 8)), 10_000),
                ("answers to pings", HTTP2Script.frame(.ping, flags: 1, stream: 0, Array(repeating: 1, count: 8)), 100_000),
                ("SETTINGS", HTTP2Script.frame(.settings, stream: 0, []), 10_000),
                ("empty DATA", HTTP2Script.frame(.data, []), 100_000),
                ("resets of streams that are closed", HTTP2Script.frame(.reset, stream: 3, [0, 0, 0, 8]), 10_000),
                ("PRIORITY", HTTP2Script.frame(.priority, [0, 0, 0, 0, 1]), 100_000),
                ("windows that grow", HTTP2Script.frame(.windowUpdate, [0, 0, 0, 1]), 100_000),
                ("unknown frames", [0, 0, 0, 200, 0, 0, 0, 0, 0], 100_000),
                ("GOAWAY", HTTP2Script.goAway(.noError, lastStream: 1), 10_000),
                ("trailer fields of closed streams", HTTP2Script.frame(.headers, flags: 5, stream: 3, [0x88]), 10_000),
            ] as [(String, [UInt8], Int)])
        func floods(name: String, frame: [UInt8], most: Int) throws {
            let bench = try HTTP2Bench()
            let (exchange, closed) = (try bench.exchange(), try bench.exchange())
            bench.feed(Self.head + HTTP2Script.frame(.headers, flags: 5, stream: 3, [0x88]))
            #expect(closed.end == .complete)
            let portion = Array(repeatElement(frame, count: 500).joined())
            var count = 0
            while bench.failure == nil, count < 2 * most {
                bench.feed(portion)
                count += 500
            }
            #expect(exchange.end == .failed(HTTP2Words.flood))
            #expect((most - 500...most + 1_000).contains(count))
            let last = bench.sentFrames().last
            #expect(last?.kind == .goAway && last?.payload.suffix(4) == [0, 0, 0, 11])
        }

        @Test("10,000 requests that are reset within a second each end with that error, and are no flood")
        func manyResets() throws {
            let bench = try HTTP2Bench()
            let kept = try bench.exchange()
            for number in 1...10_000 {
                let exchange = try bench.exchange(.post)
                bench.feed(FramesPeer.frame(.reset, stream: 2 * number + 1, FramesPeer.number(2)))
                guard case .failed? = exchange.end, bench.failure == nil else {
                    Issue.record("request \(number): \(exchange.story)")
                    return
                }
                if number % 10 == 0 { bench.now = bench.now.advanced(by: 0.001) }
            }
            bench.feed(Self.answer)
            #expect(kept.end == .complete && bench.codec.canSubmit && bench.codec.streamCount == 0)
        }

        @Test("A flood within one piece ends the connection, too, and its answers take little memory")
        func floodAtOnce() throws {
            for frame in [HTTP2Script.frame(.ping, stream: 0, Array(repeating: 1, count: 8)), HTTP2Script.frame(.settings, stream: 0, [])] {
                let bench = try HTTP2Bench()
                let exchange = try bench.exchange()
                bench.feed(Array(repeatElement(frame, count: 50_000).joined()))
                #expect(exchange.end == .failed(HTTP2Words.flood) && bench.output.count < 300_000)
            }
        }

        @Test("Pings of a quiet connection are no flood, however many there are over time")
        func patience() throws {
            let bench = try HTTP2Bench()
            let exchange = try bench.exchange()
            for _ in 0..<20_000 {
                bench.now = bench.now.advanced(by: 0.1)
                bench.feed(HTTP2Script.frame(.ping, stream: 0, Array(repeating: 1, count: 8)))
            }
            bench.feed(Self.answer)
            #expect(exchange.end == .complete)
        }
    }
#endif
