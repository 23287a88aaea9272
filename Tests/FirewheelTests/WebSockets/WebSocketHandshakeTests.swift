#if os(Linux)
    import Foundation
    import Testing

    @testable import Firewheel
    @testable import FirewheelTesting

    @Suite struct WebSocketHandshakeTests {
        private func echo(_ session: Session, _ url: String, _ text: String = "hello") async throws -> WebSocketMessage? {
            let socket = session.webSocket(url)
            var messages = socket.messages.makeAsyncIterator()
            try await socket.send(text)
            let first = try await messages.next()
            socket.close()
            #expect(try await messages.next() == nil)
            return first
        }

        /// The example of RFC 6455 section 1.3, and what a client sends (section 4.1).
        @Test func request() async throws {
            let peer = try WebSocketPeer()
            let session = Session.onTest()
            for _ in 0..<2 { #expect(try await echo(session, peer.url) == .text("hello")) }
            let heads = peer.heads
            #expect(heads.count == 2)
            for head in heads {
                #expect(head.hasPrefix("GET /chat HTTP/1.1\r\nHost: 127.0.0.1:\(peer.port)\r\n"))
                #expect(WebSocketPeer.field("Upgrade", of: head) == "websocket")
                #expect(WebSocketPeer.field("Connection", of: head) == "Upgrade")
                #expect(WebSocketPeer.field("Sec-WebSocket-Version", of: head) == "13")
                #expect(WebSocketPeer.field("Sec-WebSocket-Extensions", of: head) == "permessage-deflate; client_max_window_bits")
                #expect(WebSocketPeer.field("Sec-WebSocket-Protocol", of: head) == nil)
                #expect(Data(base64Encoded: WebSocketPeer.field("Sec-WebSocket-Key", of: head) ?? "")?.count == 16)
            }
            // A new key and a connection of its own for each.
            #expect(Set(heads.map { WebSocketPeer.field("Sec-WebSocket-Key", of: $0) }).count == 2)
            try await waitUntil("the connections end") { peer.openCount == 0 }
        }

        @Test func acceptOfTheStandard() throws {
            let hash = try HashAlgorithm.sha1.hash(Array("dGhlIHNhbXBsZSBub25jZQ==258EAFA5-E914-47DA-95CA-C5AB0DC85B11".utf8))
            #expect(Data(hash).base64EncodedString() == "s3pPLMBiTxaQ9kYGzzhZRbK+xOo=")
        }

        @Test func urls() async throws {
            let peer = try WebSocketPeer()
            let session = Session.onTest()
            #expect(try await echo(session, "WS://127.0.0.1:\(peer.port)/a") == .text("hello"))
            #expect(try await echo(session, "http://127.0.0.1:\(peer.port)/b") == .text("hello"))
            let url = try #require(URL(string: "ws://127.0.0.1:\(peer.port)/c?d=e"))
            let socket = session.webSocket(url)
            try await socket.send("x")
            #expect(socket.request?.url == url)
            #expect(socket.response?.url?.absoluteString == "http://127.0.0.1:\(peer.port)/c?d=e")
            // curl knows the scheme.
            #expect(socket.cURLDescription().contains("ws://127.0.0.1:\(peer.port)/c?d=e"))
            socket.cancel()
            let based = Session.onTest(configuration: .with { $0.baseURL = URL(string: "http://127.0.0.1:\(peer.port)/base") })
            #expect(try await echo(based, "f") == .text("hello"))
            #expect(peer.heads.map { $0.prefix { $0 != "\r\n" } } == ["a", "b", "c?d=e", "base/f"].map { "GET /\($0) HTTP/1.1" })
            #expect(WebSocketURL.httpForm(of: "wss://h/p") == "https://h/p")
            #expect(WebSocketURL.webSocketForm(of: "HTTPS://h/p") == "wss://h/p")
            #expect(WebSocketURL.httpForm(of: "ftp://h/p") == "ftp://h/p")
            #expect(await session.webSocket("ftp://h/p").outcome()?.kind == .invalidURL)
        }

        @Test func protocols() async throws {
            let peer = try WebSocketPeer(answer: { WebSocketPeer.accept($0, "Sec-WebSocket-Protocol: v2.json") })
            let session = Session.onTest()
            let socket = session.webSocket(peer.url, protocols: ["v1.json", "v2.json"])
            #expect(socket.negotiatedProtocol == nil)
            try await socket.send("x")
            #expect(socket.negotiatedProtocol == "v2.json")
            #expect(WebSocketPeer.field("Sec-WebSocket-Protocol", of: peer.heads[0]) == "v1.json, v2.json")
            socket.cancel()
            // Alamofire's way to name one.
            let named = session.webSocket(peer.url, headers: ["Sec-WebSocket-Protocol": "v2.json"])
            try await named.send("x")
            #expect(named.negotiatedProtocol == "v2.json")
            named.cancel()
            let wrong = await session.webSocket(peer.url, protocols: ["other"]).outcome()
            #expect(wrong?.kind == .transportFailed(.badServerResponse))
            #expect(wrong?.description.contains("chooses a protocol that was not offered") == true)
        }

        /// What the client must not accept (RFC 6455 section 4.1, RFC 7692 section 7.1).
        @Test(arguments: [
            ("Upgrade: websocket", "Upgrade: h2c", "upgrades to another protocol than WebSocket"),
            ("Upgrade: websocket", "X: y", "upgrades to another protocol than WebSocket"),
            ("Connection: Upgrade", "Connection: keep-alive", "has no Connection: Upgrade"),
            ("Sec-WebSocket-Accept: ", "Sec-WebSocket-Accept: x", "has a wrong Sec-WebSocket-Accept"),
            ("Sec-WebSocket-Accept: ", "X: ", "has a wrong Sec-WebSocket-Accept"),
            ("Upgrade: websocket", "Upgrade: websocket\r\nSec-WebSocket-Protocol: x", "chooses a protocol that was not offered"),
            (
                "Upgrade: websocket", "Upgrade: websocket\r\nSec-WebSocket-Extensions: x-other",
                "accepts the extension \"x-other\", which was not offered"
            ),
            (
                "Upgrade: websocket", "Upgrade: websocket\r\nSec-WebSocket-Extensions: permessage-deflate; server_max_window_bits=99",
                "accepts permessage-deflate with \"server_max_window_bits\" of \"99\""
            ),
        ])
        func refusedAnswers(_ line: String, _ instead: String, _ reason: String) async throws {
            let peer = try WebSocketPeer(answer: { WebSocketPeer.accept($0).replacingOccurrences(of: line, with: instead) })
            let socket = Session.onTest().webSocket(peer.url)
            let error = await socket.outcome()
            #expect(error?.kind == .transportFailed(.badServerResponse))
            #expect(error?.description.contains("the server's answer to the WebSocket handshake \(reason)") == true)
            await #expect(throws: FirewheelError.self) { try await socket.send("x") }
            try await waitUntil("the connection ends") { peer.openCount == 0 }
        }

        @Test func compressionUnasked() async throws {
            let peer = try WebSocketPeer(answer: { WebSocketPeer.accept($0, "Sec-WebSocket-Extensions: permessage-deflate") })
            var configuration = WebSocketConfiguration()
            configuration.compresses = false
            let error = await Session.onTest().webSocket(peer.url, configuration: configuration).outcome()
            #expect(error?.description.contains("the extension \"permessage-deflate\", which was not offered") == true)
            #expect(WebSocketPeer.field("Sec-WebSocket-Extensions", of: peer.heads[0]) == nil)
        }

        /// A 101 is an answer to this question alone.
        @Test func switchesUnasked() async throws {
            let peer = try WebSocketPeer()
            let response = await Session.onTest().request("http://127.0.0.1:\(peer.port)/").serializingData().response
            #expect((response.error as? FirewheelError)?.kind == .transportFailed(.cannotParseResponse))
        }

        @Test func refusalKeepsStatusAndBody() async throws {
            let peer = try WebSocketPeer(answer: { _ in "HTTP/1.1 403 Forbidden\r\nContent-Length: 7\r\nX-Why: quota\r\n\r\ntoo bad" })
            let socket = Session.onTest().webSocket(peer.url)
            let (messages, error) = await socket.everything()
            #expect(messages.isEmpty)
            #expect(error?.kind == .webSocketFailed(.handshakeRefused(status: 403)))
            #expect(error?.response?.statusCode == 403)
            #expect(error?.response?.headers["X-Why"] == "quota")
            #expect(error?.responseData == Data("too bad".utf8))
            #expect(error?.responseCode == 403)
            #expect(socket.response?.statusCode == 403)
            #expect(
                error?.description
                    == "GET ws://127.0.0.1:\(peer.port)/chat: the server did not open the WebSocket: it answered with status 403, not 101"
            )
        }

        /// A 200 is no WebSocket either.
        @Test func anotherSuccess() async throws {
            let peer = try WebSocketPeer(answer: { _ in "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nhi" })
            let error = await Session.onTest().webSocket(peer.url).outcome()
            #expect(error?.kind == .webSocketFailed(.handshakeRefused(status: 200)))
            #expect(error?.responseData == Data("hi".utf8))
        }

        @Test func followsRedirects() async throws {
            let peer = try WebSocketPeer()
            let other = try WebSocketPeer(answer: { _ in
                "HTTP/1.1 307 Temporary Redirect\r\nLocation: http://127.0.0.1:\(peer.port)/moved\r\nContent-Length: 0\r\n\r\n"
            })
            let session = Session.onTest()
            #expect(try await echo(session, other.url) == .text("hello"))
            #expect(peer.heads[0].hasPrefix("GET /moved HTTP/1.1\r\n"))
            let keys = (other.heads + peer.heads).map { WebSocketPeer.field("Sec-WebSocket-Key", of: $0) }
            #expect(Set(keys).count == 2)
            let socket = session.webSocket(other.url).redirect(using: .doNotFollow)
            #expect(await socket.outcome()?.kind == .webSocketFailed(.handshakeRefused(status: 307)))
        }

        /// The Location of a WebSocket may have its scheme.
        @Test func followsRedirectsToWebSockets() async throws {
            let peer = try WebSocketPeer()
            let other = try WebSocketPeer(answer: { _ in
                "HTTP/1.1 302 Found\r\nLocation: ws://127.0.0.1:\(peer.port)/moved\r\nContent-Length: 0\r\n\r\n"
            })
            #expect(try await echo(Session.onTest(), other.url) == .text("hello"))
            // For other requests it is no redirect that can be followed.
            let response = await Session.onTest().request("http://127.0.0.1:\(other.port)/").serializingData().response
            #expect((response.error as? FirewheelError)?.kind == .transportFailed(.unsupportedURL))
        }

        @Test func credentialsAndCookies() async throws {
            let peer = try WebSocketPeer(answer: { head in
                guard WebSocketPeer.field("Authorization", of: head) != nil else {
                    return
                        "HTTP/1.1 401 Unauthorized\r\nWWW-Authenticate: Basic realm=\"r\"\r\nSet-Cookie: a=b\r\nContent-Length: 0\r\n\r\n"
                }
                return WebSocketPeer.accept(head, "Set-Cookie: c=d")
            })
            let session = Session.onTest()
            let socket = session.webSocket(peer.url).authenticate(username: "user", password: "secret")
            try await socket.send("x")
            socket.cancel()
            let second = session.webSocket(peer.url).authenticate(username: "user", password: "secret")
            try await second.send("x")
            second.cancel()
            #expect(WebSocketPeer.field("Authorization", of: peer.heads[1]) == "Basic dXNlcjpzZWNyZXQ=")
            #expect(WebSocketPeer.field("Cookie", of: peer.heads[1]) == "a=b")
            #expect(WebSocketPeer.field("Cookie", of: peer.heads.last ?? "") == "a=b; c=d")
        }

        @Test func adaptsAndRetries() async throws {
            let count = Locked(0)
            let peer = try WebSocketPeer(answer: { head in
                let number = count.withLock { count in
                    count += 1
                    return count
                }
                return number == 1 ? "HTTP/1.1 503 Service Unavailable\r\nContent-Length: 0\r\n\r\n" : WebSocketPeer.accept(head)
            })
            let socket = Session.onTest().webSocket(peer.url, interceptor: .retryPolicy(backoff: .constant(0)))
                .adapt { request, context in request.setValue("\(context.retryCount)", forHTTPHeaderField: "X-Try") }
            var messages = socket.messages.makeAsyncIterator()
            try await socket.send("hello")
            #expect(try await messages.next() == .text("hello"))
            #expect(socket.retryCount == 1)
            #expect(peer.heads.map { WebSocketPeer.field("X-Try", of: $0) } == ["0", "1"])
            socket.cancel()
        }

        @Test func validates() async throws {
            let peer = try WebSocketPeer(answer: { WebSocketPeer.accept($0, "X-Version: 1") })
            let session = Session.onTest(configuration: .with { $0.validation = .standard })
            // A 101 has no body, so no type that the field would not list.
            let fine = session.webSocket(peer.url, headers: [.accept("application/json")]).validate()
            try await fine.send("x")
            fine.close()
            #expect(await fine.outcome() == nil)
            let refused = session.webSocket(peer.url).validate { _, response in
                response.headers["X-Version"] == "2" ? .success(()) : .failure(CancellationError())
            }
            let error = await refused.outcome()
            #expect(error?.kind == .responseValidationFailed(.customValidationFailed))
            #expect(error?.response?.statusCode == 101)
            try await waitUntil("the connection ends") { peer.openCount == 0 }
        }

        @Test(arguments: ["Upgrade", "Connection", "sec-websocket-key", "Sec-WebSocket-Version", "Sec-WebSocket-Extensions"])
        func ownFieldsAreRefused(_ name: String) async throws {
            let peer = try WebSocketPeer()
            let error = await Session.onTest().webSocket(peer.url, headers: [HTTPHeader(name: name, value: "x")]).outcome()
            #expect(error?.kind == .transportFailed(.badURL))
            #expect(error?.description.contains("the header field \(name) is the WebSocket handshake's own") == true)
            #expect(peer.heads.isEmpty)
        }

        @Test func badOffersAreRefused() async throws {
            let peer = try WebSocketPeer()
            let session = Session.onTest()
            for protocols in [["a b"], [""], ["a", "a"], ["a,b"]] {
                #expect(await session.webSocket(peer.url, protocols: protocols).outcome()?.kind == .transportFailed(.badURL))
            }
            let both = session.webSocket(peer.url, protocols: ["a"], headers: ["Sec-WebSocket-Protocol": "b"])
            #expect(await both.outcome()?.kind == .transportFailed(.badURL))
            let posted = session.webSocket(peer.url, requestModifier: { $0.method = .post })
            #expect(await posted.outcome()?.description.contains("a WebSocket is opened by a GET without a body") == true)
            #expect(peer.heads.isEmpty)
        }

        /// Over TLS, only HTTP/1.1 is offered, whatever the session speaks, and the session's trust counts.
        @Test func secured() async throws {
            let authority = try TestAuthority()
            let peer = try WebSocketPeer()
            let identity = try authority.identity(addresses: ["127.0.0.1"])
            let front = try TLSFront(to: peer.port, identity: identity, options: .with { $0.protocols = ["h2", "http/1.1"] })
            defer { front.stop() }
            let url = "wss://127.0.0.1:\(front.port)/"
            let session = Session.onTest(configuration: .with { $0.tls.authorities = .only([authority.certificate]) })
            #expect(try await echo(session, url) == .text("hello"))
            #expect(try await echo(session, url, String(repeating: "large ", count: 100_000)) != nil)
            #expect(front.handshakes.map(\.protocolName) == ["http/1.1", "http/1.1"])
            #expect(peer.heads.allSatisfy { $0.hasPrefix("GET / HTTP/1.1\r\n") })
            let untrusted = await Session.onTest().webSocket(url).outcome()
            #expect(untrusted?.isServerTrustEvaluationError == true)
        }

        /// Through a proxy, a WebSocket is a tunnel, also without TLS (RFC 6455 section 4.1).
        @Test func proxies() async throws {
            let peer = try WebSocketPeer()
            let proxy = try TestProxy()
            defer { proxy.stop() }
            let session = Session.onTest(configuration: .with { $0.proxy = proxy.configuration })
            #expect(try await echo(session, "ws://host.invalid:\(peer.port)/") == .text("hello"))
            #expect(proxy.heads.first?.hasPrefix("CONNECT host.invalid:\(peer.port) HTTP/1.1\r\n") == true)
        }

        /// What is sent cannot be limited, so a limit is an error.
        @Test func limitOfBandwidth() async throws {
            let peer = try WebSocketPeer()
            let error = await Session.onTest().webSocket(peer.url).bandwidth(upload: 1_000).outcome()
            #expect(error?.kind == .transportFailed(.resourceUnavailable))
            #expect(error?.description.contains("the messages of a WebSocket cannot be sent with a limit of bandwidth") == true)
            #expect(peer.heads.isEmpty)
            #expect(try await echo(Session.onTest(configuration: .with { $0.bandwidth.download = 1 << 30 }), peer.url) == .text("hello"))
        }

        @Test func otherTransportsSayThatTheyCannot() async throws {
            let session = Session(transport: URLSessionTransport())
            let error = await session.webSocket("ws://127.0.0.1:1/").outcome()
            #expect(error?.kind == .transportFailed(.resourceUnavailable))
            #expect(error?.description.contains("URLSessionTransport cannot open WebSockets") == true)
        }

        /// WebSockets do not take the places of requests, nor of each other.
        @Test func limitOfConnectionsToAHost() async throws {
            let peer = try WebSocketPeer()
            let session = Session.onTest(configuration: .with { $0.maximumConnectionsPerHost = 1 })
            let sockets = (0..<5).map { _ in session.webSocket(peer.url) }
            for socket in sockets { try await socket.send("x") }
            #expect(peer.openCount == 5)
            for socket in sockets { socket.cancel() }
            try await waitUntil("the connections end") { peer.openCount == 0 }
        }
    }
#endif
