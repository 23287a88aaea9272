#if os(Linux)
    import Foundation
    import Glibc

    /// A server on the loopback address that does nothing by itself: a test takes in its connections, reads and writes, at the moment that matters.
    ///
    /// Used by one thread at a time. Each wait ends after 20 seconds, so that a failing test does not hang.
    final class HandServer {
        let port: Int
        private let listener: Int32
        private var connections: [Int32] = []

        init() throws {
            listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
            var address = sockaddr_in()
            address.sin_family = sa_family_t(AF_INET)
            address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
            var size = socklen_t(MemoryLayout<sockaddr_in>.size)
            let listener = listener
            let isListening = withUnsafeMutablePointer(to: &address) { pointer in
                pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                    bind(listener, $0, size) == 0 && getsockname(listener, $0, &size) == 0 && listen(listener, 128) == 0
                }
            }
            port = Int(UInt16(bigEndian: address.sin_port))
            guard isListening else { throw BoundSocket.Failure() }
        }

        deinit { for descriptor in connections + [listener] { close(descriptor) } }

        /// The next connection, and the path of the first request on it.
        func accept() throws -> (connection: Int32, path: String) {
            var waiting = pollfd(fd: listener, events: Int16(POLLIN), revents: 0)
            guard poll(&waiting, 1, 20_000) == 1 else { throw WaitedInVain(what: "a connection") }
            let connection = Glibc.accept(listener, nil, nil)
            guard connection >= 0 else { throw WaitedInVain(what: "a connection") }
            _ = fcntl(connection, F_SETFD, FD_CLOEXEC)
            connections.append(connection)
            return (connection, try readPath(connection))
        }

        /// Reads a request without a body.
        func readPath(_ connection: Int32) throws -> String {
            var head = ""
            while !head.hasSuffix("\r\n\r\n") {
                var waiting = pollfd(fd: connection, events: Int16(POLLIN), revents: 0)
                var bytes = [UInt8](repeating: 0, count: 4096)
                guard poll(&waiting, 1, 20_000) == 1, case let count = recv(connection, &bytes, bytes.count, 0), count > 0 else {
                    throw WaitedInVain(what: "a request")
                }
                head += String(decoding: bytes[..<count], as: UTF8.self)
            }
            return String(head.split(separator: " ")[1])
        }

        /// Answers with a body. By the time that it returns the bytes lie at the client's end.
        func answer(_ body: String, on connection: Int32) {
            let text = Array("HTTP/1.1 200 OK\r\nContent-Length: \(body.utf8.count)\r\n\r\n\(body)".utf8)
            _ = send(connection, text, text.count, Int32(MSG_NOSIGNAL))
        }
    }
#endif
