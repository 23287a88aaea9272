import FirewheelAlamofire
import FirewheelTesting
import Testing

@Suite("Stream handlers", .timeLimit(.minutes(3)))
struct StreamHandlerTests {
    /// Released after the test, as requests that have not started fail with their session.
    private let session = Session()
    private let queue = DispatchQueue(label: "streams")

    @MainActor
    @Test("Without a queue, everything is called on the main actor: the response first, then each piece, then the completion")
    func mainActor() async throws {
        let gate = DispatchSemaphore.open()
        let server = try MockServer.sending(["a", "b", "c", "d", "e"], gate: gate)
        let end = OneSignal()
        // Compiles only if the handlers are the main actor's.
        final class Model {
            var responses: [HTTPURLResponse] = []
            var pieces: [String] = []
            var completion: DataStreamRequest.Completion?
        }
        let model = Model()
        let request = session.streamRequest(server.url())
            .onHTTPResponse { response in
                #expect(model.pieces.isEmpty)
                model.responses.append(response)
            }
            .responseStream { stream in
                MainActor.assertIsolated()
                switch stream.event {
                case .stream(let result):
                    switch result {
                    case .success(let data): model.pieces.append(String(decoding: data, as: UTF8.self))
                    }
                    gate.signal()
                case .complete(let completion):
                    #expect(model.completion == nil)
                    model.completion = completion
                    end.fire()
                }
            }
        await end.wait()
        #expect(model.pieces == ["a", "b", "c", "d", "e"])
        let completion = try #require(model.completion)
        #expect(completion.response?.statusCode == 200 && completion.error == nil)
        #expect(model.responses == [completion.response])
        #expect(completion.request?.url?.absoluteString == server.url())
        #expect(completion.metrics?.transactionMetrics.count == 1)
        #expect(request.isFinished)
    }

    @Test("A printed element or completion shows neither the URL nor header fields")
    func descriptions() async throws {
        let server = try MockServer()
        server.route("/*") { _ in MockResponse(status: 200, headers: [("Set-Cookie", "a=secret")], body: Data("x".utf8)) }
        let journal = Journal<String>()
        // The default session's cookies are those of the process.
        let session = Session(configuration: URLSessionConfiguration.af.ephemeral)
        session.streamRequest(server.url("/?key=secret")).responseStream(on: queue) { stream in
            var dumped = ""
            dump(stream, to: &dumped)
            journal.add("\(stream) \(String(reflecting: stream)) \(dumped)")
        }
        try await waitUntil("the end") { journal.elements.last?.contains("status 200") == true }
        #expect(!journal.elements.contains { $0.contains("secret") })
        withExtendedLifetime(session) {}
        server.shutdown()
    }

    @Test("onHTTPResponse on one queue is called before a handler on another gets the first piece")
    func responseFirst() async throws {
        let server = try MockServer.sending(["a"])
        for _ in 0..<20 {
            let (journal, record) = (Journal<String>(), StreamRecord<Data, Never>())
            session.streamRequest(server.url())
                .onHTTPResponse(on: DispatchQueue(label: "other")) { _ in journal.add("response") }
                .responseStream(on: queue) { stream in
                    dispatchPrecondition(condition: .onQueue(queue))
                    journal.add(stream.completion == nil ? "piece" : "completion")
                    record.add(stream)
                }
            await record.ended()
            #expect(journal.elements == ["response", "piece", "completion"])
        }
    }

    @Test("One value is decoded from each piece, and one that cannot be is a failure in its place")
    func decodables() async throws {
        let gate = DispatchSemaphore.open()
        let server = try MockServer.sending(["{\"n\":1}", "nonsense", "{\"n\":2}", "{\"n\":3}"], gate: gate)
        let record = StreamRecord<StreamNumber, AFError>()
        let request = session.streamRequest(server.url()).responseStreamDecodable(of: StreamNumber.self, on: queue) { stream in
            record.add(stream)
            gate.signal()
        }
        await record.ended()
        #expect(record.values.map(\.n) == [1, 2, 3])
        #expect(record.errors.count == 1 && record.isComplete)
        #expect(record.completions.first?.error == nil && !request.isCancelled)
    }

    @Test("Pieces that wait for a serializer are not joined")
    func waitingPieces() async throws {
        let gate = DispatchSemaphore.open()
        let server = try MockServer.sending((1...5).map { "{\"n\":\($0)}" }, gate: gate)
        let (record, mayGoOn) = (StreamRecord<StreamNumber, AFError>(), DispatchSemaphore(value: 0))
        let request = session.streamRequest(server.url(), shouldAutomaticallyResume: false)
        request.responseStreamDecodable(of: StreamNumber.self, on: queue) { stream in
            record.add(stream)
            if stream.value?.n == 1 { mayGoOn.wait() }
        }
        let reports = request.downloadProgress()
        request.resume()
        // Each piece is sent when the one before was received, and all of them before the handler goes on.
        var received: Int64 = 0
        for await progress in reports where progress.completedUnitCount > received {
            received = progress.completedUnitCount
            if received == 35 { mayGoOn.signal() } else { gate.signal() }
        }
        await record.ended()
        #expect(record.values.map(\.n) == [1, 2, 3, 4, 5] && record.errors.isEmpty && record.isComplete)
    }

