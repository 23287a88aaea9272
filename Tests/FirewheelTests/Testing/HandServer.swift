#if os(Linux)
    import Firewheel
    import Foundation
    import Glibc
    import Testing

    @testable import FirewheelTesting

    /// A server on the loopback address that does nothing by itself: a test takes in its connections, reads and writes, at the moment that matters. Its
    /// members block the calling thread, for 20 seconds at the most, so that a failing test does not hang.
    final class HandServer: Sendable {
        let port: Int
        private let listener: Int32
        private let connections = Journal<Int32>()

        /// - Parameter receiveBuffer: The bytes that the system takes in before they are read. nil is the system's choice.
        init(receiveBuffer: Int32? = nil) throws {
            (listener, port) = try Loopback.listen(backlog: 512)
            guard var size = receiveBuffer else { return }
            setsockopt(listener, SOL_SOCKET, SO_RCVBUF, &size, socklen_t(MemoryLayout<Int32>.size))
        }

        deinit { for descriptor in connections.entries + [listener] { close(descriptor) } }

        /// Resets a connection. Its descriptor stays open, so that its number is not reused.
        func reset(_ connection: Int32) {
            var unspecified = sockaddr()
            unspecified.sa_family = sa_family_t(AF_UNSPEC)
            connect(connection, &unspecified, socklen_t(MemoryLayout<sockaddr>.size))
        }

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
            String(try readRequest(connection, bodySize: 0).head.split(separator: " ")[1])
        }

        /// Reads a request with so many bytes of a body.
        func readRequest(_ connection: Int32, bodySize: Int) throws -> (head: String, body: Data) {
            var bytes = Data()
            var headEnd: Data.Index?
            while headEnd.map({ bytes.count - $0 < bodySize }) ?? true {
                let more = try Self.read(connection)
                guard !more.isEmpty else { throw WaitedInVain(what: "a request") }
                bytes += more
                headEnd = headEnd ?? bytes.range(of: Data("\r\n\r\n".utf8))?.upperBound
            }
            let end = headEnd ?? bytes.endIndex
            return (String(decoding: bytes[..<end], as: UTF8.self), Data(bytes[end...]))
        }

        /// Reads so many bytes at least.
        func read(_ count: Int, from connection: Int32) throws {
            var rest = count
            while rest > 0 {
                let bytes = try Self.read(connection)
                guard !bytes.isEmpty else { throw WaitedInVain(what: "bytes") }
                rest -= bytes.count
            }
        }

        /// Reads what there is, and waits for the first byte.
        ///
        /// - Returns: The number of bytes.
        func readSome(_ most: Int, from connection: Int32) throws -> Int {
            let bytes = try Self.read(connection, most)
            guard !bytes.isEmpty else { throw WaitedInVain(what: "bytes") }
            return bytes.count
        }

        /// Sends the end.
        func end(_ connection: Int32) { shutdown(connection, Int32(SHUT_WR)) }

        /// Writes. By the time that it returns the bytes lie at the client's end, or the client has gone.
        func write(_ text: String, to connection: Int32) {
            let bytes = Array(text.utf8)
            guard send(connection, bytes, bytes.count, Int32(MSG_NOSIGNAL)) > 0 else { return }
            let deadline = DispatchTime.now() + 20
            var unsent: Int32 = 1
            while unsent > 0, DispatchTime.now() < deadline {
                _ = ioctl(connection, UInt(TIOCOUTQ), &unsent)
                var polled = pollfd(fd: connection, events: 0, revents: 0)
                guard poll(&polled, 1, 0) == 0 else { return }
                usleep(500)
            }
        }

        /// Writes a response with a body.
        ///
        /// - Parameter isLast: Whether it says that the connection ends with it.
        func answer(_ body: String, on connection: Int32, closing isLast: Bool = false) {
            let field = isLast ? "Connection: close\r\n" : ""
            write("HTTP/1.1 200 OK\r\nContent-Length: \(body.utf8.count)\r\n\(field)\r\n\(body)", to: connection)
        }

        /// Waits until the client ends a connection.
        func isEnded(_ connection: Int32) -> Bool { (try? Self.read(connection))?.isEmpty == true }

        /// Waits until the client has closed or reset a connection, whatever it has sent.
        func isGone(_ connection: Int32) -> Bool {
            var bytes = [UInt8](repeating: 0, count: 65_536)
            while (try? Self.wait(for: connection, "the end")) != nil {
                if recv(connection, &bytes, bytes.count, 0) <= 0 { return true }
            }
            return false
        }

        /// Takes one connection, and reads a request without a body from it.
        func serve(_ work: @escaping @Sendable (Int32) throws -> Void) async {
            await onThreads(1) { _ in
                do { try work(try self.accept().connection) } catch { Issue.record(error) }
            }
        }

        /// The response to a request for which one connection is taken and served. Of a body that is uploaded
        /// only the first byte of its request is read.
        func response(
            _ configuration: SessionConfiguration = .default, upload body: Data? = nil, _ work: @escaping @Sendable (Int32) throws -> Void
        ) async throws -> DataResponse<Data?> {
            let request = try URLRequest.upload(body, to: url, method: body == nil ? .get : .post)
            async let response = once(configuration) { $0.request(request) }.response
            if body == nil {
                await serve(work)
            } else {
                await onThreads(1) { _ in
                    do {
                        let connection = try self.acceptConnection()
                        _ = try self.readSome(1, from: connection)
                        try work(connection)
                    } catch {
                        Issue.record(error)
                    }
                }
            }
            return await response
        }

        /// The next bytes; empty at the end.
        private static func read(_ connection: Int32, _ most: Int = 65_536) throws -> ArraySlice<UInt8> {
            try wait(for: connection, "bytes")
            var bytes = [UInt8](repeating: 0, count: most)
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
