import FirewheelTesting
import Foundation
import Testing

@testable import Firewheel

/// A caller's closure that blocks delays its own request only.
@Suite("Closures of the caller that block", .timeLimit(.minutes(5)))
struct CallersCodeTests {
    private func session() -> Session {
        Session(
            transport: StubTransport { request in
                let head =
                    switch request.target.string {
                    case "http://stub.test/busy": ResponseHead(statusCode: 503)
                    case "http://stub.test/moved": ResponseHead(statusCode: 302, headers: ["Location": "/"])
                    default: ResponseHead(statusCode: 200)
                    }
                return [.response(head), .finish(body: Data("x".utf8))]
            })
    }

    private let url = "http://stub.test/"

    @Test("A request modifier and a validator may wait for another request of the same session")
    func waiting() async throws {
        let session = session()
        @Sendable func other() {
            let isOver = DispatchSemaphore(value: 0)
            session.request(url, requestModifier: { _ in }).validate { _, _, _ in }.responseString(queue: .global()) { _ in isOver.signal()
            }
            isOver.wait()
        }
        #expect(try await session.request(url, requestModifier: { _ in other() }).serializingString().value == "x")
        #expect(try await session.request(url).validate { _, _, _ in other() }.serializingString().value == "x")
    }

    /// Async code of the caller may block a thread only where it does not run on Swift's few cooperative threads.
    private static let asyncCodeMayBlock = AsyncSteps.mayBlock

    @Test(
        "Adapters, retriers, redirect handlers and gates may wait for another request of the same session", .enabled(if: asyncCodeMayBlock))
    func waitingSteps() async throws {
        let session = session()
        // More than the number of Swift's cooperative threads.
        let ended = Journal<String?>()
        let queue = DispatchQueue(label: "test")
        for number in 0..<40 {
            step(number, session) {
                let isOver = DispatchSemaphore(value: 0)
                session.request("http://stub.test/").adapt { _, _ in }.responseString(queue: .global()) { _ in isOver.signal() }
                isOver.wait()
            }.responseString(queue: queue) { ended.add($0.value) }
        }
        // Requests whose retrier is asked keep their failure.
        #expect(try await ended.wait(for: 40).count { $0 == "x" } == 30)
    }

    /// A request with an async step of a kind that blocks.
    private func step(_ number: Int, _ session: Session, _ block: @escaping @Sendable () -> Void) -> DataRequest {
        switch number % 4 {
        case 0: session.request(url).adapt { _, _ in block() }
        case 1:
            session.request(url + "busy").validate(statusCode: [200]).retry { _, _ in
                block()
                return .doNotRetry
            }
        case 2:
            session.request(url + "moved").redirect(
                using: .modify { _, request, _ in
                    block()
                    return request
                })
        default:
            session.request(url).onHTTPResponse { _ async in
                block()
                return .allow
            }
        }
    }

    @Test("A hundred blocked closures of every kind do not block other requests")
    func blocked() async throws {
        let session = session()
        let (entered, gate) = (Journal<Int>(), DispatchSemaphore(value: 0))
        @Sendable func block() {
            entered.add(1)
            gate.wait()
        }
        let queue = DispatchQueue(label: "test")
        let ended = Journal<Int>()
        let serializer = DataResponseSerializer<Int> { _, _, _, _ in
            block()
            return .success(1)
        }
        let kinds = Self.asyncCodeMayBlock ? 8 : 4
        for number in 0..<100 {
            switch number % kinds {
            case 0: session.request(url, requestModifier: { _ in block() }).responseData(queue: queue) { _ in ended.add(number) }
            case 1: session.request(url).validate { _, _, _ in block() }.responseData(queue: queue) { _ in ended.add(number) }
            case 2: session.request(url).response(queue: queue, responseSerializer: serializer) { _ in ended.add(number) }
            case 4...7: step(number, session, block).responseData(queue: queue) { _ in ended.add(number) }
            default:
                session.download(
                    url,
                    to: { temporary, _ in
                        block()
                        return (temporary, [])
                    }
                ).response(queue: queue) { response in
                    ended.add(number)
                    if let file = response.fileURL { try? FileManager.default.removeItem(at: file) }
                }
            }
        }
        _ = try await entered.wait(for: 100)
        let other = session.request(url, requestModifier: { _ in }).validate { _, _, _ in }
        #expect(try await other.serializingString().value == "x")
        let file = try await session.download(url, to: { temporary, _ in (temporary, []) }).serializingDownloadedFileURL().value
        try FileManager.default.removeItem(at: file)
        #expect(ended.count == 0)
        for _ in 0..<100 { gate.signal() }
        _ = try await ended.wait(for: 100)
    }

    @Test(
        "A request with a blocked closure still ends by its resource timeout or a cancel",
        arguments: ["modifier", "validator", "destination"])
    func bounded(what: String) async throws {
        let session = session()
        let (entered, gate) = (Journal<Int>(), DispatchSemaphore(value: 0))
        @Sendable func block() {
            entered.add(1)
            gate.wait()
        }
        func request() -> Request {
            switch what {
            case "modifier": session.request(url, requestModifier: { _ in block() })
            case "validator": session.request(url).validate { _, _, _ in block() }
            default:
                session.download(
                    url,
                    to: { temporary, _ in
                        block()
                        return (temporary, [])
                    })
            }
        }
        func error(of request: Request) async -> (any Error)? {
            if let request = request as? DataRequest { return await request.serializingData().response.error }
            return await (request as? DownloadRequest)?.serializingDownloadedFileURL().response.error
        }
        #expect(kind(await error(of: request().timeout(total: 0.1))) == .transportFailed(.timedOut))
        // On a slow machine the first request may time out before its closure is called.
        let earlier = entered.count
        let cancelled = request()
        async let end = error(of: cancelled)
        try await waitUntil("the closure") { entered.count > earlier }
        cancelled.cancel()
        #expect(kind(await end) == .explicitlyCancelled)
        // One for each closure that may still be called, too.
        for _ in 0..<2 { gate.signal() }
    }

    @Test("Validating a range, array or set of status codes runs no code of the caller")
    func statusCodes() {
        struct Odd: Sequence, IteratorProtocol, Sendable { mutating func next() -> Int? { nil } }
        #expect(Validation.owner(of: Range<Int>.self) == .library && Validation.owner(of: ClosedRange<Int>.self) == .library)
        #expect(Validation.owner(of: [Int].self) == .library && Validation.owner(of: Set<Int>.self) == .library)
        #expect(Validation.owner(of: Odd.self) == .caller && Validation.owner(of: AnySequence<Int>.self) == .caller)
    }

    @Test("A plain request takes its lock at most ten times")
    func locks() async throws {
        let queue = DispatchQueue(label: "test")
        let ended = Journal<Int>()
        let request = session().request(url).validate().responseData(queue: queue) { _ in ended.add(1) }
        _ = try await ended.wait(for: 1)
        let call = try #require(request.call as? Call)
        try await waitUntil("the last of it") { call.inputs >= 7 }
        await queue.drain()
        #expect(call.inputs <= 10, "\(call.inputs)")
    }
}
