import Firewheel
import Foundation
import Testing

@testable import FirewheelTesting

/// `invalidateAndFinish()` returns when the session's last request has ended and its handlers have returned.
@Suite("Finishing a session", .timeLimit(.minutes(5)))
struct InvalidateAndFinishTests {
    private let url = "http://stub.test/"
    private let queue = DispatchQueue(label: "test.handlers")

    private func id(_ request: Request, attempt: Int = 0) -> TransportTaskID {
        TransportTaskID(request: request.id, attempt: attempt, hop: 0)
    }

    @discardableResult
    private func note(_ name: String, _ request: DataRequest, _ journal: Journal<String>) -> DataRequest {
        request.responseData(queue: queue) { response in
            journal.add("\(name) \(kind(response.error).map { "\($0)" } ?? "success")")
        }
    }

    /// Finishes a session in a task of its own, which notes it.
    private func finishing(_ session: Session, _ journal: Journal<String>) async throws -> Task<Void, Never> {
        let task = Task {
            await session.invalidateAndFinish()
            journal.add("finished")
        }
        // It has begun when nothing starts any more.
        try await waitUntil("the invalidation") {
            let probe = session.request("http://stub.test/probe").resume()
            probe.cancel()
            return kind(probe.error) == .sessionInvalidated
        }
        return task
    }

