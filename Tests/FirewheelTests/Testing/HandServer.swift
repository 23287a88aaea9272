#if os(Linux)
    import Foundation
    import Glibc

    /// A server whose every move the test makes: it takes in a connection, reads and writes when it is told to. Its members block the calling thread, for
    /// 20 seconds at the most.
    final class HandServer: Sendable {
        let port: Int
        private let listener: Int32
        private let connections = Journal<Int32>()

        init() throws {
            let listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
            var address = sockaddr_in()
            address.sin_family = sa_family_t(AF_INET)
            address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
            var size = socklen_t(MemoryLayout<sockaddr_in>.size)
            let isListening = withUnsafeMutablePointer(to: &address) { pointer in
                pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                    bind(listener, $0, size) == 0 && getsockname(listener, $0, &size) == 0 && listen(listener, 8) == 0
                }
            }
            self.listener = listener
            port = Int(UInt16(bigEndian: address.sin_port))
            guard isListening else { throw BoundSocket.Failure() }
        }

        deinit { for descriptor in connections.entries + [listener] { close(descriptor) } }

        var url: String { "http://127.0.0.1:\(port)/" }

        /// The next connection, once a request has begun on it; nil if none comes.
        func accept() -> Int32? {
            guard Self.wait(for: listener) else { return nil }
            let connection = Glibc.accept(listener, nil, nil)
            guard connection >= 0 else { return nil }
            _ = fcntl(connection, F_SETFD, FD_CLOEXEC)
            connections.add(connection)
            return Self.read(connection) > 0 ? connection : nil
        }

        /// Writes, and waits until it has reached the client's system.
        func write(_ text: String, to connection: Int32) {
            let bytes = Array(text.utf8)
            _ = send(connection, bytes, bytes.count, Int32(MSG_NOSIGNAL))
            let deadline = DispatchTime.now() + 20
            var unsent: Int32 = 1
            while unsent > 0, DispatchTime.now() < deadline {
                _ = ioctl(connection, UInt(TIOCOUTQ), &unsent)
                usleep(500)
            }
        }

        /// Whether the client ends a connection.
        func isEnded(_ connection: Int32) -> Bool { Self.read(connection) == 0 }

        /// - Returns: How many bytes came, 0 for the end.
        private static func read(_ connection: Int32) -> Int {
            guard wait(for: connection) else { return -1 }
            var bytes = [UInt8](repeating: 0, count: 65_536)
            return recv(connection, &bytes, bytes.count, 0)
        }

        private static func wait(for descriptor: Int32) -> Bool {
            var polled = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
            return poll(&polled, 1, 20_000) > 0
        }
    }
#endif
