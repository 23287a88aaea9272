import Firewheel
import Foundation

extension TransportConformance {
    /// Concurrent requests, and guarantees of the transport's methods.
    static let manyCases: [Case] = [
        Case("Each of 300 concurrent requests gets its own response", "Transport.start") { bench in
            bench.server.route("/many/*") { MockResponse.text("to \($0.path)").delayed(head: 0.01) }
            let recorder = bench.recorder()
            let requests = try (0..<300).map { try bench.request("/many/\($0)") { $0.idleTimeout = 0 } }
            for request in requests { try bench.start(request, on: recorder) }
            for request in requests {
                let result = try bench.end(of: request, on: recorder)
                try check(result.error == nil, "a request ended with \(ConformanceBench.describe(result.error))")
                try checkSame("the body of one", result.body, Data("to /many/\(request.id.request - 1)".utf8))
            }
        },
        Case("Events go to the receiver that started the request", "Transport.start: one receiver") { bench in
            bench.server.route("/own/*") { MockResponse.text($0.path).delayed(head: 0.02) }
            // A recorder treats an event of any other request as a violation.
            let runs = try (0..<20).map { number in
                let request = try bench.request("/own/\(number)")
                return (request, try bench.start(request))
            }
            for (number, run) in runs.enumerated() {
                try checkSame("the body", try bench.end(of: run.0, on: run.1).body, Data("/own/\(number)".utf8))
            }
        },
        Case("Requests can be started from many threads", "Transport: Sendable") { bench in
            bench.server.route("/threads") { _ in .text("x") }
            let recorder = bench.recorder()
            let requests = try (0..<64).map { _ in try bench.request("/threads") { $0.idleTimeout = 0 } }
            let problems = Guarded<[String]>([])
            let left = Guarded(8)
            for thread in 0..<8 {
                Thread.detachNewThread {
                    for request in requests[(thread * 8)..<(thread * 8 + 8)] {
                        do { try bench.start(request, on: recorder) } catch { problems.with { $0.append("\(error)") } }
                    }
                    left.change { $0 -= 1 }
                }
            }
            try check(left.wait(timeout: bench.remaining) { $0 == 0 ? true : nil } == true, "start did not return")
            try checkEqual("what went wrong", problems.with { $0 }, [])
            for request in requests { try check(try bench.end(of: request, on: recorder).error == nil, "a request failed") }
        },
        Case("No method blocks", "Transport: no method blocks") { bench in
            bench.server.route("/silent") { _ in .failure(.noAnswer) }
            let requests = try (0..<20).map { _ in try bench.request("/silent") }
            let start = DispatchTime.now().uptimeNanoseconds
            let recorder = bench.recorder()
            for request in requests {
                try bench.start(request, on: recorder)
                try bench.withTransport { transport in
                    transport.pause(request.id)
                    transport.resume(request.id)
                    transport.acknowledge(request.id, bytes: 1)
                }
            }
            for request in requests { try bench.withTransport { $0.cancel(request.id) } }
            let seconds = TimeInterval(DispatchTime.now().uptimeNanoseconds - start) / 1e9
            try check(seconds < 5, "100 calls took \(seconds) seconds with a server that does not answer")
            try bench.expectConnections(0)
        },
        Case("Ids of unknown and of ended requests are ignored", "Transport: ids that are unknown, or over already, are ignored") {
            bench in
            bench.server.route("/x") { _ in .text("x") }
            let over = try bench.request("/x")
            _ = try bench.succeed(over)
            let others = [
                TransportTaskID(request: 987_654_321, attempt: 3), TransportTaskID(request: over.id.request, attempt: 1),
                TransportTaskID(request: over.id.request, hop: 1),
            ]
            for id in others + [over.id] {
                try bench.withTransport { transport in
                    transport.pause(id)
                    transport.resume(id)
                    transport.acknowledge(id, bytes: 1 << 30)
                    transport.proceed(id, .deliver)
                    transport.proceed(id, .discard)
                    transport.cancel(id)
                    transport.cancel(id)
                }
            }
            _ = try bench.succeed(try bench.request("/x"))
        },
    ]
}
