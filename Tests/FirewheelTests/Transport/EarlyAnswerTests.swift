import Firewheel
import FirewheelTesting
import Foundation
import Testing

/// Servers that answer before they have read the request, and then close.
@Suite("Early responses", .eachTransport, .timeLimit(.minutes(5)))
struct EarlyAnswerTests {
    @Test(
        "413 followed by a reset during the upload gives the response or networkConnectionLost, and never hangs",
        arguments: [1_000, 200_000, 5_000_000])
    func reset(size: Int) async throws {
        let text = "too much"
        for _ in 0..<10 {
            let server = try MockServer()
            defer { server.shutdown() }
            server.enqueue(.text(text, status: 413).beforeBody().failing(.resetInBody(after: text.utf8.count)))
            let session = Session.onTest(configuration: .with { $0.timeoutIntervalForRequest = 20 })
            let (response, seconds) = try await session.sending(pattern(size), to: server.url()).timed()
            #expect(seconds < 15)
            if response.kind == nil {
                #expect(response.statusCode == 413 && response.text == text)
            } else {
                #expect(response.kind == .transportFailed(.networkConnectionLost))
            }
        }
    }
}
