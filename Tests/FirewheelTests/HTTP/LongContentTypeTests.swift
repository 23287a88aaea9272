import Foundation
import Testing

@testable import Firewheel

@Suite("Long Content-Types")
struct LongContentTypeTests {
    @Test("A Content-Type of 1 MB is not parsed, and the other fields are there", .timeLimit(.minutes(5)))
    func long() throws {
        let head = ResponseHead(
            statusCode: 200, headers: ["Content-Type": "text/plain; " + String(repeating: "a=\"b\"; ", count: 150_000), "X-Other": "kept"])
        let target = try #require(TargetURI("http://a.test/"))
        let start = processorTime()
        let response = try #require(head.makeHTTPURLResponse(from: target))
        #expect(response.value(forHTTPHeaderField: "X-Other") == "kept")
        #expect(response.value(forHTTPHeaderField: "Content-Type") == nil)
        #expect(processorTime() - start < 5)
    }

    @Test("Any other Content-Type is Foundation's to read")
    func short() throws {
        let target = try #require(TargetURI("http://a.test/"))
        let response = ResponseHead(statusCode: 200, headers: ["Content-Type": "text/plain; charset=utf-8"]).makeHTTPURLResponse(
            from: target)
        #expect(response?.mimeType == "text/plain")
        #expect(response?.textEncodingName == "utf-8")
    }
}
