import Firewheel
import FirewheelTesting
import Foundation
import Testing

/// Where a user's code runs: validations on the delegate queue, serializers on the serialization queue, handlers on their own queue.
@Suite("Dispatch queues of a session", .timeLimit(.minutes(5)))
struct QueueTests {
    private let url = "http://stub.test/"
    private let mark = DispatchSpecificKey<String>()

    private func stub(_ body: String = "[1]") -> StubTransport {
        StubTransport { _ in [.response(ResponseHead(statusCode: 200)), .finish(body: Data(body.utf8))] }
    }

    private func queue(_ name: String, _ attributes: DispatchQueue.Attributes = []) -> DispatchQueue {
        let queue = DispatchQueue(label: name, attributes: attributes)
        queue.setSpecific(key: mark, value: name)
        return queue
    }

    /// Counts how many are inside at once.
    private final class Gauge: Sendable {
        private let lock = NSLock()
        private nonisolated(unsafe) var inside = 0
        private nonisolated(unsafe) var top = 0

        var most: Int { lock.withLock { top } }

        func pass() {
            lock.withLock {
                inside += 1
                top = max(top, inside)
            }
            usleep(200)
            lock.withLock { inside -= 1 }
        }
    }

    #if os(Linux)
        /// Captured by a handler; records the thread of its release.
        private final class Captured: Sendable {
            private let ends: Journal<String>

            init(_ ends: Journal<String>) {
                self.ends = ends
            }

            deinit {
                ends.add((try? String(contentsOfFile: "/proc/thread-self/comm", encoding: .utf8)) ?? "unknown")
            }
        }

        @Test("Objects captured by a handler are released where it ran, not on the transport's thread", .eachTransport)
        func released() async throws {
            let server = try MockServer(recordsRequests: false)
            defer { server.shutdown() }
            server.route("*") { _ in .text("[1]") }
            let session = Session.onTest()
            let ends = Journal<String>()
            await onThreads(1) { _ in
                for round in 0..<600 {
                    let isCalled = DispatchSemaphore(value: 0)
                    let captured = Captured(ends)
                    let request = session.request(server.url()).validate()
                    if round.isMultiple(of: 2) {
                        request.responseData(queue: .global()) { _ in _ = (captured, isCalled.signal()) }
                    } else {
                        request.responseJSON(queue: .global()) { _ in _ = (captured, isCalled.signal()) }
                    }
                    isCalled.wait()
                }
            }
            #expect(!(try await ends.wait(for: 600)).contains(where: ProcessFacts.isLoop))
        }

        /// A monitor that captures an object.
        private struct Monitor: EventMonitor {
            let captured: Captured

            func request(_ context: RequestContext, did event: RequestEvent) {}
        }

        /// A redirect handler that captures an object.
        private struct Handler: RedirectHandler {
            let captured: Captured

            func redirect(_ context: RequestContext, to request: URLRequest, for response: HTTPURLResponse) async throws -> URLRequest? {
                request
            }
        }

        @Test("A redirect handler is not released on the transport's thread, whether or not it was called", .eachTransport)
        func releasedHandler() async throws {
            let server = try MockServer(recordsRequests: false)
            defer { server.shutdown() }
            server.route("*") { _ in .text("[1]") }
            let session = Session.onTest()
            let ends = Journal<String>()
            await onThreads(1) { _ in
                for _ in 0..<300 {
                    let isCalled = DispatchSemaphore(value: 0)
                    session.request(server.url()).redirect(using: Handler(captured: Captured(ends)))
                        .responseData(queue: .global()) { _ in isCalled.signal() }
                    isCalled.wait()
                }
            }
            #expect(!(try await ends.wait(for: 300)).contains(where: ProcessFacts.isLoop))
        }

        @Test("An event monitor is not released on the transport's thread, even if that held the session last", .eachTransport)
        func releasedMonitor() async throws {
            let server = try RawServer([["HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\n"]], ending: .stay)
            let ends = Journal<String>()
            for round in 1...40 {
                var session: Session? = Session.onTest(eventMonitors: [Monitor(captured: Captured(ends))])
                session?.request(server.url).response(queue: .global()) { _ in }
                _ = try await server.sent.wait(for: round)
                session?.invalidate()
                session = nil
            }
            #expect(!(try await ends.wait(for: 40)).contains(where: ProcessFacts.isLoop))
        }
    #endif

    @Test("A concurrent delegate queue runs one block at a time")
    func concurrentDelegateQueue() async throws {
        let gauge = Gauge()
        let marks = Journal<String?>()
        let done = Journal<Bool>()
        let session = Session(transport: stub(), delegateQueue: queue("delegate", .concurrent))
        for _ in 0..<100 {
            session.request(url).validate().responseJSON(queue: .global()) { done.add($0.error == nil) }
            session.withAllRequests { _ in
                marks.add(DispatchQueue.getSpecific(key: mark))
                gauge.pass()
            }
        }
        #expect(try await done.wait(for: 100) == Array(repeating: true, count: 100))
        #expect(try await marks.wait(for: 100) == Array(repeating: "delegate", count: 100))
        #expect(gauge.most == 1)
        withExtendedLifetime(session) {}
    }

