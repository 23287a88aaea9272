import Firewheel
import FirewheelTesting
import Foundation
import Testing

/// FoundationNetworking traps when a task is cancelled from several threads near its end.
@Suite("Cancelling from eight threads near the end of a request", .timeLimit(.minutes(10)))
struct CancelStormTests {
    @Test("Requests cancelled near their end each call their handler once, with the response or explicitlyCancelled")
    func storm() async throws {
        let server = try MockServer(recordsRequests: false)
        defer { server.shutdown() }
        server.route("/*") { _ in .text("hello") }
        let session = Session()
        let url = server.url("/")
        let calls = Journal<(request: UInt64, kind: FirewheelError.Kind?, text: String?)>()
        let round = 100
        for number in 1...30 {
            let requests = (0..<round).map { _ in session.request(url) }
            for request in requests {
                request.responseString(queue: .global()) { calls.add((request.id, kind($0.error), $0.value)) }
            }
            await onThreads(8) { thread in
                var generator = SeededGenerator(state: UInt64(number * 8 + thread))
                for (index, request) in requests.enumerated() where index % 4 != 3 {
                    // From immediately to about the duration of a transfer.
                    let spins = index % 4 == 0 ? 0 : Int.random(in: 0..<400, using: &generator)
                    for _ in 0..<spins where request.state == .resumed {}
                    request.cancel()
                }
            }
            _ = try await calls.wait(for: number * round)
        }
        let entries = calls.entries
        #expect(entries.count == 3_000 && Set(entries.map(\.request)).count == 3_000)
        #expect(entries.allSatisfy { $0.kind == nil ? $0.text == "hello" : $0.kind == .explicitlyCancelled && $0.text == nil })
        // A quarter of them was not cancelled.
        #expect(entries.filter { $0.kind == nil }.count >= 750)
        #expect(entries.contains { $0.kind == .explicitlyCancelled })
        // The session still works.
        #expect(try await session.request(url).serializingString().value == "hello")
        withExtendedLifetime(session) {}
    }

    @Test("Downloads cancelled near their end each call their handler once, and leave no file if cancelled")
    func downloads() async throws {
        let server = try MockServer(recordsRequests: false)
        defer { server.shutdown() }
        let body = Data(repeating: 7, count: 200_000)
        server.route("/*") { _ in .data(body) }
        let session = Session()
        let calls = Journal<DownloadResponse<URL>>()
        for number in 1...10 {
            let requests = (0..<30).map { _ in session.download(server.url("/")).responseURL(queue: .global()) { calls.add($0) } }
            await onThreads(8) { thread in
                var generator = SeededGenerator(state: UInt64(number * 8 + thread))
                for (index, request) in requests.enumerated() where index % 3 != 2 {
                    for _ in 0..<Int.random(in: 0..<4_000, using: &generator) where request.state == .resumed {}
                    request.cancel()
                }
            }
            _ = try await calls.wait(for: number * 30)
        }
        var left = 0
        for response in calls.entries {
            if let file = response.value {
                let isSame = try Data(contentsOf: file) == body
                #expect(isSame)
            } else {
                #expect(kind(response.error) == .explicitlyCancelled)
                // The file of a failed download is gone and its URL is nil.
                left += response.fileURL == nil ? 0 : 1
            }
            try response.fileURL.map { try FileManager.default.removeItem(at: $0) }
        }
        #expect(left == 0)
        withExtendedLifetime(session) {}
    }
}
