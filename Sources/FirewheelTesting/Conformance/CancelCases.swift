import Firewheel
import Foundation

extension TransportConformance {
    /// Cancellation at any time, and the release of the transport.
    static let cancelCases: [Case] = [
        Case("Cancelling before the response closes the connection", "Transport.cancel: ends requests wherever they are") { bench in
            bench.server.enqueue(.failure(.noAnswer))
            let request = try bench.request()
            try bench.start(request)
            _ = try bench.receivedRequest()
            try bench.withTransport { $0.cancel(request.id) }
            try bench.expectConnections(0)
        },
        Case("Cancelling in the middle of a body closes the connection", "Transport.cancel") { bench in
            for delivery in [TransportRequest.Delivery.whole, .chunks] {
                bench.server.enqueue(MockResponse.text("x").failing(.endlessBody).throttled(bytes: 4_096, every: 0.005))
                let request = try bench.request { $0.delivery = delivery }
                let recorder = try startAcknowledging(request, bench)
                try bench.wait(for: "the response") { !recorder[request.id].heads.isEmpty }
                try bench.withTransport { $0.cancel(request.id) }
                try bench.expectConnections(0)
            }
        },
        Case("Cancelling while the request body is sent closes the connection", "Transport.cancel") { bench in
            // The response is delayed, and the body is never read.
            bench.server.route("/upload", beforeBody: true) { _ in MockResponse.text("late").delayed(head: 1_000) }
            let request = try bench.request(
                "/upload", method: .put, headers: ["Content-Type": "a/b"], body: ConformanceData.pattern(16 << 20))
            try bench.start(request)
            _ = try bench.receivedRequest()
            try bench.withTransport { $0.cancel(request.id) }
            try bench.expectConnections(0)
        },
        Case("Cancelling right after the start, or a moment later, does no harm", "Transport.cancel") { bench in
            bench.server.route("/storm") { _ in .text("x") }
            let recorder = bench.recorder()
            for round in 0..<200 {
                let request = try bench.request("/storm")
                try bench.start(request, on: recorder)
                if round % 4 > 0 { usleep(UInt32(round % 4) * 300) }
                try bench.withTransport { $0.cancel(request.id) }
            }
        },
        Case("Cancelling from within an event takes effect", "Transport: events may stop at any time") { bench in
            bench.server.enqueue(MockResponse.text("x").failing(.endlessBody).throttled(bytes: 65_536, every: 0.001))
            let request = try bench.request { $0.delivery = .chunks }
            let recorder = bench.recorder { [weak bench] events in
                if events.contains(where: { if case .chunk = $0.kind { true } else { false } }) {
                    _ = try? bench?.withTransport { $0.cancel(request.id) }
                }
            }
            try bench.start(request, on: recorder)
            try bench.wait(for: "a chunk") { recorder.count(of: request.id) > 0 }
            try bench.expectConnections(0)
        },
        Case("Cancelling a request does not affect others", "Transport.cancel") { bench in
            bench.server.route("/slow/*") { MockResponse.text($0.path).delayed(head: 0.2) }
            let recorder = bench.recorder()
            let requests = try (0..<20).map { try bench.request("/slow/\($0)") }
            for request in requests { try bench.start(request, on: recorder) }
            for index in stride(from: 0, to: requests.count, by: 2) { try bench.withTransport { $0.cancel(requests[index].id) } }
            for (number, request) in requests.enumerated() where number % 2 == 1 {
                try checkSame("the body", try bench.end(of: request, on: recorder).body, Data("/slow/\(number)".utf8))
            }
        },
        Case("A released transport ends its requests and closes its connections", "Transport: released") { bench in
            bench.server.route("/silent") { _ in .failure(.noAnswer) }
            bench.server.route("/drip") { _ in MockResponse.text("x").failing(.endlessBody).throttled(bytes: 1_000, every: 0.01) }
            let requests = try [bench.request("/silent"), bench.request("/drip"), bench.request("/silent")]
            let recorder = bench.recorder()
            for request in requests { try bench.start(request, on: recorder) }
            try check(bench.server.waitForRequests(3, timeout: bench.remaining), "the server was waiting for 3 requests in vain")
            bench.releaseTransport()
            for request in requests { try ConformanceBench.checkFailure(try bench.end(of: request, on: recorder), [.cancelled]) }
            try bench.expectConnections(0)
        },
        Case("A released transport keeps no idle connection", "Transport: released") { bench in
            bench.server.enqueue(.text("x"))
            _ = try bench.succeed(try bench.request())
            bench.releaseTransport()
            try bench.expectConnections(0)
        },
    ]
}
