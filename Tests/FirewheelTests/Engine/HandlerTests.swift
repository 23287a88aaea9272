import Firewheel
import Foundation
import Testing

/// Every handler is called exactly once, in order.
@Suite("Response handlers", .timeLimit(.minutes(5)))
struct HandlerTests {
    enum Fate: CaseIterable {
        case success, transportFailure, validationFailure, serializationFailure, invalidURL
        case cancelBeforeResume, cancelAtOnce, cancelInTheMiddle

        var expected: FirewheelError.Kind? {
            switch self {
            case .success: nil
            case .transportFailure: .transportFailed(.networkConnectionLost)
            case .validationFailure: .responseValidationFailed(.unacceptableStatusCode(500))
            case .serializationFailure: .responseSerializationFailed(.jsonSerializationFailed)
            case .cancelBeforeResume, .cancelAtOnce, .cancelInTheMiddle: .explicitlyCancelled
            case .invalidURL: .invalidURL
            }
        }
    }

    struct Entry: Equatable {
        let handler: Int
        let kind: FirewheelError.Kind?
    }

    /// Ends a request in the given way.
    private func play(_ fate: Fate, _ request: DataRequest, on bench: EngineBench) async throws {
        if fate == .cancelBeforeResume { request.cancel() }
        request.resume()
        if fate == .cancelAtOnce { request.cancel() }
        guard fate != .cancelBeforeResume, fate != .cancelAtOnce, fate != .invalidURL else { return }
        try await bench.started(request)
        switch fate {
        case .transportFailure: bench.transport.deliver((bench.id(request), .failure(.failed(.networkConnectionLost, "reset"))))
        case .validationFailure: bench.transport.deliver((bench.id(request), .end(500, body: "[1]")))
        case .serializationFailure: bench.transport.deliver((bench.id(request), .end(body: "no JSON")))
        case .cancelInTheMiddle:
            bench.transport.deliver((bench.id(request), .head()))
            request.cancel()
        default: bench.transport.deliver((bench.id(request), .end(body: "[1]")))
        }
    }

    @Test("Handlers are called once each in the order of attaching, also those attached after the end", arguments: Fate.allCases)
    func onceInOrder(fate: Fate) async throws {
        let bench = EngineBench(startRequestsImmediately: false)
        let journal = Journal<Entry>()
        let request = bench.session.request(fate == .invalidURL ? "no URL" : "http://stub.test/").validate()
            .responseJSON(queue: bench.handlers) { journal.add(Entry(handler: 0, kind: kind($0.error))) }
            .response(queue: bench.handlers) { journal.add(Entry(handler: 1, kind: kind($0.error))) }
            .responseDecodable(queue: bench.handlers, of: [Int].self) { journal.add(Entry(handler: 2, kind: kind($0.error))) }
            .responseData(queue: bench.handlers) { journal.add(Entry(handler: 3, kind: kind($0.error))) }
        try await play(fate, request, on: bench)
        _ = try await journal.wait(for: 4)
        request.responseJSON(queue: bench.handlers) { journal.add(Entry(handler: 4, kind: kind($0.error))) }
            .response(queue: bench.handlers) { response in
                // Attached by a handler.
                journal.add(Entry(handler: 5, kind: kind(response.error)))
                request.responseJSON(queue: bench.handlers) { journal.add(Entry(handler: 6, kind: kind($0.error))) }
                    .responseData(queue: bench.handlers) { journal.add(Entry(handler: 7, kind: kind($0.error))) }
            }
        _ = try await journal.wait(for: 8)
        await bench.settle()
        let entries = journal.entries
        #expect(entries.map(\.handler) == Array(0..<8))
        for entry in entries {
            // Only handlers for JSON can fail with an invalid body.
            let wantsJSON = [0, 2, 4, 6].contains(entry.handler)
            var expected = fate.expected
            if fate == .serializationFailure { expected = wantsJSON ? expected : nil }
            if fate == .serializationFailure, entry.handler == 2 { expected = .responseSerializationFailed(.decodingFailed) }
            #expect(entry.kind == expected, "handler \(entry.handler)")
        }
        #expect(bench.transport.calls.filter { $0 == .start(bench.id(request)) }.count <= 1)
        let isCancelled = [Fate.cancelBeforeResume, .cancelAtOnce, .cancelInTheMiddle].contains(fate)
        #expect(request.state == (isCancelled ? .cancelled : .finished))
    }

    @Test("A request that was cancelled before it was resumed never reaches the transport")
    func cancelledBeforeStart() async throws {
        let bench = EngineBench(startRequestsImmediately: false)
        let journal = Journal<FirewheelError.Kind?>()
        let request = bench.session.request("http://stub.test/").responseData(queue: bench.handlers) { journal.add(kind($0.error)) }
        request.cancel()
        request.resume()
        #expect(try await journal.wait(for: 1) == [.explicitlyCancelled])
        await bench.settle()
        #expect(bench.transport.calls.isEmpty)
    }

    @Test("Cancelling a running request, even repeatedly, cancels its transfer once")
    func cancelTold() async throws {
        let bench = EngineBench()
        let journal = Journal<FirewheelError.Kind?>()
        let request = bench.session.request("http://stub.test/").responseData(queue: bench.handlers) { journal.add(kind($0.error)) }
        try await bench.started(request)
        request.cancel().cancel().resume().suspend().cancel()
        #expect(try await journal.wait(for: 1) == [.explicitlyCancelled])
        await bench.settle()
        #expect(bench.transport.calls == [.start(bench.id(request)), .cancel(bench.id(request))])
        #expect(request.isCancelled && journal.count == 1)
    }

