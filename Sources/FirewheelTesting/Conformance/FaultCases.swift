import Firewheel
import Foundation

extension TransportConformance {
    private static let body = ConformanceData.pattern(50_000)

    /// A case with one server fault, for each way to receive the body.
    private static func fault(
        _ name: String, _ rule: String, _ codes: [URLError.Code], hasHead: Bool = false, _ responses: [MockResponse]
    ) -> Case {
        Case(name, rule) { bench in
            for response in responses {
                for delivery in [TransportRequest.Delivery.whole, .chunks] {
                    bench.server.enqueue(response)
                    let request = try bench.request { $0.delivery = delivery }
                    let recorder = try startAcknowledging(request, bench)
                    let result = try bench.end(of: request, on: recorder)
                    try ConformanceBench.checkFailure(result, codes)
                    if hasHead { try checkEqual("the status that had come", result.head?.statusCode, response.status) }
                    let seen = delivery == .whole ? result.body ?? Data() : recorder[request.id].content
                    try check(body.starts(with: seen), "what had come of the body is not its beginning")
                }
            }
        }
    }

    /// Failures and their error codes, which are URLSession's.
    static let faultCases: [Case] = [
        Case("A port without a listener is cannotConnectToHost", "TransportError.failed") { bench in
            let gone = try MockServer()
            let base = gone.baseURL
            gone.shutdown()
            try bench.fail(try bench.request(to: base), with: .cannotConnectToHost)
        },
        Case("A name that does not exist is cannotFindHost", "TransportError.failed; RFC 952") { bench in
            // No name of a host begins so, so that the answer is the same without a network.
            try bench.fail(try bench.request(to: "http://-does-not-exist.invalid"), with: .cannotFindHost)
        },
        fault(
            "A connection lost before the response is networkConnectionLost", "TransportError.failed", [.networkConnectionLost],
            [.failure(.resetBeforeHead), .failure(.closeBeforeHead)]),
        fault(
            "A connection lost in the body is networkConnectionLost, and the received bytes are kept",
            "TransportError.failed; RFC 9112 section 8",
            [.networkConnectionLost], hasHead: true,
            [
                MockResponse.data(body, status: 203).failing(.resetInBody(after: 20_000)),
                MockResponse.data(body).failing(.closeInBody(after: 20_000)), MockResponse.data(body).failing(.bodyShorter(by: 1)),
            ]),
        fault(
            "A chunked body that is cut short is networkConnectionLost", "RFC 9112 section 8", [.networkConnectionLost], hasHead: true,
            [MockResponse.data(body).failing(.cutChunk(after: 20_000)), MockResponse.data(body).failing(.missingFinalChunk)]),
        fault(
            "A chunk size that is not a number is a failure", "RFC 9112 section 7.1", [.cannotParseResponse, .networkConnectionLost],
            hasHead: true,
            [MockResponse.data(body).failing(.badChunk)]),
        fault(
            "A malformed status line is a failure", "RFC 9112 section 4",
            [.cannotParseResponse, .badServerResponse, .networkConnectionLost],
            [.failure(.garbageStatusLine)]),
        fault(
            "Endless header fields are a failure", "RFC 9110 section 5.4",
            [.cannotParseResponse, .badServerResponse, .networkConnectionLost],
            [.failure(.endlessHeaders)]),
        fault(
            "Two different Content-Length values are a failure", "RFC 9112 section 6.3", [.cannotParseResponse, .badServerResponse],
            [MockResponse.data(body).header("Content-Length", "50000").header("Content-Length", "49000").closing()]),
        Case("Bytes after a body are not part of it", "RFC 9112 section 6.3") { bench in
            // Short enough to arrive together: later bytes could be taken for the next response.
            bench.server.enqueue(MockResponse.text("content").failing(.bodyLonger(by: 100)))
            try checkSame("the body", try bench.succeed(try bench.request()).body, Data("content".utf8))
            bench.server.enqueue(.text("next"))
            try checkSame("the next body", try bench.succeed(try bench.request()).body, Data("next".utf8))
        },
        Case("A reset while the request body is sent is a failure, not a crash", "TransportError.failed") { bench in
            bench.server.enqueue(.failure(.resetBeforeReading))
            let request = try bench.request(method: .put, headers: ["Content-Type": "a/b"], body: ConformanceData.pattern(8 << 20))
            try bench.fail(request, with: .networkConnectionLost)
        },
        Case("A response sent before the request body is read is accepted", "RFC 9112 section 9.5") { bench in
            bench.server.route("/early", beforeBody: true) { _ in .text("no", status: 413) }
            let request = try bench.request(
                "/early", method: .post, headers: ["Content-Type": "a/b"], body: ConformanceData.pattern(20_000))
            try checkEqual("the status", try bench.succeed(request).head.statusCode, 413)
        },
    ]
}
