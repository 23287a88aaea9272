import Firewheel
import Foundation

extension TransportConformance {
    /// Bodies that are handed over with their content codings.
    static let undecodedCases: [Case] = [
        Case("A body that is not to be decoded is handed over as it was sent", "TransportRequest.decodesContent", .undecodedBodies) {
            bench in
            let bodies = [
                (ConformanceData.gzipped, "gzip"), (ConformanceData.gzipped, "x-gzip, br"), (Data("this is no gzip".utf8), "gzip"),
            ]
            for (body, coding) in bodies {
                for framing in framings {
                    for (delivery, held) in [
                        (TransportRequest.Delivery.whole, TransportRequest.HeldHeads.none), (.chunks, .none), (.chunks, .all),
                    ] {
                        bench.server.enqueue(MockResponse.data(body).header("Content-Encoding", coding).framed(framing))
                        let request = try bench.request {
                            $0.decodesContent = false
                            $0.delivery = delivery
                            $0.heldHeads = held
                        }
                        let recorder = try startAcknowledging(request, bench)
                        if held == .all {
                            try bench.wait(for: "the response") { !recorder[request.id].heads.isEmpty }
                            try bench.withTransport { $0.proceed(request.id, .deliver) }
                        }
                        let result = try bench.end(of: request, on: recorder)
                        try check(result.error == nil, "the exchange ended with \(ConformanceBench.describe(result.error))")
                        try checkSame("the body", delivery == .whole ? result.body : recorder[request.id].content, body)
                        try checkEqual("Content-Encoding", result.head?.headers["Content-Encoding"], coding)
                    }
                }
            }
        },
        Case("The body size limit counts the bytes that are handed over", "TransportRequest.maximumBodySize", .undecodedBodies) { bench in
            let body = ConformanceData.gzip(ConformanceData.pattern(1_000))
            let response = MockResponse.data(body).header("Content-Encoding", "gzip")
            bench.server.enqueue(response, response)
            let fits = try bench.request {
                $0.decodesContent = false
                $0.maximumBodySize = body.count
            }
            try checkSame("the body", try bench.succeed(fits).body, body)
            let over = try bench.request {
                $0.decodesContent = false
                $0.maximumBodySize = body.count - 1
            }
            let error = try bench.fetch(over).error
            try check(error == .bodyTooLarge, "a body above the limit ended with \(ConformanceBench.describe(error))")
        },
    ]
}
