import Firewheel
import Foundation

extension TransportConformance {
    /// `Expect: 100-continue`.
    static let continueCases: [Case] = [
        Case("A body waits for a 100", "TransportRequest.expectsContinue; RFC 9110 section 10.1.1", .expectContinue) { bench in
            let body = ConformanceData.pattern(200_000)
            bench.exchange("/wait") { [clock = bench.continueClock] exchange in
                try checkEqual("Expect", exchange.request.headerValues("Expect"), ["100-continue"])
                try check(!exchange.hasInput(within: 0.2) || clock.isOver, "the body was sent before a 100")
                // Another interim response is not a consent.
                try exchange.sendInterim(103)
                try check(!exchange.hasInput(within: 0.2) || clock.isOver, "the body was sent after a 103")
                try exchange.sendInterim(100)
                try checkSame("the body", try exchange.readAll(), body)
                try exchange.send(.text("done"))
            }
            let sources = [
                BodySource.data(body), .file(try bench.file(body), length: 200_000),
                bench.source(ConformanceStream(body, length: 200_000, .onAnotherThread)),
                bench.source(ConformanceStream(body, length: nil)),
            ]
            for source in sources {
                let request = try bench.upload(source, to: "/wait") { $0.expectsContinue = true }
                try checkSame("the body of the response", try bench.succeed(request).body, Data("done".utf8))
            }
            try bench.waitForExchanges(sources.count)
        },
        Case(
            "After a final response without a 100 the body is not sent, and the connection is closed",
            "RFC 9110 section 10.1.1; RFC 9112 section 9.3", .expectContinue
        ) { bench in
            let body = ConformanceData.pattern(200_000)
            for (number, status) in [417, 401, 200].enumerated() {
                bench.exchange("/refuse/\(status)") { [clock = bench.continueClock] exchange in
                    try exchange.sendBytes(Data("HTTP/1.1 \(status) No\r\nContent-Length: 2\r\n\r\n".utf8))
                    try check(
                        !exchange.hasInput(within: 0.1) || clock.isOver, "the body was sent after the head of a final response")
                    try exchange.sendBytes(Data("no".utf8))
                    // The server would take the next request for the body.
                    let count = exchange.waitForDisconnection()
                    try check(count == 0 || clock.isOver, "\(count) bytes were sent after a final response")
                }
                for (index, source) in [.data(body), bench.source(ConformanceStream(body, length: nil))].enumerated() {
                    let request = try bench.upload(source, to: "/refuse/\(status)") { $0.expectsContinue = true }
                    let answer = try bench.succeed(request)
                    try checkEqual("the status", answer.head.statusCode, status)
                    try checkSame("the body of the response", answer.body, Data("no".utf8))
                    // Where the body was sent after a second, the connection may stay open.
                    if bench.continueClock.isOver { try bench.withTransport { $0.closeIdleConnections() } }
                    try bench.waitForExchanges(number * 2 + index + 1)
                }
            }
        },
        Case("Without an answer the body is sent after a second", "TransportRequest.expectsContinue: a second", .expectContinue) { bench in
            let body = ConformanceData.pattern(200_000)
            bench.exchange("/silent") { [clock = bench.continueClock] exchange in
                try check(!exchange.hasInput(within: 0.3) || clock.isOver, "the body was sent before a second had passed")
                try check(exchange.hasInput(within: 20), "the body was not sent after a second")
                try checkSame("the body", try exchange.readAll(), body)
                try exchange.send(.text("done"))
            }
            for source in [.data(body), bench.source(ConformanceStream(body, length: nil))] {
                let request = try bench.upload(source, to: "/silent") { $0.expectsContinue = true }
                try checkSame("the body of the response", try bench.succeed(request).body, Data("done".utf8))
            }
            try bench.waitForExchanges(2)
        },
        Case(
            "A server that begins a successful response without a 100 gets the body after a second", "RFC 9110 section 10.1.1",
            .expectContinue
        ) { bench in
            let body = ConformanceData.pattern(200_000)
            bench.exchange("/echo") { [clock = bench.continueClock] exchange in
                try exchange.sendHead()
                try check(!exchange.hasInput(within: 0.3) || clock.isOver, "the body was sent before a second had passed")
                while let piece = try exchange.read() { try exchange.sendChunk(piece) }
                try exchange.endChunks()
            }
            let request = try bench.upload(bench.source(ConformanceStream(body, length: nil)), to: "/echo") { $0.expectsContinue = true }
            try checkSame("the echo", try bench.succeed(request).body, body)
            try bench.waitForExchanges(1)
        },
        Case("Without a body nothing is expected", "RFC 9110 section 10.1.1: not without content", .expectContinue) { bench in
            for body in [nil, Data()] {
                bench.server.enqueue(.text("x"))
                _ = try bench.succeed(try bench.request(method: .post, body: body) { $0.expectsContinue = true })
                try checkEqual("Expect", try bench.receivedRequest().headerValues("Expect"), [])
            }
        },
        Case("A request that waits for a 100 can be cancelled, and fails at its deadline", "Transport.cancel", .expectContinue) { bench in
            bench.exchange("/silent") { [clock = bench.continueClock] exchange in
                let count = exchange.waitForDisconnection()
                try check(count == 0 || clock.isOver, "\(count) bytes were sent without a 100")
            }
            let body = ConformanceData.pattern(1_000)
            let request = try bench.upload(bench.source(ConformanceStream(body, length: 1_000)), to: "/silent") {
                $0.expectsContinue = true
            }
            try bench.start(request)
            try bench.expectConnections(1)
            try bench.withTransport { $0.cancel(request.id) }
            try bench.expectConnections(0)
            let late = try bench.upload(bench.source(ConformanceStream(body, length: 1_000)), to: "/silent") {
                $0.expectsContinue = true
                $0.deadline = MonotonicInstant.now().advanced(by: 0.4)
            }
            try bench.fail(late, with: .timedOut)
            try bench.expectConnections(0)
        },
    ]
}
