#if os(Linux)
    import FirewheelTesting
    import Foundation
    import Testing

    @testable import Firewheel
    @testable import FirewheelTesting

    /// Bodies over connections of a server that speaks frame by frame: windows, pauses, early answers, trailers and limits.
    @Suite("HTTP/2 on the wire: bodies", .enabled(if: HTTP2Bench.isPossible), .timeLimit(.minutes(5)))
    struct HTTP2FlowOnWireTests {
        private static let window = HTTP2Codec.streamWindow

        /// Sends as much of a body as the stream's window allows, then more as it grows, up to a number of bytes or for as long as the client
        /// opens it.
        private static func send(_ count: Int, on stream: Int, of peer: FramesPeer, until mayStop: () -> Bool = { false }) throws -> Int {
            var (sent, room) = (0, window)
            let piece = [UInt8](repeating: 7, count: 16_384)
            while sent < count {
                while room > 0, sent < count {
                    let size = min(piece.count, room, count - sent)
                    peer.send(.data, stream: stream, Array(piece.prefix(size)))
                    room -= size
                    sent += size
                }
                if sent == count || mayStop() { break }
                let frame = try peer.next(.windowUpdate)
                if frame.stream == stream { room += frame.code }
            }
            return sent
        }

        @Test("A request that wants nothing gets no more than a window, and the others go on", arguments: ["paused", "held", "full"])
        func stopped(how: String) async {
            await HTTP2WireBench.run { server, bench in
                let slow = try bench.start(server.url + "slow") {
                    $0.delivery = .chunks
                    $0.heldHeads = how == "held" ? .all : .none
                }
                let peer = try server.accept()
                let stream = try peer.request()
                peer.send(.headers, flags: 4, stream: stream, [0x88])
                _ = try #require(bench.recorder.wait(slow, seconds: 20) { $0.heads.first })
                if how == "paused" {
                    bench.with { $0.pause(slow) }
                    // The client has handled the pause by the time that it sends a later request.
                    let later = try bench.start(server.url + "later")
                    peer.answer(try peer.request(), "later")
                    #expect(try bench.text(of: later) == "later")
                }
                // Unacknowledged chunks are a window of their own, and the server hears of every half window.
                let most = how == "full" ? 3 * Self.window / 2 : Self.window
                #expect(try Self.send(most, on: stream, of: peer) == most)
                let quick = try bench.start(server.url + "quick")
                // The client has handled the frames before by the time that it answers a later one.
                while true {
                    let frame = try peer.next(.headers, .windowUpdate)
                    #expect(frame.kind == .headers || frame.stream != stream, "the window grew")
                    guard frame.kind == .headers else { continue }
                    peer.answer(frame.stream, "quick")
                    break
                }
                #expect(try bench.text(of: quick) == "quick")
                if how == "paused" { bench.with { $0.resume(slow) } }
                if how == "held" { bench.with { $0.proceed(slow, .deliver) } }
                bench.with { $0.acknowledge(slow, bytes: .max) }
                // It grows when the client has taken what was kept.
                while try peer.next(.windowUpdate).stream != stream {}
                peer.send(.data, flags: 1, stream: stream, [1, 2, 3])
                while !bench.recorder.isOver(slow) {
                    bench.with { $0.acknowledge(slow, bytes: .max) }
                    usleep(1_000)
                }
                #expect(try bench.end(of: slow).error == nil && bench.recorder.count(of: slow) == most + 3)
            }
        }

        @Test("What came during a pause is handed over in order, the end included", arguments: ["end", "reset", "close"])
        func endDuringPause(kind: String) async {
            await HTTP2WireBench.run { server, bench in
                let id = try bench.start(server.url) { $0.reportsInterim = true }
                let peer = try server.accept()
                let stream = try peer.request()
                bench.with { $0.pause(id) }
                let other = try bench.start(server.url)
                let otherStream = try peer.request()
                peer.send(.headers, flags: 4, stream: stream, HTTP2Script.field(":status", "103"))
                peer.send(.headers, flags: 4, stream: stream, [0x88])
                peer.send(.data, flags: kind == "end" ? 1 : 0, stream: stream, Array("hello".utf8))
                if kind == "reset" { peer.reset(stream, 2) }
                peer.answer(otherStream, "other")
                if kind == "close" { peer.end() }
                #expect(try bench.text(of: other) == "other")
                #expect(!bench.recorder.isOver(id))
                bench.with { $0.resume(id) }
                let result = try bench.end(of: id)
                #expect(bench.recorder[id].interims.count == 1 && result.head?.statusCode == 200)
                #expect((result.error == nil) == (kind == "end"))
                if kind == "end" { #expect(result.body == Data("hello".utf8)) }
            }
        }

        @Test("A request that was paused before it was sent is sent when it goes on, on a connection that is still there")
        func pausedAtFirst() async {
            await HTTP2WireBench.run { server, bench in
                let first = try bench.start(server.url + "first")
                let peer = try server.accept()
                let second = try bench.start(server.url + "second")
                bench.with { $0.pause(second) }
                let stream = try peer.request()
                peer.answer(stream, "first")
                #expect(try bench.text(of: first) == "first")
                bench.with { $0.resume(second) }
                peer.answer(try peer.request(), "second")
                #expect(try bench.text(of: second) == "second")
            }
        }

        @Test("Windows that grow, shrink and become negative hold an upload back, and nothing is lost (RFC 9113 section 6.9.2)")
        func changingWindows() async {
            await HTTP2WireBench.run { server, bench in
                let body = pattern(300_000)
                let id = try bench.start(server.url, method: .put, body: .data(body)) { $0.reportsSent = true }
                let peer = try server.accept(settings: nil)
                let stream = try peer.request()
                var received: [UInt8] = []
                // Both windows are 65,535 bytes until the client has seen the settings, after which this one's is far below zero.
                while received.count < 65_535 { received += try peer.next(.data).payload }
                #expect(received.count == 65_535)
                peer.sendSettings([(4, 10)])
                peer.send(.windowUpdate, stream: 0, FramesPeer.number(1 << 20))
                // 10 + 65,530 - 65,535 = 5 bytes, then 7 more.
                for (growth, room) in [(65_530, 5), (7, 7)] {
                    peer.send(.windowUpdate, stream: stream, FramesPeer.number(UInt32(growth)))
                    let frame = try peer.next(.data)
                    #expect(frame.payload.count == room)
                    received += frame.payload
                }
                peer.sendSettings([(4, 1 << 20)])
                while received.count < body.count { received += try peer.next(.data).payload }
                #expect(Data(received) == body)
                peer.answer(stream, "done")
                #expect(try bench.text(of: id) == "done")
                #expect(bench.recorder[id].sent.last == 300_000)
                #expect(try bench.end(of: id).metrics.requestBodyBytesSent == 300_000)
            }
        }

        @Test("A reset without an error behind a whole response ends the upload, and is none (section 8.1)", arguments: [200, 413])
        func earlyAnswer(status: Int) async {
            await HTTP2WireBench.run { server, bench in
                let id = try bench.start(server.url, method: .put, body: .data(pattern(200_000)))
                let peer = try server.accept()
                let stream = try peer.request()
                peer.send(.headers, flags: 5, stream: stream, HTTP2Script.field(":status", "\(status)"))
                if status == 200 {
                    peer.reset(stream, 0)
                } else {
                    // Not a 2xx: the client gives the rest up by itself.
                    #expect(try peer.next(.reset).code == 8)
                }
                let result = try bench.end(of: id)
                #expect(result.error == nil && result.head?.statusCode == status)
                let next = try bench.start(server.url)
                peer.answer(try peer.request(), "same connection")
                #expect(try bench.text(of: next) == "same connection")
            }
        }

        @Test("Trailer fields pass both ways (RFC 9110 section 6.5)")
        func trailers() async {
            await HTTP2WireBench.run { server, bench in
                let stream = ConformanceStream(pattern(10_000), length: nil, pieces: 3_000, trailers: ["X-Sum": "1"])
                let id = try bench.start(server.url, method: .put, body: .stream(stream))
                let peer = try server.accept()
                let number = try peer.request()
                var received: [UInt8] = []
                while true {
                    let frame = try peer.next(.data, .headers)
                    received += frame.kind == .data ? frame.payload : []
                    guard frame.kind == .headers else { continue }
                    #expect(frame.fields == ["x-sum: 1"] && frame.isLast)
                    break
                }
                #expect(Data(received) == pattern(10_000))
                peer.send(.headers, flags: 4, stream: number, [0x88])
                peer.send(.data, stream: number, Array("hello".utf8))
                peer.send(.headers, flags: 5, stream: number, HTTP2Script.field("x-other", "2"))
                let result = try bench.end(of: id)
                #expect(result.error == nil && result.trailers["X-Other"] == "2" && result.body == Data("hello".utf8))
            }
        }

        @Test("A request's head of 1 MB arrives whole, through a socket that takes it in parts")
        func largeHead() async {
            await HTTP2WireBench.run { server, bench in
                let headers = HTTPHeaders((0..<40).map { HTTPHeader(name: "x-\($0)", value: String(repeating: "z", count: 25_000)) })
                let id = try bench.start(server.url) { $0.headers = headers }
                let peer = try server.accept()
                var (fields, stream) = (0, 0)
                while true {
                    let frame = try peer.next(.headers, .continuation)
                    fields += frame.fields.count
                    stream = frame.stream
                    if frame.flags & 4 != 0 { break }
                }
                #expect(fields == 45)
                peer.answer(stream, "done")
                #expect(try bench.text(of: id) == "done")
            }
        }

        @Test("100 requests go before the server has told its limit, and more once it allows them (section 6.5.2)")
        func lateSettings() async {
            await HTTP2WireBench.run { server, bench in
                let ids = try (0..<150).map { _ in try bench.start(server.url) }
                let peer = try server.accept(settings: nil)
                let first = try (0..<100).map { _ in try peer.request() }
                peer.sendSettings([(3, 200)])
                let second = try (0..<50).map { _ in try peer.request() }
                for stream in first + second { peer.answer(stream, "\(stream)") }
                let texts = Set(try ids.map { try bench.text(of: $0) })
                #expect(texts == Set((first + second).map { "\($0)" }))
            }
        }

        @Test("A limit below what is open is kept to when requests start again, and further ones open a connection")
        func lowerLimit() async {
            await HTTP2WireBench.run { server, bench in
                let ids = try (0..<10).map { _ in try bench.start(server.url) }
                let peer = try server.accept(settings: [(3, 100)])
                let streams = try (0..<10).map { _ in try peer.request() }
                peer.sendSettings([(3, 2)])
                // The answer to a ping says that the client knows.
                peer.send(.ping, stream: 0, Array(repeating: 1, count: 8))
                while try !peer.next(.ping).isLast {}
                let more = try bench.start(server.url)
                let other = try server.accept(settings: [(3, 100)])
                other.answer(try other.request(), "more")
                #expect(try bench.text(of: more) == "more")
                for stream in streams { peer.answer(stream, "\(stream)") }
                for id in ids { #expect(try bench.end(of: id).error == nil) }
            }
        }

        @Test("Cancelled requests are reset, and their places are free at once")
        func cancelStorm() async {
            await HTTP2WireBench.run { server, bench in
                for _ in 0..<20 {
                    let ids = try (0..<100).map { _ in try bench.start(server.url + "storm") }
                    for id in ids { bench.with { $0.cancel(id) } }
                }
                let ids = try (0..<50).map { _ in try bench.start(server.url + "storm") }
                let last = try bench.start(server.url + "last")
                let peer = try server.accept()
                var open: Set<Int> = []
                var isLast = false
                while !isLast {
                    let frame = try peer.next(.headers, .reset)
                    if frame.kind == .reset {
                        #expect(frame.code == 8 && open.remove(frame.stream) != nil)
                    } else {
                        open.insert(frame.stream)
                        isLast = frame.fields.contains(":path: /last")
                        if isLast { peer.answer(frame.stream, "last") }
                    }
                }
                #expect(try bench.text(of: last) == "last")
                for id in ids { bench.with { $0.cancel(id) } }
                // Only the one that was answered stays.
                while open.count > 1 { open.remove(try peer.next(.reset).stream) }
            }
        }

        @Test("A stream that is idle times out although others are busy, and a byte of its own is activity")
        func idleStreams() async {
            await HTTP2WireBench.run { server, bench in
                let ids = try [3.0, 20].map { timeout in try bench.start(server.url) { $0.idleTimeout = timeout } }
                let peer = try server.accept()
                let streams = try ids.map { _ in try peer.request() }
                peer.send(.headers, flags: 4, stream: streams[1], [0x88])
                var sent = 0
                while !bench.recorder.isOver(ids[0]) {
                    peer.send(.data, stream: streams[1], [1])
                    sent += 1
                    usleep(10_000)
                }
                peer.send(.data, flags: 1, stream: streams[1], [1])
                guard case .failed(.timedOut, _)? = try bench.end(of: ids[0]).error else {
                    Issue.record("the idle stream did not time out")
                    return
                }
                let result = try bench.end(of: ids[1])
                #expect(result.error == nil && result.body?.count == sent + 1)
                #expect(try peer.next(.reset).stream == streams[0])
            }
        }
    }
#endif
