import Firewheel
import Foundation

extension TransportConformance {
    /// Timeouts, with fractions of a second.
    static let timeCases: [Case] = [
        Case("No response within the idle timeout is timedOut", "TransportRequest.idleTimeout, in fractions") { bench in
            bench.server.route("/silent") { _ in .failure(.noAnswer) }
            let seconds = try time { try bench.fail(try bench.request("/silent") { $0.idleTimeout = 0.6 }, with: .timedOut) }
            try check(seconds > 0.5, "the request timed out after \(seconds) seconds, not 0.6")
            try check(seconds < 10, "the request timed out after \(seconds) seconds, not 0.6")
            try bench.expectConnections(0)
        },
        Case("The idle timeout may be a fraction of a second", "TransportRequest.idleTimeout, in fractions") { bench in
            bench.server.route("/silent") { _ in .failure(.noAnswer) }
            // The fastest of several tries counts, because the machine may be busy.
            var seconds: [TimeInterval] = []
            while seconds.count < 20, (seconds.last ?? 1) >= 0.95 {
                seconds.append(try time { try bench.fail(try bench.request("/silent") { $0.idleTimeout = 0.3 }, with: .timedOut) })
            }
            try check((seconds.min() ?? 0) < 0.95, "requests with a timeout of 0.3 took \(seconds) seconds")
        },
        Case("A body that stalls is timedOut", "TransportRequest.idleTimeout") { bench in
            bench.server.enqueue(MockResponse.data(ConformanceData.pattern(2_000)).throttled(bytes: 1_000, every: 1_000))
            let result = try bench.fail(try bench.request { $0.idleTimeout = 5 }, with: .timedOut)
            try checkEqual("the status that had come", result.head?.statusCode, 200)
        },
        Case("A slowly dripping body is not idle", "TransportRequest.idleTimeout: seconds without a byte") { bench in
            let body = ConformanceData.pattern(15)
            bench.server.enqueue(MockResponse.data(body).throttled(bytes: 1, every: 0.4))
            try checkSame("the body", try bench.succeed(try bench.request { $0.idleTimeout = 5 }).body, body)
        },
        Case("An idle timeout of 0 means no limit", "TransportRequest.idleTimeout: 0 is no limit") { bench in
            bench.server.enqueue(MockResponse.text("late").delayed(head: 1.5))
            try checkSame("the body", try bench.succeed(try bench.request { $0.idleTimeout = 0 }).body, Data("late".utf8))
        },
        Case("A body that may be quiet is not timedOut", "TransportRequest.allowsQuietBody") { bench in
            let body = ConformanceData.pattern(2_000)
            bench.server.enqueue(MockResponse.data(body).throttled(bytes: 1_000, every: 6.5))
            let request = try bench.request {
                $0.idleTimeout = 5
                $0.allowsQuietBody = true
            }
            try checkSame("the body", try bench.succeed(request).body, body)
        },
        Case("Until the head of a body that may be quiet the idle timeout runs", "TransportRequest.allowsQuietBody") { bench in
            bench.server.route("/silent") { _ in .failure(.noAnswer) }
            let seconds = try time {
                let request = try bench.request("/silent") {
                    $0.idleTimeout = 0.6
                    $0.allowsQuietBody = true
                }
                try bench.fail(request, with: .timedOut)
            }
            try check(seconds > 0.5 && seconds < 10, "the request timed out after \(seconds) seconds, not 0.6")
            try bench.expectConnections(0)
        },
        Case("That timeout does not run while the request is paused", "TransportRequest.allowsQuietBody, Transport.pause") { bench in
            let (arrived, goesOn) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
            bench.server.exchange("/late") { exchange in
                arrived.signal()
                goesOn.wait()
                try exchange.send(.text("late"))
            }
            defer { goesOn.signal() }
            let request = try bench.request("/late") {
                $0.idleTimeout = 5
                $0.allowsQuietBody = true
            }
            let recorder = try bench.start(request)
            try check(arrived.wait(timeout: .now() + bench.remaining) == .success, "the request did not arrive")
            try bench.withTransport { $0.pause(request.id) }
            usleep(6_500_000)
            try bench.withTransport { $0.resume(request.id) }
            goesOn.signal()
            let result = try bench.end(of: request, on: recorder)
            try check(result.error == nil, "the exchange ended with \(ConformanceBench.describe(result.error))")
            try checkSame("the body", result.body, Data("late".utf8))
        },
        Case("The deadline ends a request that is not idle", "TransportRequest.deadline") { bench in
            bench.server.enqueue(MockResponse.text("x").failing(.endlessBody).throttled(bytes: 100, every: 0.02))
            let seconds = try time {
                try bench.fail(try bench.request { $0.deadline = MonotonicInstant.now().advanced(by: 0.7) }, with: .timedOut)
            }
            try check(seconds > 0.6, "the request timed out after \(seconds) seconds, not 0.7")
            try check(seconds < 10, "the request timed out after \(seconds) seconds, not 0.7")
            try bench.expectConnections(0)
        },
        Case("A deadline in the past is timedOut at once", "TransportRequest.deadline") { bench in
            bench.server.route("/silent") { _ in .failure(.noAnswer) }
            try bench.fail(
                try bench.request("/silent") { $0.deadline = MonotonicInstant(nanoseconds: MonotonicInstant.now().nanoseconds - 1) },
                with: .timedOut)
        },
    ]

    private static func time<Result>(_ body: () throws -> Result) rethrows -> TimeInterval {
        let start = DispatchTime.now().uptimeNanoseconds
        _ = try body()
        return TimeInterval(DispatchTime.now().uptimeNanoseconds - start) / 1e9
    }
}
