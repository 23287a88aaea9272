import Firewheel
import Foundation

extension TransportConformance {
    /// A stream without an end.
    private static func endless(_ manner: ConformanceStream.Manner = .atOnce) -> ConformanceStream {
        ConformanceStream(length: nil, manner) { .data(Data(count: min($0.count, 1_000))) }
    }

    /// The end of a request with a stream, after which its reader is closed, once, and not asked again: the bench checks this for every
    /// stream of every case.
    static let readerCases: [Case] = [
        Case("A reader is closed once when its request is cancelled, at any moment", "BodyReader.close", .bodySources) { bench in
            bench.exchange("/endless") { $0.waitForDisconnection() }
            for round in 0..<60 {
                let manner = ConformanceStream.Manner.allCases[round % 3]
                let request = try bench.upload(bench.source(endless(manner)), to: "/endless")
                try bench.start(request)
                if round % 6 > 0 { usleep(UInt32(round % 6) * 300) }
                try bench.withTransport { $0.cancel(request.id) }
            }
            try bench.expectConnections(0)
        },
        Case("A reader is closed once when its request is cancelled while it is asked", "BodyReader.close", .bodySources) { bench in
            bench.exchange("/endless") { $0.waitForDisconnection() }
            for number in 0..<4 {
                for answers in [true, false] {
                    let request = try bench.upload(.data(Data()), to: "/endless")
                    let stream = ConformanceStream(length: nil) { [weak bench] ask in
                        if ask.number == number { _ = try? bench?.withTransport { $0.cancel(request.id) } }
                        return ask.number < number || answers ? .data(Data(count: min(ask.count, 1_000))) : nil
                    }
                    var streamed = request
                    streamed.bodySource = bench.source(stream)
                    try bench.start(streamed)
                    try check(stream.problem(within: min(10, bench.remaining)) == nil, "the reader of a cancelled request was not closed")
                    try bench.expectConnections(0)
                    // An answer after the end has no effect.
                    stream.give(.data(Data("late".utf8)), within: 0)
                }
            }
        },
        Case("A reader is closed once when the connection is lost", "BodyReader.close", .bodySources) { bench in
            bench.server.route("/reset", beforeBody: true) { _ in .failure(.resetBeforeReading) }
            for manner in ConformanceStream.Manner.allCases {
                try bench.fail(try bench.upload(bench.source(endless(manner)), to: "/reset"), with: .networkConnectionLost)
            }
            // While a piece is awaited.
            let stream = ConformanceStream(length: nil) { _ in nil }
            try bench.fail(try bench.upload(bench.source(stream), to: "/reset"), with: .networkConnectionLost)
            stream.give(.end(), within: 0)
        },
        Case("A reader is closed once when no connection can be made", "BodyReader.close", .bodySources) { bench in
            let gone = try MockServer()
            let target = TargetURI(gone.baseURL)
            gone.shutdown()
            let request = try bench.upload(bench.source(endless())) { $0.target = target ?? $0.target }
            try bench.fail(request, with: .cannotConnectToHost)
        },
        Case("A released transport closes its readers", "Transport: released; BodyReader.close", .bodySources) { bench in
            bench.exchange("/endless") { $0.waitForDisconnection() }
            let recorder = bench.recorder()
            let waiting = ConformanceStream(length: nil) { _ in nil }
            let streams = ConformanceStream.Manner.allCases.map { endless($0) } + [waiting]
            let requests = try streams.map { try bench.upload(bench.source($0), to: "/endless") }
            for request in requests { try bench.start(request, on: recorder) }
            try bench.wait(for: "the first pieces") { streams.dropLast().allSatisfy { $0.given > 0 } }
            bench.releaseTransport()
            for request in requests { try ConformanceBench.checkFailure(try bench.end(of: request, on: recorder), [.cancelled]) }
            try bench.expectConnections(0)
            waiting.give(.end(), within: 0)
        },
    ]
}
