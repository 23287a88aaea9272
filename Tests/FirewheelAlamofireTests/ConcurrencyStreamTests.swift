import FirewheelAlamofire
import FirewheelTesting
import Testing

@Suite("Stream tasks", .timeLimit(.minutes(3)))
struct ConcurrencyStreamTests {
    /// Released after the test, as requests that have not started fail with their session.
    private let session = Session()
    /// A server that sends values until the client disconnects.
    private func endless() throws -> MockServer {
        let server = try MockServer()
        server.exchange("/") { exchange in
            try exchange.sendHead()
            while true { try exchange.sendChunk(Data("{\"n\":1}".utf8)) }
        }
        return server
    }

    @Test("Each kind of element, and the completion as the last one")
    func kinds() async throws {
        let server = try MockServer.sending(["{\"n\":1}"])
        func task() -> DataStreamTask { session.streamRequest(server.url()).validate().streamTask() }
        let data = await task().streamingData().allElements()
        #expect(data.count == 2 && data.first?.value == Data("{\"n\":1}".utf8))
        #expect(data.last?.completion?.response?.statusCode == 200 && data.last?.completion?.metrics != nil)
        #expect(await task().streamingStrings().compactMap(\.value).allElements() == ["{\"n\":1}"])
        #expect(await task().streamingDecodables(StreamNumber.self).compactMap(\.value).allElements() == [StreamNumber(n: 1)])
        #expect(await task().streamingResponses(serializedUsing: .passthrough).compactMap(\.value).allElements().count == 1)
        #expect(await task().streamingResponses(serializedUsing: .string).compactMap(\.value).allElements() == ["{\"n\":1}"])
        let values = task().streamingResponses(serializedUsing: .decodable(of: StreamNumber.self))
        #expect(await values.compactMap(\.value).allElements() == [StreamNumber(n: 1)])
    }

    @Test("A value that cannot be decoded is a failure among others, and a rejected response is a completion alone")
    func failures() async throws {
        let gate = DispatchSemaphore.open()
        let server = try MockServer.sending(["{\"n\":1}", "nonsense", "{\"n\":2}"], gate: gate)
        server.route("/refused") { _ in .text("body", status: 404) }
        var kinds: [String] = []
        for await stream in session.streamRequest(server.url("/")).streamTask().streamingDecodables(StreamNumber.self) {
            kinds.append(stream.value.map { "\($0.n)" } ?? (stream.error != nil ? "error" : "completion"))
            gate.signal()
        }
        #expect(kinds == ["1", "error", "2", "completion"])
        let refused = await session.streamRequest(server.url("/refused")).validate().streamTask().streamingData().allElements()
        #expect(refused.count == 1 && refused.first?.completion?.error != nil)
        #expect(refused.first?.completion?.response?.statusCode == 404)
    }

    @Test("Leaving the loop cancels the request, at once", arguments: [true, false])
    func leaving(_ drops: Bool) async throws {
        let server = try endless()
        let request = session.streamRequest(server.url())
        var count = 0
        let policy: DataStreamTask.Stream<Data, Never>.BufferingPolicy = drops ? .bufferingOldest(3) : .unbounded
        for await _ in request.streamTask().streamingData(bufferingPolicy: policy).compactMap(\.value) {
            count += 1
            break
        }
        #expect(request.isCancelled && count == 1)
    }

    @Test("cancel() of the task in the loop: no further element, and then the completion")
    func cancelling() async throws {
        let server = try endless()
        let request = session.streamRequest(server.url())
        let task = request.streamTask()
        var (count, completion) = (0, DataStreamRequest.Completion?.none)
        for await stream in task.streamingData() {
            if stream.value != nil {
                count += 1
                task.cancel()
            }
            if let end = stream.completion { completion = end }
        }
        #expect(request.isCancelled && count == 1)
        #expect(completion?.error?.isExplicitlyCancelledError == true)
    }

    @Test("A task that was cancelled before it iterates gets nothing, and its request is cancelled", arguments: [true, false])
    func cancelledTask(_ drops: Bool) async throws {
        let server = try endless()
        let request = session.streamRequest(server.url())
        let task = Task {
            while !Task.isCancelled { await Task.yield() }
            return await request.streamTask().streamingData(bufferingPolicy: drops ? .bufferingNewest(1) : .unbounded)
                .compactMap(\.value).allElements()
        }
        task.cancel()
        let pieces = await task.value
        #expect(request.isCancelled && (drops ? pieces.count <= 1 : pieces.isEmpty))
    }

