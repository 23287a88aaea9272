import Foundation
import Testing

@testable import Firewheel

/// A log that is written slowly keeps what it shows of the bodies, and no more.
@Suite("What a slow log keeps")
struct LogMemoryTests {
    private let context = RequestContext(id: 1, data: Data(count: 50_000))

    @Test("A log of lines keeps no body while it waits for its turn, and knows its size")
    func lines() {
        let kept = EventListener(LogEventMonitor(.line) { _ in }).reduced(context)
        #expect(kept.data?.isEmpty == true && kept.bodySize == 50_000)
    }

    @Test("A verbose log keeps the part of a body that it shows")
    func verbose() {
        let kept = EventListener(LogEventMonitor(.verbose) { _ in }).reduced(context)
        #expect(kept.data?.count == 10_000 && kept.bodySize == 50_000)
        let text = LogText.body(EventListener(LogEventMonitor(.verbose) { _ in }).reduced(RequestContext(id: 1, data: Data("abc".utf8))))
        #expect(text == "body of 3 bytes\n\tabc")
    }

    @Test("A monitor of the caller's has the whole body")
    func monitors() {
        #expect(EventListener(ClosureEventMonitor { _, _ in }).reduced(context).data?.count == 50_000)
    }
}
