import Firewheel
import Foundation

extension TransportConformance {
    private static let body = ConformanceData.pattern(50_000)

    /// A case with a discarded body that cannot be read to its end.
    private static func discard(
        _ name: String, _ rule: String, isClosed: Bool = true, _ responses: [MockResponse],
        _ change: @escaping @Sendable (inout TransportRequest) -> Void = { _ in }
    ) -> Case {
        Case(name, rule) { bench in
            for response in responses {
                for delivery in [TransportRequest.Delivery.whole, .chunks] {
                    // At once, while the server is still sending; and after everything has arrived.
                    for quiet in [0, 0.15] {
                        bench.server.enqueue(response)
                        let request = try bench.request {
                            $0.delivery = delivery
                            $0.heldHeads = .statuses([404])
                            change(&$0)
                        }
                        let recorder = try startHeld(request, bench, quiet: quiet)
                        try bench.withTransport { $0.proceed(request.id, .discard) }
                        let start = MonotonicInstant.now()
                        try checkDelivered(request, Data(), bench, recorder)
                        let seconds = MonotonicInstant.now().seconds(since: start)
                        try check(seconds < 10, "a request whose body nobody wants took \(seconds) seconds to end")
                        if isClosed { try bench.expectConnections(0) }
                    }
                }
            }
        }
    }

    /// Discarded bodies behind held heads.
    static let discardCases: [Case] = [
        Case("After a short discarded body the connection is usable", "TransportRequest.HeldBody.discard") { bench in
            bench.server.route("/next") { _ in .text("next") }
            for framing in [MockResponse.Framing.contentLength, .chunked(size: 700)] {
                for size in [0, 1, 20_000] {
                    bench.server.enqueue(MockResponse.data(ConformanceData.pattern(size), status: 404).framed(framing))
                    let request = try bench.request { $0.heldHeads = .all }
                    let recorder = try startHeld(request, bench, quiet: 0)
                    try bench.withTransport { $0.proceed(request.id, .discard) }
                    try checkDelivered(request, Data(), bench, recorder)
                    try checkSame("the next body", try bench.succeed(try bench.request("/next")).body, Data("next".utf8))
                }
            }
            try checkEqual("the number of connections", bench.server.connectionCount, 1)
        },
        discard(
            "Discarding an endless body ends the request at once and closes its connection", "TransportRequest.HeldBody.discard",
            [
                MockResponse.text("x", status: 404).failing(.endlessBody),
                MockResponse.text("x", status: 404).framed(.chunked).failing(.endlessBody),
            ]),
        discard(
            "A slow discarded body is not waited for", "TransportRequest.HeldBody.discard: ends soon",
            [
                MockResponse.data(body, status: 404).throttled(bytes: 10, every: 0.02),
                MockResponse.data(body, status: 404).delayed(body: 60),
                MockResponse.data(body, status: 404).framed(.chunked).delayed(body: 60),
            ]
        ) { $0.idleTimeout = 12 },
        discard(
            "A discarded body may be cut short", "TransportRequest.HeldBody.discard: without an error",
            [
                MockResponse.data(body, status: 404).failing(.closeInBody(after: 20_000)),
                MockResponse.data(body, status: 404).failing(.bodyShorter(by: 1)),
                MockResponse.data(body, status: 404).failing(.cutChunk(after: 20_000)),
                MockResponse.data(body, status: 404).failing(.missingFinalChunk),
                MockResponse.data(body, status: 404).failing(.closeInBody(after: 0)),
            ]),
        discard(
            "A discarded body may be badly chunked", "TransportRequest.HeldBody.discard: without an error",
            [MockResponse.data(body, status: 404).failing(.badChunk), MockResponse.data(Data(), status: 404).failing(.badChunk)]),
        discard(
            "A discarded body may have an unknown or wrong content coding",
            "TransportRequest.HeldBody.discard: without an error", isClosed: false,
            [
                MockResponse.text("this is no gzip", status: 404).header("Content-Encoding", "gzip"),
                MockResponse.text("this is nothing", status: 404).header("Content-Encoding", "x-unknown"),
                MockResponse.data(ConformanceData.gzipped, status: 404).header("Content-Encoding", "gzip, x-unknown, gzip"),
            ]),
        discard(
            "A discarded body may be above the size limit", "TransportRequest.HeldBody.discard: without an error", isClosed: false,
            [
                MockResponse.data(body, status: 404), MockResponse.data(body, status: 404).framed(.chunked),
                MockResponse.data(ConformanceData.pattern(4 << 20), status: 404),
                MockResponse.data(ConformanceData.bomb(runs: 20_000), status: 404).header("Content-Encoding", "gzip"),
            ]
        ) { $0.maximumBodySize = 10 },
        Case("A faulty body behind a held head fails only once it is wanted", "TransportRequest.HeldBody.deliver") { bench in
            for (response, codes) in [
                (MockResponse.data(body).failing(.closeInBody(after: 20_000)), [URLError.Code.networkConnectionLost]),
                (MockResponse.data(body).failing(.missingFinalChunk), [.networkConnectionLost]),
                (MockResponse.data(body).failing(.badChunk), [.cannotParseResponse, .networkConnectionLost]),
                (
                    MockResponse.text("this is no gzip").header("Content-Encoding", "gzip"),
                    [.cannotDecodeContentData, .cannotDecodeRawData]
                ),
            ] {
                for delivery in [TransportRequest.Delivery.whole, .chunks] {
                    bench.server.enqueue(response)
                    let request = try bench.request {
                        $0.delivery = delivery
                        $0.heldHeads = .all
                    }
                    let recorder = try startHeld(request, bench)
                    try bench.withTransport { $0.proceed(request.id, .deliver) }
                    try ConformanceBench.checkFailure(try bench.end(of: request, on: recorder), codes)
                }
            }
            bench.server.enqueue(.data(body))
            let large = try bench.request {
                $0.heldHeads = .all
                $0.maximumBodySize = 49_999
            }
            let recorder = try startHeld(large, bench)
            try bench.withTransport { $0.proceed(large.id, .deliver) }
            let error = try bench.end(of: large, on: recorder).error
            try check(error == .bodyTooLarge, "a body above the limit ended with \(ConformanceBench.describe(error))")
        },
    ]
}
