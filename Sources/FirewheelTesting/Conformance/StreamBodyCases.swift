import Firewheel
import Foundation

extension TransportConformance {
    /// Request bodies from streams.
    static let streamBodyCases: [Case] = [
        Case("A stream of known length is sent with its length", "BodyStream.length; RFC 9112 section 6.2", .bodySources) { bench in
            for manner in ConformanceStream.Manner.allCases {
                for (size, pieces) in [(0, 1), (1, 1), (1_000, 100), (300_000, 7_000), (3_000_000, .max)] {
                    bench.server.enqueue(.text("x"))
                    let body = ConformanceData.pattern(size)
                    let source = bench.source(ConformanceStream(body, length: Int64(size), pieces: pieces, manner))
                    _ = try bench.succeed(try bench.upload(source))
                    let seen = try bench.receivedRequest()
                    try checkSame("the body", seen.body, body)
                    try checkEqual("Content-Length", seen.headerValues("Content-Length"), ["\(size)"])
                    try checkEqual("Transfer-Encoding", seen.headerValues("Transfer-Encoding"), [])
                }
            }
        },
        Case("A stream of unknown length is sent in chunks", "BodyStream.length; RFC 9112 section 7.1", .bodySources) { bench in
            for manner in ConformanceStream.Manner.allCases {
                for (size, pieces) in [(0, 1), (1, 1), (1_000, 100), (300_000, 7_000), (3_000_000, .max)] {
                    bench.server.enqueue(.text("x"))
                    let body = ConformanceData.pattern(size)
                    _ = try bench.succeed(try bench.upload(bench.source(ConformanceStream(body, length: nil, pieces: pieces, manner))))
                    let seen = try bench.receivedRequest()
                    try checkSame("the body", seen.body, body)
                    try checkEqual("Content-Length", seen.headerValues("Content-Length"), [])
                    try checkEqual("Transfer-Encoding", seen.headerValues("Transfer-Encoding"), ["chunked"])
                    try checkEqual("the bytes in chunks", seen.chunkSizes.reduce(0, +), size)
                }
            }
            try checkEqual("the number of connections", bench.server.connectionCount, 1)
        },
        Case("Empty pieces are no progress and no end", "BodyPiece.data", .bodySources) { bench in
            let body = ConformanceData.pattern(10_000)
            for length in [10_000, nil] as [Int64?] {
                for manner in [ConformanceStream.Manner.atOnce, .onAnotherThread] {
                    bench.server.enqueue(.text("x"))
                    let stream = ConformanceStream(length: length, manner) { ask in
                        // Two of three, also the first and the one before the end.
                        guard ask.number % 3 == 2 else { return .data(Data()) }
                        let piece = body.dropFirst(ask.offset).prefix(min(500, ask.count))
                        return piece.isEmpty ? .end() : .data(Data(piece))
                    }
                    _ = try bench.succeed(try bench.upload(bench.source(stream)))
                    try checkSame("the body", try bench.receivedRequest().body, body)
                }
            }
        },
        Case("Many small pieces, answered before read returns, do not nest", "BodyReader.read", .bodySources) { bench in
            for (size, length) in [(50_000, 50_000), (20_000, nil)] as [(Int, Int64?)] {
                bench.server.enqueue(.text("x"))
                let body = ConformanceData.pattern(size)
                _ = try bench.succeed(try bench.upload(bench.source(ConformanceStream(body, length: length, pieces: 1))))
                try checkSame("the body", try bench.receivedRequest().body, body)
            }
        },
        Case("Pieces that are slices are sent as they are", "BodyPiece.data", .bodySources) { bench in
            bench.server.enqueue(.text("x"))
            let body = ConformanceData.pattern(100_000)
            let stream = ConformanceStream(length: nil) { ask in
                // Its indices do not begin at 0.
                let piece = body.dropFirst(ask.offset).prefix(min(ask.count, 999))
                return piece.isEmpty ? .end() : .data(piece)
            }
            _ = try bench.succeed(try bench.upload(bench.source(stream)))
            try checkSame("the body", try bench.receivedRequest().body, body)
        },
        Case(
            "A stream with fewer bytes than its length is a failure, and the connection is closed",
            "BodyStream.length: an error; RFC 9112 section 8", .bodySources
        ) { bench in
            bench.server.route("/whole") { _ in .text("x") }
            for manner in ConformanceStream.Manner.allCases {
                for length in [1, 10_001, 5_000_000] {
                    _ = try bench.succeed(try bench.request("/whole"))
                    let count = bench.server.requestCount
                    let body = ConformanceData.pattern(min(length - 1, 10_000))
                    try bench.failAtOnce(
                        try bench.upload(bench.source(ConformanceStream(body, length: Int64(length), manner)), to: "/whole"))
                    try bench.withTransport { $0.closeIdleConnections() }
                    try bench.expectConnections(0)
                    try checkEqual("how many requests arrived", bench.server.requestCount, count)
                }
            }
        },
        Case("A stream with more bytes than its length is a failure", "BodyStream.length: an error", .bodySources) { bench in
            // The whole length may arrive before the surplus is noticed; the response never comes.
            bench.server.route("/silent") { _ in .failure(.noAnswer) }
            for manner in ConformanceStream.Manner.allCases {
                for (size, length, pieces) in [(1_001, 1_000, 1_000), (1_500, 1_200, 500), (100_001, 100_000, .max), (200_000, 1, .max)] {
                    let stream = ConformanceStream(ConformanceData.pattern(size), length: Int64(length), pieces: pieces, manner)
                    try bench.failAtOnce(try bench.upload(bench.source(stream), to: "/silent") { $0.idleTimeout = 20 })
                    try bench.expectConnections(0)
                }
            }
        },
        Case("A negative length is a failure, not a crash", "BodyStream.length", .bodySources) { bench in
            for length in [-1, .min] as [Int64] {
                try bench.failAtOnce(try bench.upload(bench.source(ConformanceStream(Data("x".utf8), length: length))))
            }
            try checkEqual("how many requests arrived", bench.server.requestCount, 0)
        },
        Case(
            "A stream that fails ends the request with its error, and the connection is closed", "BodyPiece.failed; RFC 9112 section 8",
            .bodySources
        ) { bench in
            bench.server.route("/whole") { _ in .text("x") }
            let failure = TransportError.failed(.cannotDecodeRawData, "the camera is gone")
            for manner in ConformanceStream.Manner.allCases {
                for length in [nil, 5_000_000] as [Int64?] {
                    for offset in [0, 1, 200_000] {
                        _ = try bench.succeed(try bench.request("/whole"))
                        let count = bench.server.requestCount
                        let stream = ConformanceStream(length: length, manner) { ask in
                            ask.offset < offset ? .data(ConformanceData.pattern(min(ask.count, offset - ask.offset))) : .failed(failure)
                        }
                        let result = try bench.fetch(try bench.upload(bench.source(stream), to: "/whole"))
                        try check(result.error == failure, "the exchange ended with \(ConformanceBench.describe(result.error))")
                        try bench.withTransport { $0.closeIdleConnections() }
                        try bench.expectConnections(0)
                        try checkEqual("how many requests arrived", bench.server.requestCount, count)
                    }
                }
            }
        },
        Case("A body that can be repeated is sent again when its reused connection is dead", "BodySource.isRepeatable", .bodySources) {
            bench in
            let body = ConformanceData.pattern(100_000)
            let stream = ConformanceStream(body, length: nil, isRepeatable: true)
            for source in [.file(try bench.file(body), length: 100_000), bench.source(stream)] {
                bench.server.enqueue(.text("warm"), .failure(.closeBeforeHead), .text("second"))
                _ = try bench.succeed(try bench.request())
                _ = try bench.receivedRequest()
                let answer = try bench.succeed(try bench.upload(source) { $0.allowsResend = true })
                try checkSame("the body", answer.body, Data("second".utf8))
                for _ in 0..<2 { try checkSame("the body that was sent", try bench.receivedRequest().body, body) }
            }
            try checkEqual("how many readers were made", stream.readerCount, 2)
        },
        Case(
            "A body that cannot be repeated, or whose request must not be, is not sent again",
            "BodySource.isRepeatable; RFC 9110 section 9.2.2", .bodySources
        ) { bench in
            for (method, isRepeatable) in [(HTTPMethod.put, false), (.post, true)] {
                bench.server.enqueue(.text("warm"), .failure(.closeBeforeHead), .text("second"))
                _ = try bench.succeed(try bench.request())
                let before = bench.server.requestCount
                let stream = ConformanceStream(ConformanceData.pattern(100_000), length: nil, isRepeatable: isRepeatable)
                let request = try bench.upload(bench.source(stream)) {
                    $0.method = method
                    $0.allowsResend = method == .put
                }
                let result = try bench.fetch(request)
                // A transport may say only that the connection was lost.
                if case .bodyNotRepeatable = result.error, !isRepeatable {
                } else {
                    try ConformanceBench.checkFailure(result, [.networkConnectionLost])
                }
                try checkEqual("how often it was sent", bench.server.requestCount - before, 1)
                // The remaining response is for the next request.
                try checkSame("the next body", try bench.succeed(try bench.request()).body, Data("second".utf8))
            }
        },
    ]
}
