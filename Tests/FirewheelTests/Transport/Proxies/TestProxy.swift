#if os(Linux)
    import Foundation
    import Glibc

    @testable import Firewheel
    @testable import FirewheelTesting

    /// An HTTP proxy on the loopback address that answers CONNECT as a test wants, and records the heads of the requests that it gets. It
    /// connects to a port of 127.0.0.1 whatever the name of the server is.
    final class TestProxy: Sendable {
        enum Answer: Sendable {
            /// Connects, and says so with these bytes.
            case connect(String = "HTTP/1.1 200 Connection established\r\n\r\n")
            /// Sends these bytes and ends the connection, or waits for the next request on it.
            case bytes(String, closes: Bool = true)
        }

        private let listener: FrontListener
        private let log = Journal<String>()
        private let begun = Journal<Void>()
        private let ended = Journal<Void>()

        init(isIPv6: Bool = false, answer: @escaping @Sendable (_ head: String) -> Answer = { _ in .connect() }) throws {
            let (log, begun, ended) = (log, begun, ended)
            listener = try FrontListener(name: "mock-proxy", isIPv6: isIPv6) { arrival in
                begun.add(())
                defer { ended.add(()) }
                while let head = Self.readHead(arrival) {
                    log.add(head)
                    switch answer(head) {
                    case .bytes(let text, let closes):
                        Self.send(Array(text.unicodeScalars.map { UInt8(truncatingIfNeeded: $0.value) }), to: arrival.client)
                        guard closes else { continue }
                        shutdown(arrival.client, Int32(SHUT_WR))
                        return Self.pass(arrival, to: nil)
                    case .connect(let text):
                        let authority = head.split(separator: " ").dropFirst().first ?? ""
                        let port = Int(authority.split(separator: ":").last ?? "") ?? 0
                        guard let server = try? RawConnection(port: port) else {
                            return Self.send(Array("HTTP/1.1 502 Bad Gateway\r\nContent-Length: 0\r\n\r\n".utf8), to: arrival.client)
                        }
                        Self.send(Array(text.utf8), to: arrival.client)
                        return Self.pass(arrival, to: server.descriptor)
                    }
                }
            }
        }

        var port: Int { listener.port }
        var configuration: ProxyConfiguration { .http(host: "127.0.0.1", port: port) }
        /// The heads of the requests, in their order.
        var heads: [String] { log.entries }

        /// The number of connections that have not ended.
        var openCount: Int { begun.count - ended.count }

        /// The number of connections, ended ones included.
        var connectionCount: Int { begun.count }

        func stop() { listener.stop() }

        private static func readHead(_ arrival: FrontListener.Arrival) -> String? {
            var bytes: [UInt8] = []
            while !String(decoding: bytes, as: UTF8.self).hasSuffix("\r\n\r\n") {
                guard let more = read(of: [arrival.client], stop: arrival.stop)?.bytes, !more.isEmpty else { return nil }
                bytes += more
            }
            return String(decoding: bytes, as: UTF8.self)
        }

        /// Passes bytes on in both directions until one end closes; without a server, until the client does.
        private static func pass(_ arrival: FrontListener.Arrival, to server: Int32?) {
            while let (source, bytes) = read(of: [arrival.client] + (server.map { [$0] } ?? []), stop: arrival.stop) {
                guard !bytes.isEmpty else { return }
                if source == server { send(bytes, to: arrival.client) } else if let server { send(bytes, to: server) }
            }
        }

        private static func read(of sources: [Int32], stop: Int32) -> (source: Int32, bytes: [UInt8])? {
            while true {
                var polled = ([stop] + sources).map { pollfd(fd: $0, events: Int16(POLLIN), revents: 0) }
                guard poll(&polled, nfds_t(polled.count), -1) > 0 || errno == EINTR, polled[0].revents == 0 else { return nil }
                guard let ready = polled.dropFirst().first(where: { $0.revents != 0 })?.fd else { continue }
                var buffer = [UInt8](repeating: 0, count: 65_536)
                let count = recv(ready, &buffer, buffer.count, 0)
                if count < 0, errno == EAGAIN || errno == EINTR { continue }
                return (ready, Array(buffer[..<max(0, count)]))
            }
        }

        private static func send(_ bytes: [UInt8], to target: Int32) {
            var sent = 0
            while sent < bytes.count {
                let count = bytes[sent...].withUnsafeBytes { Glibc.send(target, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL)) }
                if count < 0, errno == EAGAIN {
                    var polled = pollfd(fd: target, events: Int16(POLLOUT), revents: 0)
                    guard poll(&polled, 1, 20_000) > 0 else { return }
                    continue
                }
                guard count > 0 else { return }
                sent += count
            }
        }
    }
#endif
