#if os(Linux)
    import Firewheel
    import Foundation
    import Glibc
    import TLSTestServer

    /// Takes in connections, on the loopback address unless a listener is given, and serves each on a thread of its own.
    final class FrontListener: Sendable {
        private struct State {
            /// Threads that have ended and wait for being joined.
            var ended: [UInt] = []
            var isStopped = false
        }

        /// A connection and a descriptor that becomes readable when the server stops. Both belong to the listener.
        struct Arrival: Sendable {
            let number: Int
            let client: Int32
            let stop: Int32
        }

        let port: Int
        private let listener: Int32
        /// Readable for all threads from `stop()` on, because nobody reads it.
        private let stopEvent: Int32
        private let state = Locked(State())
        private let running = DispatchGroup()

        convenience init(name: String, isIPv6: Bool = false, serve: @escaping @Sendable (Arrival) -> Void) throws {
            let (listener, port) = try isIPv6 ? FrontSocket.listenOnIPv6() : Loopback.listen(backlog: 512)
            try self.init(name: name, listener: listener, port: port, serve: serve)
        }

        /// - Parameter listener: A socket that connections can be made to. Closed in the end.
        init(name: String, listener: Int32, port: Int, serve: @escaping @Sendable (Arrival) -> Void) throws {
            (self.listener, self.port) = (listener, port)
            stopEvent = eventfd(0, Int32(EFD_CLOEXEC))
            guard stopEvent >= 0 else { throw Loopback.failure("eventfd", listener) }
            FrontSocket.makeNonblocking(listener)
            running.enter()
            let (listener, stop, state, running) = (listener, stopEvent, state, running)
            let isStarted = PlatformThread.start(name: name) {
                Self.accept(listener, stop, name, state, running, serve)
                state.withLock { $0.ended.append(PlatformThread.current) }
                running.leave()
            }
            guard isStarted else {
                running.leave()
                self.stop()
                throw MockServerError.system(call: "pthread_create", code: EAGAIN)
            }
        }

        deinit { stop() }

        /// Ends all connections and returns when their threads have ended.
        func stop() {
            let isFirst = state.withLock { state in
                defer { state.isStopped = true }
                return !state.isStopped
            }
            guard isFirst else { return running.wait() }
            var one: UInt64 = 1
            write(stopEvent, &one, 8)
            running.wait()
            Self.join(state)
            close(stopEvent)
            close(listener)
        }

        private static func join(_ state: Locked<State>) {
            let ended = state.withLock { state in
                defer { state.ended = [] }
                return state.ended
            }
            ended.forEach(PlatformThread.join)
        }

        private static func accept(
            _ listener: Int32, _ stop: Int32, _ name: String, _ state: Locked<State>, _ running: DispatchGroup,
            _ serve: @escaping @Sendable (Arrival) -> Void
        ) {
            var number = 0
            while true {
                var polled = [listener, stop].map { pollfd(fd: $0, events: Int16(POLLIN), revents: 0) }
                guard poll(&polled, 2, -1) > 0 || errno == EINTR, polled[1].revents == 0 else { return }
                join(state)
                let client = Glibc.accept(listener, nil, nil)
                guard client >= 0 else {
                    // Without free descriptors the connection stays in the backlog, and is reported again at once.
                    if errno == EMFILE || errno == ENFILE || errno == ENOMEM || errno == ENOBUFS { FrontSocket.pause(unless: stop) }
                    continue
                }
                _ = fcntl(client, F_SETFD, FD_CLOEXEC)
                FrontSocket.makeNonblocking(client)
                let arrival = Arrival(number: number, client: client, stop: stop)
                number += 1
                running.enter()
                let isStarted = PlatformThread.start(name: name) {
                    serve(arrival)
                    close(client)
                    state.withLock { $0.ended.append(PlatformThread.current) }
                    running.leave()
                }
                guard !isStarted else { continue }
                close(client)
                running.leave()
            }
        }
    }

    /// Calls on sockets that the fronts share.
    enum FrontSocket {
        static func makeNonblocking(_ descriptor: Int32) { _ = fcntl(descriptor, F_SETFL, O_NONBLOCK) }

        /// Two connected sockets that do not block.
        static func pair() throws -> [Int32] {
            var descriptors: [Int32] = [-1, -1]
            let type = Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue) | Int32(SOCK_NONBLOCK.rawValue)
            guard socketpair(AF_UNIX, type, 0, &descriptors) == 0 else { throw Loopback.failure("socketpair", -1) }
            return descriptors
        }

        static func setOption(_ level: Int32, _ name: Int32, _ value: Int32, of descriptor: Int32) {
            var value = value
            setsockopt(descriptor, level, name, &value, socklen_t(MemoryLayout<Int32>.size))
        }

        /// Whether no socket has a port of 127.0.0.1. Connecting instead would tell a server.
        static func isFree(_ port: Int) -> Bool {
            let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
            guard descriptor >= 0 else { return false }
            defer { close(descriptor) }
            // Connections that have ended do not count.
            setOption(SOL_SOCKET, SO_REUSEADDR, 1, of: descriptor)
            return withAddress(of: port) { Glibc.bind(descriptor, $0, $1) } == 0
        }

        private static func withAddress(of port: Int, _ body: (UnsafePointer<sockaddr>, socklen_t) -> Int32) -> Int32 {
            var address = sockaddr_in()
            address.sin_family = sa_family_t(AF_INET)
            address.sin_port = UInt16(port).bigEndian
            address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
            return withUnsafePointer(to: &address) { pointer in
                pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { body($0, socklen_t(MemoryLayout<sockaddr_in>.size)) }
            }
        }

        /// Has `close` send a reset.
        static func resetOnClose(_ descriptor: Int32) {
            var value = linger(l_onoff: 1, l_linger: 0)
            setsockopt(descriptor, SOL_SOCKET, SO_LINGER, &value, socklen_t(MemoryLayout<linger>.size))
        }

        /// Connects to a server on the loopback address.
        ///
        /// - Returns: nil if it does not accept, or `stop` becomes readable first.
        static func connect(to port: Int, unless stop: Int32) -> Int32? {
            let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
            guard descriptor >= 0 else { return nil }
            makeNonblocking(descriptor)
            setOption(Int32(IPPROTO_TCP), TCP_NODELAY, 1, of: descriptor)
            let result = withAddress(of: port) { Glibc.connect(descriptor, $0, $1) }
            if result == 0 || (errno == EINPROGRESS && isWritable(descriptor, unless: stop) && lastError(of: descriptor) == 0) {
                return descriptor
            }
            close(descriptor)
            return nil
        }

        /// Waits until what was sent has arrived, for 20 seconds at the most.
        static func waitUntilSent(_ descriptor: Int32, unless stop: Int32) {
            let deadline = DispatchTime.now() + 20
            var unsent: Int32 = 0
            while ioctl(descriptor, UInt(TIOCOUTQ), &unsent) == 0, unsent > 0, DispatchTime.now() < deadline {
                var polled = pollfd(fd: stop, events: Int16(POLLIN), revents: 0)
                guard poll(&polled, 1, 1) == 0 else { return }
            }
        }

        /// Waits for 20 milliseconds, or until `stop` becomes readable.
        static func pause(unless stop: Int32) {
            var polled = pollfd(fd: stop, events: Int16(POLLIN), revents: 0)
            poll(&polled, 1, 20)
        }

        /// Reads and drops until the peer ends, or `stop` becomes readable.
        static func drain(_ descriptor: Int32, unless stop: Int32, into taken: (UnsafeRawBufferPointer) -> Void = { _ in }) {
            let bytes = UnsafeMutableRawBufferPointer.allocate(byteCount: 65_536, alignment: 1)
            defer { bytes.deallocate() }
            while true {
                var polled = [descriptor, stop].map { pollfd(fd: $0, events: Int16(POLLIN), revents: 0) }
                guard poll(&polled, 2, -1) > 0 || errno == EINTR, polled[1].revents == 0 else { return }
                let count = recv(descriptor, bytes.baseAddress, bytes.count, 0)
                guard count > 0 || (count < 0 && errno == EAGAIN) else { return }
                if count > 0 { taken(UnsafeRawBufferPointer(rebasing: bytes[..<count])) }
            }
        }

        /// Whether the machine has ::1.
        static let hasIPv6: Bool = {
            guard let listener = try? listenOnIPv6() else { return false }
            close(listener.descriptor)
            return true
        }()

        static func listenOnIPv6() throws -> (descriptor: Int32, port: Int) {
            let descriptor = socket(AF_INET6, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
            var address = sockaddr_in6()
            address.sin6_family = sa_family_t(AF_INET6)
            address.sin6_addr = in6addr_loopback
            var size = socklen_t(MemoryLayout<sockaddr_in6>.size)
            let isListening = withUnsafeMutablePointer(to: &address) { pointer in
                pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                    Glibc.bind(descriptor, $0, size) == 0 && getsockname(descriptor, $0, &size) == 0 && listen(descriptor, 512) == 0
                }
            }
            guard isListening else { throw Loopback.failure("listen", descriptor) }
            return (descriptor, Int(UInt16(bigEndian: address.sin6_port)))
        }

        private static func isWritable(_ descriptor: Int32, unless stop: Int32) -> Bool {
            var polled = [
                pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0), pollfd(fd: stop, events: Int16(POLLIN), revents: 0),
            ]
            return poll(&polled, 2, -1) > 0 && polled[1].revents == 0
        }

        private static func lastError(of descriptor: Int32) -> Int32 {
            var error: Int32 = 0
            var size = socklen_t(MemoryLayout<Int32>.size)
            return getsockopt(descriptor, SOL_SOCKET, SO_ERROR, &error, &size) == 0 ? error : errno
        }
    }
#endif
