import Firewheel
import FirewheelTesting
import Foundation

extension ChaosScenario {
    /// The scenario of a seed, which is always the same.
    init(seed: UInt64) {
        var dice = ChaosDice(seed: seed)
        self.init(seed: seed, trips: [])
        // One connection that all requests use in turn, and that servers close in between.
        let isLine = dice.chance(25)
        dice.isLine = isLine
        dice.isCalm = dice.chance(isLine ? 80 : 35)
        connectionsPerHost = isLine ? 1 : dice.one(of: [1, 2, 4, 64])
        bodyLimit = dice.chance(15) ? dice.one(of: [10, 1_000, 30_000, 200_000]) : nil
        resourceTimeout = dice.chance(5) ? dice.number(10...80) : nil
        startsImmediately = !dice.chance(15)
        hasWitness = dice.chance(40)
        release = !dice.isCalm && dice.chance(20) ? dice.moment() : nil
        let count = isLine ? dice.number(3...9) : dice.chance(45) ? 1 : dice.chance(80) ? dice.number(2...4) : dice.number(5...9)
        trips = (0..<count).map { _ in dice.trip() }
        if dice.chance(isLine ? 60 : 30) { closings = (0..<dice.number(1...6)).map { _ in dice.closing() }.sorted { $0.at < $1.at } }
        switch dice.number(0...199) {
        case 0..<3: growOld(&dice)
        case 3..<6: burst(&dice)
        default: break
        }
        drawUploads(isCalm: dice.isCalm)
        drawPolicies(isCalm: dice.isCalm, isLine: isLine)
        drawAccess()
        drawServers()
        drawChain(isCalm: dice.isCalm)
        drawStreams()
        drawFeed(isCalm: dice.isCalm)
    }

    /// Connections that reach their age limit of a second about when requests could reuse them.
    private mutating func growOld(_ dice: inout ChaosDice) {
        idleAge = dice.chance(70) ? 1 : nil
        lifetime = dice.chance(50) || idleAge == nil ? 1 : nil
        release = nil
        for _ in 0..<dice.number(3...9) {
            var trip = dice.trip()
            trip.begins = dice.number(900_000...2_200_000)
            for index in trip.steps.indices { trip.steps[index].at = trip.begins + trip.steps[index].at % 12_000 }
            trips.append(trip)
        }
    }

    /// Many connections answered at once.
    private mutating func burst(_ dice: inout ChaosDice) {
        burst = dice.number(10_000...40_000)
        connectionsPerHost = 64
        while trips.count < 40 { trips.append(dice.trip()) }
        for index in trips.indices { trips[index].begins %= 5_000 }
    }
}

/// The random choices of a scenario.
struct ChaosDice {
    private var generator: SeededGenerator
    /// Whether callers only wait, and servers mostly behave correctly.
    var isCalm = false
    /// Whether all requests use one connection.
    var isLine = false

    init(seed: UInt64) { generator = SeededGenerator(state: seed) }

    mutating func chance(_ percent: Int) -> Bool { number(0...99) < percent }

    mutating func number(_ range: ClosedRange<Int>) -> Int { Int.random(in: range, using: &generator) }

    mutating func one<Element>(of choices: [Element]) -> Element { choices[number(0...(choices.count - 1))] }

    /// A moment of a run in microseconds, mostly early.
    mutating func moment() -> Int { chance(40) ? number(0...800) : number(0...12_000) }

    mutating func closing() -> ChaosScenario.Closing { ChaosScenario.Closing(at: moment(), isElsewhere: chance(25)) }

    // MARK: Client

    mutating func trip() -> ChaosScenario.Trip {
        var trip = ChaosScenario.Trip()
        trip.kind = chance(30) ? .download(one(of: [.none, .none, .file, .replacing, .missingFolder])) : .data
        trip.method = one(of: [.get, .get, .get, .get, .head, .post, .post, .put, .delete])
        trip.source = chance(5) ? one(of: [.invalidURL, .invalidHeader, .throwingModifier]) : one(of: [.url, .urlRequest, .parameters])
        if trip.method == .post || trip.method == .put, trip.source == .urlRequest {
            trip.bodySize = chance(80) ? number(0...3_000) : number(0...300_000)
        }
        if trip.source == .urlRequest, chance(isCalm ? 10 : 25) {
            trip.idleTimeout = chance(85) ? number(3...60) : number(150...300)
        }
        trip.validation = isCalm ? one(of: [.none, .passing]) : one(of: [.none, .none, .standard, .standard, .passing, .refusing])
        let many = chance(4) ? 20 : 3
        trip.handlers = (0..<number(0...many)).map { _ in handler() }
        trip.begins = isLine || chance(70) ? 0 : moment()
        trip.steps = !isCalm && chance(60) ? (0..<number(1...6)).map { _ in step(after: trip.begins) }.sorted { $0.at < $1.at } : []
        if trip.bodySize > 0, chance(35) { slow(&trip) }
        trip.hops = hops(for: trip)
        return trip
    }

    /// Makes it a long upload that is suspended and resumed meanwhile.
    private mutating func slow(_ trip: inout ChaosScenario.Trip) {
        trip.bodySize = number(50_000...600_000)
        trip.readPause = number(0...800)
        let pauses = (0..<number(0...8)).map { _ in
            ChaosScenario.Step(at: trip.begins + number(0...30_000), action: one(of: [.suspend, .resume]), isElsewhere: chance(10))
        }
        trip.steps = (trip.steps + pauses).sorted { $0.at < $1.at }
    }

