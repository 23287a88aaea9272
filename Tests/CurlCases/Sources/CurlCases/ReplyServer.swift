import Foundation
import Glibc

/// Replies like curl's `tests/server/sws.c`: the number after the last slash selects the test and the part, and a reply that contains
/// `swsclose` ends the connection.
final class ReplyServer: @unchecked Sendable {  // `replies` and `bounced` are guarded by the lock; the rest never changes.
    let port: Int
    private let listener: Int32
    private let lock = NSLock()
    private var replies: [Int: [UInt8]] = [:]
    private var closesAlways = false
    private var bounced: Int?

    struct Failure: Error {}

    init() throws {
        listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        var size = socklen_t(MemoryLayout<sockaddr_in>.size)
        let descriptor = listener
        let isListening = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(descriptor, $0, size) == 0 && getsockname(descriptor, $0, &size) == 0 && listen(descriptor, 64) == 0
            }
        }
        guard isListening else { throw Failure() }
        port = Int(UInt16(bigEndian: address.sin_port))
        Thread { [self] in
            while true {
                let connection = accept(listener, nil, nil)
                guard connection >= 0 else { return }
                Thread { [self] in serve(connection) }.start()
            }
        }.start()
    }

    /// Sets the replies from now on.
    func play(_ test: TestFile) {
        lock.withLock {
            replies = test.replies
            closesAlways = test.serverCommands.contains { $0.hasPrefix("swsclose") }
            bounced = nil
        }
    }

    private func serve(_ connection: Int32) {
        defer { close(connection) }
        // A client that is silent for longer has given up.
        var limit = timeval(tv_sec: 10, tv_usec: 0)
        setsockopt(connection, SOL_SOCKET, SO_RCVTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
        var received: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 65_536)
        while true {
            while received.firstRange(of: Array("\r\n\r\n".utf8)) == nil {
                let count = recv(connection, &buffer, buffer.count, 0)
                guard count > 0 else { return }
                received += buffer[..<count]
            }
            let (reply, isLast) = next(for: received)
            received = []
            // In small pieces, as curl's own server sends them.
            let size = reply.count > 20_000 ? 4096 : 20
            for start in stride(from: 0, to: reply.count, by: size) {
                let piece = Array(reply[start..<min(start + size, reply.count)])
                guard send(connection, piece, piece.count, Int32(MSG_NOSIGNAL)) == piece.count else { return }
            }
            guard isLast else { continue }
            shutdown(connection, Int32(SHUT_WR))
            // Closing with unread bytes would be a reset.
            while recv(connection, &buffer, buffer.count, 0) > 0 {}
            return
        }
    }

    private func next(for request: [UInt8]) -> (reply: [UInt8], isLast: Bool) {
        let target = request.split(separator: UInt8(ascii: " "), maxSplits: 2).dropFirst().first ?? []
        // After the last slash, which may be in the query.
        let slash = target.lastIndex(of: UInt8(ascii: "/")) ?? target.startIndex
        let digits = target[slash...].dropFirst().prefix { (0x30...0x39).contains($0) }
        let number = Int(String(decoding: digits, as: UTF8.self)) ?? 0
        return lock.withLock {
            let part = bounced ?? (number > 10_000 ? number % 10_000 : 0)
            let reply = replies[part] ?? []
            bounced = reply.contains(Array("swsbounce".utf8)) ? part + 1 : nil
            return (reply, reply.isEmpty || closesAlways || reply.contains(Array("swsclose".utf8)))
        }
    }
}

extension [UInt8] {
    fileprivate func contains(_ word: [UInt8]) -> Bool { firstRange(of: word) != nil }
}
