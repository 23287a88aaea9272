import Foundation

/// Standard error, for texts that are not to mix with those of other threads.
enum StandardError {
    /// One writer at a time. Held while writing, so that what did not fit into a pipe at once stays in one piece; nothing else is done
    /// under it.
    private static let lock = Locked(())

    /// Writes a text with one call of write(2), or more where the first takes only a part. What cannot be written is lost.
    static func write(_ text: String, to descriptor: Int32 = STDERR_FILENO) {
        lock.withLock { _ in
            BrokenPipe.withoutSignal { writeAll(Array(text.utf8), to: descriptor) }
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
                // Somebody has made the descriptor non-blocking. A reader that takes nothing for a second is not waited for.
                var waiting = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
                guard poll(&waiting, 1, 1000) > 0 else { return }
            } else if errno != EINTR {
                return
            }
        }
    }
}

/// The name `write` is taken where it is called.
private func systemWrite(_ descriptor: Int32, _ bytes: UnsafeRawPointer?, _ count: Int) -> Int {
    write(descriptor, bytes, count)
}

/// Lets this thread write to a pipe that nobody reads without `SIGPIPE`, which would end the program.
private enum BrokenPipe {
    static func withoutSignal(_ body: () -> Void) {
        var signals = sigset_t()
        sigemptyset(&signals)
        sigaddset(&signals, SIGPIPE)
        var former = sigset_t()
        guard !isPending, pthread_sigmask(SIG_BLOCK, &signals, &former) == 0 else { return body() }
        body()
        // The signal went to this thread alone, and is taken before it can act.
        var taken: Int32 = 0
        if isPending { sigwait(&signals, &taken) }
        pthread_sigmask(SIG_SETMASK, &former, nil)
    }

    private static var isPending: Bool {
        var pending = sigset_t()
        sigpending(&pending)
        return sigismember(&pending, SIGPIPE) == 1
    }
}
