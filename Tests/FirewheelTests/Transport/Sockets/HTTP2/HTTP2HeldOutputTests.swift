#if os(Linux)
    import Foundation
    import Testing

    @testable import Firewheel

    /// What the codec takes from libnghttp2 before the socket takes it: the reason for which it has ended a connection, and little else.
    @Suite("HTTP/2 codec: output that is taken early", .enabled(if: HTTP2Bench.isPossible))
    struct HTTP2HeldOutputTests {
        @Test("After GOAWAY an upload waits for the socket, and a violation is still noticed at once", arguments: ["GOAWAY", "last id"])
        func uploadAfterGoAway(reason: String) throws {
            let bench = try HTTP2Bench(firstStream: reason == "GOAWAY" ? 1 : .max)
            let exchange = try #require(try bench.request(.put, body: .unknown))
            let stream = try #require(exchange.stream)
            bench.send()
            // The largest windows.
            bench.feed(FramesPeer.frame(.settings, stream: 0, [0, 4] + FramesPeer.number(0x7fff_ffff)))
            bench.feed(FramesPeer.frame(.windowUpdate, stream: 0, FramesPeer.number(0x7ffe_0000)))
            if reason == "GOAWAY" { bench.feed(HTTP2Script.goAway(.noError, lastStream: 1)) }
            _ = bench.sentFrames()
            var asks = 0
            for _ in 0..<50 {
                if exchange.asks > asks {
                    asks = exchange.asks
                    try bench.codec.send(Data(count: 65_536), on: stream)
                }
                // Nothing is taken: the socket is full.
                bench.codec.receive(HTTP2Script.frame(.windowUpdate, stream: 0, [0, 0, 0, 1]), at: bench.now)
            }
            #expect(exchange.asks == 1 && exchange.bytesSent == 0 && bench.codec.held.isEmpty)
            #expect(bench.codec.wantsToSend && bench.failure == nil)
            bench.codec.receive(HTTP2Script.frame(.ping, stream: 1, Array(repeating: 1, count: 8)), at: bench.now)
            #expect(bench.failure != nil && exchange.reason?.contains("broke the rules") == true)
            bench.send()
            #expect(bench.sentFrames().last?.kind == .goAway)
        }

        @Test("What is taken early to learn why a connection has ended is bounded")
        func heldIsBounded() throws {
            let bench = try HTTP2Bench()
            let exchange = try bench.exchange()
            bench.feed(HTTP2Script.goAway(.noError, lastStream: 1))
            let pings = Array(repeatElement(HTTP2Script.frame(.ping, stream: 0, Array(repeating: 1, count: 8)), count: 500).joined())
            for _ in 0..<9 {
                bench.codec.receive(pings, at: bench.now)
                bench.now = bench.now.advanced(by: 10)
            }
            #expect(bench.codec.held.count <= HTTP2Codec.mostHeld + 17 && bench.failure == nil && exchange.end == nil)
            bench.send()
            #expect(bench.sentFrames().count { $0.kind == .ping } == 4_500)
        }
    }
#endif
