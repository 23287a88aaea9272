#if os(Linux)
    import FirewheelTesting
    import Foundation
    import Testing

    @testable import Firewheel

    @Suite struct WebSocketTests {
        private let session = Session.onTest()

        @Test func echoes() async throws {
            let peer = try WebSocketPeer()
            let socket = session.webSocket(peer.url)
            let large = Data((0..<300_000).map { UInt8(truncatingIfNeeded: $0 &* 7) })
            let sent: [WebSocketMessage] = [.text("größer 😀"), .data(Data([0, 255])), .text(""), .data(Data()), .data(large)]
            var messages = socket.messages.makeAsyncIterator()
            for message in sent {
                try await socket.send(message)
                #expect(try await messages.next() == message)
            }
            try await socket.send("text")
            try await socket.send(Data("data".utf8))
            #expect(try await messages.next() == .text("text"))
            #expect(try await messages.next() == .data(Data("data".utf8)))
            #expect(socket.state == .resumed)
            #expect(socket.response?.statusCode == 101)
            #expect(socket.closeCode == nil)
            socket.close(code: WebSocketCloseCode(rawValue: 3999))
            #expect(try await messages.next() == nil)
            #expect(socket.closeCode == WebSocketCloseCode(rawValue: 3999))
            #expect(socket.closeReason == "")
            try await waitUntil("the request ends") { socket.isFinished }
            #expect(socket.error == nil)
            #expect(socket.metrics?.transactionMetrics.count == 1)
            #expect((socket.metrics?.transactionMetrics[0].countOfResponseBodyBytesReceived ?? 0) > 300_000)
            try await waitUntil("the connection ends") { peer.openCount == 0 }
        }

        /// What comes in the same packet as the 101 is not lost.
        @Test func messagesWithTheHandshake() async throws {
            let peer = try WebSocketPeer(
                answer: { head in
                    WebSocketPeer.accept(head) + FieldOctets.latin1(frame(0x81, Array("first".utf8)) + frame(0x81, [0x62]))
                },
                script: { connection in
                    connection.send("second")
                    connection.close()
                    connection.awaitEnd()
                })
            let (messages, error) = await session.webSocket(peer.url).everything()
            #expect(messages == [.text("first"), .text("b"), .text("second")])
            #expect(error == nil)
        }

        @Test func compressed() async throws {
            let library = try CodingLibraries.system.zlib.get()
            let peer = try WebSocketPeer(
                answer: { WebSocketPeer.accept($0, "Sec-WebSocket-Extensions: permessage-deflate; client_max_window_bits=9") },
                inflater: { MessageInflater(library, keepsContext: true) },
                script: { connection in
                    connection.send(frame(0xC1, [0xF2, 0x48, 0xCD, 0xC9, 0xC9, 0x07, 0x00]))
                    connection.send(frame(0xC1, [0xF2, 0x00, 0x11, 0x00, 0x00]))
                    connection.echo()
                })
            let socket = session.webSocket(peer.url)
            var messages = socket.messages.makeAsyncIterator()
            #expect(try await messages.next() == .text("Hello"))
            #expect(try await messages.next() == .text("Hello"))
            let text = String(repeating: "compressed, and again compressed. ", count: 2_000)
            for _ in 0..<3 {
                try await socket.send(text)
                #expect(try await messages.next() == .text(text))
            }
            let sent = socket.call.snapshot
            #expect(sent.finalHead?.head.statusCode == 101)
            socket.close()
            #expect(try await messages.next() == nil)
            let bytes = socket.metrics?.transactionMetrics[0].countOfRequestBodyBytesSent ?? .max
            #expect(bytes < 10_000, "\(bytes) bytes for three messages of \(text.utf8.count)")
        }

        @Test func handlers() async throws {
            let peer = try WebSocketPeer()
            let (received, closed) = (Journal<WebSocketMessage>(), OneShot<(any Error)?>())
            let socket = session.webSocket(peer.url)
            socket.onMessage(queue: DispatchQueue(label: "messages")) { received.add($0) }.onClose(queue: .global()) { closed.fulfill($0) }
            let sent = Journal<Bool>()
            socket.send(.text("one"), queue: .global()) { if case .success = $0 { sent.add(true) } }
            socket.send(.text("two"), queue: .global()) { if case .success = $0 { sent.add(true) } }
            #expect(try await received.wait(for: 2) == [.text("one"), .text("two")])
            #expect(try await sent.wait(for: 2).count == 2)
            socket.close()
            #expect(await closed.value == nil)
        }

        @MainActor @Test func handlersOnTheMainActor() async throws {
            let peer = try WebSocketPeer()
            let socket = session.webSocket(peer.url)
            let done = OneShot<Bool>()
            let thread = Journal<Bool>()
            socket.onMessage { _ in
                MainActor.assertIsolated()
                thread.add(true)
                socket.send(.text("again")) { result in
                    MainActor.assertIsolated()
                    if case .success = result { socket.close() }
                }
            }.onClose { error in
                MainActor.assertIsolated()
                done.fulfill(error == nil)
            }
            socket.send(.text("hello")) { _ in }
            #expect(await done.value)
            #expect(thread.count >= 1)
        }

        private struct ClosureMonitor: EventMonitor {
            let report: @Sendable (String) -> Void

            func request(_ context: RequestContext, did event: RequestEvent) {
                report(String("\(event)".prefix { $0 != "(" }))
            }
        }

        struct Price: Decodable, Equatable, Sendable { let amount: Int }

        @Test func decodables() async throws {
            let peer = try WebSocketPeer(script: { connection in
                connection.send("{\"amount\":1}")
                connection.send(frame(0x82, Array("{\"amount\":2}".utf8)))
                connection.send("no JSON")
                connection.send("{\"amount\":3}")
                connection.awaitEnd()
            })
            let socket = session.webSocket(peer.url)
            var values: [Price] = []
            do {
                for try await price in socket.streamMessages(of: Price.self) { values.append(price) }
                Issue.record("a message that is no JSON is an error")
            } catch let error as FirewheelError {
                guard case .responseSerializationFailed(.decodingFailed) = error.kind else { throw error }
            }
            #expect(values == [Price(amount: 1), Price(amount: 2)])
            try await waitUntil("the connection ends") { peer.openCount == 0 }
        }

        /// Messages of concurrent tasks are not mixed, and those of each keep their order.
        @Test func concurrentSenders() async throws {
            let peer = try WebSocketPeer()
            let socket = session.webSocket(peer.url)
            let messages = socket.messages
            try await withThrowingTaskGroup(of: Void.self) { group in
                for sender in 0..<20 {
                    group.addTask {
                        for number in 0..<20 {
                            try await socket.send("\(sender) \(number) " + String(repeating: "x", count: sender * 1_000))
                        }
                    }
                }
                group.addTask {
                    var next = [Int](repeating: 0, count: 20)
                    var count = 0
                    for try await case .text(let text) in messages {
                        let parts = text.split(separator: " ")
                        let (sender, number) = (Int(parts[0]) ?? -1, Int(parts[1]) ?? -1)
                        #expect(number == next[sender])
                        #expect(text.utf8.count == parts[0].count + parts[1].count + 2 + sender * 1_000)
                        next[sender] += 1
                        count += 1
                        if count == 400 { break }
                    }
                }
                try await group.waitForAll()
            }
        }

        /// Each sequence gets every message that arrives after it was created.
        @Test func severalReaders() async throws {
            let peer = try WebSocketPeer()
            let socket = session.webSocket(peer.url)
            let (first, second) = (socket.messages, socket.messages)
            let all: @Sendable (StreamOf<WebSocketMessage>) async throws -> [WebSocketMessage] = { messages in
                var received: [WebSocketMessage] = []
                for try await message in messages { received.append(message) }
                return received
            }
            async let one = all(first)
            async let two = all(second)
            try await socket.send("a")
            socket.close()
            #expect(try await one == [.text("a")])
            #expect(try await two == [.text("a")])
        }

        /// What arrives before somebody reads is kept, and the request's end does not wait for a reader.
        @Test func messagesBeforeTheFirstReader() async throws {
            let peer = try WebSocketPeer(script: { connection in
                connection.send("one")
                connection.send("two")
                _ = connection.next()
                connection.close()
                connection.awaitEnd()
            })
            let socket = session.webSocket(peer.url)
            try await socket.send("x")
            #expect(await socket.outcome() == nil)
            let (messages, error) = await socket.everything()
            #expect(messages == [.text("one"), .text("two")])
            #expect(error == nil)
            #expect(await socket.everything().messages.isEmpty)
        }

        // MARK: Ends

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

        // MARK: Flow

        /// A reader that waits for a message to be sent is told that the connection is lost, also while it takes nothing more.
        @Test func lostWhileNobodyReads() async throws {
            let mayEnd = DispatchSemaphore(value: 0)
            let peer = try WebSocketPeer(script: { connection in
                let message = frame(0x82, [UInt8](repeating: 7, count: 60_000))
                for _ in 0..<40 { connection.send(message) }
                mayEnd.wait()
            })
            let socket = session.webSocket(peer.url)
            let sent = Locked(0)
            let task = Task {
                for try await _ in socket.messages {
                    try await socket.send(Data(count: 1 << 20))
                    sent.withLock { $0 += 1 }
                }
            }
            var last = -1
            while true {
                let now = sent.withLock { $0 }
                if now == last, now > 0 { break }
                last = now
                try await Task.sleep(nanoseconds: 300_000_000)
            }
            mayEnd.signal()
            let error = await #expect(throws: FirewheelError.self) { try await task.value }
            #expect(error?.kind == .webSocketFailed(.notSent))
            #expect(error?.isConnectivity == true)
            try await waitUntil("the connection ends") { peer.openCount == 0 }
        }

        /// A server that is not read is held up, and memory stays flat.
        @Test func slowReader() async throws {
            let sent = Locked(0)
            let peer = try WebSocketPeer(script: { connection in
                let message = frame(0x82, [UInt8](repeating: 7, count: 65_536))
                for _ in 0..<1_000 {
                    connection.send(message)
                    sent.withLock { $0 += 1 }
                }
                connection.close()
                connection.awaitEnd()
            })
            let socket = session.webSocket(peer.url)
            var messages = socket.messages.makeAsyncIterator()
            #expect(try await messages.next() != nil)
            // Until the server has stood still for a while.
            var last = -1
            while true {
                let now = sent.withLock { $0 }
                if now == last, now > 0 { break }
                last = now
                try await Task.sleep(nanoseconds: 200_000_000)
            }
            #expect(last < 600, "\(last) messages were sent although nobody reads")
            var count = 1
            while try await messages.next() != nil { count += 1 }
            #expect(count == 1_000)
        }

        /// A server that does not read holds up the sender.
        @Test func slowServer() async throws {
            let mayRead = DispatchSemaphore(value: 0)
            let peer = try WebSocketPeer(script: { connection in
                mayRead.wait()
                connection.echo()
            })
            var configuration = WebSocketConfiguration()
            configuration.pingInterval = nil
            let socket = session.webSocket(peer.url, configuration: configuration)
            let sent = Locked(0)
            let message = Data(count: 1 << 18)
            let sender = Task {
                for _ in 0..<128 {
                    try await socket.send(message)
                    sent.withLock { $0 += 1 }
                }
            }
            var last = -1
            while true {
                let now = sent.withLock { $0 }
                if now == last, now > 0 { break }
                last = now
                try await Task.sleep(nanoseconds: 200_000_000)
            }
            #expect(last < 120, "\(last) messages were sent although nobody reads")
            let received = Task {
                var count = 0
                for try await _ in socket.messages {
                    count += 1
                    if count == 128 { break }
                }
                return count
            }
            mayRead.signal()
            try await sender.value
            #expect(try await received.value == 128)
        }

        /// While it is suspended nothing is sent or handed over.
        @Test func suspending() async throws {
            let peer = try WebSocketPeer()
            let socket = session.webSocket(peer.url)
            var messages = socket.messages.makeAsyncIterator()
            try await socket.send("one")
            #expect(try await messages.next() == .text("one"))
            socket.suspend()
            #expect(socket.state == .suspended)
            let sent = Journal<Bool>()
            socket.send(.text("two"), queue: .global()) { if case .success = $0 { sent.add(true) } }
            socket.resume()
            #expect(try await messages.next() == .text("two"))
            _ = try await sent.wait(for: 1)
            socket.suspend()
            socket.cancel()
            await #expect(throws: FirewheelError.self) { try await messages.next() }
        }

        @Test func cancelledSender() async throws {
            let hold = DispatchSemaphore(value: 0)
            defer { hold.signal() }
            let peer = try WebSocketPeer(answer: { head in
                hold.wait()
                return WebSocketPeer.accept(head)
            })
            let socket = session.webSocket(peer.url)
            let sender = Task { try await socket.send("never sent") }
            try await waitUntil("the handshake is under way") { peer.heads.count == 1 }
            sender.cancel()
            await #expect(throws: CancellationError.self) { try await sender.value }
            hold.signal()
            var messages = socket.messages.makeAsyncIterator()
            try await socket.send("sent")
            #expect(try await messages.next() == .text("sent"))
            socket.cancel()
        }

        // MARK: Pings

        @Test func pings() async throws {
            let peer = try WebSocketPeer()
            let socket = session.webSocket(peer.url)
            #expect(try await socket.ping() > .zero)
            async let first = socket.ping()
            async let second = socket.ping()
            #expect(try await first > .zero)
            #expect(try await second < .seconds(60))
            socket.cancel()
            await #expect(throws: FirewheelError.self) { try await socket.ping() }
        }

        /// Pongs that answer no ping change nothing (RFC 6455 section 5.5.3).
        @Test func unsolicitedPongs() async throws {
            let peer = try WebSocketPeer(script: { connection in
                connection.send(frame(0x8A, []) + frame(0x8A, [1, 2, 3, 4, 5, 6, 7, 8]) + frame(0x89, [9]))
                #expect(connection.next() == .pong(Data([9])))
                connection.echo()
            })
            let socket = session.webSocket(peer.url)
            #expect(try await socket.ping() > .zero)
            socket.close()
            #expect(await socket.outcome() == nil)
        }

        /// A connection that died silently is noticed, and the error says how.
        @Test func deadConnection() async throws {
            let peer = try WebSocketPeer(script: { $0.awaitEnd() })
            var configuration = WebSocketConfiguration()
            (configuration.pingInterval, configuration.pongTimeout) = (0.05, 0.05)
            let socket = session.webSocket(peer.url, configuration: configuration)
            let error = await socket.everything().error
            #expect(error?.kind == .transportFailed(.timedOut))
            #expect(error?.isTimeout == true)
            #expect(error?.description.contains("the server did not answer a ping within 0.05 s (pongTimeout)") == true)
            try await waitUntil("the connection ends") { peer.openCount == 0 }
        }

        /// The idle timeout ends with the handshake, and pings keep a quiet connection.
        @Test func quietConnection() async throws {
            let count = Locked(0)
            let peer = try WebSocketPeer(script: { connection in
                while let event = connection.next() {
                    guard case .ping(let payload) = event else { continue }
                    connection.send(frame(0x8A, payload))
                    let number = count.withLock { count in
                        count += 1
                        return count
                    }
                    if number == 5 { return connection.close() }
                }
            })
            var configuration = WebSocketConfiguration()
            configuration.pingInterval = 0.02
            let patient = Session.onTest(configuration: .with { $0.timeoutIntervalForRequest = 0.01 })
            let socket = patient.webSocket(peer.url, configuration: configuration).timeout(idle: 30)
            #expect(await socket.everything().error == nil)
            #expect(count.withLock { $0 } == 5)
        }
    }
#endif
