#if os(Linux)
    import Foundation
    import Glibc

    /// A server on the loopback address that does nothing by itself: a test takes in its connections, reads and writes, at the moment that matters. Its
    /// members block the calling thread, for 20 seconds at the most, so that a failing test does not hang.
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
                    bind(listener, $0, size) == 0 && getsockname(listener, $0, &size) == 0 && listen(listener, 128) == 0
                }
            }
            self.listener = listener
            port = Int(UInt16(bigEndian: address.sin_port))
            guard isListening else { throw BoundSocket.Failure() }
        }

        deinit { for descriptor in connections.entries + [listener] { close(descriptor) } }

        var url: String { "http://127.0.0.1:\(port)/" }

        /// The next connection.
        func acceptConnection() throws -> Int32 {
            try Self.wait(for: listener, "a connection")
            let connection = Glibc.accept(listener, nil, nil)
            guard connection >= 0 else { throw WaitedInVain(what: "a connection") }
            _ = fcntl(connection, F_SETFD, FD_CLOEXEC)
            connections.add(connection)
            return connection
        }

        /// The next connection, and the path of the first request on it.
        func accept() throws -> (connection: Int32, path: String) {
            let connection = try acceptConnection()
            return (connection, try readPath(connection))
        }

        /// Reads a request without a body.
        func readPath(_ connection: Int32) throws -> String {
            var head = ""
            while !head.hasSuffix("\r\n\r\n") {
                let bytes = try Self.read(connection)
                guard !bytes.isEmpty else { throw WaitedInVain(what: "a request") }
                head += String(decoding: bytes, as: UTF8.self)
            }
            return String(head.split(separator: " ")[1])
        }

        /// Writes. By the time that it returns the bytes lie at the client's end.
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

        /// Writes a response with a body.
        func answer(_ body: String, on connection: Int32) {
            write("HTTP/1.1 200 OK\r\nContent-Length: \(body.utf8.count)\r\n\r\n\(body)", to: connection)
        }

        /// Waits until the client ends a connection.
        func isEnded(_ connection: Int32) -> Bool { (try? Self.read(connection))?.isEmpty == true }

        /// What comes next; empty at the end.
        private static func read(_ connection: Int32) throws -> ArraySlice<UInt8> {
            try wait(for: connection, "bytes")
            var bytes = [UInt8](repeating: 0, count: 65_536)
            let count = recv(connection, &bytes, bytes.count, 0)
            guard count >= 0 else { throw WaitedInVain(what: "bytes") }
            return bytes[..<count]
        }

        private static func wait(for descriptor: Int32, _ what: String) throws {
            var polled = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
            guard poll(&polled, 1, 20_000) > 0 else { throw WaitedInVain(what: what) }
        }
    }
#endif
