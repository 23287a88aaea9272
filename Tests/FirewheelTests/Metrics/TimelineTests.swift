import Firewheel
import FirewheelTesting
import Foundation
import Testing

/// Alamofire 4's timeline names with a monotonic clock, never negative.
@Suite("Timeline", .timeLimit(.minutes(5)))
struct TimelineTests {
    @Test("The intervals of a timeline are the differences of its times")
    func intervals() {
        let timeline = Timeline(
            requestStartTime: 10, initialResponseTime: 10.25, requestCompletedTime: 11, serializationCompletedTime: 11.5)
        #expect(timeline.latency == 0.25 && timeline.requestDuration == 1)
        #expect(timeline.serializationDuration == 0.5 && timeline.totalDuration == 1.5)
        #expect(
            timeline.description
                == #"Timeline: { "Latency": 0.250 secs, "Request Duration": 1.000 secs, "Serialization Duration": 0.500 secs, "#
                + #""Total Duration": 1.500 secs }"#)
        #expect(Timeline().totalDuration == 0 && Timeline() == Timeline(requestStartTime: 0))
    }

    @Test("A timeline puts times into order, so that no interval is negative")
    func clamped() {
        let times: [TimeInterval] = [0, 5, 10, -3]
        for start in times {
            for initial in times {
                for completed in times {
                    for serialized in times {
                        let timeline = Timeline(
                            requestStartTime: start, initialResponseTime: initial, requestCompletedTime: completed,
                            serializationCompletedTime: serialized)
                        #expect(isOrdered(timeline))
                        #expect(timeline.requestStartTime == start && timeline.initialResponseTime == max(start, initial))
                    }
                }
            }
        }
    }

    private func isOrdered(_ timeline: Timeline) -> Bool {
        timeline.latency >= 0 && timeline.requestDuration >= timeline.latency && timeline.serializationDuration >= 0
            && timeline.totalDuration >= timeline.requestDuration
    }

    @Test("A request's timeline lies between its start and its handler, in order")
    func measured() async throws {
        let server = try MockServer()
        defer { server.shutdown() }
        server.enqueue(.text("hello").delayed(head: 0.2, body: 0.1))
        let session = Session()
        let before = Date.timeIntervalSinceReferenceDate
        let request = session.request(server.url())
        #expect(request.timeline == Timeline())
        let serializer = DataResponseSerializer<Int> { _, _, _, _ in
            usleep(50_000)
            return .success(1)
        }
        let response = await request.serializingResponse(using: serializer).response
        let after = Date.timeIntervalSinceReferenceDate
        let timeline = response.timeline
        #expect(isOrdered(timeline))
        // Tolerates small changes of the wall clock.
        #expect(timeline.requestStartTime >= before - 1 && timeline.serializationCompletedTime <= after + 1)
        #expect(timeline.latency >= 0.19 && timeline.requestDuration >= 0.29 && timeline.serializationDuration >= 0.049)
        #expect(request.timeline.requestStartTime == timeline.requestStartTime)
        withExtendedLifetime(session) {}
    }

    @Test("The timeline of a failed, cancelled or unsent request is in order")
    func unhappy() async throws {
        let bench = EngineBench(startRequestsImmediately: false)
        let journal = Journal<Timeline>()
        let cancelled = bench.session.request("http://stub.test/").responseData(queue: bench.handlers) { journal.add($0.timeline) }
        cancelled.cancel()
        let failed = bench.session.request("http://stub.test/").responseData(queue: bench.handlers) { journal.add($0.timeline) }
        failed.resume()
        bench.transport.deliver((bench.id(failed), .failure(.failed(.timedOut, ""))))
        bench.session.request("no URL").responseData(queue: bench.handlers) { journal.add($0.timeline) }.resume()
        let halfway = bench.session.request("http://stub.test/").responseData(queue: bench.handlers) { journal.add($0.timeline) }
        halfway.resume()
        bench.transport.deliver((bench.id(halfway), .head()))
        halfway.cancel()
        let now = Date.timeIntervalSinceReferenceDate
        for timeline in try await journal.wait(for: 4) {
            #expect(isOrdered(timeline) && abs(timeline.requestStartTime - now) < 60)
        }
    }

    @Test("Time spent suspended counts, and the timeline starts at the first resume()")
    func start() async throws {
        let bench = EngineBench()
        let journal = Journal<Timeline>()
        let request = bench.session.request("http://stub.test/").responseData(queue: bench.handlers) { journal.add($0.timeline) }
        try await bench.started(request)
        request.suspend()
        let first = request.timeline.requestStartTime
        request.resume()
        #expect(request.timeline.requestStartTime == first && first > 0)
        bench.transport.deliver((bench.id(request), .end(body: "x")))
        #expect(try await journal.wait(for: 1)[0].requestStartTime == first)
    }
}
