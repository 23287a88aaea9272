import Firewheel
import FirewheelTesting
import Foundation
import Testing

@Suite("Order of events")
struct EventOrderTests {
    private let recorder = EventRecorder()

    @Test func ofARequestThatSucceeds() async throws {
        let server = try MockServer()
        server.enqueue(.text("hello"))
        let session = Session(eventMonitors: [recorder])
        _ = try await session.request(server.url("/")).validate().serializingString().value
        #expect(
            try await recorder.words(until: "finish") == [
                "resume", "createURLRequest", "createTask 0.0", "receiveResponse", "gatherMetrics", "completeTask", "validate",
                "parseResponse String", "finish",
            ])
        server.shutdown()
    }

    @Test func ofARedirect() async throws {
        let server = try MockServer()
        server.enqueue(.redirect(to: "/next", status: 303))
        server.enqueue(.text("there"))
        let session = Session(eventMonitors: [recorder])
        _ = try await session.post(server.url("/first"), parameters: ["a": 1]).serializingData().value
        #expect(
            try await recorder.words(until: "finish").prefix(9) == [
                "resume", "createURLRequest", "createTask 0.0", "redirect GET /next", "createTask 0.1", "receiveResponse", "gatherMetrics",
                "completeTask", "parseResponse Data",
            ])
        #expect(recorder.context(of: "redirect GET /next")?.response?.statusCode == 303)
        #expect(recorder.context(of: "redirect GET /next")?.request?.url?.path == "/first")
        #expect(recorder.context(of: "receiveResponse")?.response?.statusCode == 200)
        #expect(recorder.context(of: "gatherMetrics")?.metrics?.transactionMetrics.count == 2)
        server.shutdown()
    }

    @Test func ofADownloadTheFileComesBeforeTheEnd() async throws {
        let server = try MockServer()
        server.enqueue(.text("hello"))
        let session = Session(eventMonitors: [recorder])
        let url = try await session.download(server.url("/")).serializingDownloadedFileURL().value
        let words = try await recorder.words(until: "finish")
        #expect(words.suffix(4) == ["completeTask", "saveFile", "parseResponse URL", "finish"])
        try FileManager.default.removeItem(at: url)
        server.shutdown()
    }

    @Test func ofWhatFailsAtOnce() async throws {
        let session = Session(eventMonitors: [recorder])
        _ = await session.request("no scheme").serializingData().result
        #expect(
            try await recorder.words(until: "finish invalidURL") == [
                "resume", "failToCreateURLRequest", "parseResponse Data invalidURL", "finish invalidURL",
            ])
        #expect(recorder.context(of: "finish invalidURL")?.request == nil)
    }

    @Test func ofARefusedResponse() async throws {
        let server = try MockServer()
        server.enqueue(.status(404))
        let session = Session(eventMonitors: [recorder])
        _ = await session.request(server.url("/")).validate().serializingData().result
        let error = "\(FirewheelError.Kind.responseValidationFailed(.unacceptableStatusCode(404)))"
        #expect(
            try await recorder.words(until: "finish \(error)").suffix(4) == [
                "completeTask", "validate \(error)", "parseResponse Data \(error)", "finish \(error)",
            ])
        server.shutdown()
    }

    @Test func ofABrokenExchangeThereIsNoResponse() async throws {
        let bench = EngineBench(eventMonitors: [recorder])
        let request = bench.session.request("http://a.test/").validate().response(queue: bench.handlers) { _ in }
        bench.transport.deliver((bench.id(request), .failure(.failed(.timedOut, "slow"))))
        // Events go over a queue of the monitor's own.
        try await waitUntil("the end") { recorder.words.contains { $0.hasPrefix("finish") } }
        let words = recorder.words
        #expect(words.contains { $0.hasPrefix("completeTask transportFailed") })
        #expect(!words.contains("receiveResponse"))
        #expect(!words.contains("validate"))
    }

    /// The head is told of when it is there, and not once more at the end.
    @Test func theHeadComesOnceAndEarly() async throws {
        let bench = EngineBench(eventMonitors: [recorder])
        let request = bench.session.request("http://a.test/").response(queue: bench.handlers) { _ in }
        bench.transport.deliver((bench.id(request), .head(201, ["X": "y"])))
        #expect(try await recorder.words(until: "receiveResponse") == ["resume", "createURLRequest", "createTask 0.0", "receiveResponse"])
        #expect(recorder.context(of: "receiveResponse")?.response?.statusCode == 201)
        bench.transport.deliver((bench.id(request), .end(201, body: "x")))
        #expect(try await recorder.words(until: "finish").filter { $0 == "receiveResponse" }.count == 1)
    }

    @Test func ofWhatACallerDoes() async throws {
        let bench = EngineBench(eventMonitors: [recorder])
        let request = bench.session.request("http://a.test/").response(queue: bench.handlers) { _ in }
        request.suspend().suspend().resume().resume().cancel().cancel().resume()
        await bench.settle()
        let words = try await recorder.words(until: "finish explicitlyCancelled")
        #expect(words.filter { ["resume", "suspend", "cancel"].contains($0) } == ["resume", "suspend", "resume", "cancel"])
        let cancel = try #require(words.firstIndex(of: "cancel"))
        let end = try #require(words.firstIndex(of: "completeTask explicitlyCancelled"))
        #expect(cancel < end)
    }

    /// No exchange was begun, so none ends.
    @Test func ofACancelBeforeTheStart() async throws {
        let bench = EngineBench(startRequestsImmediately: false, eventMonitors: [recorder])
        bench.session.request("http://a.test/").response(queue: bench.handlers) { _ in }.cancel()
        await bench.settle()
        #expect(
            try await recorder.words(until: "finish explicitlyCancelled") == [
                "cancel", "parseResponse Optional<Data> explicitlyCancelled", "finish explicitlyCancelled",
            ])
    }

    /// A request that is suspended before it goes out has no task until it is resumed.
    @Test func aHeldRequestHasNoTaskUntilItGoesOn() async throws {
        let bench = EngineBench(startRequestsImmediately: false, eventMonitors: [recorder])
        let gate = DispatchSemaphore(value: 0)
        let request = bench.session.request("http://a.test/", requestModifier: { _ in gate.wait() })
        request.response(queue: bench.handlers) { _ in }.resume().suspend()
        gate.signal()
        #expect(try await recorder.words(until: "createURLRequest") == ["resume", "suspend", "createURLRequest"])
        request.resume()
        #expect(try await recorder.words(until: "createTask 0.0").suffix(2) == ["resume", "createTask 0.0"])
    }

    @Test func everyHandlerHasItsResponse() async throws {
        let bench = EngineBench(eventMonitors: [recorder])
        let request = bench.session.request("http://a.test/").responseData(queue: bench.handlers) { _ in }
            .responseString(queue: bench.handlers) { _ in }
        bench.transport.deliver((bench.id(request), .end(body: "x")))
        _ = try await recorder.words(until: "finish")
        request.response(queue: bench.handlers) { _ in }
        let words = try await recorder.words(until: "parseResponse Optional<Data>")
        #expect(words.suffix(4) == ["parseResponse Data", "parseResponse String", "finish", "parseResponse Optional<Data>"])
    }

    @Test func ofASessionThatGoes() async throws {
        var bench: EngineBench? = EngineBench(eventMonitors: [recorder])
        let handlers = try #require(bench?.handlers)
        bench?.session.request("http://a.test/").response(queue: handlers) { _ in }
        bench?.session.invalidate()
        bench = nil
        let words = try await recorder.words(until: "finish sessionInvalidated")
        #expect(words.contains("completeTask sessionInvalidated"))
    }
}
