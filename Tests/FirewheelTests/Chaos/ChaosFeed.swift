import Firewheel
import FirewheelTesting
import Foundation

extension ChaosScenario {
    /// A feed of numbered events, which an event source reads over connections that end in every way.
    struct Feed: Sendable {
        enum Reader: Sendable, Equatable, CaseIterable {
            case loop, handler
        }

        var server = ServerKind.http
        /// How many events there are; who has them all is answered 204.
        var count = 10
        var isPost = false
        /// Whether it reconnects as browsers do.
        var isStandard = false
        var reader = Reader.loop
        /// After how many events the reader leaves; nil for never.
        var leaves: Int?
        /// In the order of the requests; all further ones are good.
        var connections: [Connection] = []
        var steps: [FeedStep] = []

        static let body = Data("ask".utf8)

        var method: String { isPost ? "POST" : "GET" }
        func connection(_ number: Int) -> Connection { number < connections.count ? connections[number] : Connection() }
    }

    /// One connection of a feed.
    struct Connection: Sendable, Equatable {
        enum Manner: Sendable, Equatable {
            case whole
            /// The body is cut there.
            case resets(after: Int)
            case closes(after: Int)
            /// The end of the body is missing.
            case unfinished
            /// Without a response.
            case lost
            case status(Int)
            case wrongType
            case redirect
        }

        var manner = Manner.whole
        var events = 3
        var isChunked = true
        /// Milliseconds.
        var headDelay = 0
        var pieces = 0
    }

    struct FeedStep: Sendable, Equatable {
        enum Action: Sendable, Equatable {
            /// Of the request that is running.
            case suspend, resume
            /// Of the source.
            case close
            /// Of the loop's task.
            case cancel
            /// Of the session.
            case invalidate
        }

        /// Microseconds since the feed began.
        var at: Int
        var action: Action
    }
}

// MARK: - Random choices

extension ChaosScenario {
    /// Adds a feed to some scenarios. It has a generator of its own, so that the rest of a seed's scenario does not depend on it.
    mutating func drawFeed(isCalm: Bool) {
        var dice = ChaosDice(seed: seed ^ 0x5EED_FEED_0000_0003)
        dice.isCalm = isCalm
        if dice.chance(35) { feed = dice.feed() }
    }
}

extension ChaosDice {
    fileprivate mutating func feed() -> ChaosScenario.Feed {
        var feed = ChaosScenario.Feed()
        feed.server = one(of: ChaosScenario.ServerKind.allCases)
        feed.count = number(0...30)
        feed.isPost = chance(40)
        feed.isStandard = chance(30)
        feed.reader = one(of: ChaosScenario.Feed.Reader.allCases)
        if chance(20) { feed.leaves = number(1...20) }
        feed.connections = (0..<number(0...8)).map { _ in connection() }
        if chance(isCalm ? 15 : 40) { feed.steps = (0..<number(1...5)).map { _ in feedStep() }.sorted { $0.at < $1.at } }
        return feed
    }

    private mutating func connection() -> ChaosScenario.Connection {
        var connection = ChaosScenario.Connection()
        connection.events = number(0...6)
        let after = number(0...(connection.events + 1) * 20)
        connection.manner = one(of: [
            .whole, .whole, .resets(after: after), .resets(after: after), .closes(after: after), .closes(after: after), .unfinished, .lost,
            .redirect, .status(one(of: [408, 429, 500, 503, 503, 503])), chance(20) ? .status(one(of: [206, 401, 404])) : .whole,
            chance(20) ? .wrongType : .whole,
        ])
        connection.isChunked = chance(70)
        if chance(25) { connection.headDelay = number(1...4) }
        if chance(40) { connection.pieces = number(2...8) }
        return connection
    }

    private mutating func feedStep() -> ChaosScenario.FeedStep {
        ChaosScenario.FeedStep(
            at: moment(), action: one(of: [.suspend, .suspend, .suspend, .resume, .resume, .resume, .close, .cancel, .invalidate]))
    }
}

// MARK: - Description

extension ChaosScenario.Feed: CustomStringConvertible {
    var description: String {
        var text = "\(count) events over \(server) by \(method), \(reader)\(isStandard ? ", standard" : "")"
        if let leaves { text += ", leaves after \(leaves)" }
        if !steps.isEmpty { text += ", steps " + steps.map { "\($0.at): \($0.action)" }.joined(separator: "; ") }
        return text + "\n" + connections.enumerated().map { "    connection \($0.offset): \($0.element)\n" }.joined()
    }
}
