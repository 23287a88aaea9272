import FirewheelTesting
import Foundation
import Testing

@testable import Firewheel

/// The log's writer for standard error, tested on a pipe.
@Suite("Writing to standard error", .timeLimit(.minutes(5)))
struct StandardErrorTests {
    private func makePipe() throws -> (read: Int32, write: Int32) {
        var ends: [Int32] = [-1, -1]
        try #require(pipe(&ends) == 0)
        // A process that another test starts would keep the pipe open.
        for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        return (ends[0], ends[1])
    }

    /// Everything that is read from a pipe until its last writer closes it.
    private func readAll(_ descriptor: Int32) -> String {
        var bytes: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 65536)
        while true {
            let count = read(descriptor, &buffer, buffer.count)
            if count <= 0 { break }
            bytes += buffer.prefix(count)
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    @Test("Lines of many threads are written whole to standard error, even if longer than the pipe, and to a non-blocking pipe")
    func wholeLines() async throws {
        for isBlocking in [true, false] {
            let pipe = try makePipe()
            if !isBlocking { _ = fcntl(pipe.write, F_SETFL, O_NONBLOCK) }
            let output = Journal<String>()
            let reader = Thread { output.add(readAll(pipe.read)) }
            reader.start()
            let sizes = [1, 100, 5000, 200_000]
            await onThreads(4) { thread in
                for size in sizes { StandardError.write(String(repeating: "\(thread)", count: size) + "\n", to: pipe.write) }
            }
            close(pipe.write)
            let lines = try await output.wait(for: 1)[0].split(separator: "\n")
            #expect(lines.count == 16)
            #expect(lines.allSatisfy { Set($0).count == 1 && sizes.contains($0.count) })
            close(pipe.read)
        }
    }

    @Test("Without a reader, or with a closed descriptor, text for standard error is lost and the program goes on")
    func nobodyReads() throws {
        let pipe = try makePipe()
        close(pipe.read)
        StandardError.write("lost\n", to: pipe.write)
        // No signal is pending or blocked afterwards.
        var (pending, blocked) = (sigset_t(), sigset_t())
        sigpending(&pending)
        pthread_sigmask(SIG_BLOCK, nil, &blocked)
        #expect(sigismember(&pending, SIGPIPE) == 0)
        #expect(sigismember(&blocked, SIGPIPE) == 0)
        close(pipe.write)
        StandardError.write("lost\n", to: -1)
        #expect(errno == EBADF)
    }
}
