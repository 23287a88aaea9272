import Firewheel
import FirewheelTesting
import Foundation

/// One chaos run: a session, its requests, their steps, and their servers. A plain value made from its seed alone, so that it can be
/// repeated and judged without a socket. Times are in microseconds.
struct ChaosScenario: Sendable {
    var seed: UInt64
    var connectionsPerHost = 64
    var bodyLimit: Int?
    /// Milliseconds; nil for longer than any run.
    var resourceTimeout: Int?
    /// Seconds after which idle or old connections are closed; nil for never.
    var idleAge: Int?
    var lifetime: Int?
    /// When idle connections are closed by request.
    var closings: [Closing] = []
    /// The microsecond until which the first servers of all trips wait, so that all answer at once; nil if they do not wait.
    var burst: Int?
    var startsImmediately = true
    /// Whether a transport in between records the calls and events.
    var hasWitness = false
    /// Whether the session has an adapter and a retrier that change nothing.
    var hasSessionInterceptor = false
    /// Whether the session has a cookie jar.
    var keepsCookies = true
    /// Which bodies wait for the server's consent.
    var expectsContinue = ContinueExpectation.above(1 << 20)
    /// When the session is released; nil for after all its requests.
    var release: Int?
    var trips: [Trip] = []
    /// A download that is interrupted and resumed beside the trips, on a session of its own.
    var chain: Chain?
    /// An event source beside the trips, on a session of its own.
    var feed: Feed?

    struct Closing: Sendable, Equatable {
        var at: Int
        /// Whether it is done on another thread than the steps.
        var isElsewhere = false
    }

    /// A request with its handlers, steps and servers.
    struct Trip: Sendable {
        var kind = Kind.data
        var source = Source.url
        var method = HTTPMethod.get
        /// The size of the request body in bytes, without what a form adds.
        var bodySize = 0
        /// What is uploaded; nil for a body in memory.
        var upload: Upload?
        /// Microseconds that its servers wait before each piece of the request body; nil for not at all.
        var readPause: Int?
        /// The idle timeout in milliseconds; nil for longer than any run.
        var idleTimeout: Int?
        var validation = Validation.none
        /// The handlers that are attached in sequence at the start.
        var handlers: [Handler] = []
        var begins = 0
        var steps: [Step] = []
        /// What its servers speak, and those of the other origin.
        var server = ServerKind.http
        var serverAbroad = ServerKind.http
        /// The servers that it may reach.
        var hops: [Hop] = [Hop()]
        var policies = Policies()
        var access = Access()
    }

    enum Kind: Sendable, Equatable {
        case data
        case download(Destination)
        /// Its handlers get the body as it arrives. With an upload: full duplex.
        case stream
    }

    enum Destination: Sendable, Equatable {
        /// The file stays in the temporary folder.
        case none
        case file
        /// A place with an existing file that may be replaced.
        case replacing
        /// A place in a missing folder.
        case missingFolder
    }

    enum Source: Sendable, Equatable, CaseIterable {
        case url, urlRequest, parameters, invalidURL, invalidHeader, throwingModifier
    }

    enum Validation: Sendable, Equatable {
        case none, standard, passing, refusing
    }

    struct Handler: Sendable, Equatable {
        var value = Value.raw
        var place = Place.first
        var reaction = Reaction.none
    }

    /// The value that a handler asks for.
    enum Value: Sendable, Equatable, CaseIterable {
        case raw, data, string, json, decodable
        /// A custom serializer that passes errors on.
        case own
        /// A serializer that takes a moment.
        case slow
        /// A serializer that fails with its own error.
        case refusing
        /// A serializer that turns failures into a value.
        case tolerant
        /// A serializer that cancels the request.
        case cancelling
    }

    /// Where a handler runs.
    enum Place: Sendable, Equatable, CaseIterable {
        /// The main actor.
        case main
        /// Serial queues.
        case first, second
        /// A concurrent queue.
        case global
        /// No handler: a task awaits the response.
        case task

        /// Whether handlers there run in the order in which they were called.
        var keepsOrder: Bool { self == .main || self == .first || self == .second }
    }

    /// What a handler does besides recording its response.
    enum Reaction: Sendable, Equatable, CaseIterable {
        case none, cancel, cancelNext, suspend, resume, attach, closeIdle, releaseSession
    }

    struct Step: Sendable, Equatable {
        /// Microseconds since the run began.
        var at: Int
        var action: Action
        /// Whether it is done on another thread than the other steps.
        var isElsewhere = false
    }

    enum Action: Sendable, Equatable {
        case resume, suspend, cancel, cancelTasks
        case attach(Handler)
    }

    /// A server's response to one request of a trip.
    struct Hop: Sendable {
        var status = 200
        var content = Content.text(20)
        var coding = Coding.none
        var framing = MockResponse.Framing.contentLength
        var fault: MockFault?
        /// Milliseconds.
        var headDelay = 0
        var bodyDelay = 0
        var pieces: (bytes: Int, every: Int)?
        var interim: [Int] = []
        var isHTTP10 = false
        var closes = false
        /// Whether it is answered before the request body has been read.
        var isEarly = false
        /// How it takes the body of an upload.
        var intake = Intake.whole
        /// Whether it refuses `Expect: 100-continue` of an upload (status 417).
        var refusesExpectation = false
        var leadsTo: Direction?
    }

    enum Content: Sendable, Equatable {
        case empty
        case bytes(Int)
        case text(Int)
        case json(Int)
    }

    enum Coding: Sendable, Equatable {
        case none, gzip
        /// Labelled as gzip, but not encoded.
        case mislabelled
        /// An unknown content coding.
        case unknown
    }

