import Firewheel
import Foundation

extension TransportConformance {
    /// Trailer fields in both directions.
    static let trailerCases: [Case] = [
        Case("Trailer fields of a response come with its end", "TransportResult.trailers; RFC 9110 section 6.5", .trailers) { bench in
            for delivery in [TransportRequest.Delivery.whole, .chunks] {
                bench.server.enqueue(
                    MockResponse.text("content").framed(.chunked(size: 3)).trailer("X-Sum", "1").trailer("Server-Timing", "db;dur=53")
                        .trailer("x-sum", "2"))
                let request = try bench.request { $0.delivery = delivery }
                let recorder = try startAcknowledging(request, bench)
                let result = try bench.end(of: request, on: recorder)
                try check(result.error == nil, "the exchange ended with \(ConformanceBench.describe(result.error))")
                try checkEqual("X-Sum", result.trailers.values(for: "X-Sum"), ["1", "2"])
                try checkEqual("Server-Timing", result.trailers["Server-Timing"], "db;dur=53")
                try checkEqual("X-Sum in the head", result.head?.headers["X-Sum"], nil)
                bench.server.enqueue(.text("none"))
                try checkEqual("the trailer fields", try bench.fetch(try bench.request()).trailers.count, 0)
            }
        },
        Case("Trailer fields that trailers may not have are dropped", "RFC 9110 section 6.5.1", .trailers) { bench in
            let forbidden = [
                "Content-Length", "transfer-encoding", "Trailer", "Host", "Connection", "Set-Cookie", "Authorization", "WWW-Authenticate",
                "Content-Encoding", "Content-Type", "Content-Range", "Location", "Cache-Control",
            ]
            var response = MockResponse.text("content").framed(.chunked)
            for name in forbidden { response = response.trailer(name, "1") }
            bench.server.enqueue(response.trailer("X-Sum", "1"), .text("next"))
            let result = try bench.fetch(try bench.request())
            try check(result.error == nil, "the exchange ended with \(ConformanceBench.describe(result.error))")
            try checkSame("the body", result.body, Data("content".utf8))
            try checkEqual("the trailer fields", result.trailers.map(\.name), ["X-Sum"])
            try checkSame("the next body", try bench.succeed(try bench.request()).body, Data("next".utf8))
        },
        Case("Trailer fields of a request are sent behind its chunks", "BodyPiece.end; RFC 9112 section 7.1.2", .trailers) { bench in
            let body = ConformanceData.pattern(10_000)
            for content in [body, Data()] {
                bench.server.enqueue(.text("x"))
                let trailers: HTTPHeaders = ["X-Sum": "1", "Content-Length": "5", "Transfer-Encoding": "chunked", "X-Last": "z"]
                let stream = ConformanceStream(content, length: nil, pieces: 3_000, trailers: trailers)
                _ = try bench.succeed(try bench.upload(bench.source(stream)))
                let seen = try bench.receivedRequest()
                try checkSame("the body", seen.body, content)
                try checkEqual("the trailer lines", seen.trailerLines, ["X-Sum: 1", "X-Last: z"])
            }
        },
        Case("Trailer fields have no place behind a body of known length", "BodyPiece.end; RFC 9112 section 6.2", .trailers) { bench in
            let body = ConformanceData.pattern(10_000)
            bench.server.enqueue(.text("x"), .text("next"))
            let stream = ConformanceStream(body, length: 10_000, pieces: 3_000, trailers: ["X-Sum": "1"])
            _ = try bench.succeed(try bench.upload(bench.source(stream)))
            try checkSame("the body", try bench.receivedRequest().body, body)
            try checkSame("the next body", try bench.succeed(try bench.request()).body, Data("next".utf8))
        },
        Case("A trailer field that would add a line is a failure", "RFC 9112 section 11.1, request splitting", .trailers) { bench in
            bench.server.route("/split") { _ in .text("x") }
            for (name, value) in [("X-A", "1\r\nX-B: 2"), ("X-A", "1\n"), ("X-A: 1\r\nX-B", "2"), ("", "1"), ("X A", "1")] {
                let stream = ConformanceStream(Data("x".utf8), length: nil, trailers: HTTPHeaders([HTTPHeader(name: name, value: value)]))
                try bench.failAtOnce(try bench.upload(bench.source(stream), to: "/split"))
                try bench.expectConnections(0)
            }
            try checkEqual("how many requests arrived", bench.server.requestCount, 0)
        },
    ]
}
