import Foundation

#if canImport(Darwin)
    import Darwin
#elseif canImport(Musl)
    import Musl
#else
    import Glibc
#endif

/// The POSIX calls of the mock server, which hides platform differences.
enum PlatformSocket {
    /// The result of `accept`.
    enum Accepted {
        case connection(Int32)
        /// No connection is waiting.
        case nothing
        /// The process or the system is out of descriptors or memory; retrying at once would spin.
        case exhausted
    }

    /// Opens a non-blocking listener on the loopback address, on a port that the system chooses.
    static func listen(on address: MockServer.Address) throws -> (descriptor: Int32, port: Int) {
        #if canImport(Glibc)
            let kind = Int32(SOCK_STREAM.rawValue)
        #else
            let kind = SOCK_STREAM
        #endif
        let descriptor = socket(address == .ipv4 ? AF_INET : AF_INET6, kind, 0)
        guard descriptor >= 0 else { throw MockServerError.system(call: "socket", code: errno) }
        do {
            setFlags(descriptor, nonBlocking: true)
            // Connections inherit it. It bounds what the kernel accepts for a server that does not read: by itself Linux takes up to 32 MB.
            setOption(descriptor, SOL_SOCKET, SO_RCVBUF, Int32(2 << 20))
            let port = try address == .ipv4 ? bindIPv4(descriptor) : bindIPv6(descriptor)
            guard systemListen(descriptor, max(SOMAXCONN, 1024)) == 0 else { throw MockServerError.system(call: "listen", code: errno) }
            return (descriptor, port)
        } catch {
            close(descriptor)
            throw error
        }
    }

    static func accept(_ listener: Int32) -> Accepted {
        while true {
            let descriptor = systemAccept(listener)
            if descriptor >= 0 {
                // On Apple platforms the new socket inherits the listener's non-blocking mode.
                setFlags(descriptor, nonBlocking: false)
                setOption(descriptor, Int32(IPPROTO_TCP), TCP_NODELAY, Int32(1))
                #if canImport(Darwin)
                    setOption(descriptor, SOL_SOCKET, SO_NOSIGPIPE, Int32(1))
                #endif
                return .connection(descriptor)
            }
            switch errno {
            case EINTR, ECONNABORTED: continue
            case EMFILE, ENFILE, ENOBUFS, ENOMEM: return .exhausted
            default: return .nothing
            }
        }
    }

    /// Creates a close-on-exec pipe that wakes a thread in `poll`.
    static func makePipe() throws -> (read: Int32, write: Int32) {
        var ends: [Int32] = [-1, -1]
        guard pipe(&ends) == 0 else { throw MockServerError.system(call: "pipe", code: errno) }
        setFlags(ends[0], nonBlocking: true)
        setFlags(ends[1], nonBlocking: true)
        return (ends[0], ends[1])
    }

    static func writeByte(to descriptor: Int32) {
        var byte: UInt8 = 1
        _ = write(descriptor, &byte, 1)
    }

    /// Receives available bytes, waiting for the first one if `waits`.
    ///
    /// - Returns: The number of bytes; 0 at the end of the stream; nil if there are none (only without `waits`), or on an error.
    static func receive(_ descriptor: Int32, into buffer: UnsafeMutableRawBufferPointer, waits: Bool) -> Int? {
        while true {
            let count = recv(descriptor, buffer.baseAddress, buffer.count, waits ? 0 : Int32(MSG_DONTWAIT))
            if count >= 0 { return count }
            if errno != EINTR { return nil }
        }
    }

    /// Sends all bytes, blocking if necessary.
    ///
    /// - Returns: False if the peer has disconnected. No signal is raised.
    static func send(_ descriptor: Int32, _ bytes: UnsafeRawBufferPointer) -> Bool {
        #if canImport(Darwin)
            let flags: Int32 = 0  // SO_NOSIGPIPE is set on the socket.
        #else
            let flags = Int32(MSG_NOSIGNAL)
        #endif
        var rest = bytes[...]
        while !rest.isEmpty {
            let part = UnsafeRawBufferPointer(rebasing: rest)
            let count = systemSend(descriptor, part.baseAddress, part.count, flags)
            if count < 0 {
                if errno == EINTR { continue }
                return false
            }
            rest = rest.dropFirst(count)
        }
        return true
    }

    /// Waits until one of the descriptors is readable or has ended, or until the timeout.
    ///
    /// - Returns: True if one is readable. May return false early after a signal.
    static func waitForInput(_ descriptors: [Int32], milliseconds: Int32) -> Bool {
        var entries = descriptors.map { pollfd(fd: $0, events: Int16(POLLIN), revents: 0) }
        return poll(&entries, nfds_t(entries.count), milliseconds) > 0
    }