    /// Where a redirect leads.
    enum Direction: Sendable, Equatable {
        case next
        case back(to: Int)
        /// A port without a listener.
        case refused
        case noURL
        case otherScheme
    }
}

// MARK: - On the wire

extension ChaosScenario {
    /// The content of a hop, different for each, so that a misdirected body is detected.
    func body(_ trip: Int, _ hop: Int, attempt: Int = 0) -> Data {
        let isLater = attempt > 0 && trips[trip].policies.later != nil
        let name = "run \(seed) trip \(trip) hop \(hop) \(isLater ? "later " : "")"
        switch trips[trip].hops(of: attempt)[hop].content {
        case .empty: return Data()
        case .bytes(let count): return Data(name.utf8) + pattern(count)
        case .text(let count): return Data((name + Self.letters(count)).utf8)
        case .json(let count): return ChaosProbe(name: name, letters: Self.letters(count)).bytes
        }
    }

    /// The body of a trip's own request, different for each and a slice of larger data.
    func requestBody(_ trip: Int) -> Data? {
        let content = content(trip)
        if trips[trip].upload?.kind.isForm == true { return Self.form(trip, content) }
        return content.isEmpty ? nil : content
    }

    /// The bytes that a trip's own request is to send.
    func content(_ trip: Int) -> Data {
        let start = Int((seed &* 31 &+ UInt64(trip) &* 997) % 60_000)
        return pattern(start + trips[trip].bodySize).dropFirst(start)
    }

    private static func letters(_ count: Int) -> String {
        String(String(repeating: "the quick brown fox jumps over the lazy dog 0123456789 ", count: count / 55 + 1).prefix(count))
    }
}

/// The JSON that hops send.
struct ChaosProbe: Codable, Sendable {
    let name: String
    let letters: String

    /// Its only encoding.
    var bytes: Data { Data("{\"name\":\"\(name)\",\"letters\":\"\(letters)\"}".utf8) }

    init(name: String, letters: String) {
        self.name = name
        self.letters = letters
    }

    init?(json: Any) {
        guard let json = json as? [String: Any], json.count == 2, let name = json["name"] as? String,
            let letters = json["letters"] as? String
        else { return nil }
        self.init(name: name, letters: letters)
    }
}

// MARK: - Description

extension ChaosScenario: CustomStringConvertible {
    var description: String {
        var text = "seed \(seed): connections \(connectionsPerHost), body limit \(bodyLimit.map(String.init) ?? "none")"
        text +=
            ", resource timeout \(resourceTimeout.map { "\($0) ms" } ?? "long"), \(startsImmediately ? "starts at once" : "starts by resume()")"
        text += ", idle age \(idleAge.map { "\($0) s" } ?? "none"), lifetime \(lifetime.map { "\($0) s" } ?? "none")"
        if let burst { text += ", a burst at \(burst) µs" }
        text += ", released \(release.map { "at \($0) µs" } ?? "at the end")\(hasWitness ? ", witness" : "")"
        text += (hasSessionInterceptor ? ", an interceptor of the session" : "") + (keepsCookies ? "" : ", no cookies")
        text += ", expects \(expectsContinue)\n"
        if !closings.isEmpty {
            text += "  closing: \(closings.map { "\($0.at)\($0.isElsewhere ? " elsewhere" : "")" }.joined(separator: "; "))\n"
        }
        for (number, trip) in trips.enumerated() {
            text +=
                "  trip \(number): \(trip.upload.map { "\($0)" } ?? "\(trip.kind)") \(trip.method) \(trip.source), body \(trip.bodySize)\(trip.readPause.map { " read every \($0) µs" } ?? ""), idle \(trip.idleTimeout.map { "\($0) ms" } ?? "long")"
            text += ", validation \(trip.validation), begins at \(trip.begins) µs"
            text += ", \(trip.server)\(trip.access.abroad.isEmpty ? "" : ", abroad \(trip.serverAbroad)")\n"
            text += "    handlers: \(trip.handlers.map { "\($0.value)/\($0.place)/\($0.reaction)" }.joined(separator: " "))\n"
            if !trip.steps.isEmpty {
                text +=
                    "    steps: \(trip.steps.map { "\($0.at): \($0.action)\($0.isElsewhere ? " elsewhere" : "")" }.joined(separator: "; "))\n"
            }
            for (index, hop) in trip.hops.enumerated() { text += "    hop \(index): \(hop)\n" }
            if !trip.policies.isEmpty { text += "    policies: \(trip.policies)\n" }
            if !trip.access.isEmpty { text += "    access: \(trip.access)\n" }
        }
        if let chain { text += "  chain: \(chain)" }
        if let feed { text += "  feed: \(feed)" }
        return text
    }
}

extension ChaosScenario.Hop: CustomStringConvertible {
    var description: String {
        var parts = ["\(status)", "\(content)", "\(framing)"]
        if coding != .none { parts.append("coding \(coding)") }
        if let fault { parts.append("FAULT \(fault)") }
        if headDelay > 0 { parts.append("head after \(headDelay) ms") }
        if bodyDelay > 0 { parts.append("body after \(bodyDelay) ms") }
        if let pieces { parts.append("\(pieces.bytes) bytes every \(pieces.every) ms") }
        if !interim.isEmpty { parts.append("after \(interim)") }
        if isHTTP10 { parts.append("HTTP/1.0") }
        if closes { parts.append("closes") }
        if isEarly { parts.append("early") }
        if intake != .whole { parts.append("\(intake)") }
        if refusesExpectation { parts.append("refuses the expectation") }
        if let leadsTo { parts.append("-> \(leadsTo)") }
        return parts.joined(separator: ", ")
    }
}