    @Test("It returns when the last running request has ended, and what has not started ends at once")
    func last() async throws {
        let transport = ManualTransport()
        let session = Session(transport: transport)
        let journal = Journal<String>()
        let requests = ["a", "b", "c"].map { note($0, session.request(url), journal) }
        let unstarted = note("unstarted", session.request(url).suspend(), journal)
        try await waitUntil("the starts") { transport.requests.count == 3 }
        let task = try await finishing(session, journal)
        #expect(try await journal.wait(for: 1) == ["unstarted sessionInvalidated"])
        for (index, request) in requests.enumerated() {
            transport.deliver((id(request), .end(body: "x")))
            _ = try await journal.wait(for: 2 + index)
        }
        await task.value
        #expect(journal.entries == ["unstarted sessionInvalidated", "a success", "b success", "c success", "finished"])
        for request in requests + [unstarted] { #expect(request.isFinished) }
        note("later", session.request(url), journal)
        #expect(try await journal.wait(for: 6).last == "later sessionInvalidated")
    }

    @Test("It waits for handlers, however late their queue calls them and however long they take")
    func handlers() async throws {
        let transport = ManualTransport()
        let session = Session(transport: transport)
        let (journal, goesOn) = (Journal<String>(), DispatchSemaphore(value: 0))
        queue.async { goesOn.wait() }
        let request = note("first", session.request(url), journal)
        request.responseData(queue: .global()) { _ in
            goesOn.wait()
            journal.add("second")
        }
        note("third", request, journal)
        try await waitUntil("the start") { transport.requests.count == 1 }
        let task = try await finishing(session, journal)
        transport.deliver((id(request), .end(body: "x")))
        try await waitUntil("the end") { request.isFinished }
        #expect(journal.entries == [])
        goesOn.signal()
        goesOn.signal()
        await task.value
        #expect(journal.entries.sorted() == ["finished", "first success", "second", "third success"])
        #expect(journal.entries.last == "finished")
    }

    @Test("It waits for handlers of requests that had ended or never started, and for those that are attached late")
    func earlier() async throws {
        let transport = ManualTransport()
        let session = Session(transport: transport)
        let (journal, goesOn) = (Journal<String>(), DispatchSemaphore(value: 0))
        let ended = session.request(url)
        ended.responseData(queue: queue) { [queue] _ in
            goesOn.wait()
            journal.add("ended")
            ended.responseData(queue: queue) { _ in journal.add("late") }
        }
        let unstarted = note("unstarted", session.request(url).suspend(), journal)
        try await waitUntil("the start") { transport.requests.count == 1 }
        transport.deliver((id(ended), .end(body: "x")))
        try await waitUntil("the end") { ended.isFinished }
        let task = Task {
            await session.invalidateAndFinish()
            journal.add("finished")
        }
        try await waitUntil("the invalidation") { unstarted.isFinished }
        #expect(journal.entries == [])
        goesOn.signal()
        await task.value
        #expect(journal.entries == ["ended", "unstarted sessionInvalidated", "late", "finished"])
    }

    @Test(
        "It waits for the handler of a request that has not started, or was cancelled before, if there is nothing else to wait for",
        arguments: [true, false], [true, false])
    func unstarted(isCancelled: Bool, isDownload: Bool) async throws {
        let (root, goesOn) = (DispatchQueue(label: "test.root"), DispatchSemaphore(value: 0))
        // Nothing is delivered before the session waits.
        root.async { goesOn.wait() }
        let session = Session(transport: ManualTransport(), delegateQueue: root)
        let journal = Journal<String>()
        let request: Request
        if isDownload {
            let download = session.download(url).suspend()
            download.responseData(queue: queue) { _ in journal.add("handler") }
            request = download
        } else {
            request = session.request(url).suspend().responseData(queue: queue) { _ in journal.add("handler") }
        }
        let silent = session.request(url).suspend()
        if isCancelled {
            request.cancel()
            session.request(url).suspend().cancel()
        }
        let task = try await finishing(session, journal)
        #expect(journal.entries == [])
        goesOn.signal()
        await task.value
        #expect(journal.entries == ["handler", "finished"])
        #expect(request.isCancelled == isCancelled && !silent.isFinished)
    }

    @Test("Several that finish a session at once all wait for the handlers of unstarted requests")
    func atOnce() async throws {
        for _ in 0..<100 {
            let session = Session(transport: ManualTransport())
            let journal = Journal<Int>()
            let requests = (0..<20).map { number in
                session.request(url).suspend().responseData(queue: .global()) { _ in journal.add(number) }
            }
            let counts = await withTaskGroup(of: Int.self) { group in
                for _ in 0..<3 {
                    group.addTask {
                        await session.invalidateAndFinish()
                        return journal.entries.count
                    }
                }
                return await group.reduce(into: []) { $0.append($1) }
            }
            try #require(counts == [20, 20, 20] && requests.allSatisfy(\.isFinished))
        }
    }

    @Test("It waits for a handler that another request's handler attaches to a request that ended long ago")
    func old() async throws {
        let transport = ManualTransport()
        let session = Session(transport: transport)
        let journal = Journal<String>()
        let (old, request) = (session.request(url), session.request(url))
        old.responseData(queue: queue) { _ in journal.add("old") }
        try await waitUntil("the start") { transport.requests.count == 1 }
        transport.deliver((id(old), .end(body: "x")))
        _ = try await journal.wait(for: 1)
        request.responseData(queue: queue) { _ in
            journal.add("handler")
            old.responseData(queue: .global()) { _ in journal.add("late") }
        }
        try await waitUntil("the start") { transport.requests.count == 2 }
        let task = try await finishing(session, journal)
        transport.deliver((id(request), .end(body: "x")))
        await task.value
        #expect(journal.entries == ["old", "handler", "late", "finished"])
    }

    @Test("It waits for the handlers of requests that handlers start, and that can run no more")
    func refused() async throws {
        let transport = ManualTransport()
        let session = Session(transport: transport)
        let journal = Journal<String>()
        let request = session.request(url)
        request.responseData(queue: queue) { [queue] _ in
            journal.add("first")
            session.request(url).responseData(queue: queue) { response in
                journal.add("second \(kind(response.error).map { "\($0)" } ?? "success")")
                session.request(url).responseData(queue: .global()) { _ in journal.add("third") }
            }
        }
        try await waitUntil("the start") { transport.requests.count == 1 }
        let task = try await finishing(session, journal)
        transport.deliver((id(request), .end(body: "x")))
        await task.value
        #expect(journal.entries == ["first", "second sessionInvalidated", "third", "finished"])
    }

    @Test("It waits for handlers that a handler attaches from another queue, although the delivery has not ended")
    func concurrent() async throws {
        for _ in 0..<200 {
            let session = Session(transport: StubTransport { _ in [.response(ResponseHead(statusCode: 200)), .finish()] })
            let journal = Journal<String>()
            let request = session.request(url)
            request.suspend().responseData(queue: .global()) { _ in
                journal.add("handler")
                request.responseData(queue: .global()) { _ in
                    journal.add("late")
                    request.responseData(queue: .global()) { _ in journal.add("later") }
                }
            }
            request.resume()
            await session.invalidateAndFinish()
            try #require(journal.entries == ["handler", "late", "later"])
        }
    }

    @Test("A session without running requests is finished at once, as often as it is asked to")
    func idle() async throws {
        let unused = Session(transport: ManualTransport())
        await unused.invalidateAndFinish()
        await unused.invalidateAndFinish()
        let transport = ManualTransport()
        let session = Session(transport: transport)
        let journal = Journal<String>()
        let request = note("a", session.request(url), journal)
        try await waitUntil("the start") { transport.requests.count == 1 }
        let tasks = [try await finishing(session, journal), try await finishing(session, journal), try await finishing(session, journal)]
        transport.deliver((id(request), .end(body: "x")))
        for task in tasks { await task.value }
        #expect(journal.entries == ["a success", "finished", "finished", "finished"])
        await session.invalidateAndFinish()
    }

    @Test("A running request is retried and redirected as before")
    func retried() async throws {
        let transport = ManualTransport()
        let session = Session(transport: transport, interceptor: .retrier { context, _ in context.retryCount == 0 ? .retry : .doNotRetry })
        let journal = Journal<String>()
        let request = note("a", session.request(url).validate(), journal)
        try await waitUntil("the start") { transport.requests.count == 1 }
        let task = try await finishing(session, journal)
        transport.deliver((id(request), .end(503)))
        try await waitUntil("the retry") { transport.requests.contains { $0.id == id(request, attempt: 1) } }
        transport.deliver((id(request, attempt: 1), .end(body: "x")))
        await task.value
        #expect(journal.entries == ["a success", "finished"])
    }

    @Test("A suspended request is waited for, until it goes on or is cancelled", arguments: [true, false])
    func suspended(goesOn: Bool) async throws {
        let transport = ManualTransport()
        let session = Session(transport: transport)
        let journal = Journal<String>()
        let request = note("a", session.request(url), journal)
        try await waitUntil("the start") { transport.requests.count == 1 }
        request.suspend()
        let task = try await finishing(session, journal)
        #expect(journal.entries == [])
        if goesOn {
            request.resume()
            transport.deliver((id(request), .end(body: "x")))
        } else {
            request.cancel()
        }
        await task.value
        #expect(journal.entries == [goesOn ? "a success" : "a explicitlyCancelled", "finished"])
    }

    @Test("If its task is cancelled, the requests that still run end, before and while it waits")
    func cancelled() async throws {
        for isLate in [true, false] {
            let transport = ManualTransport()
            let session = Session(transport: transport)
            let journal = Journal<String>()
            note("a", session.request(url), journal)
            try await waitUntil("the start") { transport.requests.count == 1 }
            let task =
                isLate
                ? try await finishing(session, journal)
                : Task {
                    withUnsafeCurrentTask { $0?.cancel() }
                    await session.invalidateAndFinish()
                    journal.add("finished")
                }
            task.cancel()
            await task.value
            #expect(journal.entries == ["a sessionInvalidated", "finished"])
        }
    }

    @Test("Values that are awaited, downloads and streams are waited for, and no connection stays open", .eachTransport)
    func kinds() async throws {
        let (server, release) = (try MockServer(), DispatchSemaphore(value: 0))
        defer { server.shutdown() }
        server.route("*") { _ in
            release.wait()
            return .text("line\n")
        }
        let session = Session.onTest()
        let journal = Journal<String>()
        let lines = Task {
            for try await line in session.streamRequest(server.url()).streamTask().streamingLines() { journal.add(line) }
        }
        let value = Task { try await session.get(server.url()).serializingString().value }
        let file = Task { try await session.download(server.url()).serializingDownloadedFileURL().value }
        #expect(await server.waitForRequests(3))
        let task = try await finishing(session, journal)
        #expect(journal.entries == [])
        for _ in 0..<3 { release.signal() }
        await task.value
        try await lines.value
        #expect(Set(journal.entries) == ["line", "finished"])
        #expect(try await value.value == "line\n")
        try FileManager.default.removeItem(at: try await file.value)
        #expect(await server.waitForOpenConnections(0))
    }

    @Test("An event source is waited for, and ends with its connection")
    func eventSource() async throws {
        let (server, release) = (try MockServer(), DispatchSemaphore(value: 0))
        defer { server.shutdown() }
        server.exchange("/") { exchange in
            try exchange.sendHead(headers: [("Content-Type", "text/event-stream")])
            try exchange.sendChunk(Data("data: 1\n\n".utf8))
            release.wait()
            try exchange.endChunks()
        }
        let session = Session()
        let journal = Journal<String>()
        let source = Task {
            for try await event in session.eventSource(server.url()) { journal.add(event.data) }
        }
        #expect(try await journal.wait(for: 1) == ["1"])
        let task = try await finishing(session, journal)
        #expect(journal.entries == ["1"])
        release.signal()
        await task.value
        await #expect(throws: FirewheelError.self) { try await source.value }
        #expect(server.requestCount == 1)
    }
}
