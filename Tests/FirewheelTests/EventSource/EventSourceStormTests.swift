import FirewheelTesting
import Foundation
import Testing

@testable import Firewheel

/// Many event sources on a bad server, which are left in every way at any moment.
@Suite(.eachTransport, .timeLimit(.minutes(5)))
struct EventSourceStormTests {
    private enum Leaving: CaseIterable {
        case byBreak, byCancel, byClose, byHandler, never
    }

    /// The events up to a number, from the last ID on, over connections that fail in every way.
    private func answer(_ request: RecordedRequest, _ generator: inout SeededGenerator) -> MockResponse {
        let last = request.header("Last-Event-ID").flatMap { Int($0) } ?? 0
        guard last < 20 else { return .status(204) }
        let stream = (last + 1...last + Int.random(in: 1...5, using: &generator)).map { "id: \($0)\ndata: \($0)\n\n" }.joined()
        let response = MockResponse.events(stream + "id: lost\ndata: lost")
        return switch Int.random(in: 0..<9, using: &generator) {
        case 0: .status(503)
        case 1: .failure(.closeBeforeHead)
        case 2: .failure(.resetBeforeHead)
        case 3: .failure(.garbageStatusLine)
        case 4: response.failing(.resetInBody(after: Int.random(in: 0...stream.utf8.count, using: &generator)))
        case 5: response.failing(.cutChunk(after: Int.random(in: 1...stream.utf8.count, using: &generator)))
        case 6: response.failing(.missingFinalChunk)
        case 7: response.failing(.badChunk)
        default: response.framed(.chunked(size: 7))
        }
    }

    @Test(arguments: 0..<TestDepth.choose(4, deep: 60))
    func everySourceEndsOnceAndEveryEventComesInOrder(seed: Int) async throws {
        let bench = try EventBench()
        let random = Locked(SeededGenerator(state: UInt64(seed)))
        bench.server.route("/") { request in
            var own = SeededGenerator(state: random.withLock { $0.next() })
            return answer(request, &own)
        }
        var generator = SeededGenerator(state: UInt64(seed) &+ 1_000)
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<30 {
                let leaving = Leaving.allCases.randomElement(using: &generator) ?? .never
                let count = Int.random(in: 1...15, using: &generator)
                let source = bench.source(reconnection: .resilient(limit: 1_000))
                group.addTask { try await follow(source, leaving, after: count) }
            }
            try await group.waitForAll()
        }
        bench.session.closeIdleConnections()
        #expect(await bench.server.waitForOpenConnections(0))
    }

    private func follow(_ source: EventSource, _ leaving: Leaving, after count: Int) async throws {
        let (ended, ends, numbers) = (OneShot<Bool>(), Locked(0), Locked<[Int?]>([]))
        source.onClose(queue: .global()) { _ in
            ends.withLock { $0 += 1 }
            ended.fulfill(true)
        }
        if leaving == .byHandler {
            source.onEvent(queue: .global()) { event in
                let received = numbers.withLock { numbers in
                    numbers.append(Int(event.data))
                    return numbers.count
                }
                if received == count { source.close() }
            }
        } else {
            let task = Task {
                for try await event in source {
                    let received = numbers.withLock { numbers in
                        numbers.append(Int(event.data))
                        return numbers.count
                    }
                    guard received == count else { continue }
                    switch leaving {
                    case .byBreak: return
                    case .byCancel: withUnsafeCurrentTask { $0?.cancel() }
                    case .byClose: source.close()
                    case .byHandler, .never: break
                    }
                }
            }
            let result = await task.result
            if case .failure(let error) = result {
                #expect(leaving == .byCancel && error.asFirewheelError?.isExplicitlyCancelled == true, "\(error)")
            } else {
                #expect(leaving != .byCancel)
            }
        }
        _ = await ended.value
        let received = numbers.withLock { $0 }
        // An event is neither lost nor repeated, whatever ends a connection.
        #expect(received == Array(1...max(1, received.count)))
        #expect(leaving == .never ? received.count >= 20 : received.count == count)
        #expect(ends.withLock { $0 } == 1 && source.state == .closed)
    }
}
