import Foundation
import Testing

@testable import Firewheel

@Suite("Long fields that Foundation parses")
struct LongFieldTests {
    @Test(
        "A Content-Type or Content-Disposition of 1 MB is not parsed, and the other fields are there", .timeLimit(.minutes(5)),
        arguments: [("Content-Type", "text/plain; "), ("Content-Disposition", "attachment; filename=x; ")])
    func long(name: String, start value: String) throws {
        let long = value + String(repeating: "a=\"b\"; ", count: 150_000)
        let headers = HTTPHeaders([HTTPHeader(name: name, value: long), HTTPHeader(name: "X-Other", value: "kept")])
        let head = ResponseHead(statusCode: 200, headers: headers)
        let target = try #require(TargetURI("http://a.test/"))
        let start = processorTime()
        let response = try #require(head.makeHTTPURLResponse(from: target))
        #expect(response.value(forHTTPHeaderField: "X-Other") == "kept")
        #expect(response.value(forHTTPHeaderField: name) == nil)
        #expect(processorTime() - start < 5)
    }

    @Test("Any other is Foundation's to read")
    func short() throws {
        let target = try #require(TargetURI("http://a.test/"))
        let headers: HTTPHeaders = ["Content-Type": "text/plain; charset=utf-8", "Content-Disposition": "attachment; filename=\"a.txt\""]
        let response = ResponseHead(statusCode: 200, headers: headers).makeHTTPURLResponse(from: target)
        #expect(response?.mimeType == "text/plain")
        #expect(response?.textEncodingName == "utf-8")
        #expect(response?.suggestedFilename == "a.txt")
    }
}
