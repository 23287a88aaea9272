import Firewheel
import Foundation

extension TransportConformance {
    /// Registers a route that sends each piece of a body back as it comes.
    private static func serveEcho(_ bench: ConformanceBench) {
        bench.exchange("/echo") { exchange in
            try exchange.sendHead()
            while let piece = try exchange.read() { try exchange.sendChunk(piece) }
            try exchange.endChunks()
        }
    }

    /// A response that comes while the body of the request is still being sent.
    static let duplexCases: [Case] = [
        Case("Each piece of a body can wait for the server's answer to the one before", "TransportRequest.bodySource", .fullDuplex) {
            bench in
            serveEcho(bench)
            let stream = ConformanceStream(length: nil) { _ in nil }
            let request = try bench.upload(bench.source(stream), to: "/echo") { $0.delivery = .chunks }
            let recorder = try startAcknowledging(request, bench)
            try bench.wait(for: "the response, before the body", within: 10) { !recorder[request.id].heads.isEmpty }
            var sent = Data()
            for number in 1...50 {
                let piece = ConformanceData.pattern(number * 10)
                sent += piece
                try check(stream.give(.data(piece), within: min(10, bench.remaining)), "the next piece of the body was not asked for")
                try bench.wait(for: "the answer to piece \(number)", within: 10) { recorder.count(of: request.id) >= sent.count }
            }
            try check(!recorder.isOver(request.id), "the request finished before its body")
            try check(stream.give(.end(), within: min(10, bench.remaining)), "the end of the body was not asked for")
            let result = try bench.end(of: request, on: recorder)
            try check(result.error == nil, "the exchange ended with \(ConformanceBench.describe(result.error))")
            try checkSame("what came back", recorder[request.id].content, sent)
            try checkEqual("the number of connections", bench.server.connectionCount, 1)
        },
        Case("A long body is sent while the response is read", "TransportRequest.bodySource", .fullDuplex) { bench in
            // More than all buffers hold: neither direction may wait for the other.
            serveEcho(bench)
            let body = ConformanceData.pattern(32 << 20)
            let sources = [
                bench.source(ConformanceStream(body, length: nil)),
                bench.source(ConformanceStream(body, length: Int64(body.count), .onAnotherThread)),
                .data(body), .file(try bench.file(body), length: Int64(body.count)),
            ]
            for source in sources {
                let request = try bench.upload(source, to: "/echo") { $0.delivery = .chunks }
                let recorder = try startAcknowledging(request, bench)
                let result = try bench.end(of: request, on: recorder)
                try check(result.error == nil, "the exchange ended with \(ConformanceBench.describe(result.error))")
                try checkSame("what came back", recorder[request.id].content, body)
            }
        },
        Case("A complete response ends the exchange and the upload", "TransportRequest.bodySource: the response ends it", .fullDuplex) {
            bench in
            let body = ConformanceData.pattern(48 << 20)
            let file = try bench.file(body)
            for reads in [true, false] {
                let endless = ConformanceStream(length: nil) { .data(Data(count: min($0.count, 10_000))) }
                let waiting = ConformanceStream(length: nil) { $0.number < 1 ? .data(Data("x".utf8)) : nil }
                let sources = [
                    bench.source(endless), bench.source(waiting), BodySource.data(body), .file(file, length: Int64(body.count)),
                ]
                for (number, source) in sources.enumerated() {
                    let gate = DispatchSemaphore(value: reads ? 1 : 0)
                    bench.exchange("/early/\(reads)/\(number)") { exchange in
                        _ = try exchange.read(upTo: 1_000)
                        try exchange.sendBytes(Data("HTTP/1.1 413 Too Large\r\nContent-Length: 2\r\n\r\nno".utf8))
                        _ = gate.wait(timeout: .now() + 60)
                        exchange.waitForDisconnection()
                    }
                    let request = try bench.upload(source, to: "/early/\(reads)/\(number)")
                    let recorder = try bench.start(request)
                    let result = try bench.end(of: request, on: recorder)
                    gate.signal()
                    try check(result.error == nil, "the exchange ended with \(ConformanceBench.describe(result.error))")
                    try checkEqual("the status", result.head?.statusCode, 413)
                    try checkSame("the body of the response", result.body, Data("no".utf8))
                    // Nothing else could tell the server that the body has ended.
                    try bench.waitForExchanges((reads ? 0 : sources.count) + number + 1)
                }
            }
        },
        Case(
            "A complete 2xx ends an upload that no longer goes on", "TransportRequest.bodySource: for as long as the server takes it",
            .fullDuplex
        ) { bench in
            let waiting = ConformanceStream(length: nil) { $0.number < 1 ? .data(Data("x".utf8)) : nil }
            let sources = [bench.source(waiting), BodySource.data(ConformanceData.pattern(48 << 20))]
            for (number, source) in sources.enumerated() {
                let gate = DispatchSemaphore(value: 0)
                bench.exchange("/done/\(number)") { exchange in
                    _ = try exchange.read(upTo: 1_000)
                    try exchange.sendBytes(Data("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok".utf8))
                    _ = gate.wait(timeout: .now() + 60)
                    exchange.waitForDisconnection()
                }
                // Neither is a failure for the lack of bytes.
                let request = try bench.upload(source, to: "/done/\(number)") { $0.idleTimeout = number == 0 ? 0 : 30 }
                let recorder = try bench.start(request)
                let result = try bench.end(of: request, on: recorder)
                gate.signal()
                try check(result.error == nil, "the exchange ended with \(ConformanceBench.describe(result.error))")
                try checkSame("the body of the response", result.body, Data("ok".utf8))
                try bench.waitForExchanges(number + 1)
            }
        },
        Case("A response cut short while the body is sent is a failure", "RFC 9112 section 8", .fullDuplex) { bench in
            bench.exchange("/cut") { exchange in
                _ = try exchange.read(upTo: 1_000)
                try exchange.sendHead(status: 203)
                try exchange.sendChunk(Data("begin".utf8))
            }
            let endless = ConformanceStream(length: nil) { .data(Data(count: min($0.count, 10_000))) }
            let waiting = ConformanceStream(length: nil) { $0.number < 1 ? .data(Data("x".utf8)) : nil }
            for stream in [endless, waiting] {
                try bench.fail(try bench.upload(bench.source(stream), to: "/cut"), with: .networkConnectionLost)
            }
            try bench.expectConnections(0)
        },
        Case("A discarded body of the response ends the upload", "TransportRequest.HeldBody.discard", .fullDuplex) { bench in
            bench.exchange("/unwanted") { exchange in
                _ = try exchange.read(upTo: 1_000)
                try exchange.sendHead(status: 401)
                exchange.waitForDisconnection()
            }
            let endless = ConformanceStream(length: nil) { .data(Data(count: min($0.count, 10_000))) }
            let request = try bench.upload(bench.source(endless), to: "/unwanted") { $0.heldHeads = .statuses([401]) }
            let recorder = try bench.start(request)
            try bench.wait(for: "the held head") { !recorder[request.id].heads.isEmpty }
            try bench.withTransport { $0.proceed(request.id, .discard) }
            let result = try bench.end(of: request, on: recorder)
            try check(result.error == nil, "the exchange ended with \(ConformanceBench.describe(result.error))")
            try bench.waitForExchanges(1)
        },
    ]
}
