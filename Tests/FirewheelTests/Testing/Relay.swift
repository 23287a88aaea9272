#if os(Linux)
    import Foundation
    import Glibc

    @testable import Firewheel
    @testable import FirewheelTesting

    /// Stands between a client and a server, passes on what they say, and can end connections under them.
    final class Relay: Sendable {
        private struct State {
            var accepted = 0
            /// The connections with a lower number are to be ended.
            var cut = 0
        }

        private struct Connection {
            let number: Int
            let client: Int32
            let server: RawConnection
        }

        let port: Int
        private let listener: Int32
        private let state = Locked(State())
        private let isDone = DispatchSemaphore(value: 0)

        /// - Parameters:
        ///   - port: The server's, on the loopback address.
        ///   - together: How many bytes of the server's are waited for, for 20 seconds at the most, once 8,192 have come at a time, and passed on at once.
        init(to port: Int, together: Int = 0) throws {
            let (listener, own) = try Loopback.listen(backlog: 64)
            (self.listener, self.port) = (listener, own)
            let (state, isDone) = (state, isDone)
            let thread = Thread {
                Self.run(listener, port, together, state)
                isDone.signal()
            }
            thread.start()
        }

        deinit {
            // Ends the wait for the next connection.
            shutdown(listener, Int32(SHUT_RDWR))
            isDone.wait()
            close(listener)
        }

        /// Has the connections that stand now end at the next thing that their client says, which the server does not hear.
        func cut() {
            state.withLock { $0.cut = $0.accepted }
        }

        /// How many connections there have been.
        var connectionCount: Int { state.withLock { $0.accepted } }

        private static func run(_ listener: Int32, _ port: Int, _ together: Int, _ state: Locked<State>) {
            var connections: [Connection] = []
            defer { for connection in connections { close(connection.client) } }
            while true {
                let ends = connections.flatMap { [$0.client, $0.server.descriptor] }
                var polled = ([listener] + ends).map { pollfd(fd: $0, events: Int16(POLLIN), revents: 0) }
                guard poll(&polled, nfds_t(polled.count), -1) > 0 || errno == EINTR else { return }
                for connection in connections {
                    let isReady = polled.filter { $0.revents != 0 }.map(\.fd)
                    var isOver = false
                    if isReady.contains(connection.client) {
                        let isCut = state.withLock { connection.number < $0.cut }
                        isOver = !pass(from: connection.client, to: isCut ? nil : connection.server.descriptor) || isCut
                    }
                    if !isOver, isReady.contains(connection.server.descriptor) {
                        wait(for: together, from: connection.server.descriptor)
                        isOver = !pass(from: connection.server.descriptor, to: connection.client)
                    }
                    if isOver {
                        close(connection.client)
                        connections.removeAll { $0.number == connection.number }
                    }
                }
                if polled[0].revents != 0 {
                    let client = accept(listener, nil, nil)
                    guard client >= 0, let server = try? RawConnection(port: port) else { return }
                    _ = fcntl(client, F_SETFD, FD_CLOEXEC)
                    let number = state.withLock { state in
                        defer { state.accepted += 1 }
                        return state.accepted
                    }
                    connections.append(Connection(number: number, client: client, server: server))
                }
            }
        }

        private static func wait(for count: Int, from source: Int32) {
            let deadline = DispatchTime.now() + 20
            var pending: Int32 = 0
            while ioctl(source, UInt(FIONREAD), &pending) == 0, pending > 8_192, pending < count, DispatchTime.now() < deadline {
                usleep(500)
            }
        }

        /// - Returns: False at the end.
        private static func pass(from source: Int32, to target: Int32?) -> Bool {
            var bytes = [UInt8](repeating: 0, count: 65_536)
            let count = recv(source, &bytes, bytes.count, 0)
            guard count > 0 else { return false }
            guard let target else { return true }
            var sent = 0
            while sent < count {
                let now = bytes.withUnsafeBytes { send(target, $0.baseAddress.map { $0 + sent }, count - sent, Int32(MSG_NOSIGNAL)) }
                guard now > 0 else { return false }
                sent += now
            }
            return true
        }
    }
#endif
