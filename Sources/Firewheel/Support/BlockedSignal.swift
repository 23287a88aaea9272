import Foundation

/// Keeps a signal that a system call sends to its own thread from ending the program: `SIGPIPE` of a pipe without a reader, `SIGXFSZ` of a
/// file at the process's size limit. The call returns an error as well, which is all that is needed.
enum BlockedSignal {
    static func during<Result>(_ signal: Int32, _ body: () throws -> Result) rethrows -> Result {
        var signals = sigset_t()
        sigemptyset(&signals)
        sigaddset(&signals, signal)
        var former = sigset_t()
        guard pthread_sigmask(SIG_BLOCK, &signals, &former) == 0 else { return try body() }
        // A program that blocks the signal itself may be waiting for it.
        guard sigismember(&former, signal) == 0 || !isPending(signal) else { return try body() }
        defer {
            // The signal was sent to this thread only, and is consumed before it takes effect.
            var taken: Int32 = 0
            if isPending(signal) { sigwait(&signals, &taken) }
            pthread_sigmask(SIG_SETMASK, &former, nil)
        }
        return try body()
    }

    private static func isPending(_ signal: Int32) -> Bool {
        var pending = sigset_t()
        sigpending(&pending)
        return sigismember(&pending, signal) == 1
    }
}
