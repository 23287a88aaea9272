#if os(Linux)
    import CFirewheelSystem
    import Foundation
    import Glibc

    /// Connects to Unix sockets, off the loop: a path may lead to a file system that does not answer, and the system does not say when a
    /// listener whose queue is full has room, but lets a thread wait for it (connect(2)).
    ///
    /// Each socket has a thread while somebody waits for it, so that those who wait are served in order.
    final class UnixConnector: Sendable {
        static let shared = UnixConnector()

        /// A connected socket, which belongs to whoever gets it, or the failure.
        typealias Answer = Result<Int32, TransportFailure>
        typealias Completion = @Sendable (_ ticket: UInt64, Answer) -> Void

        /// How long a thread waits for a listener before it looks whether somebody still waits for the connection.
        private static let patience = timeval(tv_sec: 0, tv_usec: 100_000)

        fileprivate struct Line {
            /// In the order in which they were given, abandoned ones included.
            var tickets: [UInt64] = []
            var first = 0
            var completions: [UInt64: Completion] = [:]
        }

        private struct State {
            /// By socket. A socket with a line has a thread.
            var lines: [UnixSocket: Line] = [:]
            var lastTicket: UInt64 = 0
        }

        private let state = Locked(State())
        private let dial: @Sendable (UnixSocket) -> Answer?

        /// - Parameter dial: Connects, and gives nil if the listener has had no room for a while; replaced in tests.
        init(dial: @escaping @Sendable (UnixSocket) -> Answer? = UnixConnector.dial) { self.dial = dial }

        /// Connects and calls back on another thread, or on this one if none can be started.
        ///
        /// - Returns: The ticket, for ``abandon(_:of:)``.
        func connect(to socket: UnixSocket, completion: @escaping Completion) -> UInt64 {
            let (ticket, needsThread) = state.withLock { state -> (UInt64, Bool) in
                state.lastTicket += 1
                let needsThread = state.lines[socket] == nil
                state.lines[socket, default: Line()].tickets.append(state.lastTicket)
                state.lines[socket]?.completions[state.lastTicket] = completion
                return (state.lastTicket, needsThread)
            }
            guard needsThread else { return ticket }
            let isStarted = PlatformThread.start(name: "firewheel.unix", stackSize: 256 * 1024) {
                PlatformThread.detach(PlatformThread.current)
                self.work(on: socket)
            }
            if !isStarted {
                let line = state.withLock { $0.lines.removeValue(forKey: socket) }
                for (ticket, completion) in line?.completions ?? [:] {
                    completion(ticket, .failure(TransportFailure("no thread is left to connect to \(socket)")))
                }
            }
            return ticket
        }

        /// Ends the wait for a connection. An answer that was given already is not called back.
        func abandon(_ ticket: UInt64, of socket: UnixSocket) {
            state.withLock { $0.lines[socket]?.completions[ticket] = nil }
        }

        private func work(on socket: UnixSocket) {
            while isWanted(socket) {
                guard let answer = dial(socket) else { continue }
                let first = state.withLock { state -> (ticket: UInt64, completion: Completion)? in
                    guard let ticket = state.lines[socket]?.firstWaiting() else { return nil }
                    return state.lines[socket]?.completions.removeValue(forKey: ticket).map { (ticket, $0) }
                }
                if let first {
                    first.completion(first.ticket, answer)
                } else if case .success(let descriptor) = answer {
                    close(descriptor)
                }
            }
        }

        /// Whether somebody waits. Otherwise the thread is no longer the socket's.
        private func isWanted(_ socket: UnixSocket) -> Bool {
            state.withLock { state in
                if state.lines[socket]?.firstWaiting() != nil { return true }
                state.lines[socket] = nil
                return false
            }
        }

        /// nil if the listener has had no room for a while.
        private static func dial(_ socket: UnixSocket) -> Answer? {
            let address = SocketAddress(socket)
            let descriptor = Glibc.socket(AF_UNIX, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
            guard descriptor >= 0 else { return .failure(failure(errno, socket)) }
            guard DescriptorReserve.isKept(behind: descriptor) else {
                close(descriptor)
                return .failure(failure(EMFILE, socket))
            }
            var patience = patience
            setsockopt(descriptor, SOL_SOCKET, SO_SNDTIMEO, &patience, socklen_t(MemoryLayout<timeval>.size))
            let begun = MonotonicInstant.now()
            let result = address.withPointer { Glibc.connect(descriptor, $0, $1) }
            let code = result == 0 ? 0 : errno
            if code == 0, fcntl(descriptor, F_SETFL, O_NONBLOCK) == 0 { return .success(descriptor) }
            close(descriptor)
            guard code == EAGAIN || code == EINTR else { return .failure(failure(code, socket)) }
            // Where the system does not wait, this does.
            if MonotonicInstant.now().seconds(since: begun) < 0.01 { usleep(10_000) }
            return nil
        }

        private static func failure(_ code: Int32, _ socket: UnixSocket) -> TransportFailure {
            let words =
                switch code {
                case ENOENT: "there is no such file"
                case ECONNREFUSED where socket.isAbstract: "no program listens to it"
                case ECONNREFUSED: refusal(ofFile: socket.text)
                case EPROTOTYPE: "it is not a stream socket"
                case let code: ConnectionWords.reason(code)
                }
            return TransportFailure("cannot connect to \(socket): \(words)")
        }

        /// The system refuses to connect to a file of any other kind, as to a socket without a listener.
        private static func refusal(ofFile path: String) -> String {
            var status = stat()
            guard stat(path, &status) == 0 else { return "connection refused" }
            switch status.st_mode & S_IFMT {
            case S_IFSOCK: return "no program listens to it"
            case S_IFDIR: return "it is a folder"
            default: return "it is not a socket"
            }
        }
    }

    extension UnixConnector.Line {
        /// The first of those that wait; nil if nobody does.
        fileprivate mutating func firstWaiting() -> UInt64? {
            while first < tickets.count {
                if completions[tickets[first]] != nil { return tickets[first] }
                first += 1
                if first >= 1024, first * 2 >= tickets.count {
                    tickets.removeFirst(first)
                    first = 0
                }
            }
            return nil
        }
    }
#endif
