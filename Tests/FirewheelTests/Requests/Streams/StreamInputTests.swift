import FirewheelTesting
import Foundation
import Testing

@testable import Firewheel

@Suite("Streams as InputStream", .eachTransportAndTLS, .timeLimit(.minutes(5)))
struct StreamInputTests {
    /// Hands a stream over to another thread.
    private struct Handed: @unchecked Sendable {
        // Sound because a test uses the stream on one thread at a time.
        let stream: InputStream
    }

    /// Reads a stream to its end, on a thread of its own.
    private func readAll(_ handed: Handed) async -> (data: Data, last: Int) {
        let result = Locked((data: Data(), last: 1))
        await onThreads(1) { _ in
            handed.stream.open()
            var (data, count, buffer) = (Data(), 1, [UInt8](repeating: 0, count: 1_000))
            while count > 0 {
                count = handed.stream.read(&buffer, maxLength: buffer.count)
                if count > 0 { data += buffer.prefix(count) }
            }
            result.withLock { $0 = (data, count) }
        }
        return result.withLock { $0 }
    }

    @Test("The whole body, and 0 at its end")
    func whole() async throws {
        let body = Data((0..<3_000_000).map { UInt8(truncatingIfNeeded: $0) })
        let server = try MockServer()
        server.route("/") { _ in .data(body) }
        let session = Session.onTest()
        let handed = Handed(stream: session.streamRequest(server.url()).asInputStream())
        let (data, last) = await readAll(handed)
        #expect(data == body && last == 0)
        #expect(handed.stream.streamStatus == .atEnd && handed.stream.streamError == nil)
    }

    @Test("An error, after what has arrived")
    func broken() async throws {
        let server = try MockServer()
        server.exchange("/") { exchange in
            try exchange.sendHead()
            try exchange.sendChunk(Data("some".utf8))
            throw CancellationError()
        }
        let session = Session.onTest()
        let handed = Handed(stream: session.streamRequest(server.url()).asInputStream())
        let (data, last) = await readAll(handed)
        #expect(data == Data("some".utf8) && last == -1 && handed.stream.streamStatus == .error)
        #expect((handed.stream.streamError as? FirewheelError)?.urlErrorCode == .networkConnectionLost)
    }
}
