import FirewheelTesting
import Foundation
import Testing

@testable import Firewheel

/// What failed attempts leave behind, and where it is released.
@Suite("Objects that failed attempts leave behind", .timeLimit(.minutes(5)))
struct FailedAttemptsTests {
    /// An error that calls its request when it is released, as a caller's object may.
    private final class Inquirer: Error {
        let requests = Journal<Request>()
        let released: Journal<Bool>

        init(_ released: Journal<Bool>) { self.released = released }

        deinit {
            for request in requests.entries { _ = request.state }
            released.add(true)
        }
    }

    private struct Quiet: EventMonitor {
        func request(_ context: RequestContext, did event: RequestEvent) {}
    }

    private struct Odd: Error {}

    @Test(
        "The error of a retried attempt may call its request from its deinitializer",
        arguments: ["modifier", "adapter", "validator"], [false, true])
    func released(part: String, isObserved: Bool) async throws {
        let stub = StubTransport { _ in [.response(ResponseHead(statusCode: 200)), .finish(body: Data("x".utf8))] }
        let session = Session(transport: stub, startRequestsImmediately: false, eventMonitors: isObserved ? [Quiet()] : [])
        let (released, requests, calls) = (Journal<Bool>(), Journal<Request>(), Journal<Int>())
        @Sendable func failOnce() throws {
            calls.add(1)
            guard calls.count == 1 else { return }
            let error = Inquirer(released)
            for request in requests.entries { error.requests.add(request) }
            throw error
        }
        let request = session.request("http://stub.test/") { _ in if part == "modifier" { try failOnce() } }
            // Retried with a delay, so that the attempt is the last owner of the error.
            .retry { context, _ in context.retryCount == 0 ? .retryWithDelay(0.05) : .doNotRetry }
        if part == "adapter" { request.adapt { _, _ in try failOnce() } }
        if part == "validator" { request.validate { _, _, _ in try failOnce() } }
        requests.add(request)
        let task = request.serializingString()
        request.resume()
        _ = try await released.wait(for: 1)
        #expect(try await task.value == "x")
        #expect(request.retryCount == 1)
    }

    @Test("A redirect handler's error may call its request from its deinitializer when the request is cancelled")
    func redirectHandler() async throws {
        let bench = EngineBench(startRequestsImmediately: false)
        let (released, requests) = (Journal<Bool>(), Journal<Request>())
        let request = bench.session.request("http://stub.test/").redirect(
            using: .modify { _, _, _ in
                let error = Inquirer(released)
                for request in requests.entries { error.requests.add(request) }
                throw error
            })
        requests.add(request)
        let task = request.serializingData()
        request.resume()
        try await bench.started(request)
        let id = bench.id(request)
        bench.transport.deliver((id, .head(302, ["Location": "/next"])))
        try await waitUntil("the decision") { bench.transport.calls.contains(.proceed(id, .discard)) }
        await bench.settle()
        request.cancel()
        _ = try await released.wait(for: 1)
        #expect(kind(await task.response.error) == .explicitlyCancelled)
    }

    @Test("Attempts that send nothing are not stored, however many there are", arguments: ["modifier", "adapter"])
    func unsent(part: String) async throws {
        let session = Session(transport: StubTransport())
        let request = session.request("http://stub.test/") { _ in if part == "modifier" { throw Odd() } }
            .retry { context, _ in context.retryCount < 100 ? .retry : .doNotRetry }
        if part == "adapter" { request.adapt { _, _ in throw Odd() } }
        #expect(await request.serializingData().response.error != nil)
        #expect(request.retryCount == 100 && request.call.snapshot.earlier.isEmpty)
    }

    @Test("A body equal in every attempt is stored once, and one that changes is reported as it was sent", arguments: [false, true])
    func bodies(changes: Bool) async throws {
        let stub = StubTransport { _ in [.response(ResponseHead(statusCode: 503)), .finish()] }
        let request = Session(transport: stub).request("http://stub.test/", method: .post)
            .adapt { request, context in
                request.httpBody = Data(repeating: changes ? UInt8(context.retryCount) : 1, count: 1 << 20)
            }
            .validate().retry { context, _ in context.retryCount < 3 ? .retry : .doNotRetry }
        #expect(await request.serializingData().response.error != nil)
        let bodies = stub.requests.compactMap(\.body)
        #expect(bodies.count == 4 && request.requests.compactMap { $0.httpBody?.first } == bodies.compactMap(\.first))
        let places = Set(bodies.map { $0.withUnsafeBytes { UInt(bitPattern: $0.baseAddress) } })
        #expect(places.count == (changes ? 4 : 1))
    }
}
