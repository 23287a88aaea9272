#if os(Linux)
    import Foundation

    @testable import Firewheel
    @testable import FirewheelTesting

    /// A server on the loopback address that opens WebSockets and then does with each what a test wants, wrong things too.
    final class WebSocketPeer: Sendable {
        /// One connection, behind its handshake. Used by its script only.
        final class Connection: @unchecked Sendable {
            // Sound because only the listener's thread for this connection uses it.

            /// The request's head.
            let head: String
            private let arrival: FrontListener.Arrival
            private let reader: WebSocketReader
            private var input: [UInt8] = []
            private var position = 0

            fileprivate init(_ arrival: FrontListener.Arrival, _ head: String, inflater: MessageInflater?) {
                self.arrival = arrival
                self.head = head
                reader = server(message: 1 << 30, inflater: inflater)
            }

            func send(_ bytes: [UInt8]) { arrival.send(bytes) }
            func send(_ text: String) { send(frame(0x81, Array(text.utf8))) }

            /// The next event of what the client sends; nil at the end of the connection.
            func next() -> WebSocketReader.Event? {
                while true {
                    let (consumed, event) = input.withUnsafeBytes { reader.read(UnsafeRawBufferPointer(rebasing: $0[position...])) }
                    position += consumed
                    if case .needsMore = event {} else { return event }
                    guard let more = arrival.read(), !more.isEmpty else { return nil }
                    (input, position) = (more, 0)
                }
            }

            /// Answers messages with the same, pings with pongs and a close frame with another, until the end.
            func echo() {
                while let event = next() {
                    switch event {
                    case .message(.text(let text)): send(frame(0x81, Array(text.utf8)))
                    case .message(.data(let data)): send(frame(0x82, Array(data)))
                    case .ping(let payload): send(frame(0x8A, payload))
                    case .close(let code, _): return close(code)
                    case .pong, .needsMore: break
                    case .failed: return
                    }
                }
            }

            /// Sends a close frame.
            func close(_ code: WebSocketCloseCode? = .normalClosure, _ reason: String = "") {
                send(code.map { closeFrame($0.rawValue, Array(reason.utf8)) } ?? frame(0x88, []))
            }

            /// Reads until the client ends the connection.
            func awaitEnd() { while arrival.read()?.isEmpty == false {} }
        }

        private let listener: FrontListener
        private let log = Journal<String>()
        private let begun = Journal<Void>()
        private let ended = Journal<Void>()

        /// - Parameters:
        ///   - answer: The head of the response, from that of the request, with one character for each byte. Default: opens the WebSocket.
        ///   - inflater: Makes what decompresses messages. Default: none.
        ///   - script: What to do behind a 101.
        init(
            answer: @escaping @Sendable (_ head: String) -> String = { WebSocketPeer.accept($0) },
            inflater: @escaping @Sendable () -> MessageInflater? = { nil },
            script: @escaping @Sendable (Connection) -> Void = { $0.echo() }
        ) throws {
            let (log, begun, ended) = (log, begun, ended)
            listener = try FrontListener(name: "mock-websocket") { arrival in
                begun.add(())
                defer { ended.add(()) }
                var bytes: [UInt8] = []
                while true {
                    while !String(decoding: bytes, as: UTF8.self).hasSuffix("\r\n\r\n") {
                        guard let more = arrival.read(), !more.isEmpty else { return }
                        bytes += more
                    }
                    let head = String(decoding: bytes, as: UTF8.self)
                    bytes = []
                    log.add(head)
                    let response = answer(head)
                    arrival.send(Array(response.unicodeScalars.map { UInt8(truncatingIfNeeded: $0.value) }))
                    guard response.hasPrefix("HTTP/1.1 101 ") else { continue }
                    script(Connection(arrival, head, inflater: inflater()))
                    return arrival.end()
                }
            }
        }

        deinit { listener.stop() }

        var port: Int { listener.port }
        var url: String { "ws://127.0.0.1:\(port)/chat" }
        /// The heads of the requests, in their order.
        var heads: [String] { log.entries }
        /// The number of connections that have not ended.
        var openCount: Int { begun.count - ended.count }

        /// A 101 for a request's key, with further header lines.
        static func accept(_ head: String, _ lines: String...) -> String {
            let key = field("Sec-WebSocket-Key", of: head) ?? ""
            let hash = (try? HashAlgorithm.sha1.hash(Array((key + "258EAFA5-E914-47DA-95CA-C5AB0DC85B11").utf8))) ?? []
            let accept = "Sec-WebSocket-Accept: \(Data(hash).base64EncodedString())"
            return (["HTTP/1.1 101 Switching Protocols", "Upgrade: websocket", "Connection: Upgrade", accept] + lines + ["", ""])
                .joined(separator: "\r\n")
        }

        /// The value of a header field.
        static func field(_ name: String, of head: String) -> String? {
            for line in head.components(separatedBy: "\r\n") where line.lowercased().hasPrefix(name.lowercased() + ": ") {
                return String(line.dropFirst(name.count + 2))
            }
            return nil
        }
    }

    /// Waits until a count that has begun does not grow any more.
    func stallOf(_ count: Locked<Int>) async throws -> Int {
        var last = 0
        while true {
            let now = count.withLock { $0 }
            if now == last, now > 0 { return now }
            last = now
            try await Task.sleep(nanoseconds: 300_000_000)
        }
    }

    extension WebSocketRequest {
        /// The messages up to the end, and the error.
        func everything() async -> (messages: [WebSocketMessage], error: FirewheelError?) {
            var received: [WebSocketMessage] = []
            do {
                for try await message in messages { received.append(message) }
                return (received, nil)
            } catch {
                return (received, error as? FirewheelError)
            }
        }

        /// The error with which the request ends.
        func outcome() async -> FirewheelError? {
            let end = OneShot<(any Error)?>()
            onClose(queue: .global()) { end.fulfill($0) }
            return await end.value as? FirewheelError
        }
    }
#endif
