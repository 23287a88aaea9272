#if os(Linux)
    import Foundation
    import Testing

    @testable import Firewheel

    /// Counts of frames: the same however the bytes are cut, and fed by data and time.
    @Suite("HTTP/2 frame meter")
    struct HTTP2FrameMeterTests {
        private static let start = MonotonicInstant(nanoseconds: 1_000_000_000)

        private static func read(_ meter: inout HTTP2FrameMeter, _ bytes: [UInt8], after seconds: Double = 0) -> (
            offset: Int, code: HTTP2ErrorCode
        )? {
            bytes.withUnsafeBytes { meter.read($0, at: start.advanced(by: seconds)) }
        }

        @Test("Points are the same however the bytes are cut")
        func cuts() {
            let frames =
                HTTP2Script.frame(.ping, stream: 0, Array(repeating: 1, count: 8)) + HTTP2Script.frame(.data, [1, 2, 3])
                + HTTP2Script.frame(.data, []) + HTTP2Script.frame(.headers, flags: 4, [0x88])
                + HTTP2Script.frame(.settings, flags: 1, stream: 0, [])
            for cut in 0...frames.count {
                var meter = HTTP2FrameMeter()
                _ = Self.read(&meter, Array(frames[..<cut]))
                _ = Self.read(&meter, Array(frames[cut...]))
                #expect(meter.points == HTTP2FrameMeter.most - 10 + 3 - 1 - 10 - 1, "\(cut)")
            }
        }

        @Test("Data and time earn points, and never more than there can be")
        func earning() {
            var meter = HTTP2FrameMeter()
            let pings = Array(repeatElement(HTTP2Script.frame(.ping, stream: 0, Array(repeating: 1, count: 8)), count: 1_000).joined())
            _ = Self.read(&meter, pings)
            #expect(meter.points == HTTP2FrameMeter.most - 10_000)
            _ = Self.read(&meter, [], after: 2.5)
            #expect(meter.points == HTTP2FrameMeter.most - 7_500)
            _ = Self.read(&meter, HTTP2Script.data(Array(repeating: 1, count: 5_000)), after: 2.5)
            #expect(meter.points == HTTP2FrameMeter.most - 2_500)
            meter.earn(.max)
            _ = Self.read(&meter, [], after: 1e9)
            #expect(meter.points == HTTP2FrameMeter.most)
        }

        @Test("The frame that exceeds the limit, and one that may not come, are found where they are")
        func offsets() {
            var meter = HTTP2FrameMeter()
            let settings = HTTP2Script.frame(.settings, stream: 0, [])
            let found = Self.read(&meter, Array(repeatElement(settings, count: 20_000).joined()))
            #expect(found?.offset == 10_001 * 9 && found?.code == .enhanceYourCalm)
            var other = HTTP2FrameMeter()
            let push = Self.read(&other, settings + HTTP2Script.frame(.pushPromise, [0, 0, 0, 2]))
            #expect(push?.offset == 9 && push?.code == .protocolError)
        }
    }
#endif
