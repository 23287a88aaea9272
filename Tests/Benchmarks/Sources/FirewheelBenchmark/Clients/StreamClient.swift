import Dispatch
import Firewheel
import Foundation

/// Firewheel's stream requests, whose bodies are not kept, in a session of its own made before the clock starts.
struct StreamClient {
    private let work: Work
    private let session: Session
    private let queue = DispatchQueue(label: "benchmark.handlers", attributes: .concurrent)

    init(_ work: Work) {
        self.work = work
        session = Session(configuration: FirewheelClient.configuration(work))
    }

    /// `for try await` over a sequence.
    func iterate() async throws -> Double {
        let (work, session) = (work, session)
        return try await runTasks(shares: work.shares) {
            let task = session.streamRequest(work.url).validate().streamTask()
            let tally = Tally()
            switch work.task {
            case .lines:
                for try await line in task.streamingLines() { tally.add(line) }
            case .slow:
                for try await piece in task.streamingData() {
                    tally.add(piece)
                    if tally.isOver { break }
                    try await Task.sleep(nanoseconds: tally.nanosecondsAhead)
                }
            default:
                for try await piece in task.streamingData() { tally.add(piece) }
            }
            try work.check(tally)
        }
    }

    /// Handlers.
    func handle() async throws -> Double {
        let (work, session, queue) = (work, session, queue)
        let sequences = Sequences { done in
            let request = session.streamRequest(work.url).validate()
            let tally = Tally()
            let end: @Sendable (DataStreamRequest.Completion) -> Void = { completion in
                done(
                    Result {
                        if let error = completion.error, !tally.isOver { throw error }
                        try work.check(tally)
                    })
            }
            switch work.task {
            case .lines:
                request.responseStreamLines(queue: queue) { stream in
                    if let completion = stream.completion { return end(completion) }
                    if let line = stream.value { tally.add(line) }
                }
            case .slow:
                request.responseStream(queue: queue) { stream in
                    if let completion = stream.completion { return end(completion) }
                    guard let piece = stream.value else { return }
                    tally.add(piece)
                    if tally.isOver { return stream.cancel() }
                    Thread.sleep(forTimeInterval: Double(tally.nanosecondsAhead) / 1e9)
                }
            default:
                request.responseStream(queue: queue) { stream in
                    if let completion = stream.completion { return end(completion) }
                    if let piece = stream.value { tally.add(piece) }
                }
            }
        }
        return try await sequences.run(shares: work.shares)
    }
}

/// Counts what has come of one response.
final class Tally: @unchecked Sendable {
    // Sound because a stream has one element at a time handled, and its end after the last.

    private let start = DispatchTime.now()
    private(set) var bytes = 0
    private(set) var lines = 0

    func add(_ piece: Data) { bytes += piece.count }

    /// Adds a line, which came without its LF.
    func add(_ line: String) {
        lines += 1
        bytes += line.utf8.count + 1
    }

    /// Whether a slow reader has read long enough.
    var isOver: Bool { start.secondsUntilNow >= SlowReader.seconds }

    /// How long a slow reader has to wait until its next piece is due.
    var nanosecondsAhead: UInt64 {
        let ahead = Double(bytes) / Double(SlowReader.bytesPerSecond) - start.secondsUntilNow
        return UInt64(max(0, ahead) * 1e9)
    }
}

extension Work {
    func check(_ tally: Tally) throws {
        switch task {
        case .slow:
            let expected = Int(SlowReader.seconds) * SlowReader.bytesPerSecond
            guard tally.bytes >= expected / 2 else { throw Failure("only \(tally.bytes) bytes came to a slow reader") }
        case .lines:
            try check(length: tally.bytes)
            guard tally.lines == bodyLength / Lines.length else { throw Failure("\(tally.lines) lines") }
        default: try check(length: tally.bytes)
        }
    }
}
