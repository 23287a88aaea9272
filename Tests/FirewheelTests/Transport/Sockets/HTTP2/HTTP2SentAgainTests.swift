#if os(Linux)
    import Foundation
    import Testing

    @testable import Firewheel
    @testable import FirewheelTesting

    /// The reports of a request that goes again after its body was sent.
    @Suite("HTTP/2 on the wire: reports of requests that go again", .enabled(if: HTTP2Bench.isPossible), .timeLimit(.minutes(5)))
    struct HTTP2SentAgainTests {
        private static let refusedStream: UInt32 = 7
        private static let size = 100_000

        /// Gives the client room for a whole body, and reads that.
        private static func takeBody(of stream: Int, _ peer: FramesPeer) throws {
            for number in [0, stream] { peer.send(.windowUpdate, stream: number, FramesPeer.number(UInt32(size))) }
            while try !peer.next(.data).isLast {}
        }

        /// The server takes the whole body, and less of it at first when it comes again (RFC 9113 section 8.7).
        @Test("A response is reported at once although less of the body was sent than the time before")
        func less() async {
            await HTTP2WireBench.run { server, bench in
                let id = try bench.start(server.url, method: .put, body: .data(Data(count: Self.size))) { request in
                    request.reportsSent = true
                    request.heldHeads = .all
                }
                let first = try server.accept()
                let refused = try first.request()
                try Self.takeBody(of: refused, first)
                #expect(bench.recorder.wait(id, seconds: 20) { $0.sent.last == Int64(Self.size) ? true : nil } == true)
                first.reset(refused, Self.refusedStream)
                let second = try server.accept()
                let stream = try second.request()
                second.send(.headers, flags: 4, stream: stream, [0x88])
                guard bench.recorder.wait(id, seconds: 20, { $0.heads.first?.statusCode }) == 200 else {
                    throw WaitedInVain(what: "the response")
                }
                bench.with { $0.proceed(id, .deliver) }
                try Self.takeBody(of: stream, second)
                second.send(.data, flags: 1, stream: stream, Array("done".utf8))
                #expect(try bench.text(of: id) == "done")
                #expect(bench.recorder[id].sent.last == Int64(Self.size))
            }
        }
    }
#endif
