import FirewheelAlamofire
import FirewheelTesting
import Testing

@Suite("Event monitors", .timeLimit(.minutes(2)))
struct EventMonitorTests {
    private let server: MockServer
    private let sessions = SessionKeeper()

    init() throws {
        server = try MockServer()
        server.route("/") { _ in .json(#"{"a": 1}"#) }
    }

    // MARK: What is seen

    @Test func theErrorOfAnAttemptIsSeenWhileItMayBeRetried() async {
        struct Refusal: Error {}
        final class Refusing: RequestInterceptor, Sendable {
            let seen = Journal<Bool>()

            func adapt(
                _ urlRequest: URLRequest, for session: Session, completion: @escaping @Sendable (Result<URLRequest, any Error>) -> Void
            ) {
                completion(seen.elements.isEmpty ? .failure(Refusal()) : .success(urlRequest))
            }

            func retry(
                _ request: Request, for session: Session, dueTo error: any Error, completion: @escaping @Sendable (RetryResult) -> Void
            ) {
                seen.add(request.error?.isRequestAdaptationError == true)
                completion(.retry)
            }
        }
        let interceptor = Refusing()
        let request = sessions.keep(Session()).request(server.url(), interceptor: interceptor)
        #expect(await request.serializingData().response.error == nil)
        #expect(interceptor.seen.elements == [true] && request.error == nil && request.retryCount == 1)
        server.shutdown()
    }

    @Test func monitorsSeeTheErrorThatTheyAreToldOf() async {
        struct Refusal: Error {}
        let (stream, heard) = AsyncStream.makeStream(of: Bool.self)
        let monitor = ClosureEventMonitor(queue: DispatchQueue(label: "monitor"))
        monitor.requestDidFailToAdaptURLRequestWithError = { request, _, _ in
            heard.yield(request.error?.isRequestAdaptationError == true)
            heard.finish()
        }
        let adapter = Adapter { _, _, completion in completion(.failure(Refusal())) }
        let request = sessions.keep(Session(eventMonitors: [monitor])).request(server.url(), interceptor: Interceptor(adapters: [adapter]))
        request.response(queue: .global()) { _ in }
        var seen: [Bool] = []
        for await value in stream { seen.append(value) }
        #expect(seen == [true])
        server.shutdown()
    }

    // MARK: Who is called

    @Test func theSessionsAreCalledFirstAndThenThoseOfTheRequestInTheOrderOfTheirAddition() async {
        let queue = DispatchQueue(label: "one queue")
        let (stream, heard) = AsyncStream.makeStream(of: String.self)
        func monitor(_ name: String) -> ClosureEventMonitor {
            let monitor = ClosureEventMonitor(queue: queue)
            monitor.requestDidResume = { _ in heard.yield(name) }
            monitor.requestDidFinish = { _ in
                heard.yield(name)
                if name == "added last" { heard.finish() }
            }
            return monitor
        }
        let session = sessions.keep(Session(eventMonitors: [monitor("session"), monitor("session 2")]))
        let request = session.request(server.url()).eventMonitor(monitor("added")).eventMonitor(monitor("added last"))
        #expect(session.eventMonitor.monitors.count == 2)
        #expect((request.eventMonitor as? CompositeEventMonitor)?.monitors.count == 4)
        _ = await request.serializingData().response
        var names: [String] = []
        for await name in stream { names.append(name) }
        #expect(names == ["session", "session 2", "added", "added last", "session", "session 2", "added", "added last"])
        server.shutdown()
    }

    @Test func monitorsGetTheRequestOfTheUser() async {
        let (stream, heard) = AsyncStream.makeStream(of: ObjectIdentifier.self)
        let monitor = ClosureEventMonitor(queue: DispatchQueue(label: "monitor"))
        monitor.requestDidResume = { heard.yield(ObjectIdentifier($0)) }
        monitor.requestDidParseResponse = { request, _ in
            heard.yield(ObjectIdentifier(request))
            heard.finish()
        }
        let request = sessions.keep(Session(eventMonitors: [monitor])).request(server.url()).response(queue: .global()) { _ in }
        var objects: [ObjectIdentifier] = []
        for await object in stream { objects.append(object) }
        #expect(objects == [ObjectIdentifier(request), ObjectIdentifier(request)])
        server.shutdown()
    }

    @Test func aMonitorThatIsAddedToARunningRequestGetsWhatFollows() async throws {
        server.exchange("/slow") { exchange in _ = exchange.waitForDisconnection() }
        let recorder = MonitorRecorder()
        let request = sessions.keep(Session(eventMonitors: [])).request(server.url("/slow")).response(queue: .global()) { _ in }
        #expect(await server.waitForRequests(1))
        request.eventMonitor(recorder).cancel()
        #expect(
            await recorder.events(until: "response failed")
                == ["cancel", "cancelTask", "metrics", "complete failed", "finish", "response failed"])
        server.shutdown()
    }

    @Test func aSessionWithoutMonitorsHasNone() async {
        let session = sessions.keep(Session(eventMonitors: []))
        #expect(session.eventMonitor.monitors.isEmpty)
        #expect(await session.request(server.url()).serializingData().response.error == nil)
        server.shutdown()
    }

    /// A monitor may create a queue each time that it is asked for it.
    @Test func theQueueIsReadOnce() async {
        final class Forgetful: EventMonitor, Sendable {
            let recorder = MonitorRecorder()
            var queue: DispatchQueue { DispatchQueue(label: "another one", target: recorder.queue) }
            private let label = DispatchSpecificKey<Int>()
            func requestDidResume(_ request: Request) { recorder.requestDidResume(request) }
            func requestDidFinish(_ request: Request) { recorder.requestDidFinish(request) }
        }
        let monitor = Forgetful()
        _ = await sessions.keep(Session(eventMonitors: [monitor])).request(server.url()).serializingData().response
        #expect(await monitor.recorder.events(until: "finish") == ["resume", "finish"])
        server.shutdown()
    }

    // MARK: Values

    /// The method is declared as for Alamofire.
    @Test func metricsAreOursUnderTheirOldName() async {
        final class Monitor: EventMonitor {
            let queue = DispatchQueue(label: "monitor")
            let transactions: AsyncStream<Int>.Continuation
            init(_ transactions: AsyncStream<Int>.Continuation) { self.transactions = transactions }
            func request(_ request: Request, didGatherMetrics metrics: URLSessionTaskMetrics) {
                transactions.yield(metrics.transactionMetrics.count)
                transactions.finish()
            }
        }
        let (stream, transactions) = AsyncStream.makeStream(of: Int.self)
        _ = await sessions.keep(Session(eventMonitors: [Monitor(transactions)])).request(server.url()).serializingData().response
        #expect(await stream.first { _ in true } == 1)
        server.shutdown()
    }

    @Test func valuesOfAnyTypeArrive() async {
        let recorder = MonitorRecorder()
        let session = sessions.keep(Session(eventMonitors: [recorder]))
        final class NotSendable: Decodable { var a = 0 }
        session.request(server.url()).responseJSON(queue: .global()) { _ in }
        #expect(await recorder.events(until: "parse Any").last == "parse Any")
        session.request(server.url()).responseDecodable(of: NotSendable.self, queue: .global()) { _ in }
        #expect(await recorder.events(until: "parse NotSendable").last == "parse NotSendable")
        session.request(server.url()).responseDecodable(of: [String: Int].self, queue: .global()) { _ in }
        #expect(await recorder.events(until: "parse Dictionary<String, Int>").last == "parse Dictionary<String, Int>")
        session.download(server.url()).responseJSON(queue: .global()) { _ in }
        #expect(await recorder.events(until: "parse Any", count: 2).last == "parse Any")
        server.shutdown()
    }

    @Test func eachHandlersResponseIsParsedAlsoAfterTheEnd() async {
        let recorder = MonitorRecorder()
        let request = sessions.keep(Session(eventMonitors: [recorder])).request(server.url())
        request.responseString(queue: .global()) { _ in }.responseData(queue: .global()) { _ in }
        #expect(await recorder.events(until: "parse Data").suffix(3) == ["finish", "parse String", "parse Data"])
        request.response(queue: .global()) { _ in }
        #expect(await recorder.events(until: "response").suffix(3) == ["parse String", "parse Data", "response"])
        server.shutdown()
    }

    @Test func aValidationsValuesAreThoseThatItHad() async throws {
        struct Refusal: Error {}
        let (stream, heard) = AsyncStream.makeStream(of: (String?, Int, Int?, (any Error)?).self)
        let monitor = ClosureEventMonitor(queue: DispatchQueue(label: "monitor"))
        monitor.requestDidValidateRequestResponseDataWithResult = { _, request, response, data, result in
            heard.yield((request?.url?.path, response.statusCode, data?.count, result.failure))
        }
        monitor.requestDidFinish = { _ in heard.finish() }
        _ = await sessions.keep(Session(eventMonitors: [monitor])).request(server.url())
            .validate { _, _, _ in .success(()) }
            .validate { _, _, _ in .failure(Refusal()) }
            .validate { _, _, _ in .success(()) }
            .serializingData().response
        var results: [(String?, Int, Int?, (any Error)?)] = []
        for await result in stream { results.append(result) }
        #expect(results.count == 2)
        let last = try #require(results.last)
        #expect(last.0 == "/")
        #expect(last.1 == 200)
        #expect(last.2 == 8)
        #expect(last.3 is Refusal)
        #expect(results.first?.3 == nil)
        server.shutdown()
    }

    @Test func adaptersRequestsAreToldApart() async throws {
        let (stream, heard) = AsyncStream.makeStream(of: [String?].self)
        let monitor = ClosureEventMonitor(queue: DispatchQueue(label: "monitor"))
        monitor.requestDidCreateInitialURLRequest = { heard.yield([$1.headers["X"]]) }
        monitor.requestDidAdaptInitialRequestToAdaptedRequest = { heard.yield([$1.headers["X"], $2.headers["X"]]) }
        monitor.requestDidCreateURLRequest = {
            heard.yield([$1.headers["X"]])
            heard.finish()
        }
        let adapter = Adapter { request, _, completion in
            var request = request
            request.headers.update(name: "X", value: "adapted")
            completion(.success(request))
        }
        _ = await sessions.keep(Session(interceptor: adapter, eventMonitors: [monitor])).request(server.url()).serializingData().response
        var requests: [[String?]] = []
        for await request in stream { requests.append(request) }
        #expect(requests == [[nil], [nil, "adapted"], ["adapted"]])
        server.shutdown()
    }

    // MARK: What monitors do

    @Test func aMonitorThatBlocksItsQueueDelaysNoRequest() async {
        let blocked = DispatchSemaphore(value: 0)
        let monitor = ClosureEventMonitor(queue: DispatchQueue(label: "blocked"))
        monitor.requestDidResume = { _ in blocked.wait() }
        let session = sessions.keep(Session(eventMonitors: [monitor]))
        for _ in 0..<10 {
            #expect(await session.request(server.url()).serializingData().response.error == nil)
            blocked.signal()
        }
        server.shutdown()
    }

    @Test(arguments: [true, false]) func aMonitorCancelsItsRequest(onTheRootQueue: Bool) async {
        server.exchange("/slow") { exchange in _ = exchange.waitForDisconnection() }
        let queue = DispatchQueue(label: "monitor")
        let monitor = ClosureEventMonitor(queue: queue)
        monitor.requestDidCreateTask = { request, _ in
            DispatchQueue.concurrentPerform(iterations: 20) { _ in request.cancel() }
        }
        let recorder = MonitorRecorder()
        let session = sessions.keep(
            Session(rootQueue: onTheRootQueue ? queue : DispatchQueue(label: "root"), eventMonitors: [monitor, recorder]))
        let response = await session.request(server.url("/slow")).serializingData().response
        #expect(response.error != nil)
        let events = await recorder.events(until: "parse Data failed")
        for event in ["resume", "resumeTask", "cancel", "cancelTask", "metrics", "complete failed", "finish"] {
            #expect(events.count { $0 == event } == 1, "\(event)")
        }
        server.shutdown()
    }

    @Test func aMonitorSuspendsAndResumesItsRequest() async {
        let monitor = ClosureEventMonitor(queue: DispatchQueue(label: "monitor"))
        monitor.requestDidCreateTask = { request, _ in request.suspend() }
        monitor.requestDidSuspend = { $0.resume() }
        let response = await sessions.keep(Session(eventMonitors: [monitor])).request(server.url()).serializingData().response
        #expect(response.error == nil)
        server.shutdown()
    }

    // MARK: Lifetime

    /// The requests are not released at once, because the end of a request is delivered on other threads.
    @Test func nothingIsLeftOf1000Requests() async throws {
        weak var session: Session?
        let recorder = MonitorRecorder()
        let ended = EndOfLife()
        do {
            let created = Session(eventMonitors: [AlamofireNotifications(), recorder])
            session = created
            for _ in 0..<1000 {
                let request = created.request(server.url())
                ended.follow(request)
                #expect(await request.serializingData().response.error == nil)
            }
        }
        _ = await recorder.events(until: "parse Data", count: 1000)
        await ended.wait(for: 1000)
        #expect(session == nil)
        server.shutdown()
    }

    @Test func aRequestThatNeverStartsIsReleased() {
        let (recorder, added) = (MonitorRecorder(), MonitorRecorder())
        let session = sessions.keep(Session(startRequestsImmediately: false, eventMonitors: [recorder]))
        weak var request: DataRequest?
        do {
            let created = session.request("http://localhost").eventMonitor(added).response(queue: .global()) { _ in }
            created.suspend()
            request = created
        }
        // After these, the queues hold nothing any more.
        #expect(recorder.events == ["suspend"])
        #expect(added.events == ["suspend"])
        #expect(request == nil)
    }

    @Test func aRequestThatIsStartedLaterIsKeptForItsHandler() async {
        let recorder = MonitorRecorder()
        let session = sessions.keep(Session(startRequestsImmediately: false, eventMonitors: [recorder]))
        session.request(server.url()).response(queue: .global()) { _ in }.resume()
        #expect(await recorder.events(until: "response").suffix(2) == ["finish", "response"])
        server.shutdown()
    }

    @Test func aRequestThatOutlivesItsSessionHasEvents() async throws {
        server.exchange("/slow") { exchange in _ = exchange.waitForDisconnection() }
        let recorder = MonitorRecorder()
        var session: Session? = Session(eventMonitors: [recorder])
        let request = session?.request(server.url("/slow")).response(queue: .global()) { _ in }
        #expect(await server.waitForRequests(1))
        session = nil
        #expect(
            await recorder.events(until: "response failed")
                == ["resume", "initial", "create", "task", "resumeTask", "metrics", "complete failed", "finish", "response failed"])
        #expect(request?.isFinished == true)
        server.shutdown()
    }
}

/// Tells when objects have been released.
private final class EndOfLife: Sendable {
    private final class Last: Sendable {
        let released: AsyncStream<Void>.Continuation
        init(_ released: AsyncStream<Void>.Continuation) { self.released = released }
        deinit { released.yield() }
    }

    private let stream: AsyncStream<Void>
    private let released: AsyncStream<Void>.Continuation

    init() {
        (stream, released) = AsyncStream.makeStream()
    }

    /// Adds a retrier that is released with the request.
    func follow(_ request: Request) {
        let last = Last(released)
        request.retry(using: Retrier { _, _, _, completion in withExtendedLifetime(last) { completion(.doNotRetry) } })
    }

    func wait(for count: Int) async {
        var left = count
        for await _ in stream {
            left -= 1
            if left == 0 { return }
        }
    }
}

extension Result {
    fileprivate var failure: Failure? {
        if case .failure(let error) = self { error } else { nil }
    }
}
