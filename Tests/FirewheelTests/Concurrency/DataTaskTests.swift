import Firewheel
import FirewheelTesting
import Foundation
import Testing

@Suite("Awaiting responses", .timeLimit(.minutes(5)))
struct DataTaskTests {
    private let url = "http://stub.test/"

    @Test("A DataTask's value, result and response agree, and awaiting again gives the same")
    func forms() async throws {
        let session = session(answering: 201, ["Content-Type": "text/plain; charset=utf-8"], body: "[1]")
        let task = session.request(url).serializingDecodable([Int].self)
        #expect(try await task.value == [1])
        #expect(try await task.result.get() == [1])
        let response = await task.response
        #expect(response.value == [1] && response.statusCode == 201 && response.data == Data("[1]".utf8))
        #expect(await task.response.timeline == response.timeline)
        #expect(try await session.request(url).serializingData().value == Data("[1]".utf8))
        #expect(try await session.request(url).serializingString().value == "[1]")
        #expect(try await session.request(url).serializingString(encoding: .ascii).value == "[1]")
        #expect(try await session.request(url).serializingResponse(using: .string()).value == "[1]")
        withExtendedLifetime(session) {}
    }

    @Test("A DataTask's value throws the error that its response and result hold")
    func failing() async throws {
        let session = session(answering: 503, body: "busy")
        let task = session.request(url).validate().serializingData()
        let error = try await #require(throws: FirewheelError.self) { try await task.value }
        #expect(error.kind == .responseValidationFailed(.unacceptableStatusCode(503)))
        #expect(await kind(task.result) == error.kind)
        #expect(await kind(task.response.error) == error.kind)
        await #expect(throws: FirewheelError.self) { try await session.request("").serializingData().value }
        withExtendedLifetime(session) {}
    }

    @Test("A task shows nothing that may be set while it is dumped")
    func dumped() async throws {
        let session = session(answering: 200, body: "x")
        for _ in 0..<500 {
            let (text, file) = (session.request(url).serializingString(), session.download(url).serializingDownloadedFileURL())
            for _ in 0..<5 {
                var shown = ""
                dump(text, to: &shown)
                dump(file, to: &shown)
                #expect(shown.contains("outcome") && !shown.contains("stored"), "\(shown)")
            }
            #expect(try await text.value == "x")
            try FileManager.default.removeItem(at: await file.value)
        }
    }

    @Test("Cancelling the awaiting Task cancels the request, and the await returns")
    func cancelledTask() async throws {
        let bench = EngineBench()
        let request = bench.session.request(url)
        let awaiting = Task { await request.serializingData().response }
        try await bench.started(request)
        awaiting.cancel()
        let response = await awaiting.value
        #expect(kind(response.error) == .explicitlyCancelled && request.isCancelled)
        // The thread that started the transfer may be the one that cancels it, after the response.
        try await waitUntil("the cancel") { bench.transport.calls.contains(.cancel(bench.id(request))) }
    }

    @Test("A Task that is cancelled before it awaits gets explicitlyCancelled at once")
    func cancelledBefore() async throws {
        let bench = EngineBench()
        let gate = Journal<Void>()
        let awaiting = Task {
            try? await waitUntil("the cancel") { Task.isCancelled }
            gate.add(())
            return await bench.session.request(url).serializingData().result
        }
        awaiting.cancel()
        #expect(await kind(awaiting.value) == .explicitlyCancelled)
        #expect(gate.count == 1)
    }

    @Test("Cancelling the request or the DataTask ends the await")
    func cancelledRequest() async throws {
        let bench = EngineBench()
        for cancelsTask in [true, false] {
            let request = bench.session.request(url)
            let task = request.serializingData()
            async let result = task.result
            try await bench.started(request)
            if cancelsTask { task.cancel() } else { request.cancel() }
            #expect(await kind(result) == .explicitlyCancelled)
        }
    }

    @Test("With automaticallyCancelling false, cancelling the awaiting Task does not cancel the request")
    func notAutomatically() async throws {
        let bench = EngineBench()
        let request = bench.session.request(url)
        let awaiting = Task { await request.serializingString(automaticallyCancelling: false).result }
        try await bench.started(request)
        awaiting.cancel()
        await bench.settle()
        #expect(request.isResumed && !bench.transport.calls.contains(.cancel(bench.id(request))))
        bench.transport.deliver((bench.id(request), .end(body: "in spite of it")))
        #expect(try await awaiting.value.get() == "in spite of it")
    }

    @Test("suspend() and resume() of a DataTask suspend and resume its request")
    func suspended() async throws {
        let bench = EngineBench(startRequestsImmediately: false)
        let request = bench.session.request(url)
        let task = request.serializingString()
        #expect(request.isInitialized)
        task.resume()
        try await bench.started(request)
        task.suspend()
        #expect(request.isSuspended)
        task.resume()
        bench.transport.deliver((bench.id(request), .end(body: "x")))
        #expect(try await task.value == "x")
    }

    @Test("Several tasks may await one DataTask: all get the response of one request")
    func severalAwaiters() async throws {
        let bench = EngineBench()
        let request = bench.session.request(url)
        let task = request.serializingString()
        let awaiting = (0..<50).map { _ in Task { try await task.value } }
        try await bench.started(request)
        bench.transport.deliver((bench.id(request), .end(body: "for all")))
        for one in awaiting { #expect(try await one.value == "for all") }
        #expect(bench.transport.requests.count == 1)
    }

    @Test("A DataTask that is never awaited runs its request")
    func neverAwaited() async throws {
        let bench = EngineBench()
        let request = bench.session.request(url)
        _ = request.serializingString()
        try await bench.started(request)
        bench.transport.deliver((bench.id(request), .end(body: "x")))
        try await waitUntil("the end") { request.isFinished }
        #expect(request.data == Data("x".utf8))
    }

    @Test("500 requests in a task group all succeed")
    func taskGroup() async throws {
        let server = try MockServer(recordsRequests: false)
        defer { server.shutdown() }
        server.route("/*") { .text($0.path) }
        let session = Session()
        let texts = try await withThrowingTaskGroup(of: (Int, String).self) { group in
            for index in 0..<500 {
                let url = server.url("/\(index)")
                group.addTask { (index, try await session.request(url).validate().serializingString().value) }
            }
            return try await group.reduce(into: [Int: String]()) { $0[$1.0] = $1.1 }
        }
        #expect(texts.count == 500 && texts.allSatisfy { $0.value == "/\($0.key)" })
        withExtendedLifetime(session) {}
    }

    @Test("A cancelled task group cancels all its requests")
    func cancelledGroup() async throws {
        let bench = EngineBench()
        let kinds = await withTaskGroup(of: FirewheelError.Kind?.self) { group in
            for _ in 0..<50 { group.addTask { await kind(bench.session.request(url).serializingData().result) } }
            group.cancelAll()
            return await group.reduce(into: []) { $0.append($1) }
        }
        #expect(kinds == Array(repeating: .explicitlyCancelled, count: 50))
    }

    @Test("Cancelling the Task that awaits a download cancels its request")
    func cancelledDownload() async throws {
        let bench = EngineBench()
        let request = bench.session.download(url)
        let awaiting = Task { await request.serializingDownloadedFileURL().response }
        try await bench.started(request)
        bench.transport.deliver((bench.id(request), .head()), (bench.id(request), .chunk(Data("part".utf8))))
        awaiting.cancel()
        let response = await awaiting.value
        #expect(kind(response.error) == .explicitlyCancelled && response.fileURL == nil)
    }
}
