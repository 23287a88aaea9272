#if os(Linux)
    import Foundation
    import Testing

    @testable import Firewheel

    /// Random frames and random bytes: no trap, the same story in any pieces, and no response that is cut short.
    @Suite("HTTP/2 codec: random input", .enabled(if: HTTP2Bench.isPossible))
    struct HTTP2RandomTests {
        private static func frame(using generator: inout SeededGenerator) -> [UInt8] {
            func pick<T>(_ values: [T]) -> T { values[Int.random(in: 0..<values.count, using: &generator)] }
            let stream: UInt8 = pick([1, 1, 1, 3, 3, 0, 5])
            switch Int.random(in: 0..<8, using: &generator) {
            case 0:
                return HTTP2Script.frame(.headers, flags: pick([4, 5]), stream: pick([1, 3]), [0x88])
            case 1:
                let length = HTTP2Script.field("content-length", "\(Int.random(in: 0...6, using: &generator))")
                return HTTP2Script.frame(.headers, flags: pick([4, 5]), stream: pick([1, 3]), [0x88] + length)
            case 2, 3:
                return HTTP2Script.frame(
                    .data, flags: pick([0, 0, 1]), stream: pick([1, 3]),
                    Array(repeating: 97, count: Int.random(in: 0...5, using: &generator)))
            case 4:
                return HTTP2Script.frame(
                    .headers, flags: 4, stream: pick([1, 3]), HTTP2Script.field(":status", pick(["100", "103", "204", "99"])))
            case 5:
                return pick([
                    HTTP2Script.frame(.reset, stream: pick([1, 3]), [0, 0, 0, pick([0, 2, 7, 8, 13])]),
                    HTTP2Script.goAway(pick([.noError, .internalError]), lastStream: pick([0, 1, 3])), HTTP2Bench.settings,
                    HTTP2Script.frame(.ping, stream: 0, Array(repeating: 1, count: 8)),
                ])
            default:
                let payload = (0..<Int.random(in: 0...12, using: &generator)).map { _ in UInt8.random(in: 0...255, using: &generator) }
                return HTTP2Script.frame(
                    pick(HTTP2Script.Kind.allCases), flags: UInt8.random(in: 0...255, using: &generator), stream: stream, payload)
            }
        }

        /// The stories of two requests.
        private static func run(_ bytes: [UInt8], pieces: Int) throws -> [HTTP2Bench.Exchange] {
            let bench = try HTTP2Bench()
            let exchanges = [try bench.exchange(), try #require(try bench.request(.put, body: .unknown))]
            bench.send()
            // What is sent between could change the meaning of what follows: a reset closes a stream for this side.
            bench.feed(bytes, pieces: pieces, sendsBetween: false)
            bench.codec.connectionEnded(isReset: false)
            #expect(bench.output.count < 1_000_000)
            return exchanges
        }

        @Test("Random frames give the same stories in any pieces, and whole responses have their length")
        func frames() throws {
            var generator = SeededGenerator(state: 21)
            var (whole, broken) = (0, 0)
            for round in 0..<TestDepth.choose(600, deep: 20_000) {
                let parts = (0..<Int.random(in: 1...6, using: &generator)).map { _ in Self.frame(using: &generator) }
                let frames = Array(parts.joined())
                let exchanges = try Self.run(frames, pieces: .max)
                // Behind a GOAWAY the codec sends what it has to say at once: a reset between two pieces changes what follows.
                let isComparable = !parts.contains { $0[3] == HTTP2Script.Kind.goAway.rawValue }
                for pieces in isComparable ? [1, Int.random(in: 2...20, using: &generator)] : [] {
                    let cut = try Self.run(frames, pieces: pieces)
                    #expect(cut.map(\.end) == exchanges.map(\.end), "round \(round) in \(pieces)")
                    #expect(cut.map(\.heads) == exchanges.map(\.heads), "round \(round) in \(pieces)")
                }
                for exchange in exchanges {
                    #expect(exchange.end != nil, "round \(round) has no end")
                    guard exchange.end == .complete else {
                        broken += 1
                        continue
                    }
                    whole += 1
                    guard let head = exchange.heads.last, let length = head.headers["content-length"] else { continue }
                    #expect(["\(exchange.body.count)"] == [length] || head.statusCode == 204, "round \(round)")
                }
            }
            #expect(whole > 20 && broken > 200)
        }

        @Test("Responses with random flipped bytes, and random bytes, do not trap and always end")
        func noise() throws {
            var generator = SeededGenerator(state: 22)
            let good =
                HTTP2Script.head(length: 10) + HTTP2Script.data(Array("hello".utf8)) + HTTP2Script.data(Array("hello".utf8), isLast: true)
                + HTTP2Script.frame(.headers, flags: 4, stream: 3, [0x88] + HTTP2Script.field("x-a", "b"))
                + HTTP2Script.frame(.headers, flags: 5, stream: 3, HTTP2Script.field("x-t", "1"))
            for round in 0..<TestDepth.choose(1_000, deep: 50_000) {
                var bytes = good
                if round % 4 == 0 {
                    bytes = (0..<Int.random(in: 0...200, using: &generator)).map { _ in UInt8.random(in: 0...255, using: &generator) }
                } else {
                    for _ in 0..<Int.random(in: 1...4, using: &generator) {
                        bytes[Int.random(in: 0..<bytes.count, using: &generator)] = UInt8.random(in: 0...255, using: &generator)
                    }
                }
                let exchanges = try Self.run(bytes, pieces: round % 2 == 0 ? .max : Int.random(in: 1...9, using: &generator))
                #expect(exchanges.allSatisfy { $0.end != nil })
            }
        }
    }
#endif
