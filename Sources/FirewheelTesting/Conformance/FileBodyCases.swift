import Firewheel
import Foundation

extension TransportConformance {
    /// Request bodies from files.
    static let fileBodyCases: [Case] = [
        Case("A body from a file is sent completely, with its length", "BodySource.file", .bodySources) { bench in
            for size in [0, 1, 1_000, 100_000, 8_000_000] {
                bench.server.enqueue(.text("x"))
                let body = ConformanceData.pattern(size)
                _ = try bench.succeed(try bench.upload(.file(try bench.file(body), length: Int64(size))))
                let seen = try bench.receivedRequest()
                try checkSame("the body", seen.body, body)
                try checkEqual("Content-Length", seen.headerValues("Content-Length"), ["\(size)"])
                try checkEqual("Transfer-Encoding", seen.headerValues("Transfer-Encoding"), [])
            }
        },
        Case("A part of a file is sent from its offset on", "BodySource.file: offset", .bodySources) { bench in
            let body = ConformanceData.pattern(3_000_000)
            let file = try bench.file(body)
            for part in [0..<1, 1_000..<6_000, 65_535..<2_000_000, 2_999_999..<3_000_000, 3_000_000..<3_000_000, 5_000..<5_000] {
                bench.server.enqueue(.text("x"))
                _ = try bench.succeed(try bench.upload(.file(file, offset: Int64(part.lowerBound), length: Int64(part.count))))
                try checkSame("the body", try bench.receivedRequest().body, body[part])
            }
        },
        Case(
            "A file with fewer bytes than its length is a failure, and the connection is closed", "BodySource.file; RFC 9112 section 8",
            .bodySources
        ) { bench in
            bench.server.route("/whole") { _ in .text("x") }
            let body = ConformanceData.pattern(200_000)
            let file = try bench.file(body)
            for (offset, length) in [(0, 200_001), (0, 9_000_000), (199_999, 2), (200_000, 1), (300_000, 1)] as [(Int64, Int64)] {
                // The head may go out on a connection that was used before.
                _ = try bench.succeed(try bench.request("/whole"))
                let count = bench.server.requestCount
                try bench.failAtOnce(try bench.upload(.file(file, offset: offset, length: length), to: "/whole"))
                try bench.withTransport { $0.closeIdleConnections() }
                try bench.expectConnections(0)
                try checkEqual("how many requests arrived", bench.server.requestCount, count)
            }
        },
        Case("A range that no file can have is a failure, not a crash", "BodySource.file: offset and length", .bodySources) { bench in
            let file = try bench.file(Data("content".utf8))
            for (offset, length) in [(-1, 1), (0, -1), (.min, 1), (0, .min), (.max, .max), (1, .max), (.max, 1)] as [(Int64, Int64)] {
                try bench.failAtOnce(try bench.upload(.file(file, offset: offset, length: length)))
            }
            try checkEqual("how many requests arrived", bench.server.requestCount, 0)
        },
        Case("A file that cannot be read is a failure", "BodySource.file", .bodySources) { bench in
            bench.server.route("/file") { _ in .text("x") }
            let missing = try bench.file(Data("content".utf8))
            try? FileManager.default.removeItem(at: missing)
            let others = [FileManager.default.temporaryDirectory, URL(string: "https://example.com/file")].compactMap { $0 }
            for file in [missing] + others {
                try bench.failAtOnce(try bench.upload(.file(file, length: 7), to: "/file"))
                try checkEqual("how many requests arrived", bench.server.requestCount, 0)
            }
        },
    ]
}
