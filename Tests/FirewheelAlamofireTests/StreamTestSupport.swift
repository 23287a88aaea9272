import FirewheelAlamofire
import FirewheelTesting

/// What a stream's handler was called with.
final class StreamRecord<Success, Failure: Error>: @unchecked Sendable {
    // Sound because everything is accessed under the lock; the elements are read when the stream has ended.
    private let lock = NSLock()
    private var events: [DataStreamRequest.Event<Success, Failure>] = []
    private let end = OneSignal()

    func add(_ stream: DataStreamRequest.Stream<Success, Failure>) {
        lock.withLock { events.append(stream.event) }
        if stream.completion != nil { end.fire() }
    }

    var values: [Success] {
        lock.withLock { events.compactMap { if case .stream(.success(let value)) = $0 { value } else { nil } } }
    }

    var errors: [Failure] {
        lock.withLock { events.compactMap { if case .stream(.failure(let error)) = $0 { error } else { nil } } }
    }

    var completions: [DataStreamRequest.Completion] {
        lock.withLock { events.compactMap { if case .complete(let completion) = $0 { completion } else { nil } } }
    }

    /// Whether the last event, and no other, is a completion.
    var isComplete: Bool {
        let isLast = lock.withLock { if case .complete = events.last { true } else { false } }
        return isLast && completions.count == 1
    }

    func ended() async { await end.wait() }
}

/// Something that happens once.
struct OneSignal: Sendable {
    private let stream: AsyncStream<Void>
    private let continuation: AsyncStream<Void>.Continuation

    init() {
        (stream, continuation) = AsyncStream.makeStream(of: Void.self)
    }

    func fire() { continuation.finish() }

    func wait() async { for await _ in stream {} }
}

extension DispatchSemaphore {
    /// A semaphore with a value of 1, which may be released with any value.
    static func open() -> DispatchSemaphore {
        let semaphore = DispatchSemaphore(value: 0)
        semaphore.signal()
        return semaphore
    }
}

extension MockServer {
    /// A server that sends these chunks, each when `gate`, if there is one, lets it.
    static func sending(_ chunks: [String], gate: DispatchSemaphore? = nil) throws -> MockServer {
        let server = try MockServer()
        server.exchange("/*") { exchange in
            try exchange.sendHead(headers: [("Content-Type", "application/json")])
            for chunk in chunks {
                gate?.wait()
                try exchange.sendChunk(Data(chunk.utf8))
            }
            try exchange.endChunks()
        }
        return server
    }
}

struct StreamNumber: Codable, Equatable, Sendable { let n: Int }

/// A value that must not be shared.
final class MutableText {
    var text: String

    init(_ text: String) {
        self.text = text
    }
}

struct MutableTextSerializer: DataStreamSerializer {
    func serialize(_ data: Data) throws -> MutableText { MutableText(String(decoding: data, as: UTF8.self)) }
}

struct StreamRefusal: Error {}
