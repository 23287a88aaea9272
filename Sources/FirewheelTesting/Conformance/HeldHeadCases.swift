import Firewheel
import Foundation

extension TransportConformance {
    /// Heads that are held for the client's decision.
    static let heldHeadCases: [Case] = [
        Case("A held head is delivered at once, and nothing follows until proceed", "TransportRequest.heldHeads") { bench in
            for framing in [MockResponse.Framing.contentLength, .chunked, .untilClose] {
                for delivery in [TransportRequest.Delivery.whole, .chunks] {
                    bench.server.enqueue(MockResponse.text("moved", status: 302).header("Location", "/b").framed(framing))
                    let request = try bench.request {
                        $0.delivery = delivery
                        $0.heldHeads = .statuses([301, 302])
                    }
                    let recorder = try startHeld(request, bench)
                    try checkEqual("the status", recorder[request.id].heads.first?.statusCode, 302)
                    try checkEqual("Location", recorder[request.id].heads.first?.headers["Location"], "/b")
                    try bench.withTransport { $0.proceed(request.id, .deliver) }
                    try checkDelivered(request, Data("moved".utf8), bench, recorder)
                }
            }
        },
        Case("A head with a status that is not held does not wait for proceed", "TransportRequest.heldHeads") { bench in
            for heldHeads in [TransportRequest.HeldHeads.none, .statuses([]), .statuses([302, 401])] {
                bench.server.enqueue(.text("body"))
                let answer = try bench.succeed(try bench.request { $0.heldHeads = heldHeads })
                try checkSame("the body", answer.body, Data("body".utf8))
            }
        },
        Case("Every final head can be held, with a body or without", "TransportRequest.HeldHeads.all; RFC 9110 section 15.2") {
            bench in
            for (method, status, body) in [
                (HTTPMethod.get, 200, "body"), (.get, 204, ""), (.get, 304, ""), (.head, 200, ""), (.post, 404, "body"), (.get, 500, ""),
            ] {
                for answer in [TransportRequest.HeldBody.deliver, .discard] {
                    bench.server.enqueue(
                        MockResponse.text(body, status: status).informational(103, headers: [("Link", "</a.css>")]))
                    let request = try bench.request(method: method) { $0.heldHeads = .all }
                    let recorder = try startHeld(request, bench)
                    try checkEqual("the status", recorder[request.id].heads.first?.statusCode, status)
                    try bench.withTransport { $0.proceed(request.id, answer) }
                    try checkDelivered(request, Data(answer == .deliver ? body.utf8 : "".utf8), bench, recorder)
                }
            }
        },
        Case("A long body behind a held head waits, and then arrives completely", "TransportRequest.heldHeads: no byte of the body is read")
        {
            bench in
            let body = ConformanceData.pattern(32 << 20)
            for delivery in [TransportRequest.Delivery.whole, .chunks] {
                bench.server.enqueue(.data(body))
                let request = try bench.request {
                    $0.delivery = delivery
                    $0.heldHeads = .all
                }
                let recorder = try startHeld(request, bench)
                try bench.withTransport { $0.proceed(request.id, .deliver) }
                try checkDelivered(request, body, bench, recorder)
            }
        },
        Case("proceed can be called from within the event", "Transport: no method blocks") { bench in
            bench.server.route("/held/*") { MockResponse.text("to \($0.path)", status: $0.path.hasSuffix("0") ? 404 : 410) }
            let recorder = bench.recorder { [weak bench] events in
                for event in events {
                    guard case .response(let head, _) = event.kind else { continue }
                    _ = try? bench?.withTransport { $0.proceed(event.id, head.statusCode == 404 ? .deliver : .discard) }
                }
            }
            let requests = try (0..<100).map { number in
                try bench.request("/held/\(number)") {
                    $0.heldHeads = .statuses([404, 410])
                    $0.idleTimeout = 0
                }
            }
            for request in requests { try bench.start(request, on: recorder) }
            for (number, request) in requests.enumerated() {
                try checkDelivered(request, Data(number % 10 == 0 ? "to /held/\(number)".utf8 : "".utf8), bench, recorder)
            }
        },
        Case("The deadline runs while a head is held", "TransportRequest.heldHeads: but the end by its deadline") { bench in
            bench.server.enqueue(MockResponse.text("x", status: 404).failing(.endlessBody).throttled(bytes: 100, every: 0.02))
            let request = try bench.request {
                $0.heldHeads = .all
                // Long enough for the head to come first, on a busy machine too.
                $0.deadline = MonotonicInstant.now().advanced(by: 5)
            }
            let recorder = try startHeld(request, bench)
            let result = try bench.end(of: request, on: recorder)
            try ConformanceBench.checkFailure(result, [.timedOut])
            try checkEqual("the status", result.head?.statusCode, 404)
            try bench.withTransport { $0.proceed(request.id, .deliver) }
            try bench.expectConnections(0)
        },
        Case("The idle timeout does not run while a head is held", "TransportRequest.heldHeads: its idle timeout stands still") { bench in
            bench.server.enqueue(MockResponse.data(ConformanceData.pattern(2_000)).throttled(bytes: 1_000, every: 6))
            let request = try bench.request {
                $0.heldHeads = .all
                $0.idleTimeout = 5
            }
            let recorder = try startHeld(request, bench, quiet: 5.3)
            try bench.withTransport { $0.proceed(request.id, .deliver) }
            try checkDelivered(request, ConformanceData.pattern(2_000), bench, recorder)
        },
        Case("Cancelling ends a request whose head is held", "Transport.cancel: wherever it is") { bench in
            for fault in [MockFault?.none, .endlessBody] {
                var response = MockResponse.text("x", status: 404).throttled(bytes: 1_000, every: 0.01)
                response.fault = fault
                bench.server.enqueue(response)
                let request = try bench.request { $0.heldHeads = .all }
                let recorder = try startHeld(request, bench)
                try bench.withTransport { transport in
                    transport.cancel(request.id)
                    transport.proceed(request.id, .deliver)
                }
                if fault != nil { try bench.expectConnections(0) }
                usleep(50_000)
                try check(!recorder.isOver(request.id), "a request that was cancelled while its head was held ended")
            }
        },
        Case("A request whose head is held is paused and resumed like any other", "TransportRequest.heldHeads; Transport.pause and resume")
        {
            bench in
            for answer in [TransportRequest.HeldBody.deliver, .discard] {
                bench.server.enqueue(.text("body", status: 404))
                let request = try bench.request { $0.heldHeads = .all }
                let recorder = try startHeld(request, bench)
                // Resuming a request does not decide about its head.
                try bench.withTransport { transport in
                    transport.pause(request.id)
                    transport.resume(request.id)
                }
                try expectNothing(of: request, on: recorder, "was resumed while its head was held")
                try bench.withTransport { transport in
                    transport.pause(request.id)
                    transport.proceed(request.id, answer)
                }
                try expectNothing(of: request, on: recorder, "was paused when its head was answered for")
                try bench.withTransport { $0.resume(request.id) }
                try checkDelivered(request, Data(answer == .deliver ? "body".utf8 : "".utf8), bench, recorder)
            }
        },
        Case("proceed is ignored for a request without a held head", "Transport.proceed") { bench in
            let answers = [TransportRequest.HeldBody.discard, .deliver]
            bench.server.enqueue(MockResponse.text("not held").delayed(head: 0.2))
            let plain = try bench.request()
            let recorder = try bench.start(plain)
            for answer in answers { try bench.withTransport { $0.proceed(plain.id, answer) } }
            try checkDelivered(plain, Data("not held".utf8), bench, recorder)
            for answer in answers { try bench.withTransport { $0.proceed(plain.id, answer) } }
            // A decision that comes too early, and one that is repeated.
            let gate = DispatchSemaphore(value: 0)
            defer { gate.signal() }
            bench.server.route("/other") { _ in .text("other") }
            bench.exchange("/held") { exchange in
                _ = gate.wait(timeout: .now() + 60)
                try exchange.send(.text("held", status: 404))
            }
            let held = try bench.request("/held") { $0.heldHeads = .all }
            try bench.start(held, on: recorder)
            for answer in answers { try bench.withTransport { $0.proceed(held.id, answer) } }
            // The transport has seen the decisions once another request has ended.
            _ = try bench.succeed(try bench.request("/other"))
            gate.signal()
            try waitForHead(of: held, bench, recorder)
            try expectNothing(of: held, on: recorder, "was answered for before its head had come")
            for answer in answers.reversed() { try bench.withTransport { $0.proceed(held.id, answer) } }
            try checkDelivered(held, Data("held".utf8), bench, recorder)
        },
        Case("A released transport ends requests whose heads are held", "Transport: released") { bench in
            bench.server.enqueue(
                MockResponse.text("x", status: 404),
                MockResponse.text("x", status: 404).failing(.endlessBody).throttled(bytes: 1_000, every: 0.01))
            let requests = try (0..<2).map { _ in try bench.request { $0.heldHeads = .all } }
            let recorders = try requests.map { try startHeld($0, bench) }
            bench.releaseTransport()
            for (request, recorder) in zip(requests, recorders) {
                try ConformanceBench.checkFailure(try bench.end(of: request, on: recorder), [.cancelled])
            }
            try bench.expectConnections(0)
        },
    ]

