import Firewheel
import Foundation

extension TransportConformance {
    static let framings: [MockResponse.Framing] = [.contentLength, .chunked(size: 3_000), .chunked([1, 2, 70_000]), .untilClose]

    /// Delivery of response bodies, whole and in chunks, and their maximum size.
    static let bodyCases: [Case] = [
        Case("A body is whole, in every framing", "RFC 9112 section 6.3") { bench in
            for framing in framings {
                for size in [0, 1, 1_000, 300_000] {
                    let body = ConformanceData.pattern(size)
                    bench.server.enqueue(MockResponse.data(body).framed(framing))
                    try checkSame("the body, \(framing)", try bench.succeed(try bench.request()).body, body)
                }
            }
        },
        Case("Trailer fields are not part of the body", "RFC 9112 section 7.1.2") { bench in
            bench.server.enqueue(MockResponse.text("content").framed(.chunked(size: 3)).trailer("X-Sum", "1"))
            try checkSame("the body", try bench.succeed(try bench.request()).body, Data("content".utf8))
        },
        Case("An HTTP/1.0 body without a length ends with its connection", "RFC 9112 section 6.3") { bench in
            bench.server.enqueue(MockResponse.text("old").framed(.untilClose).statusLine(reason: "OK", httpVersion: "HTTP/1.0"))
            try checkSame("the body", try bench.succeed(try bench.request()).body, Data("old".utf8))
        },
        Case("Chunks are the whole body in order, after the response", "TransportRequest.Delivery.chunks") { bench in
            for framing in framings {
                let body = ConformanceData.pattern(3_000_000)
                bench.server.enqueue(MockResponse.data(body).framed(framing))
                let request = try bench.request { $0.delivery = .chunks }
                let recorder = try startAcknowledging(request, bench)
                let result = try bench.end(of: request, on: recorder)
                try check(result.error == nil, "the exchange ended with \(ConformanceBench.describe(result.error))")
                try checkSame("what came in chunks, \(framing)", recorder[request.id].content, body)
                try checkEqual("the body of the end", result.body ?? Data(), Data())
                try checkEqual("the number of responses", recorder[request.id].heads.count, 1)
            }
        },
        Case("A chunk is delivered before the server sends the next one", "TransportRequest.Delivery.chunks: as it comes") { bench in
            bench.server.enqueue(MockResponse.data(ConformanceData.pattern(3_000)).throttled(bytes: 1_000, every: 1_000))
            let request = try bench.request { $0.delivery = .chunks }
            let recorder = try startAcknowledging(request, bench)
            let came = recorder.wait(request.id, seconds: min(20, bench.remaining)) { $0.content.isEmpty ? nil : $0.content }
            try check(came != nil, "no chunk came in 20 seconds, though the server had sent a part")
            try bench.withTransport { $0.cancel(request.id) }
        },
        Case("A body requested as a whole is not delivered in chunks", "TransportRequest.Delivery.whole") { bench in
            let body = ConformanceData.pattern(2_000_000)
            bench.server.enqueue(.data(body))
            let request = try bench.request()
            let recorder = try bench.start(request)
            try checkSame("the body", try bench.end(of: request, on: recorder).body, body)
            try checkEqual("the number of chunks", recorder[request.id].chunkSizes.count, 0)
        },
        Case("gzip is decoded, in every framing and delivery", "RFC 9110 section 8.4") { bench in
            for framing in framings {
                let response = MockResponse.data(ConformanceData.gzipped).header("Content-Encoding", "gzip").framed(framing)
                bench.server.enqueue(response, response)
                let headers: HTTPHeaders = ["Accept-Encoding": "gzip"]
                try checkSame("the body", try bench.succeed(try bench.request(headers: headers)).body, ConformanceData.plain)
                let request = try bench.request(headers: headers) { $0.delivery = .chunks }
                let recorder = try startAcknowledging(request, bench)
                _ = try bench.end(of: request, on: recorder)
                try checkSame("what came in chunks", recorder[request.id].content, ConformanceData.plain)
            }
        },
        Case("The request's Accept-Encoding is sent unchanged", "RFC 9110 section 12.5.3") { bench in
            bench.server.enqueue(.text("x"))
            _ = try bench.succeed(try bench.request(headers: ["Accept-Encoding": "gzip;q=0.5, identity"]))
            try checkEqual("Accept-Encoding", try bench.receivedRequest().headerValues("Accept-Encoding"), ["gzip;q=0.5, identity"])
        },
        Case("A body that does not match its content coding is a failure", "RFC 9110 section 8.4; URLError.cannotDecode…") { bench in
            bench.server.enqueue(MockResponse.text("this is no gzip").header("Content-Encoding", "gzip"))
            try bench.fail(try bench.request(), with: .cannotDecodeContentData, .cannotDecodeRawData)
        },
        Case("The body size limit is exact to the byte", "TransportRequest.maximumBodySize") { bench in
            for framing in framings {
                for delivery in [TransportRequest.Delivery.whole, .chunks] {
                    let body = ConformanceData.pattern(50_000)
                    bench.server.enqueue(MockResponse.data(body).framed(framing), MockResponse.data(body).framed(framing))
                    let exact = try bench.request {
                        $0.maximumBodySize = 50_000
                        $0.delivery = delivery
                    }
                    try check(
                        try bench.end(of: exact, on: try startAcknowledging(exact, bench)).error == nil,
                        "a body as large as the limit failed")
                    let over = try bench.request {
                        $0.maximumBodySize = 49_999
                        $0.delivery = delivery
                    }
                    let recorder = try startAcknowledging(over, bench)
                    let error = try bench.end(of: over, on: recorder).error
                    try check(error == .bodyTooLarge, "a body above the limit ended with \(ConformanceBench.describe(error))")
                    try check(recorder[over.id].content.count <= 49_999, "more than the limit was handed over")
                }
            }
        },
        Case("The body size limit counts decoded bytes, and stops a compression bomb", "TransportRequest.maximumBodySize") { bench in
            bench.server.enqueue(
                MockResponse.data(ConformanceData.gzipped).header("Content-Encoding", "gzip"),
                MockResponse.data(ConformanceData.bomb(runs: 40_000)).header("Content-Encoding", "gzip"))
            // The gzip data is larger than the limit; the decoded body is not.
            let fits = try bench.request { $0.maximumBodySize = ConformanceData.plain.count }
            try checkSame("the body", try bench.succeed(fits).body, ConformanceData.plain)
            // Little data that decodes to far more than the limit.
            let error = try bench.fetch(try bench.request { $0.maximumBodySize = 1_000_000 }).error
            try check(error == .bodyTooLarge, "a body above the limit ended with \(ConformanceBench.describe(error))")
        },
        Case("An endless body is stopped at the limit, and its connection is closed", "TransportRequest.maximumBodySize") { bench in
            for framing in [MockResponse.Framing.untilClose, .chunked] {
                bench.server.enqueue(MockResponse.text("x").framed(framing).failing(.endlessBody))
                let error = try bench.fetch(try bench.request { $0.maximumBodySize = 1_000_000 }).error
                try check(error == .bodyTooLarge, "a body without end ended with \(ConformanceBench.describe(error))")
                try bench.expectConnections(0)
            }
        },
    ]

    /// Starts a request whose chunks are acknowledged as they arrive.
    static func startAcknowledging(_ request: TransportRequest, _ bench: ConformanceBench) throws -> ConformanceRecorder {
        // Weak, because the bench must hold the only reference to the transport under test.
        let recorder = bench.recorder { [weak bench] events in
            for case .chunk(let data) in events.map(\.kind) {
                _ = try? bench?.withTransport { $0.acknowledge(request.id, bytes: data.count) }
            }
        }
        return try bench.start(request, on: recorder)
    }
}
