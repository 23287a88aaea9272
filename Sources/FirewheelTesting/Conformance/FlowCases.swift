import Firewheel
import Foundation

extension TransportConformance {
    /// More than socket buffers hold, so that the server notices when nothing is read.
    private static let large = ConformanceData.pattern(48 << 20)
    /// The most that a transport and the buffers may hold when nothing is read.
    private static let bound = 24 << 20

    /// Back-pressure and pausing.
    static let flowCases: [Case] = [
        Case("Without acknowledgements a transport stops reading", "Transport.acknowledge: a bounded number is outstanding") { bench in
            let body = large
            bench.server.enqueue(.data(body))
            let request = try bench.request { $0.delivery = .chunks }
            let recorder = try bench.start(request)
            try bench.wait(for: "a chunk") { recorder.count(of: request.id) > 0 }
            let held = bench.settled { recorder.count(of: request.id) }
            try check(held < bound, "\(held) bytes were handed over before one was acknowledged")
            try check(!recorder.isOver(request.id), "the request finished before a byte was acknowledged")
            // Once acknowledged, it continues to the end.
            var acknowledged = 0
            try bench.wait(for: "the end of the body") {
                // Checked first, so that no event can come in between.
                let isOver = recorder.isOver(request.id)
                let news = recorder.count(of: request.id) - acknowledged
                acknowledged += news
                if news > 0 { _ = try? bench.withTransport { $0.acknowledge(request.id, bytes: news) } }
                return isOver
            }
            try checkSame("what came in chunks", recorder[request.id].content, body)
        },
        Case("A paused request stops reading from the server, and continues where it stopped", "Transport.pause and resume") { bench in
            let body = large
            bench.server.enqueue(.data(body))
            let request = try bench.request { $0.delivery = .chunks }
            let hasPaused = Guarded(false)
            let recorder = bench.recorder { [weak bench] events in
                for case .chunk(let data) in events.map(\.kind) {
                    _ = try? bench?.withTransport { transport in
                        if hasPaused.with({ hasPaused in
                            defer { hasPaused = true }
                            return !hasPaused
                        }) {
                            transport.pause(request.id)
                        }
                        transport.acknowledge(request.id, bytes: data.count)
                    }
                }
            }
            try bench.start(request, on: recorder)
            try bench.wait(for: "a chunk") { recorder.count(of: request.id) > 0 }
            let held = bench.settled { recorder.count(of: request.id) }
            try check(held < bound, "\(held) bytes were handed over though the request was paused")
            try check(!recorder.isOver(request.id), "the request finished while it was paused")
            try bench.withTransport { $0.resume(request.id) }
            _ = try bench.end(of: request, on: recorder)
            try checkSame("what came in chunks", recorder[request.id].content, body)
            try checkEqual("the number of requests", bench.server.requestCount, 1)
        },
        Case("A request paused before an acknowledgement stays paused until it is resumed", "Transport.pause and acknowledge") { bench in
            let body = large
            bench.server.enqueue(.data(body))
            let request = try bench.request { $0.delivery = .chunks }
            let recorder = try bench.start(request)
            var acknowledged = 0
            let acknowledge = {
                let news = recorder.count(of: request.id) - acknowledged
                acknowledged += news
                if news > 0 { _ = try? bench.withTransport { $0.acknowledge(request.id, bytes: news) } }
            }
            try bench.wait(for: "a chunk") { recorder.count(of: request.id) > 0 }
            _ = bench.settled { recorder.count(of: request.id) }
            try bench.withTransport { $0.pause(request.id) }
            let paused = bench.settled {
                acknowledge()
                return recorder.count(of: request.id)
            }
            try check(paused < bound && !recorder.isOver(request.id), "\(paused) bytes were handed over though the request was paused")
            // The reverse order: a resumed request without acknowledgement stops as well.
            try bench.withTransport { $0.resume(request.id) }
            try bench.wait(for: "more, once the request went on") { recorder.count(of: request.id) > paused }
            _ = bench.settled { recorder.count(of: request.id) }
            try bench.withTransport {
                $0.pause(request.id)
                $0.resume(request.id)
            }
            let resumed = bench.settled { recorder.count(of: request.id) }
            try check(resumed < bound, "\(resumed) bytes were handed over, \(acknowledged) were acknowledged")
            try bench.wait(for: "the end of the body") {
                let isOver = recorder.isOver(request.id)
                acknowledge()
                return isOver
            }
            try checkSame("what came in chunks", recorder[request.id].content, body)
        },
        Case("Repeated pausing and resuming neither loses nor repeats a byte", "Transport.resume") { bench in
            let body = ConformanceData.pattern(3_000_000)
            bench.server.enqueue(MockResponse.data(body).throttled(bytes: 100_000, every: 0.01))
            let request = try bench.request()
            let recorder = try bench.start(request)
            while !recorder.isOver(request.id), bench.remaining > 0 {
                try bench.withTransport { $0.pause(request.id) }
                usleep(3_000)
                try bench.withTransport { $0.resume(request.id) }
                usleep(3_000)
            }
            try checkSame("the body", try bench.end(of: request, on: recorder).body, body)
            try checkEqual("the number of requests", bench.server.requestCount, 1)
        },
        Case("A request paused before its response receives the response once resumed", "Transport.pause") { bench in
            bench.server.enqueue(MockResponse.text("answer").delayed(head: 0.3))
            let request = try bench.request()
            let recorder = try bench.start(request)
            try bench.withTransport { $0.pause(request.id) }
            try bench.withTransport { $0.pause(request.id) }
            try bench.withTransport { $0.resume(request.id) }
            try checkSame("the body", try bench.end(of: request, on: recorder).body, Data("answer".utf8))
        },
        Case("The idle timeout does not run while a request is paused", "Transport.pause: no timeout runs meanwhile") { bench in
            bench.server.enqueue(MockResponse.data(ConformanceData.pattern(2_000)).throttled(bytes: 1_000, every: 0.2))
            let request = try bench.request {
                $0.delivery = .chunks
                $0.idleTimeout = 5
            }
            let recorder = try startAcknowledging(request, bench)
            try bench.withTransport { $0.pause(request.id) }
            usleep(6_500_000)
            try bench.withTransport { $0.resume(request.id) }
            let result = try bench.end(of: request, on: recorder)
            try check(result.error == nil, "the exchange ended with \(ConformanceBench.describe(result.error))")
            try checkSame("the body", recorder[request.id].content, ConformanceData.pattern(2_000))
        },
        Case("The deadline runs while a request is paused", "Transport.pause: but the request's deadline") { bench in
            bench.server.enqueue(MockResponse.text("late").failing(.noAnswer))
            let request = try bench.request { $0.deadline = MonotonicInstant.now().advanced(by: 0.7) }
            let recorder = try bench.start(request)
            try bench.withTransport { $0.pause(request.id) }
            try ConformanceBench.checkFailure(try bench.end(of: request, on: recorder), [.timedOut])
        },
    ]
}
