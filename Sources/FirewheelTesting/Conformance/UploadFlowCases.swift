import Firewheel
import Foundation

extension TransportConformance {
    /// More than socket buffers hold, so that a transport notices when nothing is read.
    private static let large = ConformanceData.pattern(48 << 20)
    /// The most that a transport and the buffers may hold when nothing is read.
    private static let bound = 24 << 20

    /// Back-pressure on a body from a stream, and pausing.
    static let uploadFlowCases: [Case] = [
        Case("A stream is asked for no more than the server reads", "BodyReader.read: only when it has room", .bodySources) { bench in
            let gate = DispatchSemaphore(value: 0)
            defer { gate.signal() }
            let (body, bound) = (large, bound)
            bench.exchange("/slow") { exchange in
                _ = try exchange.read(upTo: 1_000)
                _ = gate.wait(timeout: .now() + 60)
                try checkSame("the body", try exchange.readAll(), body)
                try exchange.send(.text("x"))
            }
            for length in [Int64(body.count), nil] {
                let stream = ConformanceStream(body, length: length)
                let request = try bench.upload(bench.source(stream), to: "/slow")
                let recorder = try bench.start(request)
                try bench.wait(for: "the first piece") { stream.given > 0 }
                let given = bench.settled(for: 0.5) { stream.given }
                try check(given < bound, "\(given) bytes were taken from a stream though the server read nothing")
                try check(!recorder.isOver(request.id), "the request finished before its body was read")
                gate.signal()
                try check(try bench.end(of: request, on: recorder).error == nil, "the request failed once its body was read")
            }
            try bench.waitForExchanges(2)
        },
        Case("A paused request takes nothing from its stream, and continues where it stopped", "Transport.pause and resume", .bodySources) {
            bench in
            bench.server.route("/upload") { _ in .text("x") }
            let (body, bound) = (large, bound)
            for manner in ConformanceStream.Manner.allCases {
                let request = try bench.upload(.data(Data()), to: "/upload")
                let stream = ConformanceStream(length: nil, manner) { [weak bench] ask in
                    // Before the answer, which must then be kept.
                    if ask.number == 3 { _ = try? bench?.withTransport { $0.pause(request.id) } }
                    let piece = body.dropFirst(ask.offset).prefix(ask.count)
                    return piece.isEmpty ? .end() : .data(Data(piece))
                }
                var streamed = request
                streamed.bodySource = bench.source(stream)
                let recorder = try bench.start(streamed)
                try bench.wait(for: "the first piece") { stream.given > 0 }
                let given = bench.settled(for: 0.5) { stream.given }
                try check(given < bound, "\(given) bytes were taken from a stream though the request was paused")
                try check(!recorder.isOver(request.id), "the request finished while it was paused")
                try bench.withTransport { $0.resume(request.id) }
                let result = try bench.end(of: request, on: recorder)
                try check(result.error == nil, "the exchange ended with \(ConformanceBench.describe(result.error))")
                try checkSame("the body", try bench.receivedRequest().body, body)
            }
        },
        Case("Repeated pausing and resuming of an upload neither loses nor repeats a byte", "Transport.resume", .bodySources) { bench in
            bench.server.route("/upload") { _ in .text("x") }
            let body = ConformanceData.pattern(300_000)
            for length in [300_000, nil] as [Int64?] {
                let request = try bench.upload(
                    bench.source(ConformanceStream(body, length: length, pieces: 3_000, .later)), to: "/upload")
                let recorder = try bench.start(request)
                while !recorder.isOver(request.id), bench.remaining > 0 {
                    try bench.withTransport { $0.pause(request.id) }
                    usleep(1_000)
                    try bench.withTransport { $0.resume(request.id) }
                    usleep(4_000)
                }
                try check(try bench.end(of: request, on: recorder).error == nil, "the request failed")
                try checkSame("the body", try bench.receivedRequest().body, body)
            }
        },
        Case("The deadline runs while a stream has no piece", "TransportRequest.deadline", .bodySources) { bench in
            bench.server.route("/upload") { _ in .text("x") }
            let stream = ConformanceStream(length: nil) { _ in nil }
            let request = try bench.upload(bench.source(stream), to: "/upload") { $0.deadline = MonotonicInstant.now().advanced(by: 0.7) }
            try bench.fail(request, with: .timedOut)
            try bench.expectConnections(0)
            stream.give(.data(Data("late".utf8)), within: 0)
        },
    ]
}
