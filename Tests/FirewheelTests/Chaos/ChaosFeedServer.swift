import Firewheel
import FirewheelTesting
import Foundation

/// Serves the feeds of all runs.
final class ChaosFeedServer: Sendable {
    private struct Run {
        var feed: ChaosScenario.Feed
        var arrivals: [ChaosFeedRecord.Arrival] = []
    }

    private let runs = Locked<[Int: Run]>([:])

    func begin(_ run: Int, _ feed: ChaosScenario.Feed) { runs.withLock { $0[run] = Run(feed: feed) } }

    /// The requests of a run so far.
    func arrivals(_ run: Int) -> [ChaosFeedRecord.Arrival] { runs.withLock { $0[run]?.arrivals ?? [] } }

    func end(_ run: Int) { runs.withLock { $0[run] = nil } }

    /// Answers a request for `/f/RUN`, which has the number of its connection in the query once it was redirected.
    func answer(_ request: RecordedRequest) -> MockResponse {
        guard let run = request.path.split(separator: "/").compactMap({ Int($0) }).first else { return .status(410) }
        let moved = request.query.flatMap { Int($0) }
        let last = request.header("Last-Event-ID").flatMap { Int($0) } ?? 0
        return runs.withLock { runs in
            guard let feed = runs[run]?.feed else { return .status(410) }
            let number = moved ?? runs[run]?.arrivals.count { !$0.isMoved } ?? 0
            let (response, answer) = Self.response(feed, number, isMoved: moved != nil, after: last, run)
            runs[run]?.arrivals.append(
                ChaosFeedRecord.Arrival(
                    lastEventID: last, answer: answer, isMoved: moved != nil,
                    isRight: request.method == feed.method && request.body == (feed.isPost ? ChaosScenario.Feed.body : Data())
                        && request.header("Accept") == "text/event-stream"))
            return response
        }
    }

    private static func response(
        _ feed: ChaosScenario.Feed, _ number: Int, isMoved: Bool, after last: Int, _ run: Int
    ) -> (MockResponse, ChaosFeedRecord.Answer) {
        let plan = feed.connection(number)
        switch plan.manner {
        case .status(let status): return (.text("sorry", status: status), .refused(status))
        case .wrongType: return (.text("sorry"), .wrongType)
        case .lost: return (.failure(number.isMultiple(of: 2) ? .closeBeforeHead : .resetBeforeHead), .events(0, isWhole: true))
        case .redirect where !isMoved: return (.redirect(to: "/f/\(run)?\(number)", status: 307), .events(0, isWhole: true))
        default: break
        }
        guard last < feed.count else { return (.status(204), .end) }
        let events = (last + 1..<min(last + plan.events, feed.count) + 1).map {
            Data("id: \($0)\ndata: \(ChaosFeedRecord.data($0))\n\n".utf8)
        }
        // The incomplete event does not count, nor does its ID.
        var response = MockResponse(
            headers: [("Content-Type", "text/event-stream")], body: Data(events.joined()) + Data("id: lost\ndata: lost\n".utf8))
        let count = response.body.count
        response.framing = plan.isChunked ? .chunked : .contentLength
        response.headDelay = TimeInterval(plan.headDelay) / 1000
        if plan.pieces > 0 { response.throttle = (max(1, count / plan.pieces), 0.001) }
        /// How many events are complete before the cut.
        func complete(_ after: Int) -> Int {
            var rest = after
            return events.prefix { event in
                rest -= event.count
                return rest >= 0
            }.count
        }
        switch plan.manner {
        case .resets(let after):
            response.fault = .resetInBody(after: after % count)
            return (response, .events(complete(after % count), isWhole: false))
        case .closes(let after):
            response.fault = .closeInBody(after: after % count)
            return (response, .events(complete(after % count), isWhole: false))
        case .unfinished where plan.isChunked:
            response.fault = .missingFinalChunk
            return (response, .events(events.count, isWhole: false))
        default: return (response, .events(events.count, isWhole: true))
        }
    }
}

/// What happened to a feed, as seen from outside.
struct ChaosFeedRecord: Sendable {
    enum Answer: Sendable, Equatable {
        /// So many complete ones; not whole if the client may have received fewer.
        case events(Int, isWhole: Bool)
        case refused(Int)
        case wrongType
        /// A status of 204.
        case end
    }

    struct Arrival: Sendable, Equatable {
        var lastEventID: Int
        var answer: Answer
        /// Whether it followed a redirect.
        var isMoved = false
        /// Whether it has the method, the body and the fields that it should have.
        var isRight = true
    }

    enum Outcome: Sendable, Equatable {
        case ended
        case failed(FirewheelError.Kind)
        case unknown(String)

        init(_ error: (any Error)?) {
            switch error {
            case nil: self = .ended
            case let error as FirewheelError: self = .failed(error.kind)
            case let error?: self = .unknown("\(error)")
            }
        }
    }

    /// The IDs and the data of the events that were delivered.
    var events: [String] = []
    /// What the handlers of the end were told, each time that they were.
    var ends: [Outcome] = []
    /// How the loop ended.
    var loop: Outcome?
    var arrivals: [Arrival] = []
    /// How many of them had come when the end was told.
    var arrivalsAtEnd = 0
    /// How many events a handler was given while the request was suspended.
    var heldEvents = 0

    static func data(_ number: Int) -> String { "event \(number)" }
    static func text(_ number: Int) -> String { "\(number) \(data(number))" }
}
