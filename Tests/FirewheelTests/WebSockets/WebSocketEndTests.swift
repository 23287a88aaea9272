#if os(Linux)
    import FirewheelTesting
    import Foundation
    import Testing

    @testable import Firewheel

    /// How WebSockets end.
    @Suite struct WebSocketEndTests {
        private let session = Session.onTest()

        @Test(arguments: [1000, 1001, nil] as [UInt16?]) func closedByTheServer(_ number: UInt16?) async throws {
            let code = number.map { WebSocketCloseCode(rawValue: $0) }
            let answers = Journal<WebSocketReader.Event>()
            let peer = try WebSocketPeer(script: { connection in
                connection.send("last")
                connection.close(code, code == nil ? "" : "bye")
                while let event = connection.next() { answers.add(event) }
            })
            let socket = session.webSocket(peer.url)
            let (messages, error) = await socket.everything()
            #expect(messages == [.text("last")])
            #expect(error == nil)
            #expect(socket.closeCode == code ?? .noStatusReceived)
            #expect(socket.closeReason == (code == nil ? "" : "bye"))
            #expect(try await answers.wait(for: 1) == [.close(code, reason: "")])
            await #expect(throws: FirewheelError.self) { try await socket.send("late") }
        }

        @Test func closedByTheServerWithAnError() async throws {
            let peer = try WebSocketPeer(script: { connection in
                connection.close(WebSocketCloseCode(rawValue: 4001), "quota\nexceeded")
                connection.awaitEnd()
            })
            let socket = session.webSocket(peer.url)
            let (_, error) = await socket.everything()
            #expect(error?.kind == .webSocketFailed(.closedByServer(WebSocketCloseCode(rawValue: 4001), reason: "quota\nexceeded")))
            #expect(error?.description.hasSuffix("the server closed the WebSocket with code 4001: quota\\nexceeded") == true)
            #expect(socket.closeCode?.rawValue == 4001)
            #expect(socket.closeReason == "quota\nexceeded")
        }

        @Test func lostConnection() async throws {
            let peer = try WebSocketPeer(script: { connection in
                connection.send("one")
                connection.send([0x81, 0x05, 0x68])
            })
            let socket = session.webSocket(peer.url)
            let (messages, error) = await socket.everything()
            #expect(messages == [.text("one")])
            #expect(error?.kind == .transportFailed(.networkConnectionLost))
            #expect(error?.description.contains("without closing the WebSocket, in the middle of a message") == true)
            #expect(error?.isConnectivity == true)
            #expect(socket.closeCode == nil)
        }

        /// What the server has sent before a violation is handed over first, and what is sent in return reaches it.
        @Test func violationBehindMessages() async throws {
            let answers = Journal<WebSocketReader.Event>()
            let peer = try WebSocketPeer(script: { connection in
                connection.send(frame(0x81, Array("hello".utf8)) + frame(0x81, Array("again".utf8)) + frame(0xA1, [0x78]) + frame(0x89, []))
                while let event = connection.next() { answers.add(event) }
            })
            // The messages have this time to be consumed, also on a busy machine.
            var configuration = WebSocketConfiguration()
            configuration.closeTimeout = 120
            let socket = session.webSocket(peer.url, configuration: configuration)
            var received: [WebSocketMessage] = []
            do {
                for try await message in socket.messages {
                    received.append(message)
                    try await socket.send(message)
                }
                Issue.record("a violation is an error")
            } catch let error as FirewheelError {
                #expect(error.kind == .webSocketFailed(.protocolViolated(.protocolError)))
                #expect(
                    error.description.hasSuffix(
                        "the server sent a frame with a reserved bit set that no extension defines (closed with code 1002)"))
            }
            #expect(received == [.text("hello"), .text("again")])
            let events = try await answers.wait(for: 3)
            let reason = "a frame with a reserved bit set that no extension defines"
            #expect(events == [.text("hello"), .text("again"), .close(.protocolError, reason: reason)])
        }

        @Test func messagesAboveTheLimit() async throws {
            let peer = try WebSocketPeer(script: { connection in
                connection.send(frame(0x82, [UInt8](repeating: 1, count: 1000)))
                connection.send(frame(0x82, [UInt8](repeating: 1, count: 1001)))
                connection.awaitEnd()
            })
            var configuration = WebSocketConfiguration()
            configuration.maximumMessageSize = 1000
            let (messages, error) = await session.webSocket(peer.url, configuration: configuration).everything()
            #expect(messages.count == 1)
            #expect(error?.kind == .webSocketFailed(.protocolViolated(.messageTooBig)))
            #expect(error?.description.contains("the server sent a message of more than 1000 bytes (closed with code 1009)") == true)
        }

        @Test func cancelling() async throws {
            let peer = try WebSocketPeer()
            let socket = session.webSocket(peer.url)
            try await socket.send("x")
            let outcome = Task { await socket.everything().error }
            socket.cancel()
            #expect(await outcome.value?.isExplicitlyCancelled == true)
            #expect(socket.state == .cancelled)
            let error = await #expect(throws: FirewheelError.self) { try await socket.send("y") }
            #expect(error?.kind == .webSocketFailed(.notSent))
            #expect(error?.isExplicitlyCancelled == true)
            try await waitUntil("the connection ends") { peer.openCount == 0 }
        }

        /// Leaving the loop ends the WebSocket.
        @Test func leavingTheLoop() async throws {
            let peer = try WebSocketPeer()
            let socket = session.webSocket(peer.url)
            let messages = socket.messages
            try await socket.send("x")
            for try await _ in messages { break }
            try await waitUntil("the connection ends") { peer.openCount == 0 }
        }

        @Test func closing() async throws {
            let events = Journal<WebSocketReader.Event>()
            let peer = try WebSocketPeer(script: { connection in
                while let event = connection.next() {
                    events.add(event)
                    if case .close = event { connection.send("parting words") }
                    if case .close(let code, _) = event { connection.close(code) }
                }
            })
            let socket = session.webSocket(peer.url)
            let messages = socket.messages
            for number in 0..<10 { socket.send(.text("\(number)"), queue: .global()) { _ in } }
            socket.close(code: .goingAway, reason: "enough").close(code: .normalClosure)
            let late = await #expect(throws: FirewheelError.self) { try await socket.send("late") }
            #expect(late?.kind == .webSocketFailed(.notSent))
            await #expect(throws: FirewheelError.self) { try await socket.ping() }
            var received: [WebSocketMessage] = []
            for try await message in messages { received.append(message) }
            #expect(received == [.text("parting words")])
            #expect(socket.error == nil)
            #expect(events.entries == (0..<10).map { .text("\($0)") } + [.close(.goingAway, reason: "enough")])
        }

        @Test func closingBeforeItStarts() async throws {
            let socket = session.webSocket("ws://127.0.0.1:1/")
            socket.close()
            #expect(socket.state == .cancelled)
            #expect(await socket.outcome()?.isExplicitlyCancelled == true)
        }

        /// A server that never closes is left after the limit.
        @Test func closingWithoutAnAnswer() async throws {
            let peer = try WebSocketPeer(script: { $0.awaitEnd() })
            var configuration = WebSocketConfiguration()
            (configuration.closeTimeout, configuration.pingInterval) = (0.05, nil)
            let socket = session.webSocket(peer.url, configuration: configuration)
            try await socket.send("x")
            socket.close()
            let error = await socket.outcome()
            #expect(error == nil, "\(error?.description ?? "")")
            #expect(socket.closeCode == nil)
            try await waitUntil("the connection ends") { peer.openCount == 0 }
        }

        @Test(arguments: [(1005, ""), (999, ""), (1015, "x"), (1000, String(repeating: "é", count: 62))] as [(UInt16, String)])
        func invalidCloses(_ code: UInt16, _ reason: String) async throws {
            let peer = try WebSocketPeer()
            let socket = session.webSocket(peer.url)
            try await socket.send("x")
            socket.close(code: WebSocketCloseCode(rawValue: code), reason: reason)
            #expect(await socket.outcome()?.kind == .webSocketFailed(.invalidClose))
        }

        /// Of two close frames the first counts (RFC 6455 section 5.5.1), and a long reason is a violation.
        @Test func closedTwice() async throws {
            let peer = try WebSocketPeer(script: { connection in
                connection.send(closeFrame(1000, Array("first".utf8)) + closeFrame(4000) + frame(0x81, Array("late".utf8)))
                connection.awaitEnd()
            })
            let socket = session.webSocket(peer.url)
            let (messages, error) = await socket.everything()
            #expect(messages.isEmpty)
            #expect(error == nil)
            #expect(socket.closeReason == "first")
            let long = try WebSocketPeer(script: { connection in
                connection.send(closeFrame(1000, [UInt8](repeating: 0x61, count: 200)))
                connection.awaitEnd()
            })
            #expect(await session.webSocket(long.url).everything().error?.kind == .webSocketFailed(.protocolViolated(.protocolError)))
        }

        @Test func invalidatedSession() async throws {
            let peer = try WebSocketPeer()
            let own = Session.onTest()
            let socket = own.webSocket(peer.url)
            try await socket.send("x")
            let outcome = Task { await socket.everything().error }
            own.invalidate()
            #expect(await outcome.value?.kind == .sessionInvalidated)
            try await waitUntil("the connection ends") { peer.openCount == 0 }
        }

        /// A WebSocket does not need its session.
        @Test func releasedSession() async throws {
            let peer = try WebSocketPeer()
            var own: Session? = Session.onTest()
            let socket = try #require(own?.webSocket(peer.url))
            var messages = socket.messages.makeAsyncIterator()
            try await socket.send("one")
            own = nil
            try await socket.send("two")
            #expect(try await messages.next() == .text("one"))
            #expect(try await messages.next() == .text("two"))
            socket.cancel()
        }

        private final class Sender: Sendable {
            let socket: WebSocketRequest
            let done: Journal<Bool>

            init(_ socket: WebSocketRequest, _ done: Journal<Bool>) {
                self.socket = socket
                self.done = done
            }

            deinit {
                let done = done
                socket.send(.text("from deinit"), queue: .global()) { if case .success = $0 { done.add(true) } }
                socket.close()
            }
        }

        @Test func sendingFromDeinit() async throws {
            let peer = try WebSocketPeer()
            let socket = session.webSocket(peer.url)
            let messages = socket.messages
            let done = Journal<Bool>()
            do { _ = Sender(socket, done) }
            var received: [WebSocketMessage] = []
            for try await message in messages { received.append(message) }
            #expect(received == [.text("from deinit")])
            #expect(try await done.wait(for: 1) == [true])
        }

        private struct ClosureMonitor: EventMonitor {
            let report: @Sendable (String) -> Void

            func request(_ context: RequestContext, did event: RequestEvent) {
                report(String("\(event)".prefix { $0 != "(" }))
            }
        }

        @Test func events() async throws {
            let peer = try WebSocketPeer()
            let log = Journal<String>()
            let own = Session.onTest(eventMonitors: [ClosureMonitor { log.add($0) }])
            let socket = own.webSocket(peer.url)
            try await socket.send("x")
            socket.close()
            #expect(await socket.outcome() == nil)
            try await waitUntil("the end is reported") { log.entries.contains("finish") }
            #expect(log.entries.filter { ["createURLRequest", "resume", "receiveResponse", "finish"].contains($0) }.count == 4)
        }
    }
#endif