    @Test("Text is handed over without splitting characters; a StringStreamSerializer makes text of each piece alone")
    func strings() async throws {
        let text = "grüße 👋🏽 日本語"
        let server = try MockServer()
        server.exchange("/") { exchange in
            try exchange.sendHead()
            for byte in Data(text.utf8) { try exchange.sendChunk(Data([byte])) }
            try exchange.endChunks()
        }
        let (whole, alone) = (StreamRecord<String, Never>(), StreamRecord<String, AFError>())
        session.streamRequest(server.url()).responseStreamString(on: queue) { whole.add($0) }
        await whole.ended()
        #expect(whole.values.joined() == text && whole.isComplete)
        #expect(try StringStreamSerializer().serialize(Data([0xC3])) == "\u{FFFD}")
        session.streamRequest(server.url()).responseStream(using: .string, on: queue) { alone.add($0) }
        await alone.ended()
        #expect(alone.values.joined().hasPrefix("gr") && alone.errors.isEmpty && alone.isComplete)
    }

    @Test("Elements need not be Sendable, on the main actor and on a queue")
    func notSendable() async throws {
        let server = try MockServer.sending(["a"])
        let record = StreamRecord<MutableText, AFError>()
        session.streamRequest(server.url()).responseStream(using: MutableTextSerializer(), on: queue) { stream in
            stream.value?.text += "!"
            record.add(stream)
        }
        await record.ended()
        #expect(record.values.map(\.text) == ["a!"])
        let end = OneSignal()
        session.streamRequest(server.url()).responseStream(using: MutableTextSerializer()) { stream in
            MainActor.assertIsolated()
            stream.value?.text += "!"
            if stream.completion != nil { end.fire() }
        }
        await end.wait()
    }

    @Test("Several handlers of one request get the same pieces, each with a completion")
    func several() async throws {
        let server = try MockServer.sending(["{\"n\":1}"])
        let (data, value) = (StreamRecord<Data, Never>(), StreamRecord<StreamNumber, AFError>())
        session.streamRequest(server.url(), shouldAutomaticallyResume: false)
            .responseStream(on: queue) { data.add($0) }
            .responseStreamDecodable(of: StreamNumber.self, on: .global()) { value.add($0) }
            .resume()
        await data.ended()
        await value.ended()
        #expect(data.values == [Data("{\"n\":1}".utf8)] && value.values == [StreamNumber(n: 1)])
        #expect(data.isComplete && value.isComplete)
        #expect(data.completions.first?.response == value.completions.first?.response)
    }

    @Test("A handler that is attached after the end gets the completion alone")
    func late() async throws {
        let server = try MockServer.sending(["a"])
        let (early, late) = (StreamRecord<Data, Never>(), StreamRecord<Data, Never>())
        let request = session.streamRequest(server.url()).responseStream(on: queue) { early.add($0) }
        await early.ended()
        request.responseStream(on: queue) { late.add($0) }
        await late.ended()
        #expect(late.values.isEmpty && late.isComplete && late.completions.first?.response?.statusCode == 200)
    }

    @Test("The session's serialization queue is where elements are made, also if it is concurrent")
    func serializationQueue() async throws {
        struct Checking: DataStreamSerializer {
            let queue: DispatchQueue

            func serialize(_ data: Data) throws -> Int {
                dispatchPrecondition(condition: .onQueue(queue))
                return data.count
            }
        }
        let server = try MockServer.sending(["a", "bb", "ccc"])
        let serialization = DispatchQueue(label: "serialization", attributes: .concurrent)
        let session = Session(rootQueue: DispatchQueue(label: "root", attributes: .concurrent), serializationQueue: serialization)
        defer { withExtendedLifetime(session) {} }
        let record = StreamRecord<Int, AFError>()
        session.streamRequest(server.url()).responseStream(using: Checking(queue: serialization), on: queue) { record.add($0) }
        await record.ended()
        #expect(record.values.reduce(0, +) == 6 && record.isComplete)
        let task = session.streamRequest(server.url()).streamTask()
        var count = 0
        for await value in task.streamingResponses(serializedUsing: Checking(queue: serialization)).compactMap(\.value) { count += value }
        #expect(count == 6)
    }

    @Test("Everything is delivered through the session's root queue")
    func rootQueue() async throws {
        let server = try MockServer.sending(["a"])
        let root = DispatchQueue(label: "root")
        let session = Session(rootQueue: root)
        defer { withExtendedLifetime(session) {} }
        let record = StreamRecord<Data, Never>()
        root.suspend()
        session.streamRequest(server.url()).responseStream(on: queue) { record.add($0) }
        #expect(await server.waitForRequests(1))
        #expect(record.values.isEmpty && record.completions.isEmpty)
        root.resume()
        await record.ended()
        #expect(record.values == [Data("a".utf8)] && record.isComplete)
    }

    @Test("A request of a session that starts none begins with resume(), unless it is to begin with its first handler")
    func starting() async throws {
        let server = try MockServer.sending(["a"])
        let session = Session(startRequestsImmediately: false)
        defer { withExtendedLifetime(session) {} }
        let record = StreamRecord<Data, Never>()
        let request = session.streamRequest(server.url()).responseStream(on: queue) { record.add($0) }
        #expect(request.isInitialized)
        request.resume()
        await record.ended()
        let second = StreamRecord<Data, Never>()
        session.streamRequest(server.url(), shouldAutomaticallyResume: true).responseStream(on: queue) { second.add($0) }
        await second.ended()
        #expect(record.isComplete && second.isComplete && server.requestCount == 2)
    }

    @Test("A handler or a sequence that starts a suspended request gets all of the body")
    func suspended() async throws {
        let session = Session(requestSetup: .eager, transport: StubTransport.text("whole"))
        for _ in 0..<200 {
            let record = StreamRecord<Data, Never>()
            session.streamRequest("http://stub.test/").suspend().responseStream(on: queue) { record.add($0) }
            await record.ended()
            #expect(record.values == [Data("whole".utf8)])
            var read = Data()
            for await part in session.streamRequest("http://stub.test/").suspend().streamTask().streamingData() {
                read += part.value ?? Data()
            }
            #expect(read == Data("whole".utf8))
        }
    }
}
