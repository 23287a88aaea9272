import FirewheelAlamofire
import FirewheelTesting
import Testing

@Suite("Streams as InputStream", .timeLimit(.minutes(3)))
struct StreamInputTests {
    /// Released after the test, as requests that have not started fail with their session.
    private let session = Session()
    private let queue = DispatchQueue(label: "streams")

    /// Runs blocking code on a thread of its own.
    private func onThread<Result: Sendable>(_ work: @escaping @Sendable () -> Result) async -> Result {
        await withCheckedContinuation { continuation in
            Thread.detachNewThread { continuation.resume(returning: work()) }
        }
    }

    /// Reads to the end of a stream.
    private static func readAll(_ stream: InputStream, upTo size: Int = 7) -> (data: Data, last: Int) {
        var (data, buffer) = (Data(), [UInt8](repeating: 0, count: size))
        while true {
            let count = stream.read(&buffer, maxLength: size)
            guard count > 0 else { return (data, count) }
            data += buffer.prefix(count)
        }
    }

    /// Hands a stream over to another thread.
    private struct Handed: @unchecked Sendable {
        // Sound because a test uses the stream on one thread at a time, except for `close`, which any thread may call.
        let stream: InputStream
    }

    @Test("The whole body is read in small parts, also from a session that starts no requests")
    func whole() async throws {
        let text = String(repeating: "0123456789", count: 100_000)
        let server = try MockServer.sending([text, "", "end"])
        let session = Session(startRequestsImmediately: false)
        defer { withExtendedLifetime(session) {} }
        let input = Handed(stream: try #require(session.streamRequest(server.url()).asInputStream(bufferSize: 16)))
        let (data, last, states) = await onThread {
            var states = [input.stream.streamStatus]
            var buffer = [UInt8](repeating: 0, count: 8)
            let unopened = input.stream.read(&buffer, maxLength: 8)
            input.stream.open()
            states.append(input.stream.streamStatus)
            let hasMore = input.stream.hasBytesAvailable
            let (data, last) = Self.readAll(input.stream, upTo: 999)
            states.append(input.stream.streamStatus)
            let again = input.stream.read(&buffer, maxLength: 8)
            input.stream.close()
            states.append(input.stream.streamStatus)
            let closed = input.stream.read(&buffer, maxLength: 8)
            return (data, [unopened, last, again, closed, hasMore ? 1 : 0, input.stream.hasBytesAvailable ? 1 : 0], states)
        }
        #expect(data == Data((text + "end").utf8))
        #expect(last == [-1, 0, 0, -1, 1, 0])
        #expect(states == [.notOpen, .open, .atEnd, .closed])
        #expect(input.stream.streamError == nil)
    }

    @MainActor
    @Test("A read waits for the next piece, also on the main thread")
    func waiting() async throws {
        let gate = DispatchSemaphore.open()
        let server = try MockServer.sending(["one", "two", "three"], gate: gate)
        let input = try #require(session.streamRequest(server.url()).validate().asInputStream())
        input.open()
        var (pieces, buffer) = ([String](), [UInt8](repeating: 0, count: 100))
        while case let count = input.read(&buffer, maxLength: 100), count > 0 {
            pieces.append(String(decoding: buffer.prefix(count), as: UTF8.self))
            gate.signal()
        }
        #expect(pieces == ["one", "two", "three"] && input.streamStatus == .atEnd)
    }

    @Test("A failed request is an error of the stream, after what has arrived")
    func failure() async throws {
        let server = try MockServer()
        server.exchange("/") { exchange in
            try exchange.sendHead()
            try exchange.sendChunk(Data("some".utf8))
            throw StreamRefusal()
        }
        server.route("/refused") { _ in .text("body", status: 404) }
        for (path, text) in [("/", "some"), ("/refused", "")] {
            let input = Handed(stream: try #require(session.streamRequest(server.url(path)).validate().asInputStream()))
            let (data, last) = await onThread {
                input.stream.open()
                return Self.readAll(input.stream)
            }
            #expect(data == Data(text.utf8) && last == -1)
            #expect(input.stream.streamStatus == .error && input.stream.streamError is AFError && !input.stream.hasBytesAvailable)
        }
    }

    @Test("Cancelling the request ends a read that waits, and so does closing the stream, which lets the request go on")
    func ending() async throws {
        for cancels in [true, false] {
            // One of each for each request, because the server may still wait for the gate of a request that was cancelled.
            let gate = DispatchSemaphore.open()
            let server = try MockServer.sending(["one", "two"], gate: gate)
            let record = StreamRecord<Data, Never>()
            let request = session.streamRequest(server.url(), shouldAutomaticallyResume: false)
            let input = Handed(stream: try #require(request.asInputStream()))
            request.responseStream(on: queue) { record.add($0) }
            let isReading = OneSignal()
            async let end = onThread {
                input.stream.open()
                var buffer = [UInt8](repeating: 0, count: 3)
                let first = input.stream.read(&buffer, maxLength: 3)
                isReading.fire()
                return [first, input.stream.read(&buffer, maxLength: 3)]
            }
            await isReading.wait()
            if cancels { request.cancel() } else { input.stream.close() }
            #expect(await end == [3, -1])
            #expect(input.stream.streamStatus == (cancels ? .error : .closed))
            gate.signal()
            await record.ended()
            #expect(request.isCancelled == cancels)
            if !cancels { #expect(record.values.reduce(Data(), +) == Data("onetwo".utf8)) }
        }
    }

    @Test("A stream that nobody reads holds up the request until it is released")
    func unread() async throws {
        let server = try MockServer()
        server.route("/") { _ in .data(Data(count: 8 << 20)) }
        let (count, end) = (Journal<Int>(), OneSignal())
        let request = session.streamRequest(server.url(), shouldAutomaticallyResume: false)
        weak var released: InputStream?
        func attach() {
            let input = request.asInputStream()
            input?.open()
            released = input
        }
        attach()
        request.responseStream(on: queue) { stream in
            if let value = stream.value { count.add(value.count) }
            if stream.completion != nil { end.fire() }
        }
        await end.wait()
        #expect(released == nil && count.elements.reduce(0, +) == 8 << 20)
    }

    @Test("A body up to the size of the buffer is received before anybody reads it")
    func unreadSmall() async throws {
        let server = try MockServer.sending(["0123456789", "abcdef"])
        let record = StreamRecord<Data, Never>()
        let request = session.streamRequest(server.url(), shouldAutomaticallyResume: false)
        request.responseStream(on: queue) { record.add($0) }
        let input = Handed(stream: try #require(request.asInputStream(bufferSize: 16)))
        await record.ended()
        #expect(request.isFinished && input.stream.streamStatus == .notOpen)
        let (data, last) = await onThread {
            input.stream.open()
            return Self.readAll(input.stream)
        }
        #expect(data == Data("0123456789abcdef".utf8) && last == 0)
    }

    @Test("XMLParser-like code that asks hasBytesAvailable reads everything", arguments: 1...3)
    func polling(_ size: Int) async throws {
        let server = try MockServer.sending(["one", "two", "three"])
        let input = Handed(stream: try #require(session.streamRequest(server.url()).asInputStream()))
        let data = await onThread {
            input.stream.open()
            var (data, buffer) = (Data(), [UInt8](repeating: 0, count: size))
            while input.stream.hasBytesAvailable {
                let count = input.stream.read(&buffer, maxLength: size)
                if count > 0 { data += buffer.prefix(count) }
            }
            return data
        }
        #expect(data == Data("onetwothree".utf8))
    }
}