    /// Shuts down both directions: a thread that is blocked on the socket wakes up, and the peer gets a FIN. The descriptor stays open.
    static func interrupt(_ descriptor: Int32) { _ = systemShutdown(descriptor, Int32(SHUT_RDWR)) }

    /// Sends a FIN; receiving continues.
    static func endSending(_ descriptor: Int32) { _ = systemShutdown(descriptor, Int32(SHUT_WR)) }

    /// Makes the next ``close(_:)`` send an RST instead of a FIN.
    static func resetOnClose(_ descriptor: Int32) { setOption(descriptor, SOL_SOCKET, SO_LINGER, linger(l_onoff: 1, l_linger: 0)) }

    /// Reduces the buffers of a listener's connections. (The send buffer is a multiple of the segment size.)
    static func narrow(_ listener: Int32) {
        setOption(listener, SOL_SOCKET, SO_RCVBUF, Int32(16_384))
        setOption(listener, Int32(IPPROTO_TCP), TCP_MAXSEG, Int32(1000))
    }

    static func close(_ descriptor: Int32) { _ = systemClose(descriptor) }

    /// The bytes that were sent and not acknowledged by the peer yet. A reset would discard them.
    static func unsentByteCount(_ descriptor: Int32) -> Int {
        var count: Int32 = 0
        #if canImport(Darwin)
            var size = socklen_t(MemoryLayout<Int32>.size)
            let result = getsockopt(descriptor, SOL_SOCKET, SO_NWRITE, &count, &size)
        #else
            let result = ioctl(descriptor, UInt(TIOCOUTQ), &count)
        #endif
        return result == 0 ? Int(count) : 0
    }

    /// Whether the peer has reset the connection: then nothing that was sent will be acknowledged.
    static func isGone(_ descriptor: Int32) -> Bool {
        var entry = pollfd(fd: descriptor, events: 0, revents: 0)
        return poll(&entry, 1, 0) > 0
    }

    // MARK: - Parts

    private static func bindIPv4(_ descriptor: Int32) throws -> Int {
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        try bind(descriptor, &address)
        return Int(UInt16(bigEndian: address.sin_port))
    }

    private static func bindIPv6(_ descriptor: Int32) throws -> Int {
        var address = sockaddr_in6()
        address.sin6_family = sa_family_t(AF_INET6)
        address.sin6_addr = in6addr_loopback
        try bind(descriptor, &address)
        return Int(UInt16(bigEndian: address.sin6_port))
    }

    /// Binds, and updates `address` with the system's choice.
    private static func bind<Address>(_ descriptor: Int32, _ address: inout Address) throws {
        var size = socklen_t(MemoryLayout<Address>.size)
        try withUnsafeMutableBytes(of: &address) { bytes in
            guard let pointer = bytes.baseAddress?.assumingMemoryBound(to: sockaddr.self) else { return }
            guard systemBind(descriptor, pointer, size) == 0 else { throw MockServerError.system(call: "bind", code: errno) }
            guard getsockname(descriptor, pointer, &size) == 0 else { throw MockServerError.system(call: "getsockname", code: errno) }
        }
    }

    private static func setFlags(_ descriptor: Int32, nonBlocking: Bool) {
        _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
        let flags = fcntl(descriptor, F_GETFL)
        let wanted = nonBlocking ? flags | O_NONBLOCK : flags & ~O_NONBLOCK
        if wanted != flags { _ = fcntl(descriptor, F_SETFL, wanted) }
    }

    private static func setOption<Value>(_ descriptor: Int32, _ level: Int32, _ name: Int32, _ value: Value) {
        withUnsafeBytes(of: value) { _ = setsockopt(descriptor, level, name, $0.baseAddress, socklen_t($0.count)) }
    }
}

// The enum's own `send`, `close` and so on shadow the system's functions; these names reach them without a module name.
private func systemListen(_ descriptor: Int32, _ backlog: Int32) -> Int32 { listen(descriptor, backlog) }
private func systemAccept(_ descriptor: Int32) -> Int32 { accept(descriptor, nil, nil) }
private func systemBind(_ descriptor: Int32, _ address: UnsafePointer<sockaddr>, _ size: socklen_t) -> Int32 {
    bind(descriptor, address, size)
}
private func systemSend(_ descriptor: Int32, _ bytes: UnsafeRawPointer?, _ count: Int, _ flags: Int32) -> Int {
    send(descriptor, bytes, count, flags)
}
private func systemShutdown(_ descriptor: Int32, _ how: Int32) -> Int32 { shutdown(descriptor, how) }
private func systemClose(_ descriptor: Int32) -> Int32 { close(descriptor) }
