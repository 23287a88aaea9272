import FirewheelTesting
import Foundation
import Testing

@testable import Firewheel

/// A caller's code that blocks holds up its own request, and no other.
@Suite("Code of the caller's", .timeLimit(.minutes(5)))
struct CallersCodeTests {
    private func session() -> Session {
        Session(transport: StubTransport { _ in [.response(ResponseHead(statusCode: 200)), .finish(body: Data("x".utf8))] })
    }

    private let url = "http://stub.test/"

    @Test("A request modifier and a validator may wait for another request of the session")
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

    @Test("A hundred blocked closures of every kind hold up no other request")
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
        for number in 0..<100 {
            switch number % 4 {
            case 0: session.request(url, requestModifier: { _ in block() }).responseData(queue: queue) { _ in ended.add(number) }
            case 1: session.request(url).validate { _, _, _ in block() }.responseData(queue: queue) { _ in ended.add(number) }
            case 2: session.request(url).response(queue: queue, responseSerializer: serializer) { _ in ended.add(number) }
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
        "A closure that blocks outlives neither the resource timeout nor a cancel of its request",
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
        let cancelled = request()
        async let end = error(of: cancelled)
        try await waitUntil("the closure") { entered.count == 2 }
        cancelled.cancel()
        #expect(kind(await end) == .explicitlyCancelled)
        for _ in 0..<2 { gate.signal() }
    }

    @Test("A request with a range, an array or a set of status codes runs no code of the caller's")
    func statusCodes() {
        struct Odd: Sequence, IteratorProtocol, Sendable { mutating func next() -> Int? { nil } }
        #expect(Validation.owner(of: Range<Int>.self) == .library && Validation.owner(of: ClosedRange<Int>.self) == .library)
        #expect(Validation.owner(of: [Int].self) == .library && Validation.owner(of: Set<Int>.self) == .library)
        #expect(Validation.owner(of: Odd.self) == .caller && Validation.owner(of: AnySequence<Int>.self) == .caller)
    }

    @Test("A plain request takes its lock ten times at the most")
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
