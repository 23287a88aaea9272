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
                        arrival.send(Array(text.unicodeScalars.map { UInt8(truncatingIfNeeded: $0.value) }))
                        guard closes else { continue }
                        return arrival.end()
                    case .connect(let text):
                        let authority = head.split(separator: " ").dropFirst().first ?? ""
                        let port = Int(authority.split(separator: ":").last ?? "") ?? 0
                        guard let server = try? RawConnection(port: port) else {
                            return arrival.send(Array("HTTP/1.1 502 Bad Gateway\r\nContent-Length: 0\r\n\r\n".utf8))
                        }
                        arrival.send(Array(text.utf8))
                        return arrival.pass(to: server.descriptor)
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
                guard let more = arrival.read(), !more.isEmpty else { return nil }
                bytes += more
            }
            return String(decoding: bytes, as: UTF8.self)
        }
    }
#endif