    @Test("The main queue may be the delegate queue and the serialization queue")
    func mainQueue() async throws {
        let marks = Journal<String?>()
        DispatchQueue.main.setSpecific(key: mark, value: "main")
        let session = Session(transport: stub(), delegateQueue: .main, serializationQueue: .main)
        let serializer = DataResponseSerializer<Int> { _, _, _, _ in
            marks.add(DispatchQueue.getSpecific(key: mark))
            return .success(1)
        }
        let value = try await session.request(url).validate { _, _, _ in
            marks.add(DispatchQueue.getSpecific(key: mark) ?? "no queue of the session's")
        }
        .serializingResponse(using: serializer).value
        #expect(value == 1 && marks.entries == ["no queue of the session's", "main"])
        let file = try await session.download(url).serializingDownloadedFileURL().value
        #expect(FileManager.default.fileExists(atPath: file.path))
        try FileManager.default.removeItem(at: file)
        withExtendedLifetime(session) {}
    }

    @Test("Serializers run on the serialization queue of the session")
    func serializationQueue() async throws {
        let marks = Journal<String?>()
        let session = Session(transport: stub(), serializationQueue: queue("serialization"))
        let serializer = DataResponseSerializer<Int> { _, _, _, _ in
            marks.add(DispatchQueue.getSpecific(key: mark))
            return .success(1)
        }
        _ = try await session.request(url).serializingResponse(using: serializer).value
        #expect(marks.entries == ["serialization"])
        withExtendedLifetime(session) {}
    }

    @Test("Serializers of different requests run in parallel")
    func parallel() async throws {
        let session = Session(transport: stub())
        let inside = DispatchSemaphore(value: 0)
        let other = DispatchSemaphore(value: 0)
        // Each waits for the other to be running.
        func meeting(_ mine: DispatchSemaphore, _ theirs: DispatchSemaphore) -> DataResponseSerializer<Bool> {
            DataResponseSerializer { _, _, _, _ in
                mine.signal()
                return .success(theirs.wait(timeout: .now() + 60) == .success)
            }
        }
        async let first = session.request(url).serializingResponse(using: meeting(inside, other)).value
        async let second = session.request(url).serializingResponse(using: meeting(other, inside)).value
        let met = try await [first, second]
        #expect(met == [true, true])
        withExtendedLifetime(session) {}
    }

    @Test("Serializers of one request run one after the other, in order")
    func oneAfterTheOther() async throws {
        let bench = EngineBench(startRequestsImmediately: false)
        let gauge = Gauge()
        let order = Journal<Int>()
        let done = Journal<Int>()
        let request = bench.session.request(url)
        func attach(_ index: Int) {
            let serializer = DataResponseSerializer<Int> { _, _, _, _ in
                order.add(index)
                gauge.pass()
                return .success(index)
            }
            request.response(queue: bench.handlers, responseSerializer: serializer) { done.add($0.value ?? -1) }
        }
        for index in 0..<20 { attach(index) }
        request.resume()
        bench.transport.deliver((bench.id(request), .end(body: "x")))
        // More are attached while those run.
        for index in 20..<40 { attach(index) }
        #expect(try await done.wait(for: 40) == Array(0..<40))
        #expect(order.entries == Array(0..<40) && gauge.most == 1)
    }

    @Test("response and responseData do not wait for the serialization queue; responseJSON does")
    func inline() async throws {
        let bench = EngineBench()
        bench.serializers.suspend()
        let done = Journal<String>()
        func run(_ attach: (DataRequest) -> DataRequest) {
            let request = attach(bench.session.request(url))
            bench.transport.deliver((bench.id(request), .end(body: "[1]")))
        }
        run { $0.responseJSON(queue: bench.handlers) { _ in done.add("json") } }
        run { $0.response(queue: bench.handlers) { _ in done.add("response") } }
        run { $0.responseData(queue: bench.handlers) { _ in done.add("data") } }
        #expect(try await done.wait(for: 2) == ["response", "data"])
        bench.serializers.resume()
        #expect(try await done.wait(for: 3).last == "json")
    }

    @Test("A blocking serializer, handler or request modifier does not block other requests")
    func blocking() async throws {
        let session = Session(transport: stub())
        let gate = DispatchSemaphore(value: 0)
        let entered = Journal<String>()
        let left = Journal<String>()
        @Sendable func block(_ name: String) {
            entered.add(name)
            _ = gate.wait(timeout: .now() + 240)
            left.add(name)
        }
        let serializer = DataResponseSerializer<Int> { _, _, _, _ in
            block("serializer")
            return .success(1)
        }
        session.request(url).response(queue: .global(), responseSerializer: serializer) { _ in }
        session.request(url).responseData(queue: queue("blocked")) { _ in block("handler") }
        session.request(url, requestModifier: { _ in block("modifier") }).responseData(queue: .global()) { _ in }
        #expect(try await entered.wait(for: 3).count == 3)
        for _ in 0..<20 {
            #expect(try await session.request(url).serializingDecodable([Int].self).value == [1])
        }
        #expect(left.entries.isEmpty)
        for _ in 0..<3 { gate.signal() }
        _ = try await left.wait(for: 3)
        withExtendedLifetime(session) {}
    }

    @Test("Handlers run on the queue that they were given")
    func handlerQueue() async throws {
        let session = Session(transport: stub())
        let marks = Journal<String?>()
        let mine = queue("mine")
        session.request(url)
            .responseJSON(queue: mine) { _ in marks.add(DispatchQueue.getSpecific(key: mark)) }
            .response(queue: mine) { _ in marks.add(DispatchQueue.getSpecific(key: mark)) }
        session.request("no URL").responseData(queue: mine) { _ in marks.add(DispatchQueue.getSpecific(key: mark)) }
        #expect(try await marks.wait(for: 3) == ["mine", "mine", "mine"])
        withExtendedLifetime(session) {}
    }
}