    @Test("Cancelling the iterating task ends the loop, and the request if it may", arguments: [true, false])
    func cancelledIteration(_ cancels: Bool) async throws {
        let gate = DispatchSemaphore.open()
        let server = try MockServer.sending(["one", "two"], gate: gate)
        let request = session.streamRequest(server.url(), shouldAutomaticallyResume: false)
        let (record, isIterating) = (StreamRecord<Data, Never>(), OneSignal())
        let pieces = request.streamTask().streamingData(automaticallyCancelling: cancels)
        request.responseStream(on: DispatchQueue(label: "streams")) { record.add($0) }.resume()
        let task = Task {
            var count = 0
            for await _ in pieces {
                count += 1
                isIterating.fire()
            }
            return count
        }
        await isIterating.wait()
        task.cancel()
        #expect(await task.value == 1)
        #expect(request.isCancelled == cancels)
        gate.signal()
        await record.ended()
        if !cancels { #expect(record.values.reduce(Data(), +) == Data("onetwo".utf8)) }
    }

    @Test("After a loop that does not cancel, another one goes on")
    func secondLoop() async throws {
        let server = try endless()
        let request = session.streamRequest(server.url())
        let task = request.streamTask()
        var count = 0
        for await _ in task.streamingData(automaticallyCancelling: false).compactMap(\.value) {
            count += 1
            break
        }
        #expect(!request.isCancelled)
        for await _ in task.streamingData().compactMap(\.value) {
            count += 1
            break
        }
        #expect(request.isCancelled && count == 2)
    }

    @Test("A sequence that is released before anybody iterates it neither ends the request nor holds it up")
    func unread() async throws {
        let server = try MockServer()
        server.route("/") { _ in .data(Data(count: 8 << 20)) }
        let request = session.streamRequest(server.url(), shouldAutomaticallyResume: false)
        _ = request.streamTask().streamingData()
        let record = StreamRecord<Data, Never>()
        request.responseStream(on: DispatchQueue(label: "streams")) { record.add($0) }.resume()
        await record.ended()
        #expect(record.values.reduce(0) { $0 + $1.count } == 8 << 20 && !request.isCancelled)
    }

    @Test("A sequence that is not iterated does not hold up the request, and has the whole body afterwards")
    func inTurn() async throws {
        let server = try MockServer()
        server.route("/") { _ in .data(Data(repeating: 49, count: 4 << 20)) }
        let request = session.streamRequest(server.url(), shouldAutomaticallyResume: false)
        let task = request.streamTask()
        let (first, second) = (task.streamingData(), task.streamingStrings())
        let pieces = task.streamingResponses(serializedUsing: .passthrough)
        let record = StreamRecord<Data, Never>()
        request.responseStream(on: DispatchQueue(label: "streams")) { record.add($0) }.resume()
        await record.ended()
        #expect(request.isFinished)
        let bytes = await first.compactMap(\.value?.count).reduce(0, +)
        let characters = await second.compactMap(\.value?.utf8.count).reduce(0, +)
        let last = await pieces.allElements()
        #expect(bytes == 4 << 20 && characters == 4 << 20)
        #expect(last.compactMap(\.value?.count).reduce(0, +) == 4 << 20)
        #expect(last.last?.completion != nil && last.last?.completion?.error == nil)
    }

    @Test("Once a sequence is iterated, a loop that waits has the server wait")
    func paced() async throws {
        let server = try MockServer()
        let sent = Journal<Int>()
        server.exchange("/") { exchange in
            try exchange.sendHead(status: 200, headers: [("Transfer-Encoding", "chunked")])
            while true {
                try exchange.sendChunk(Data(count: 1 << 20))
                sent.add(1)
            }
        }
        let request = session.streamRequest(server.url())
        for await stream in request.streamTask().streamingData() where stream.value != nil {
            // The server goes on until the buffers of both sockets are full.
            var before = -1
            while sent.elements.count != before, before < 64 {
                before = sent.elements.count
                try await Task.sleep(nanoseconds: 200_000_000)
            }
            #expect(before < 64)
            break
        }
        #expect(request.isCancelled)
    }

    @Test("A policy that drops elements lets the request finish while nobody iterates")
    func dropping() async throws {
        let gate = DispatchSemaphore.open()
        let server = try MockServer.sending(["{\"n\":1}", "{\"n\":2}", "{\"n\":3}"], gate: gate)
        let request = session.streamRequest(server.url(), shouldAutomaticallyResume: false)
        let task = request.streamTask()
        let (newest, oldest) = (
            task.streamingDecodables(StreamNumber.self, bufferingPolicy: .bufferingNewest(2)),
            task.streamingStrings(bufferingPolicy: .bufferingOldest(1))
        )
        let record = StreamRecord<Data, Never>()
        request.responseStream(on: DispatchQueue(label: "streams")) { stream in
            record.add(stream)
            gate.signal()
        }
        request.resume()
        await record.ended()
        // Of all elements are kept the last two, or the first, and perhaps the completion that comes after.
        let last = await newest.allElements()
        #expect(last.last?.completion?.error == nil && last.last?.completion != nil && last.count <= 3)
        #expect(last.compactMap(\.value).last == StreamNumber(n: 3))
        let first = await oldest.allElements()
        #expect(first.first?.value?.hasPrefix("{\"n\":1}") == true && first.count <= 2)
    }

    @Test("Streams may be cancelled and left by many tasks at once", .serialized, arguments: 0..<20)
    func races(_ round: Int) async throws {
        let server = try endless()
        let request = session.streamRequest(server.url())
        let task = request.streamTask()
        await withTaskGroup(of: Void.self) { group in
            for number in 0..<4 {
                group.addTask {
                    var count = 0
                    for await stream in task.streamingDecodables(StreamNumber.self, automaticallyCancelling: number % 2 == 0) {
                        count += 1
                        if stream.completion == nil, count == number * 3 { break }
                    }
                }
            }
            group.addTask { for await _ in request.urlRequests() {} }
            group.addTask { for await _ in request.httpResponses() {} }
        }
        #expect(request.isCancelled)
    }

    @MainActor
    @Test("The main actor may iterate")
    func mainActor() async throws {
        let server = try MockServer.sending(["{\"n\":1}"])
        let task = session.streamRequest(server.url()).streamTask()
        var numbers: [Int] = []
        for await stream in task.streamingDecodables(StreamNumber.self) {
            MainActor.assertIsolated()
            if let value = stream.value { numbers.append(value.n) }
        }
        #expect(numbers == [1])
    }
}

extension AsyncSequence {
    /// All elements.
    func allElements() async rethrows -> [Element] {
        var elements: [Element] = []
        for try await element in self { elements.append(element) }
        return elements
    }
}
