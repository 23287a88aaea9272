import FirewheelAlamofire
import FirewheelTesting
import Testing

/// How streams end: by the caller, by an error, by a rejected response.
@Suite("Ends of streams", .timeLimit(.minutes(3)))
struct StreamEndTests {
    /// Released after the test, as requests that have not started fail with their session.
    private let session = Session()
    private let queue = DispatchQueue(label: "streams")

    /// A server that goes on until the client disconnects.
    private func endless() throws -> MockServer {
        let server = try MockServer()
        server.exchange("/") { exchange in
            try exchange.sendHead()
            while true { try exchange.sendChunk(Data("{\"n\":1}".utf8)) }
        }
        return server
    }

    @MainActor
    @Test("cancel() in the first element beats the completion of a response that has arrived, also if the root queue is the main queue")
    func cancelFirst() async throws {
        let server = try MockServer()
        server.route("/") { _ in .text("whole") }
        let session = Session(rootQueue: .main)
        defer { withExtendedLifetime(session) {} }
        for token in [true, false] {
            let end = OneSignal()
            var (elements, completion) = (0, DataStreamRequest.Completion?.none)
            let request = session.streamRequest(server.url()).responseStream { stream in
                if stream.value != nil {
                    elements += 1
                    if token { stream.token.cancel() } else { stream.cancel() }
                }
                if let ended = stream.completion {
                    completion = ended
                    end.fire()
                }
            }
            await end.wait()
            #expect(elements == 1 && request.isCancelled)
            #expect(completion?.response?.statusCode == 200)
            #expect(completion?.error?.isExplicitlyCancelledError == true)
        }
    }

    @Test("No element follows a cancellation in a handler, and the completion comes once")
    func cancelInTheMiddle() async throws {
        let server = try endless()
        let record = StreamRecord<Data, Never>()
        session.streamRequest(server.url()).responseStream(on: queue) { stream in
            record.add(stream)
            if record.values.count == 3 { stream.cancel() }
        }
        await record.ended()
        #expect(record.values.count == 3 && record.isComplete)
    }

    @Test("An error of a handler ends the request: it is the error of the completion and of the request")
    func throwing() async throws {
        let server = try endless()
        let (record, other) = (StreamRecord<Data, Never>(), StreamRecord<String, Never>())
        let request = session.streamRequest(server.url())
            .responseStream(on: queue) { stream in
                record.add(stream)
                // Of the completion nobody is told.
                throw StreamRefusal()
            }
            .responseStreamString(on: queue) { other.add($0) }
        await record.ended()
        await other.ended()
        #expect(record.values.count == 1 && record.isComplete && other.isComplete)
        let completion = try #require(record.completions.first)
        #expect(completion.response?.statusCode == 200)
        #expect(completion.error?.isExplicitlyCancelledError == false)
        #expect(request.error != nil && request.isCancelled)
    }

    @Test("With automaticallyCancelOnStreamError an element that cannot be made cancels the request, after the handler has got it")
    func automaticCancelling() async throws {
        let gate = DispatchSemaphore.open()
        let server = try MockServer.sending(["{\"n\":1}", "nonsense", "{\"n\":2}"], gate: gate)
        let record = StreamRecord<StreamNumber, AFError>()
        let request = session.streamRequest(server.url(), automaticallyCancelOnStreamError: true)
            .responseStreamDecodable(of: StreamNumber.self, on: queue) { stream in
                record.add(stream)
                gate.signal()
            }
        await record.ended()
        gate.signal()
        #expect(record.values.map(\.n) == [1] && record.errors.count == 1 && record.isComplete)
        #expect(record.completions.first?.response?.statusCode == 200 && request.isCancelled)
        #expect(record.completions.first?.error?.isExplicitlyCancelledError == true)

        // The response does not end before it is cancelled.
        let held = DispatchSemaphore.open()
        let again = try MockServer.sending(["nonsense", "{\"n\":2}"], gate: held)
        let sequence = session.streamRequest(again.url(), automaticallyCancelOnStreamError: true)
        var kinds: [String] = []
        for await stream in sequence.streamTask().streamingDecodables(StreamNumber.self) {
            kinds.append(stream.error != nil ? "error" : stream.completion?.error != nil ? "cancelled" : "other")
        }
        held.signal()
        #expect(kinds == ["error", "cancelled"] && sequence.isCancelled)
    }

    @Test(
        "Of a response that is rejected no element is delivered",
        arguments: ["status", "type", "default", "custom", "all"])
    func validation(_ kind: String) async throws {
        let server = try MockServer()
        server.route("/") { _ in .text("body", status: 404) }
        let (record, asked) = (StreamRecord<Data, Never>(), Journal<Int>())
        let request = session.streamRequest(server.url())
        switch kind {
        case "status": request.validate(statusCode: 200..<300)
        case "type": request.validate(contentType: ["application/json"])
        case "default": request.validate()
        case "custom":
            request.validate { request, response in
                asked.add(response.statusCode)
                return request != nil ? .failure(StreamRefusal()) : .success(())
            }
        default:
            request.validate(statusCode: [404]).validate(contentType: ["text/*"]).validate { _, _ in .success(()) }
        }
        request.responseStream(on: queue) { record.add($0) }
        await record.ended()
        #expect(record.isComplete && record.completions.first?.response?.statusCode == 404)
        #expect((record.completions.first?.error == nil) == (kind == "all"))
        #expect(record.values.isEmpty == (kind != "all"))
        #expect(asked.elements == (kind == "custom" ? [404] : []))
    }

    @Test("After a retry the handler gets the second response alone, and one completion")
    func retry() async throws {
        let server = try MockServer()
        server.enqueue(.text("refused", status: 503), .text("accepted"))
        let record = StreamRecord<Data, Never>()
        let request = session.streamRequest(server.url())
            .validate()
            .retry(using: .retrier { request, _, _, completion in completion(request.retryCount == 0 ? .retry : .doNotRetry) })
            .responseStream(on: queue) { record.add($0) }
        await record.ended()
        #expect(record.values.reduce(Data(), +) == Data("accepted".utf8))
        #expect(record.isComplete && record.completions.first?.error == nil && request.retryCount == 1)
    }

    @Test("A connection that breaks off is the error of the completion, after what has arrived")
    func broken() async throws {
        let server = try MockServer()
        server.exchange("/") { exchange in
            try exchange.sendHead()
            try exchange.sendChunk(Data("some".utf8))
            throw StreamRefusal()
        }
        let record = StreamRecord<Data, Never>()
        session.streamRequest(server.url()).responseStream(on: queue) { record.add($0) }
        await record.ended()
        #expect(record.values == [Data("some".utf8)] && record.isComplete)
        #expect(record.completions.first?.error != nil && record.completions.first?.response?.statusCode == 200)
    }

    @Test("A request that was cancelled before its start, and one that cannot be made, have one completion")
    func neverSent() async throws {
        let session = Session(startRequestsImmediately: false)
        defer { withExtendedLifetime(session) {} }
        let (cancelled, invalid) = (StreamRecord<Data, Never>(), StreamRecord<Data, Never>())
        let request = session.streamRequest("http://localhost/").cancel()
        request.responseStream(on: queue) { cancelled.add($0) }.resume()
        session.streamRequest("").responseStream(on: queue) { invalid.add($0) }.resume()
        await cancelled.ended()
        await invalid.ended()
        #expect(cancelled.isComplete && cancelled.values.isEmpty && cancelled.completions.first?.error != nil)
        #expect(invalid.isComplete && invalid.values.isEmpty && invalid.completions.first?.error != nil)
    }
}
