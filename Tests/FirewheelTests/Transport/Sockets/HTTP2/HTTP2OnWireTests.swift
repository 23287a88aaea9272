#if os(Linux)
    import Foundation
    import Testing

    @testable import Firewheel
    @testable import FirewheelTesting

    /// Requests over connections of a server that speaks frame by frame: what is sent again, and where.
    @Suite("HTTP/2 on the wire: where requests go", .enabled(if: HTTP2Bench.isPossible), .timeLimit(.minutes(5)))
    struct HTTP2OnWireTests {
        private static let refusedStream: UInt32 = 7
        private static let http11Required: UInt32 = 13

        @Test("Requests share a connection, and metrics say so")
        func sharing() async {
            await HTTP2WireBench.run { server, bench in
                let first = try bench.start(server.url + "first")
                let peer = try server.accept()
                let head = try peer.next(.headers)
                #expect(head.fields.contains(":path: /first") && head.isLast)
                let second = try bench.start(server.url + "second")
                let stream = try peer.request()
                #expect(stream == head.stream + 2)
                peer.answer(stream, "two")
                #expect(try bench.text(of: second) == "two")
                peer.answer(head.stream, "one")
                #expect(try bench.text(of: first) == "one")
                let metrics = try [first, second].map { try bench.end(of: $0).metrics }
                #expect(metrics.map(\.networkProtocolName) == ["h2", "h2"] && metrics.map(\.isReusedConnection) == [false, true])
                #expect(metrics[0].connectEnd != nil && metrics[1].connectEnd == nil)
                #expect(metrics.allSatisfy { $0.remotePort == server.port && $0.localPort == metrics[0].localPort })
                // As lines: the pseudo-header fields and Accept.
                #expect(metrics[0].requestHeaderBytesSent == Int64(head.fields.map { $0.utf8.count + 2 }.reduce(0, +)))
                #expect(metrics.allSatisfy { $0.responseHeaderBytesReceived == 14 && $0.responseBodyBytesReceived == 3 })
                for metrics in metrics {
                    let times = [metrics.requestStart, metrics.requestEnd, metrics.responseStart, metrics.responseEnd].compactMap { $0 }
                    #expect(times.count == 4 && times == times.sorted())
                }
            }
        }

        @Test("A refused request goes again on another connection, whatever its method (RFC 9113 section 8.7)")
        func refused() async {
            await HTTP2WireBench.run { server, bench in
                let kept = try bench.start(server.url)
                let peer = try server.accept()
                let stream = try peer.request()
                // By now the client knows the limits, so that these are no reason to refuse.
                _ = try peer.next(.settings)
                let post = try bench.start(server.url, method: .post, body: .data(Data("hello".utf8)))
                peer.reset(try peer.request(), Self.refusedStream)
                let other = try server.accept()
                let again = try other.request()
                #expect(try other.next(.data).payload == Array("hello".utf8))
                other.answer(again, "done")
                #expect(try bench.text(of: post) == "done")
                peer.answer(stream, "kept")
                #expect(try bench.text(of: kept) == "kept")
                #expect(peer.isEnded(), "a connection that refuses takes no further requests")
            }
        }

        @Test("A server that refuses every request is given up")
        func refusing() async {
            await HTTP2WireBench.run { server, bench in
                let id = try bench.start(server.url, method: .post)
                // Each on a connection of its own: the server's limit does not explain it.
                for _ in 0..<6 {
                    let peer = try server.accept()
                    peer.reset(try peer.request(), Self.refusedStream)
                }
                #expect(try bench.text(of: id).contains("refused the HTTP/2 stream 6 times"))
            }
        }

        @Test("GOAWAY leaves the streams below to end, and the others go again on one other connection (section 6.8)")
        func goAway() async {
            await HTTP2WireBench.run { server, bench in
                let ids = try (0..<3).map { try bench.start(server.url + "\($0)", method: .post) }
                let peer = try server.accept()
                let streams = try (0..<3).map { _ in try peer.request() }
                peer.goAway(lastStream: streams[0])
                let other = try server.accept()
                for _ in 1..<3 { other.answer(try other.request(), "again") }
                #expect(try bench.text(of: ids[1]) == "again" && bench.text(of: ids[2]) == "again")
                let next = try bench.start(server.url + "next")
                other.answer(try other.request(), "next")
                #expect(try bench.text(of: next) == "next")
                peer.answer(streams[0], "below")
                #expect(try bench.text(of: ids[0]) == "below")
                #expect(peer.isEnded())
            }
        }

        @Test(
            "A lost request goes again if its method is idempotent, and only on a connection that was used before (RFC 9110 section 9.2.2)")
        func lost() async {
            await HTTP2WireBench.run { server, bench in
                let first = try bench.start(server.url)
                let peer = try server.accept()
                peer.answer(try peer.request(), "first")
                #expect(try bench.text(of: first) == "first")
                let (get, post) = (try bench.start(server.url), try bench.start(server.url, method: .post))
                for _ in 0..<2 { _ = try peer.request() }
                peer.end()
                #expect(try bench.text(of: post).contains("may have acted on it"))
                let other = try server.accept()
                let stream = try other.request()
                other.answer(stream, "again")
                #expect(try bench.text(of: get) == "again")
            }
        }

        @Test("A server that asks for HTTP/1.1 gets it, for this request and those that follow (RFC 9113 section 7)")
        func http1Required() async {
            await HTTP2WireBench.run { server, bench in
                let id = try bench.start(server.url, method: .post, body: .data(Data("hello".utf8)))
                let peer = try server.accept()
                peer.reset(try peer.request(), Self.http11Required)
                let other = try server.acceptPlain()
                for round in 0..<2 {
                    let id = round == 0 ? id : try bench.start(server.url, method: .post, body: .data(Data("hello".utf8)))
                    #expect(try other.readText(through: "\r\n\r\nhello").hasPrefix("POST / HTTP/1.1\r\n"))
                    other.send(Array("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok".utf8))
                    #expect(try bench.text(of: id) == "ok")
                    #expect(try bench.end(of: id).metrics.networkProtocolName == "http/1.1")
                }
                #expect(peer.isEnded())
            }
        }

        @Test("A body that cannot be repeated is not sent again once it has begun")
        func unrepeatable() async {
            await HTTP2WireBench.run { server, bench in
                let stream = ConformanceStream(Data("hello".utf8), length: nil)
                let id = try bench.start(server.url, method: .put, body: .stream(stream))
                let peer = try server.accept()
                let number = try peer.request()
                _ = try peer.next(.data)
                peer.reset(number, Self.refusedStream)
                #expect(try bench.end(of: id).error == .bodyNotRepeatable("the server refused the HTTP/2 stream"))
            }
        }

        @Test("An old connection is pinged before it is used")
        func ping() async {
            await HTTP2WireBench.run(HTTP2WireBench(limits: { $0.pingAge = 0 })) { server, bench in
                let ids = [try bench.start(server.url)]
                let peer = try server.accept()
                let ping = try peer.next(.ping, .headers)
                #expect(ping.kind == .ping, "the request waits for the answer")
                peer.send(.ping, flags: 1, stream: 0, ping.payload)
                for id in ids {
                    peer.answer(try peer.request(), "\(id)")
                    #expect(try bench.text(of: id) == "\(id)")
                }
            }
        }

        @Test(
            "A connection that was idle for long is pinged before its next request, which goes elsewhere without a pong",
            arguments: [true, false])
        func pingAfterAWhile(isAnswered: Bool) async {
            let bench = HTTP2WireBench(limits: {
                $0.pingAge = 0.3
                $0.pongPatience = isAnswered ? 20 : 0.1
            })
            await HTTP2WireBench.run(bench) { server, bench in
                let first = try bench.start(server.url)
                let peer = try server.accept()
                let head = try peer.next(.ping, .headers)
                #expect(head.kind == .headers, "a new connection needs no ping")
                peer.answer(head.stream, "first")
                #expect(try bench.text(of: first) == "first")
                usleep(320_000)
                let second = try bench.start(server.url, method: .post)
                let ping = try peer.next(.ping, .headers)
                #expect(ping.kind == .ping && ping.flags & 1 == 0, "the request waits for the answer")
                var other = peer
                if isAnswered { peer.send(.ping, flags: 1, stream: 0, ping.payload) } else { other = try server.accept() }
                other.answer(try other.request(), "second")
                #expect(try bench.text(of: second) == "second")
                #expect(try bench.end(of: second).metrics.isReusedConnection == isAnswered)
                if !isAnswered { while let frame = try? peer.next() { #expect(frame.kind != .headers) } }
            }
        }

        @Test("A request goes elsewhere if a ping is not answered, and nothing of it was sent")
        func silence() async {
            let bench = HTTP2WireBench(limits: {
                $0.pingAge = 0
                $0.pongPatience = 5
            })
            await HTTP2WireBench.run(bench) { server, bench in
                let id = try bench.start(server.url, method: .post)
                let peer = try server.accept()
                let other = try server.accept()
                let ping = try other.next(.ping)
                other.send(.ping, flags: 1, stream: 0, ping.payload)
                other.answer(try other.request(), "other")
                #expect(try bench.text(of: id) == "other")
                while let frame = try? peer.next() { #expect(frame.kind != .headers) }
            }
        }

        @Test("Requests that are under way stay on a connection that does not answer a ping")
        func silenceOfABusyConnection() async {
            let bench = HTTP2WireBench(limits: {
                $0.pingAge = 0
                $0.pongPatience = 5
            })
            await HTTP2WireBench.run(bench) { server, bench in
                let slow = try bench.start(server.url)
                let peer = try server.accept()
                let ping = try peer.next(.ping)
                peer.send(.ping, flags: 1, stream: 0, ping.payload)
                let stream = try peer.request()
                let id = try bench.start(server.url)
                let other = try server.accept()
                let otherPing = try other.next(.ping)
                other.send(.ping, flags: 1, stream: 0, otherPing.payload)
                other.answer(try other.request(), "other")
                #expect(try bench.text(of: id) == "other")
                peer.answer(stream, "slow")
                #expect(try bench.text(of: slow) == "slow")
            }
        }

        @Test("A connection beyond its lifetime takes no further requests, and closes when its last one ends")
        func lifetime() async {
            await HTTP2WireBench.run(HTTP2WireBench({ $0.maximumConnectionLifetime = 1.5 })) { server, bench in
                let first = try bench.start(server.url)
                let peer = try server.accept()
                let stream = try peer.request()
                usleep(1_520_000)
                let second = try bench.start(server.url)
                let other = try server.accept()
                other.answer(try other.request(), "second")
                #expect(try bench.text(of: second) == "second")
                peer.answer(stream, "first")
                #expect(try bench.text(of: first) == "first")
                #expect(peer.isEnded())
            }
        }

        @Test("An idle connection is closed with GOAWAY, and so is one that is too old", arguments: [false, true])
        func idle(isOld: Bool) async {
            let bench = HTTP2WireBench({
                $0.idleConnectionTimeout = isOld ? 0 : 0.5
                $0.maximumConnectionLifetime = isOld ? 0.5 : nil
            })
            await HTTP2WireBench.run(bench) { server, bench in
                let id = try bench.start(server.url)
                let peer = try server.accept()
                peer.answer(try peer.request(), "text")
                #expect(try bench.text(of: id) == "text")
                _ = try peer.next(.goAway)
                #expect(peer.isEnded())
            }
        }

        @Test("A server of HTTP/1.1 is an error that says so")
        func wrongServer() async {
            await HTTP2WireBench.run { server, bench in
                let id = try bench.start(server.url)
                let peer = try server.accept(settings: nil)
                peer.send(Array("HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\n\r\n".utf8))
                #expect(try bench.text(of: id).contains("answered in HTTP/1"))
            }
        }

        @Test("When nothing can be connected to, all requests fail")
        func unreachable() async throws {
            let (descriptor, port) = try Loopback.bind()
            defer { close(descriptor) }
            let bench = HTTP2WireBench()
            let ids = try (0..<200).map { _ in try bench.start("http://127.0.0.1:\(port)/") }
            await onThreads(1) { _ in
                for id in ids { #expect((try? bench.text(of: id))?.contains("connection refused") == true) }
            }
        }
    }
#endif
