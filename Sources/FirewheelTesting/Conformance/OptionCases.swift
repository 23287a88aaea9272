import Firewheel
import Foundation

extension TransportConformance {
    private static let content = Data("content".utf8)
    private static let rule = "Transport: what it cannot do fails before anything is sent"

    /// A case with a request for which a transport may lack a feature.
    ///
    /// - Parameter sent: Checks the request and the events of a transport that has it.
    private static func option(
        _ name: String, _ change: @escaping @Sendable (inout TransportRequest, ConformanceBench) throws -> Void,
        sent: @escaping @Sendable (RecordedRequest, ConformanceRecorder.Record) throws -> Void
    ) -> Case {
        Case(name, rule) { bench in
            bench.server.route("/option") { _ in MockResponse.text("x").informational(103) }
            var request = try bench.request("/option", method: .put, headers: ["Content-Type": "a/b"], body: content)
            try change(&request, bench)
            let recorder = try bench.start(request)
            let result = try bench.end(of: request, on: recorder)
            guard let error = result.error else { return try sent(try bench.receivedRequest(), recorder[request.id]) }
            try check(error != .bodyTooLarge, "the exchange ended with bodyTooLarge")
            try check(result.head == nil, "a request that cannot be sent got a response")
            // Whatever was sent before it has arrived once this is answered.
            _ = try bench.succeed(try bench.request("/option"))
            try checkEqual("how many requests the server got", bench.server.requestCount, 1)
        }
    }

    /// Requests that a transport may be unable to send, and then must not send in part.
    static let optionCases: [Case] = [
        option("A body from a file is sent, or refused before anything is sent") { request, bench in
            request.bodySource = .file(try bench.file(content), length: Int64(content.count))
        } sent: { request, _ in
            try checkSame("the body", request.body, content)
        },
        option("A body from a stream is sent, or refused before anything is sent") { request, bench in
            request.bodySource = bench.source(ConformanceStream(content, length: Int64(content.count)))
        } sent: { request, _ in
            try checkSame("the body", request.body, content)
        },
        option("A body of unknown length is sent, or refused before anything is sent") { request, bench in
            request.bodySource = bench.source(ConformanceStream(content, length: nil))
        } sent: { request, _ in
            try checkSame("the body", request.body, content)
        },
        // A hint: a transport may send the body at once.
        option("A request that may wait for a 100 is sent completely") { request, _ in
            request.expectsContinue = true
        } sent: { request, _ in
            try checkSame("the body", request.body, content)
        },
        option("Sent bytes are reported, or the request is refused before anything is sent") { request, _ in
            request.reportsSent = true
        } sent: { _, record in
            try checkEqual("the last number of sent bytes", record.sent.last, Int64(content.count))
        },
        option("Interim responses are reported, or the request is refused before anything is sent") { request, _ in
            request.reportsInterim = true
        } sent: { _, record in
            try checkEqual("the interim responses", record.interims.map(\.statusCode), [103])
        },
    ]
}
