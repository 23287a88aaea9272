#if os(Linux)
    import Foundation
    import Testing

    @testable import Firewheel
    @testable import FirewheelTesting

    @Suite("The tests' own HTTP/2 server", .needsHTTP2Server, .timeLimit(.minutes(5)))
    struct HTTP2FrontTests {
        @Test("Bodies pass both ways over TLS")
        func bodies() async throws {
            let (authority, server) = (try TestAuthority(), try MockServer())
            server.route("/echo") { .data($0.body) }
            let front = try HTTP2Front(to: server.port, identity: authority.identity(addresses: ["127.0.0.1"]))
            let session = authority.session()
            for size in [0, 1, 1_000_000] {
                let response = try await session.sending(pattern(size), to: front.url("/echo")).raw()
                #expect(response.content == pattern(size))
                #expect(response.hop?.networkProtocolName == "h2")
            }
            #expect(front.visits.map(\.streams) == [3])
            #expect(front.tls?.handshakes.map(\.protocolName) == ["h2"])
            withExtendedLifetime((authority, session)) {}
        }

        @Test("A reader that opens no window holds the plain server back")
        func suspended() async throws {
            let server = try MeteredServer(size: 100_000_000)
            let front = try HTTP2Front(to: server.port)
            let client = try RawFrames(port: front.port)
            client.request(1)
            var received = 0
            while received < 65_535, let frame = client.next() { if frame.type == RawFrames.Frame.data { received += frame.payload.count } }
            #expect(received == 65_535)
            #expect(server.sent < 50_000_000)
            for stream in [UInt32(0), 1] { client.send(type: 8, flags: 0, stream: stream, [0, 0, 0, 5]) }
            var more = 0
            while more < 5, let frame = client.next() { if frame.type == RawFrames.Frame.data { more += frame.payload.count } }
            #expect(more == 5)
        }

        @Test("Interim responses and trailers become frames of their own")
        func interim() throws {
            let server = try RawServer(
                [
                    [
                        "HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n",
                        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nConnection: keep-alive\r\n\r\n",
                        "5;a=b\r\nhello\r\n", "0\r\nX-Sum: 1\r\n\r\n",
                    ]
                ], ending: .close)
            let front = try HTTP2Front(to: server.port)
            let client = try RawFrames(port: front.port)
            client.request(1)
            let frames = client.frames(untilEndOf: 1)
            #expect(frames.map(\.type) == [1, 1, 0, 1])
            #expect(frames.map(\.endsStream) == [false, false, false, true])
            #expect(frames.count > 2 && frames[2].payload == Array("hello".utf8))
            #expect(front.visits.first?.resets == [])
        }

        @Test("Without a body the head ends the stream", arguments: ["HEAD", "204", "304", "0"])
        func bodiless(kind: String) throws {
            let server = try MockServer()
            server.route("/") { _ in
                kind == "HEAD" ? .text("hello") : kind == "0" ? .text("") : .status(Int(kind) ?? 500)
            }
            let front = try HTTP2Front(to: server.port)
            let client = try RawFrames(port: front.port)
            client.request(1, kind == "HEAD" ? kind : "GET")
            let frames = client.frames(untilEndOf: 1)
            #expect(frames.map(\.type) == [RawFrames.Frame.headers] && frames[0].endsStream)
        }

        @Test("A request's body comes whole: with a length, in chunks, with trailers, and its cookies in one field")
        func requests() async throws {
            let server = try MockServer()
            server.route("*") { _ in .text("hello") }
            let front = try HTTP2Front(to: server.port)
            let client = try RawFrames(port: front.port)
            client.request(
                1, "POST", "/length", fields: [("content-length", "4"), ("cookie", "a=1"), ("cookie", "b=2")], endsStream: false)
            client.send(type: 0, flags: 1, stream: 1, Array("body".utf8))
            client.request(3, "POST", "/chunks", endsStream: false)
            client.send(type: 0, flags: 0, stream: 3, Array("bo".utf8))
            client.send(type: 0, flags: 0, stream: 3, Array("dy".utf8))
            client.send(type: 1, flags: 5, stream: 3, RawFrames.block([("x-sum", "1")]))
            var received: [String: RecordedRequest] = [:]
            for _ in 0..<2 {
                let request = try await server.takeRequest()
                received[request.path] = request
            }
            #expect(received["/length"]?.body == Data("body".utf8))
            #expect(received["/length"]?.header("Cookie") == "a=1; b=2")
            #expect(received["/length"]?.header("Host") == "localhost")
            #expect(received["/chunks"]?.body == Data("body".utf8))
            #expect(received["/chunks"]?.header("Transfer-Encoding") == "chunked")
        }

        @Test(
            "A response that is cut short resets its stream, and other streams go on",
            arguments: ["", "HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nhello"])
        func cutShort(text: String) throws {
            let server = try RawServer([[text], ["HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello"]], ending: .close)
            let front = try HTTP2Front(to: server.port)
            let client = try RawFrames(port: front.port)
            client.request(1)
            let frames = client.frames(untilEndOf: 1)
            #expect(frames.last == RawFrames.Frame(type: 3, flags: 0, stream: 1, payload: [0, 0, 0, 2]))
            if !text.isEmpty { #expect(frames.map(\.type) == [1, 0, 3] && frames[1].payload == Array("hello".utf8)) }
            client.request(3)
            #expect(client.frames(untilEndOf: 3).last?.payload == Array("hello".utf8))
            #expect(front.visits.first?.resets == [2])
        }

        @Test("After an early answer the rest of the request is not wanted")
        func earlyAnswer() throws {
            let server = try MockServer()
            server.route("/", beforeBody: true) { _ in .text("enough", status: 413) }
            let front = try HTTP2Front(to: server.port)
            let client = try RawFrames(port: front.port)
            client.request(1, "POST", endsStream: false)
            #expect(client.frames(untilEndOf: 1).map(\.type) == [1, 0])
            #expect(client.next() == RawFrames.Frame(type: 3, flags: 0, stream: 1, payload: [0, 0, 0, 0]))
        }

        @Test("A large head is passed on, and endless fields reset the stream")
        func largeHeads() throws {
            let field = "A: " + String(repeating: "x", count: 300_000) + "\r\n"
            let answers = [
                ["HTTP/1.1 200 OK\r\n\(field)Content-Length: 0\r\n\r\n"], ["HTTP/1.1 200 OK\r\n" + String(repeating: field, count: 10)],
            ]
            let server = try RawServer(answers, ending: .close)
            let front = try HTTP2Front(to: server.port)
            let client = try RawFrames(port: front.port)
            client.request(1)
            var size = 0
            // With CONTINUATION frames (type 9), up to END_HEADERS.
            while let frame = client.next() {
                guard frame.stream == 1 else { continue }
                size += frame.payload.count
                if frame.flags & 4 != 0 { break }
            }
            #expect(size > 180_000)
            client.request(3)
            while let frame = client.next() {
                guard frame.stream == 3 else { continue }
                #expect(frame.type == RawFrames.Frame.reset)
                break
            }
        }

        @Test("A stream that the client resets ends the plain connection")
        func cancelled() async throws {
            let server = try HandServer()
            let front = try HTTP2Front(to: server.port)
            let client = try RawFrames(port: front.port)
            client.request(1)
            let connection = try server.accept().connection
            client.send(type: 3, flags: 0, stream: 1, [0, 0, 0, 8])
            #expect(server.isGone(connection))
            try await waitUntil("the end") { front.visits.first?.resets == [8] }
        }

        @Test("More streams than are allowed are refused, and GOAWAY names the last that is answered")
        func limits() throws {
            let server = try HandServer()
            let front = try HTTP2Front(to: server.port, options: .with { $0.maximumStreams = 1 })
            let client = try RawFrames(port: front.port)
            client.request(1)
            client.request(3)
            #expect(client.frames(untilEndOf: 3).last?.payload == [0, 0, 0, 7])

            let going = try HTTP2Front(to: server.port, options: .with { $0.goesAwayAfter = 1 })
            let other = try RawFrames(port: going.port)
            other.request(1)
            _ = try server.accept()
            let (connection, _) = try server.accept()
            server.answer("hello", on: connection)
            let frames = other.frames(untilEndOf: 1)
            #expect(frames.first?.type == RawFrames.Frame.goAway && frames.first?.payload.prefix(4) == [0, 0, 0, 1])
            #expect(frames.last?.payload == Array("hello".utf8))
        }

        @Test("What is not HTTP/2 ends the connection, and stopping ends all")
        func stop() throws {
            let server = try HandServer()
            let front = try HTTP2Front(to: server.port)
            let connection = try RawConnection(port: front.port)
            connection.send("GET / HTTP/1.1\r\n\r\n")
            #expect(connection.readToEnd().end != .open)
            let client = try RawFrames(port: front.port)
            client.request(1)
            _ = try server.accept()
            front.stop()
            #expect(front.visits.allSatisfy { !$0.isOpen })
        }
    }
#endif
