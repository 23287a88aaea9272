#if os(Linux)
    import FirewheelTesting
    import Foundation
    import Testing

    @testable import Firewheel

    /// Back-pressure, suspended requests and pings.
    @Suite struct WebSocketFlowTests {
        private let session = Session.onTest()

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
            _ = try await stallOf(sent)
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
            let last = try await stallOf(sent)
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
            let last = try await stallOf(sent)
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
