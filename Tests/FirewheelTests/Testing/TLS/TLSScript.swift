#if os(Linux)
    import Foundation
    import Glibc

    @testable import Firewheel
    @testable import FirewheelTesting

    /// A server that does what a script says instead of TLS, on every connection.
    final class TLSScript: Sendable {
        enum Step: Sendable {
            /// Waits for the client's next bytes.
            case read
            case send([UInt8])
            /// FIN, then what the client still says is dropped.
            case end
            case reset
            /// Says nothing more; the connection stays open until the client or the server goes.
            case stall
        }

        /// What has come on a connection.
        struct Visit: Sendable {
            var received: [UInt8] = []
            var isOpen = true
        }

        private let listener: FrontListener
        private let log: Locked<[Visit]>

        init(_ steps: [Step]) throws {
            let log = Locked<[Visit]>([])
            self.log = log
            listener = try FrontListener(name: "mock-tls") { arrival in
                let number = log.withLock { log in
                    log.append(Visit())
                    return log.count - 1
                }
                Self.play(steps, arrival) { bytes in
                    let bytes = Array(bytes)
                    log.withLock { $0[number].received += bytes }
                }
                log.withLock { $0[number].isOpen = false }
            }
        }

        var port: Int { listener.port }
        var url: String { "https://127.0.0.1:\(port)/" }
        var visits: [Visit] { log.withLock { $0 } }

        /// Ends all connections and returns when their threads have ended.
        func stop() { listener.stop() }

        private static func play(_ steps: [Step], _ arrival: FrontListener.Arrival, _ taken: (UnsafeRawBufferPointer) -> Void) {
            let client = arrival.client
            for step in steps {
                switch step {
                case .read:
                    guard wait(client, POLLIN, arrival.stop) else { return }
                    let buffer = FrontBuffer()
                    guard buffer.fill({ recv(client, $0.baseAddress, $0.count, 0) }) > 0 else { return }
                    taken(buffer.bytes)
                case .send(let bytes):
                    var rest = bytes[...]
                    while !rest.isEmpty {
                        guard wait(client, POLLOUT, arrival.stop) else { return }
                        let count = rest.withUnsafeBytes { Glibc.send(client, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL)) }
                        guard count > 0 else { return }
                        rest = rest.dropFirst(count)
                    }
                case .end:
                    shutdown(client, Int32(SHUT_WR))
                    return FrontSocket.drain(client, unless: arrival.stop, into: taken)
                case .reset:
                    FrontSocket.waitUntilSent(client, unless: arrival.stop)
                    return FrontSocket.resetOnClose(client)
                case .stall: return FrontSocket.drain(client, unless: arrival.stop, into: taken)
                }
            }
        }

        private static func wait(_ client: Int32, _ event: Int32, _ stop: Int32) -> Bool {
            var polled = [pollfd(fd: client, events: Int16(event), revents: 0), pollfd(fd: stop, events: Int16(POLLIN), revents: 0)]
            return poll(&polled, 2, -1) > 0 && polled[1].revents == 0
        }
    }

    /// Bytes for scripts (RFC 8446, RFC 5246).
    extension TLSScript {
        /// A record: 21 is an alert, 22 a handshake message, 23 application data.
        static func record(_ type: UInt8, _ content: [UInt8], version: UInt16 = 0x0303) -> [UInt8] {
            [type] + bytes(version) + bytes(UInt16(truncatingIfNeeded: content.count)) + content
        }

        /// A fatal alert: 40 is handshake_failure, 70 protocol_version, 80 internal_error, 112 unrecognized_name, 116 certificate_required,
        /// 120 no_application_protocol.
        static func alert(_ description: UInt8, isFatal: Bool = true) -> [UInt8] { record(21, [isFatal ? 2 : 1, description]) }

        /// A handshake message: 2 is ServerHello, 11 Certificate, 14 ServerHelloDone.
        static func message(_ type: UInt8, _ content: [UInt8]) -> [UInt8] {
            [type] + bytes(long: content.count) + content
        }

        /// A ServerHello of TLS 1.2 that selects ECDHE-ECDSA with AES-128-GCM, for a client that offers it. Its extension is
        /// renegotiation_info, without which OpenSSL refuses it.
        static let serverHello = message(
            2, bytes(0x0303) + [UInt8](repeating: 7, count: 32) + [0] + bytes(0xC02B) + [0] + bytes(5) + bytes(0xFF01) + [0, 1, 0])

        /// TLS 1.2 up to a list of certificates without any. (With TLS 1.3 it is encrypted.)
        static let emptyChain = record(22, serverHello) + record(22, message(11, [0, 0, 0]))

        /// What a plain http server answers to a handshake.
        static let plainAnswer = Array("HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\nConnection: close\r\n\r\n".utf8)

        /// The head of a record and half of its content.
        static let halfRecord = Array(record(22, serverHello).prefix(30))

        private static func bytes(_ number: UInt16) -> [UInt8] { [UInt8(number >> 8), UInt8(number & 0xFF)] }

        /// Three bytes.
        private static func bytes(long count: Int) -> [UInt8] { [16, 8, 0].map { UInt8(truncatingIfNeeded: count >> $0) } }
    }
#endif
