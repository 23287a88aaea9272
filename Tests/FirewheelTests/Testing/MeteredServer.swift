#if os(Linux)
    import Foundation
    import Glibc

    @testable import FirewheelTesting

    /// Answers every request with one body of computed bytes, `pattern(_:)`, no further than it is allowed to, and counts what the system has taken of it.
    final class MeteredServer: Sendable {
        private struct State {
            var sent = 0
            var allowed: Int
            var connection: Int32 = -1
            var isClosed = false
        }

        let port: Int
        private let descriptor: Int32
        private let isDone = DispatchSemaphore(value: 0)
        private let shared: Shared

        private final class Shared: Sendable {
            let condition = NSCondition()
            // Only touched while holding `condition`.
            nonisolated(unsafe) var state: State

            init(allowed: Int) { state = State(allowed: allowed) }

            func with<Result>(_ body: (inout State) -> Result) -> Result {
                condition.withLock {
                    defer { condition.broadcast() }
                    return body(&state)
                }
            }

            /// How many bytes may be sent now; 0 when it is over.
            func allowance(after sent: Int) -> Int {
                condition.withLock {
                    while !state.isClosed, state.allowed <= sent { condition.wait() }
                    return state.isClosed ? 0 : state.allowed - sent
                }
            }
        }

        /// - Parameters:
        ///   - size: The bytes of the body.
        ///   - allowed: How many of them may be sent at first.
        init(size: Int, allowed: Int = .max) throws {
            let (descriptor, port) = try Loopback.listen(backlog: 8)
            (self.descriptor, self.port) = (descriptor, port)
            shared = Shared(allowed: allowed)
            let (isDone, shared) = (isDone, shared)
            Thread.detachNewThread {
                while true {
                    let connection = accept(descriptor, nil, nil)
                    guard connection >= 0 else { break }
                    _ = fcntl(connection, F_SETFD, FD_CLOEXEC)
                    Self.serve(connection, size, shared)
                }
                isDone.signal()
            }
        }

        deinit {
            let connection = shared.with { state in
                state.isClosed = true
                return state.connection
            }
            if connection >= 0 { shutdown(connection, Int32(SHUT_RDWR)) }
            shutdown(descriptor, Int32(SHUT_RDWR))
            isDone.wait()
            close(descriptor)
        }

        var url: String { "http://127.0.0.1:\(port)/" }

        /// The bytes of bodies that the system has taken so far.
        var sent: Int { shared.with { $0.sent } }

        /// Allows so many bytes more.
        func allow(_ count: Int) { shared.with { $0.allowed += count } }

        private static func serve(_ connection: Int32, _ size: Int, _ shared: Shared) {
            let isOpen = shared.with { state in
                state.connection = connection
                return !state.isClosed
            }
            defer {
                shared.with { $0.connection = -1 }
                close(connection)
            }
            var bytes = [UInt8](repeating: 0, count: 65_536)
            guard isOpen, recv(connection, &bytes, bytes.count, 0) > 0 else { return }
            let head = Array("HTTP/1.1 200 OK\r\nContent-Length: \(size)\r\nConnection: close\r\n\r\n".utf8)
            _ = send(connection, head, head.count, Int32(MSG_NOSIGNAL))
            let block = [UInt8](pattern(patternPeriod))
            var sent = 0
            while sent < size {
                let start = sent % patternPeriod
                let count = min(size - sent, patternPeriod - start, shared.allowance(after: sent))
                guard count > 0 else { return }
                let taken = block.withUnsafeBytes { send(connection, $0.baseAddress.map { $0 + start }, count, Int32(MSG_NOSIGNAL)) }
                guard taken > 0 else { return }
                sent += taken
                shared.with { $0.sent += taken }
            }
            shutdown(connection, Int32(SHUT_WR))
            while recv(connection, &bytes, bytes.count, 0) > 0 {}
        }
    }
#endif
