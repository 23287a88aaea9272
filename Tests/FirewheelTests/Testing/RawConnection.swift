import Foundation

#if canImport(Darwin)
    import Darwin
#elseif canImport(Musl)
    import Musl
#else
    import Glibc
#endif

/// A TCP connection to the loopback address that sends and receives bytes and knows nothing of HTTP: the client for tests of a server.
///
/// It gives up after thirty seconds without a byte, so that a failing test does not hang. Not for use by two threads at a time.
final class RawConnection {
    /// How what the peer sends ended.
    enum End: Equatable {
        case closed
        case reset
        /// It did not close: nothing arrived for thirty seconds, or enough arrived.
        case open
    }

    struct Failure: Error {
        let call: String
        let code: Int32
    }

    let descriptor: Int32
    /// Received and not used yet.
    private var pending: [UInt8] = []
    private var end = End.open

    init(port: Int, ipv6: Bool = false) throws {
        #if canImport(Glibc)
            descriptor = socket(ipv6 ? AF_INET6 : AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        #else
            descriptor = socket(ipv6 ? AF_INET6 : AF_INET, SOCK_STREAM, 0)
        #endif
        guard descriptor >= 0 else { throw Failure(call: "socket", code: errno) }
        _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
        option(SOL_SOCKET, SO_RCVTIMEO, timeval(tv_sec: 30, tv_usec: 0))
        option(Int32(IPPROTO_TCP), TCP_NODELAY, Int32(1))
        #if canImport(Darwin)
            option(SOL_SOCKET, SO_NOSIGPIPE, Int32(1))
        #endif
        let result: Int32
        if ipv6 {
            var address = sockaddr_in6()
            address.sin6_family = sa_family_t(AF_INET6)
            address.sin6_port = UInt16(port).bigEndian
            address.sin6_addr = in6addr_loopback
            result = connect(to: &address)
        } else {
            var address = sockaddr_in()
            address.sin_family = sa_family_t(AF_INET)
            address.sin_port = UInt16(port).bigEndian
            address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
            result = connect(to: &address)
        }
        if result != 0 { throw Failure(call: "connect", code: errno) }
    }

    deinit { close(descriptor) }

    /// Sends text; a peer that is gone is not reported.
    func send(_ text: String) { send(Data(text.utf8)) }

    func send(_ data: Data) {
        #if canImport(Darwin)
            let flags: Int32 = 0
        #else
            let flags = Int32(MSG_NOSIGNAL)
        #endif
        var rest = data[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { systemSend(descriptor, $0.baseAddress, $0.count, flags) }
            if count <= 0 { return }
            rest = rest.dropFirst(count)
        }
    }

    /// Ends the sending direction only.
    func finishSending() { shutdown(descriptor, Int32(SHUT_WR)) }

    /// Reads up to and including `mark`, or to the end if it does not come.
    func read(through mark: String) -> String {
        let mark = Array(mark.utf8)
        var searched = 0
        while true {
            if pending.count >= mark.count {
                for start in searched...(pending.count - mark.count) where pending[start..<start + mark.count].elementsEqual(mark) {
                    return take(start + mark.count)
                }
                searched = pending.count - mark.count + 1
            }
            guard receive() else { return take(pending.count) }
        }
    }

    /// Reads this many bytes, or fewer if the end comes before.
    func read(count: Int) -> String {
        while pending.count < count, receive() {}
        return take(min(count, pending.count))
    }

    /// The same as bytes.
    func readBytes(count: Int) -> [UInt8] {
        while pending.count < count, receive() {}
        let count = min(count, pending.count)
        defer { pending.removeFirst(count) }
        return Array(pending[..<count])
    }

    /// Reads to the end, or until `limit` bytes are there.
    func readToEnd(limit: Int = .max) -> (text: String, end: End) {
        while pending.count < limit, receive() {}
        return (take(pending.count), end)
    }

    /// Sends a request and reads a response with a Content-Length.
    func exchange(_ request: String) -> (head: String, body: String) {
        send(request)
        return readResponse()
    }

    /// Reads a head and as many bytes as its Content-Length says.
    func readResponse() -> (head: String, body: String) {
        let head = read(through: "\r\n\r\n")
        let lines = head.lowercased().components(separatedBy: "\r\n")
        let length = lines.first { $0.hasPrefix("content-length: ") }.flatMap { Int($0.dropFirst(16)) }
        return (head, read(count: length ?? 0))
    }

    /// The local port of any of the process's descriptors; nil if it is no IPv4 socket.
    static func localPort(of descriptor: Int32) -> Int? {
        var address = sockaddr_in()
        var size = socklen_t(MemoryLayout<sockaddr_in>.size)
        let result = withUnsafeMutableBytes(of: &address) { bytes in
            bytes.baseAddress.map { getsockname(descriptor, $0.assumingMemoryBound(to: sockaddr.self), &size) } ?? -1
        }
        return result == 0 && address.sin_family == sa_family_t(AF_INET) ? Int(UInt16(bigEndian: address.sin_port)) : nil
    }

    // MARK: - Parts

    /// - Returns: False at the end.
    private func receive() -> Bool {
        guard end == .open else { return false }
        var buffer = [UInt8](repeating: 0, count: 64 * 1024)
        let count = recv(descriptor, &buffer, buffer.count, 0)
        if count > 0 { pending += buffer[..<count] } else if count == 0 { end = .closed } else if errno == ECONNRESET { end = .reset }
        return count > 0
    }

    private func take(_ count: Int) -> String {
        defer { pending.removeFirst(count) }
        return String(decoding: pending[..<count], as: UTF8.self)
    }

    private func option<Value>(_ level: Int32, _ name: Int32, _ value: Value) {
        withUnsafeBytes(of: value) { _ = setsockopt(descriptor, level, name, $0.baseAddress, socklen_t($0.count)) }
    }

    private func connect<Address>(to address: inout Address) -> Int32 {
        withUnsafeBytes(of: &address) { bytes in
            guard let pointer = bytes.baseAddress?.assumingMemoryBound(to: sockaddr.self) else { return -1 }
            return systemConnect(descriptor, pointer, socklen_t(bytes.count))
        }
    }
}

// The class's own methods hide the system's functions of the same name.
private func systemSend(_ descriptor: Int32, _ bytes: UnsafeRawPointer?, _ count: Int, _ flags: Int32) -> Int {
    send(descriptor, bytes, count, flags)
}
private func systemConnect(_ descriptor: Int32, _ address: UnsafePointer<sockaddr>, _ size: socklen_t) -> Int32 {
    connect(descriptor, address, size)
}
