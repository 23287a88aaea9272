import Foundation

/// Standard error, for texts that must not mix with those of other threads.
enum StandardError {
    /// Held while writing, so that a text that does not fit into a pipe at once stays in one piece. Nothing else is done under this lock.
    private static let lock = Locked(false)

    /// Writes a text with one call of write(2), or with several if the first writes only a part. Text that cannot be written is lost.
    static func write(_ text: String, to descriptor: Int32 = STDERR_FILENO) {
        lock.withLock { _ in
            BlockedSignal.during(SIGPIPE) { writeAll(Array(text.utf8), to: descriptor) }
        }
    }

    private static func writeAll(_ bytes: [UInt8], to descriptor: Int32) {
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { systemWrite(descriptor, $0.baseAddress, $0.count) }
            if count >= 0 {
                rest = rest.dropFirst(count)
                if count == 0 { return }
            } else if errno == EAGAIN || errno == EWOULDBLOCK {
                // The descriptor is non-blocking. If the reader takes nothing for a second, the rest is dropped.
                var waiting = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
                guard poll(&waiting, 1, 1000) > 0 else { return }
            } else if errno != EINTR {
                return
            }
        }
    }
}

/// write(2), which needs another name where `StandardError.write` hides it.
private func systemWrite(_ descriptor: Int32, _ bytes: UnsafeRawPointer?, _ count: Int) -> Int {
    write(descriptor, bytes, count)
}