    @Test("A request resumed without handlers runs, and keeps its response for handlers attached later")
    func withoutHandlers() async throws {
        let bench = EngineBench()
        let request = bench.session.request("http://stub.test/")
        await bench.settle()
        #expect(bench.transport.calls.isEmpty && request.isInitialized)
        request.resume().resume()
        try await bench.started(request)
        bench.transport.deliver((bench.id(request), .end(body: "late")))
        try await waitUntil("the end") { request.isFinished }
        #expect(request.response?.statusCode == 200 && request.error == nil && request.data == Data("late".utf8))
        let journal = Journal<String?>()
        request.responseString(queue: bench.handlers) { journal.add($0.value) }
        #expect(try await journal.wait(for: 1) == ["late"])
        #expect(bench.transport.calls == [.start(bench.id(request))])
    }

    @Test("With startRequestsImmediately false, resume() starts the request and a handler does not")
    func startedByHand() async throws {
        let bench = EngineBench(startRequestsImmediately: false)
        let journal = Journal<Int?>()
        let request = bench.session.request("http://stub.test/").responseData(queue: bench.handlers) { journal.add($0.statusCode) }
        await bench.settle()
        #expect(bench.transport.calls.isEmpty && request.isInitialized)
        request.resume()
        try await bench.started(request)
        bench.transport.deliver((bench.id(request), .end(201, body: "x")))
        #expect(try await journal.wait(for: 1) == [201])
    }

    @Test("A request is finished when its handler runs")
    func finishedInHandler() async throws {
        let bench = EngineBench()
        let journal = Journal<Request.State>()
        let request = bench.session.request("http://stub.test/")
        request.responseJSON(queue: bench.handlers) { _ in journal.add(request.state) }
        try await bench.started(request)
        bench.transport.deliver((bench.id(request), .end(body: "1")))
        #expect(try await journal.wait(for: 1) == [.finished])
    }

    @Test("Handlers attached from eight threads while the request ends are each called once, in order per thread")
    func attachedFromThreads() async throws {
        let bench = EngineBench(startRequestsImmediately: false)
        for _ in 0..<50 {
            let journal = Journal<(thread: Int, number: Int)>()
            let request = bench.session.request("http://stub.test/").resume()
            await onThreads(9) { thread in
                if thread == 8 { return bench.transport.deliver((bench.id(request), .end(body: "1"))) }
                for number in 0..<40 {
                    if number.isMultiple(of: 3) {
                        request.responseJSON(queue: bench.handlers) { _ in journal.add((thread, number)) }
                    } else {
                        request.responseData(queue: bench.handlers) { _ in journal.add((thread, number)) }
                    }
                }
            }
            _ = try await journal.wait(for: 320)
            await bench.settle()
            let entries = journal.entries
            #expect(entries.count == 320)
            for thread in 0..<8 {
                guard entries.filter({ $0.thread == thread }).map(\.number) == Array(0..<40) else {
                    Issue.record("out of order: \(entries.filter { $0.thread == thread }.map(\.number))")
                    return
                }
            }
        }
    }

    @Test("When a serializer cancels, earlier handlers get their values and later ones get the cancel")
    func cancelledBetweenSerializers() async throws {
        let bench = EngineBench(startRequestsImmediately: false)
        let journal = Journal<String>()
        let request = bench.session.request("http://stub.test/")
        let cancelling = DataResponseSerializer<String> { _, _, _, _ in
            request.cancel()
            return .success("serialized")
        }
        request.responseString(queue: bench.handlers) { journal.add($0.value ?? "\(kind($0.error) == .explicitlyCancelled)") }
            .response(queue: bench.handlers, responseSerializer: cancelling) { journal.add($0.value ?? "failed") }
            .responseString(queue: bench.handlers) { journal.add($0.value ?? "\(kind($0.error) == .explicitlyCancelled)") }
            .resume()
        bench.transport.deliver((bench.id(request), .end(body: "before")))
        #expect(try await journal.wait(for: 3) == ["before", "serialized", "true"])
        await bench.settle()
        #expect(journal.count == 3 && request.isCancelled)
    }

    @Test("cancel() after the end changes nothing")
    func cancelledAfterEnd() async throws {
        let bench = EngineBench()
        let journal = Journal<String?>()
        let request = bench.session.request("http://stub.test/").responseString(queue: bench.handlers) { journal.add($0.value) }
        bench.transport.deliver((bench.id(request), .end(body: "x")))
        _ = try await journal.wait(for: 1)
        request.cancel().suspend().resume()
        request.responseString(queue: bench.handlers) { journal.add($0.value) }
        #expect(try await journal.wait(for: 2) == ["x", "x"])
        #expect(request.isFinished && request.error == nil)
        #expect(bench.transport.calls == [.start(bench.id(request))])
    }

    /// The order must hold although the first handlers need the serialization queue and the last does not.
    @Test("A handler attached while others are being called is called after them")
    func attachedMeanwhile() async throws {
        let bench = EngineBench(startRequestsImmediately: false)
        for _ in 0..<10 {
            let journal = Journal<Int>()
            let request = bench.session.request("http://stub.test/")
            for index in 0..<2_000 { request.responseJSON(queue: bench.handlers) { _ in journal.add(index) } }
            request.resume()
            bench.transport.deliver((bench.id(request), .end(body: "1")))
            await onThreads(1) { _ in
                while !request.isFinished {}
                request.responseData(queue: bench.handlers) { _ in journal.add(2_000) }
            }
            let order = try await journal.wait(for: 2_001)
            guard order.last == 2_000 else {
                Issue.record("called after \(order.firstIndex(of: 2_000) ?? -1) of 2000 that were attached before it")
                return
            }
        }
    }
}
