#if os(Linux)
    import Foundation
    import Testing

    @testable import Firewheel
    @testable import FirewheelTesting

    /// Connections that are of no use any more, and what they may not do to requests.
    @Suite("HTTP/2 on the wire: connections that hold nobody up", .needsHTTP2Server, .timeLimit(.minutes(5)))
    struct HTTP2HoldUpTests {
        @Test("Requests go to another connection if a server sends no SETTINGS, and those under way may still be answered (section 3.4)")
        func noSettings() async {
            await HTTP2WireBench.run(HTTP2WireBench(limits: { $0.settingsPatience = 0.2 })) { server, bench in
                // One more than is assumed to be allowed.
                let ids = try (0..<101).map { try bench.start(server.url + "\($0)") }
                let peer = try server.accept(settings: nil)
                let streams = try (0..<100).map { _ in try peer.request() }
                let other = try server.accept()
                let head = try other.next(.headers)
                #expect(head.fields.contains(":path: /100"))
                other.answer(head.stream, "other")
                #expect(try bench.text(of: ids[100]) == "other")
                let late = try bench.start(server.url)
                other.answer(try other.request(), "late")
                #expect(try bench.text(of: late) == "late")
                peer.sendSettings([])
                for stream in streams { peer.answer(stream, "slow") }
                for id in ids.dropLast() { #expect(try bench.text(of: id) == "slow") }
            }
        }

        @Test("Where SETTINGS are missing, other bytes do not make up for them")
        func notSettings() async {
            await HTTP2WireBench.run(HTTP2WireBench(limits: { $0.settingsPatience = 0.2 })) { server, bench in
                let first = try bench.start(server.url + "first")
                let peer = try server.accept(settings: nil)
                let stream = try peer.request()
                // Requests go elsewhere once the time for them is over.
                while try bench.leavingCount() == 0 { usleep(1_000) }
                // A part of SETTINGS.
                let settings = HTTP2Bench.settings
                peer.send(Array(settings.prefix(1)))
                try bench.waitForReceipt()
                #expect(try bench.leavingCount() == 1)
                let second = try bench.start(server.url + "second")
                let other = try server.accept()
                other.answer(try other.request(), "other")
                #expect(try bench.text(of: second) == "other")
                peer.send(Array(settings.dropFirst()))
                peer.answer(stream, "first")
                #expect(try bench.text(of: first) == "first")
                #expect(try bench.leavingCount() == 0)
            }
        }

        @Test("A connection to a server that sends nothing is closed when nobody needs it")
        func silent() async {
            await HTTP2WireBench.run(HTTP2WireBench(limits: { $0.settingsPatience = 0.1 })) { server, bench in
                let id = try bench.start(server.url)
                let peer = try server.accept(settings: nil)
                _ = try peer.request()
                bench.with { $0.cancel(id) }
                #expect(peer.isEnded())
            }
        }

        @Test("A server that allows no streams and refuses what came before is given up (section 6.5.2)")
        func noStreams() async {
            await HTTP2WireBench.run { server, bench in
                let id = try bench.start(server.url, method: .post)
                for _ in 0..<6 {
                    let peer = try server.accept(settings: [(3, 0)])
                    peer.reset(try peer.request(), 7)
                }
                #expect(try bench.text(of: id).contains("refused the HTTP/2 stream 6 times"))
            }
        }

        @Test("A connection that allows no further streams does not hold up others, which get a connection of their own")
        func noFurtherStreams() async {
            await HTTP2WireBench.run { server, bench in
                let first = try bench.start(server.url)
                let peer = try server.accept(settings: [(3, 0)])
                let stream = try peer.request()
                // The answer to a ping says that the client knows.
                peer.send(.ping, stream: 0, Array(repeating: 1, count: 8))
                while try !peer.next(.ping).isLast {}
                let second = try bench.start(server.url)
                let other = try server.accept()
                other.answer(try other.request(), "second")
                #expect(try bench.text(of: second) == "second")
                peer.answer(stream, "first")
                #expect(try bench.text(of: first) == "first")
                #expect(peer.isEnded())
            }
        }

        @Test("A busy connection whose lifetime passes makes room for requests that wait, without any other event")
        func lifetime() async {
            let bench = HTTP2WireBench {
                $0.maximumConnectionLifetime = 1.5
                $0.maximumConnectionsPerHost = 1
            }
            await HTTP2WireBench.run(bench) { server, bench in
                let first = try bench.start(server.url + "first")
                let peer = try server.accept(settings: [(3, 1)])
                let stream = try peer.request()
                let second = try bench.start(server.url + "second")
                let other = try server.accept(settings: [(3, 1)])
                other.answer(try other.request(), "second")
                #expect(try bench.text(of: second) == "second")
                peer.answer(stream, "first")
                #expect(try bench.text(of: first) == "first")
                #expect(peer.isEnded())
                let ports = try [first, second].map { try bench.end(of: $0).metrics.localPort }
                #expect(ports[0] != ports[1])
            }
        }

        @Test("A request that goes on after a long pause waits for the answer to a ping", arguments: [true, false])
        func longPause(isAnswered: Bool) async throws {
            let bench = try SecureFramesBench(limits: {
                $0.pingAge = 0.1
                $0.pongPatience = isAnswered ? 20 : 0.1
            })
            await bench.run { bench in
                let (id, peer) = try Self.pausedRequest(bench)
                usleep(150_000)
                bench.wire.with { $0.resume(id) }
                let ping = try peer.next(.ping, .headers)
                #expect(ping.kind == .ping)
                if isAnswered {
                    peer.send(.ping, flags: 1, stream: 0, ping.payload)
                    peer.answer(try peer.request(), "done")
                } else {
                    try bench.acceptCertificate(of: id)
                    let other = try bench.frames.accept()
                    other.answer(try other.request(), "done")
                }
                #expect(try bench.wire.text(of: id) == "done")
            }
        }

        @Test("A request that goes on after its connection has closed gets another one", arguments: ["end", "GOAWAY"])
        func closedMeanwhile(how: String) async throws {
            try await SecureFramesBench().run { bench in
                let (id, peer) = try Self.pausedRequest(bench)
                if how == "GOAWAY" { peer.goAway(lastStream: 0) } else { peer.end() }
                if how == "end" { #expect(peer.isEnded()) }
                bench.wire.with { $0.resume(id) }
                try bench.acceptCertificate(of: id)
                let other = try bench.frames.accept()
                other.answer(try other.request(), "done")
                #expect(try bench.wire.text(of: id) == "done")
            }
        }

        /// A POST that was paused while its connection was made, so that nothing of it was sent, and the connection.
        private static func pausedRequest(_ bench: SecureFramesBench) throws -> (TransportTaskID, FramesPeer) {
            let id = try bench.wire.start(bench.front.url(), method: .post) { $0.route.trust = TransportRoute.Trust(judge: TrustToken()) }
            try bench.acceptCertificate(of: id) { $0.pause(id) }
            let peer = try bench.frames.accept()
            while try !peer.next(.settings).isLast {}
            return (id, peer)
        }

        /// Holds an object weakly. Set and read on the loop's thread only.
        private final class Witness: @unchecked Sendable {
            weak var connection: HTTP2Connection?
        }

        @Test("A connection that closes while a request's body is written is freed", arguments: ["end", "reset", "cancel"])
        func freed(how: String) async {
            let witness = Witness()
            await HTTP2WireBench.run { server, bench in
                // All of it is with the codec, which waits for the server's window.
                let id = try bench.start(server.url, method: .put, body: .data(pattern(BodySource.pieceSize)))
                let peer = try server.accept(settings: [(4, 10)])
                let stream = try peer.request()
                _ = try peer.next(.data)
                try bench.inspect { pool in
                    witness.connection = pool.connections.values.compactMap { $0 as? HTTP2Connection }.first
                    #expect(witness.connection != nil)
                }
                switch how {
                case "reset": peer.reset(stream, 2)
                case "cancel": bench.with { $0.cancel(id) }
                default: break
                }
                peer.end()
                if how != "cancel" { #expect(try bench.end(of: id).error != nil) }
                #expect(peer.isEnded())
                var isFreed = false
                for _ in 0..<2_000 where !isFreed {
                    isFreed = try bench.inspect { _ in witness.connection == nil }
                    if !isFreed { usleep(5_000) }
                }
                #expect(isFreed)
            }
        }

        @Test(
            "2,000 requests (10,000 in a deep run), of which a hundred at a time are reset, end each with its error, and nothing else does")
        func manyResets() async {
            await HTTP2WireBench.run { server, bench in
                let kept = try bench.start(server.url + "kept") { $0.idleTimeout = 600 }
                let peer = try server.accept()
                let keptStream = try peer.request()
                for _ in 0..<TestDepth.choose(20, deep: 100) {
                    let ids = try (0..<100).map { _ in try bench.start(server.url, method: .post) }
                    for _ in ids { peer.reset(try peer.request(), 2) }
                    for id in ids { #expect(try bench.text(of: id).contains("INTERNAL_ERROR")) }
                }
                peer.answer(keptStream, "kept")
                #expect(try bench.text(of: kept) == "kept")
            }
        }

        @Test("10,000 resets of nothing within a second end the connection, and the next request goes to another one (section 10.5)")
        func flood() async {
            await HTTP2WireBench.run { server, bench in
                let (first, victim) = (try bench.start(server.url), try bench.start(server.url))
                let peer = try server.accept()
                let stream = try peer.request()
                _ = try peer.request()
                peer.answer(stream, "first")
                #expect(try bench.text(of: first) == "first")
                let reset = FramesPeer.frame(.reset, stream: stream, FramesPeer.number(8))
                // More of them where a busy machine takes them in slowly.
                for _ in 0..<300 where !bench.recorder.isOver(victim) { peer.send(Array(repeatElement(reset, count: 1_000).joined())) }
                #expect(try bench.text(of: victim).contains("too many HTTP/2 frames"))
                let next = try bench.start(server.url)
                let other = try server.accept()
                other.answer(try other.request(), "next")
                #expect(try bench.text(of: next) == "next")
            }
        }

        @Test("After GOAWAY an upload that the server does not read is asked for no more than the sockets take, and times out")
        func unreadUpload() async {
            await HTTP2WireBench.run { server, bench in
                let body = ConformanceStream(length: nil) { .data(Data(count: $0.count)) }
                let id = try bench.start(server.url, method: .put, body: .stream(body)) { $0.idleTimeout = 1.5 }
                let peer = try server.accept(settings: [(4, 0x7fff_ffff)])
                let stream = try peer.request()
                peer.send(.windowUpdate, stream: 0, FramesPeer.number(0x7ffe_0000))
                peer.goAway(lastStream: stream)
                // Far more than the buffers of sockets.
                let most = 64 << 20
                while !bench.recorder.isOver(id), body.given < most {
                    peer.send(.windowUpdate, stream: 0, FramesPeer.number(1))
                    usleep(200)
                }
                #expect(body.given < most)
                guard case .failed(.timedOut, _)? = try bench.end(of: id).error else {
                    Issue.record("the upload did not time out")
                    return
                }
                #expect(peer.isEnded())
            }
        }

        @Test("SETTINGS that change the windows in mid-body change an upload's pace, and nothing of either body")
        func windowsInMidBody() async {
            await HTTP2WireBench.run { server, bench in
                let body = pattern(400_000)
                let id = try bench.start(server.url, method: .put, body: .data(body))
                let peer = try server.accept(settings: [(4, 1_000)])
                let stream = try peer.request()
                peer.send(.headers, flags: 4, stream: stream, [0x88])
                peer.send(.windowUpdate, stream: 0, FramesPeer.number(1 << 20))
                var received: [UInt8] = []
                var round: UInt32 = 0
                while received.count < body.count {
                    // The window grows and shrinks by turns, and the response goes on meanwhile.
                    round += 1
                    peer.sendSettings([(4, round % 2 == 0 ? 1_000 : 70_000)])
                    peer.send(.windowUpdate, stream: stream, FramesPeer.number(60_000))
                    peer.send(.data, stream: stream, Array(body.prefix(10)))
                    received += try peer.next(.data).payload
                }
                #expect(Data(received) == body)
                peer.send(.data, flags: 1, stream: stream, [])
                let result = try bench.end(of: id)
                #expect(result.error == nil)
                #expect(result.body == Data(repeatElement(body.prefix(10), count: Int(round)).joined()))
            }
        }
    }

    extension HTTP2WireBench {
        private func connections<Found: Sendable>(_ look: @escaping @Sendable ([HTTP2Connection]) -> Found) throws -> Found {
            try inspect { pool in look(pool.connections.values.compactMap { $0 as? HTTP2Connection }) }
        }

        /// How many connections take no requests.
        fileprivate func leavingCount() throws -> Int { try connections { $0.count(where: \.isLeaving) } }

        /// Waits until a byte has come on a connection that was never idle.
        fileprivate func waitForReceipt() throws {
            let deadline = MonotonicInstant.now().advanced(by: 20)
            while try connections({ connections in !connections.contains { $0.lastReceived > $0.idleSince } }) {
                guard MonotonicInstant.now() < deadline else { throw WaitedInVain(what: "bytes") }
                usleep(1_000)
            }
        }
    }
#endif
