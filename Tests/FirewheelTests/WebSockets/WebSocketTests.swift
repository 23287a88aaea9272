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
    }
#endif
