import Dispatch

/// The cost of decoding alone: one body, decoded on one thread as often as the others request it.
enum DecoderAlone {
    static func run(_ work: Work) async throws -> Double {
        let body = try await Target.fetch(work.url)
        let start = DispatchTime.now()
        for _ in 0..<work.requests { try work.check(body) }
        return start.secondsUntilNow
    }
}
