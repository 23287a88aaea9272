import Firewheel
import Foundation

extension TransportConformance {
    /// `sent` events. That they do not fall, and come only to requests that ask for them, is checked in every case.
    static let sentCases: [Case] = [
        Case("Sent bytes rise to the length of the body", "TransportEvent.Kind.sent", .sentEvents) { bench in
            for size in [1, 3_000_000] {
                let body = ConformanceData.pattern(size)
                let sources = [
                    BodySource.data(body), .file(try bench.file(body), length: Int64(size)),
                    bench.source(ConformanceStream(body, length: Int64(size), .onAnotherThread)),
                    bench.source(ConformanceStream(body, length: nil, pieces: 10_000)),
                ]
                for source in sources {
                    bench.server.enqueue(.text("x"))
                    let request = try bench.upload(source) { $0.reportsSent = true }
                    let recorder = try bench.start(request)
                    let result = try bench.end(of: request, on: recorder)
                    try check(result.error == nil, "the exchange ended with \(ConformanceBench.describe(result.error))")
                    try checkEqual("the last number of sent bytes", recorder[request.id].sent.last, Int64(size))
                    try check(recorder[request.id].sent.allSatisfy { $0 > 0 }, "0 bytes were reported as sent")
                }
            }
        },
        Case("A request without a body has sent no byte of it", "TransportEvent.Kind.sent", .sentEvents) { bench in
            for body in [nil, Data()] {
                bench.server.enqueue(.text("x"))
                let request = try bench.request(method: .post, body: body) { $0.reportsSent = true }
                let recorder = try bench.start(request)
                try check(try bench.end(of: request, on: recorder).error == nil, "the request failed")
                try check(recorder[request.id].sent.allSatisfy { $0 == 0 }, "sent bytes were reported for an empty body")
            }
        },
        Case("Bytes that wait for the server are not reported as sent", "TransportEvent.Kind.sent: passed to the network", .sentEvents) {
            bench in
            let gate = DispatchSemaphore(value: 0)
            defer { gate.signal() }
            bench.exchange("/slow") { exchange in
                _ = gate.wait(timeout: .now() + 60)
                try exchange.readAll()
                try exchange.send(.text("x"))
            }
            let body = ConformanceData.pattern(48 << 20)
            let request = try bench.upload(.data(body), to: "/slow") { $0.reportsSent = true }
            let recorder = try bench.start(request)
            try bench.wait(for: "the first report") { !recorder[request.id].sent.isEmpty }
            let sent = bench.settled(for: 0.5) { Int(recorder[request.id].sent.last ?? 0) }
            try check(sent < 24 << 20, "\(sent) bytes were reported as sent though the server read nothing")
            gate.signal()
            let error = try bench.end(of: request, on: recorder).error
            try check(error == nil, "the request failed once its body was read: \(ConformanceBench.describe(error))")
            try checkEqual("the last number of sent bytes", recorder[request.id].sent.last, Int64(body.count))
        },
        Case("Sent bytes begin anew when a request is sent again", "TransportEvent.Kind.sent", .sentEvents) { bench in
            bench.server.enqueue(.text("warm"), .failure(.closeBeforeHead), .text("second"))
            _ = try bench.succeed(try bench.request())
            let request = try bench.upload(.data(ConformanceData.pattern(100_000))) {
                $0.allowsResend = true
                $0.reportsSent = true
            }
            let recorder = try bench.start(request)
            try checkSame("the body", try bench.end(of: request, on: recorder).body, Data("second".utf8))
            try checkEqual("the last number of sent bytes", recorder[request.id].sent.last, 100_000)
            try check(recorder[request.id].sent.allSatisfy { $0 <= 100_000 }, "more bytes were reported than the body has")
        },
    ]

    /// `interim` events. That they come before the response, and only to requests that ask for them, is checked in every case.
    static let interimCases: [Case] = [
        Case("Interim responses are reported in order, with their fields", "RFC 9110 section 15.2; RFC 8297", .interimResponses) { bench in
            for delivery in [TransportRequest.Delivery.whole, .chunks] {
                for reports in [true, false] {
                    bench.server.enqueue(
                        MockResponse.text("content").informational(103, headers: [("Link", "</a>; rel=preload"), ("Link", "</b>")])
                            .informational(102).informational(100).informational(103, headers: [("X-Last", "1")]))
                    let request = try bench.request {
                        $0.delivery = delivery
                        $0.reportsInterim = reports
                    }
                    let recorder = try startAcknowledging(request, bench)
                    let result = try bench.end(of: request, on: recorder)
                    try check(result.error == nil, "the exchange ended with \(ConformanceBench.describe(result.error))")
                    try checkEqual("the status", result.head?.statusCode, 200)
                    let interims = recorder[request.id].interims
                    try checkEqual("the interim responses", interims.map(\.statusCode), reports ? [103, 102, 100, 103] : [])
                    guard reports else { continue }
                    try checkEqual("Link", interims[0].headers.values(for: "Link"), ["</a>; rel=preload", "</b>"])
                    try checkEqual("X-Last", interims[3].headers["X-Last"], "1")
                    try checkEqual("X-Last of the final response", result.head?.headers["X-Last"], nil)
                }
            }
        },
        Case("An interim response is reported when it comes", "TransportEvent.Kind.interim", .interimResponses) { bench in
            let gate = DispatchSemaphore(value: 0)
            defer { gate.signal() }
            bench.exchange("/hints") { exchange in
                try exchange.sendInterim(103)
                _ = gate.wait(timeout: .now() + 60)
                try exchange.send(.text("x"))
            }
            let request = try bench.request("/hints") {
                $0.reportsInterim = true
                $0.heldHeads = .all
            }
            let recorder = try bench.start(request)
            try bench.wait(for: "the interim response", within: 10) { !recorder[request.id].interims.isEmpty }
            gate.signal()
            try bench.wait(for: "the response") { !recorder[request.id].heads.isEmpty }
            try checkEqual("the interim responses", recorder[request.id].interims.map(\.statusCode), [103])
            try bench.withTransport { $0.proceed(request.id, .deliver) }
            try checkSame("the body", try bench.end(of: request, on: recorder).body, Data("x".utf8))
        },
        Case(
            "100,000 interim responses are reported or are a failure, in a short time", "TransportRequest.reportsInterim", .interimResponses
        ) { bench in
            let thousand = Data(String(repeating: "HTTP/1.1 103 Early Hints\r\n\r\n", count: 1_000).utf8)
            bench.exchange("/flood") { exchange in
                for _ in 0..<100 { try exchange.sendBytes(thousand) }
                try exchange.send(.text("x"))
            }
            for reports in [true, false] {
                let request = try bench.request("/flood") { $0.reportsInterim = reports }
                let recorder = try bench.start(request)
                let start = MonotonicInstant.now()
                let result = try bench.end(of: request, on: recorder)
                let seconds = MonotonicInstant.now().seconds(since: start)
                try check(seconds < 20, "100,000 interim responses took \(seconds) seconds")
                if result.error == nil {
                    try checkEqual("how many were reported", recorder[request.id].interims.count, reports ? 100_000 : 0)
                } else {
                    try ConformanceBench.checkFailure(result, [.cannotParseResponse, .badServerResponse])
                    try bench.expectConnections(0)
                }
            }
        },
    ]
}