    private mutating func handler() -> ChaosScenario.Handler {
        ChaosScenario.Handler(
            value: one(of: ChaosScenario.Value.allCases), place: one(of: ChaosScenario.Place.allCases),
            reaction: !isCalm && chance(12) ? one(of: ChaosScenario.Reaction.allCases) : .none)
    }

    private mutating func step(after begins: Int) -> ChaosScenario.Step {
        let attached = handler()
        let action = one(of: [
            ChaosScenario.Action.resume, .resume, .suspend, .suspend, .cancel, .cancelTasks, .attach(attached), .attach(attached),
        ])
        return ChaosScenario.Step(at: (chance(80) ? begins : 0) + moment(), action: action, isElsewhere: chance(25))
    }

    // MARK: Servers

    mutating func hops(for trip: ChaosScenario.Trip) -> [ChaosScenario.Hop] {
        let redirects = chance(25) ? number(1...4) : 0
        var hops: [ChaosScenario.Hop] = []
        for index in 0...redirects {
            var hop = hop(for: trip)
            if index < redirects || chance(3) {
                hop.status = one(of: [301, 302, 303, 307, 308])
                let direction = number(0...99)
                switch direction {
                case 0..<4: hop.leadsTo = .refused
                case 4..<6: hop.leadsTo = .noURL
                case 6..<8: hop.leadsTo = .otherScheme
                case 8..<11: hop.leadsTo = .back(to: number(0...index))
                default: hop.leadsTo = index < redirects ? .next : .noURL
                }
                // A redirect loop runs twenty times.
                if case .back = hop.leadsTo { (hop.headDelay, hop.bodyDelay, hop.pieces) = (0, 0, nil) }
            }
            hops.append(hop)
        }
        return hops
    }

    private mutating func hop(for trip: ChaosScenario.Trip) -> ChaosScenario.Hop {
        var hop = ChaosScenario.Hop()
        hop.status = one(of: [200, 200, 200, 200, 200, 201, 204, 304, 404, 500, 503])
        let size = one(of: [
            number(1...60), number(1...3_000), number(1...3_000), number(1...40_000), chance(15) ? number(1...2_500_000) : 5,
        ])
        hop.content = one(of: [.empty, .bytes(size), .text(size), .text(size), .json(size), .json(size)])
        hop.framing = one(of: [.contentLength, .contentLength, .chunked([number(1...20), number(1...5_000)]), .chunked, .untilClose])
        if chance(25) { hop.headDelay = number(1...8) }
        if chance(15) { hop.bodyDelay = number(1...8) }
        if chance(20) { hop.pieces = (max(1, size / number(2...6)), number(1...3)) }
        if chance(10) { hop.interim = (0..<number(1...3)).map { _ in one(of: [100, 102, 103]) } }
        hop.closes = chance(10)
        if chance(4), hop.interim.isEmpty, !hop.framing.isChunked { hop.isHTTP10 = true }
        if trip.bodySize > 0, chance(8) { hop.isEarly = true }
        let hasBody = trip.method != .head && hop.content != .empty && ![204, 304].contains(hop.status)
        if isLine, chance(40) {
            let after = TimeInterval(number(0...3)) / 1000
            hop.fault = one(of: [
                .closeAfterResponse, .closeIdle(after: after), .closeIdle(after: 0), .closeBeforeHead, .resetBeforeHead,
                .bodyLonger(by: number(1...3_000)),
            ])
            // This fault brings its own framing and needs a body.
            if case .bodyLonger = hop.fault, !hasBody { hop.fault = nil }
        } else if trip.idleTimeout != nil, chance(40) {
            hop.fault = .noAnswer
        } else if chance(isCalm ? 10 : 35) {
            hop.fault = fault(hasBody: hasBody, size: size)
        } else if hasBody, size < 4_000, chance(15) {
            hop.coding = one(of: [.gzip, .gzip, .gzip, .mislabelled, .unknown])
        }
        if hop.fault == .resetBeforeReading { hop.isEarly = true }
        if hop.fault == .endlessBody { hop.pieces = (4_096, 1) }
        // In small pieces the limit would take minutes to reach.
        if hop.fault == .endlessHeaders { hop.pieces = nil }
        return hop
    }

    private mutating func fault(hasBody: Bool, size: Int) -> MockFault {
        let anywhere: [MockFault] = [
            .resetBeforeReading, .resetBeforeHead, .closeBeforeHead, .closeInHead(after: number(0...30)), .garbageStatusLine, .noAnswer,
            .noAnswer, .longHeaderLine(bytes: one(of: [1_000, 50_000, 110_000, 250_000])), .closeAfterResponse,
            .closeIdle(after: Double(number(0...4)) / 1000),
        ]
        // Rare, because it takes long.
        if chance(1) { return .endlessHeaders }
        guard hasBody, chance(60) else { return one(of: anywhere) }
        let part = number(0...(size - 1))
        return one(of: [
            .resetInBody(after: part), .closeInBody(after: part), .bodyShorter(by: number(1...100)), .bodyLonger(by: number(1...3_000)),
            .cutChunk(after: part), .badChunk, .missingFinalChunk, .endlessBody,
        ])
    }
}

extension MockResponse.Framing {
    var isChunked: Bool {
        if case .chunked = self { return true }
        return false
    }
}