    /// Starts a request with a held head, waits for the head, and checks that nothing follows for that many seconds.
    static func startHeld(_ request: TransportRequest, _ bench: ConformanceBench, quiet: TimeInterval = 0.05) throws
        -> ConformanceRecorder
    {
        let recorder = try startAcknowledging(request, bench)
        try waitForHead(of: request, bench, recorder)
        try expectNothing(of: request, on: recorder, "has its head held", for: quiet)
        return recorder
    }

    private static func waitForHead(of request: TransportRequest, _ bench: ConformanceBench, _ recorder: ConformanceRecorder) throws {
        let hasCome = recorder.wait(request.id, seconds: min(10, bench.remaining)) { $0.heads.isEmpty ? nil : true }
        try check(hasCome == true, "a head that is to be held did not come in 10 seconds, though the server had sent it")
    }

    private static func expectNothing(
        of request: TransportRequest, on recorder: ConformanceRecorder, _ state: String, for seconds: TimeInterval = 0.05
    ) throws {
        usleep(UInt32(seconds * 1_000_000))
        let record = recorder[request.id]
        try check(record.result == nil, "a request that \(state) ended with \(ConformanceBench.describe(record.result?.error))")
        try check(record.content.isEmpty, "a request that \(state) handed over \(record.content.count) bytes of its body")
    }

    /// Waits for the end of a request with a held head, and checks that it succeeds with this body.
    static func checkDelivered(_ request: TransportRequest, _ body: Data, _ bench: ConformanceBench, _ recorder: ConformanceRecorder) throws
    {
        let result = try bench.end(of: request, on: recorder)
        try check(result.error == nil, "the exchange ended with \(ConformanceBench.describe(result.error))")
        try check(result.head != nil, "a complete exchange has no head")
        try checkSame("the body", request.delivery == .whole ? result.body : recorder[request.id].content, body)
        try checkEqual(
            "the body beside the chunks", request.delivery == .whole ? recorder[request.id].content : result.body ?? Data(), Data())
    }
}
