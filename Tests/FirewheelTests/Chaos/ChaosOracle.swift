import Firewheel
import FirewheelTesting
import Foundation

/// The possible results of a trip, derived from the scenario alone. It shares no code with the library, and implements the rules of HTTP
/// and of the documentation independently.
struct ChaosOracle {
    /// How a trip may end.
    enum Ending: Sendable, Equatable {
        case whole(status: Int, body: Data, allowsEmpty: Bool)
        case failed(FirewheelError.Kind)

        static func transport(_ code: URLError.Code) -> Ending { .failed(.transportFailed(code)) }
    }

    /// The possible results of a hop.
    private enum Passage {
        case whole(Data)
        case failed(FirewheelError.Kind)
        /// It never ends by itself.
        case never

        static func transport(_ code: URLError.Code) -> Passage { .failed(.transportFailed(code)) }
    }

    let scenario: ChaosScenario

    /// The possible results of a trip without a cancel and with a session that lives.
    struct Outlook {
        var endings: [Ending]
        /// Whether it may never end.
        var mayLast = false
    }

    /// The possible results of one attempt of a trip.
    func outlook(of number: Int, attempt: Int) -> Outlook {
        let trip = scenario.trips[number]
        var mayLast = false
        var endings: [Ending]
        switch trip.source {
        case .invalidURL: endings = [.failed(.invalidURL)]
        case .invalidHeader: endings = [.failed(.invalidHeader)]
        case .throwingModifier: endings = [.failed(.createURLRequestFailed)]
        case .url, .urlRequest, .parameters:
            if !trip.isSent(in: attempt) {
                endings = [.failed(.requestAdaptationFailed)]
            } else {
                endings = travel(number, attempt, &mayLast)
                // On a busy machine any short timeout may be exceeded.
                if trip.idleTimeout != nil { endings.append(.transport(.timedOut)) }
            }
        }
        if scenario.resourceTimeout != nil { endings.append(.transport(.timedOut)) }
        let isEndless = trip.hops(of: attempt).contains { $0.fault == .endlessBody }
        let lasts = mayLast && scenario.resourceTimeout == nil && (trip.idleTimeout == nil || isEndless)
        return Outlook(endings: endings, mayLast: lasts)
    }

    private func travel(_ number: Int, _ attempt: Int, _ mayLast: inout Bool) -> [Ending] {
        let trip = scenario.trips[number]
        var endings: [Ending] = []
        var method = trip.method
        var index = 0
        var redirects = 0
        var carriesBody = trip.carriesBody
        // One that can be produced once may be asked for its bytes although it has none.
        var hasSource = carriesBody || trip.isOneShot
        while true {
            let hop = trip.hops(of: attempt)[index]
            let nextMethod = Self.method(method, after: hop.status)
            let hadSource = hasSource
            carriesBody = carriesBody && nextMethod == method
            hasSource = hasSource && nextMethod == method
            let isDenied = trip.isDenied(in: attempt, at: index)
            let exposesBody = carriesBody && trip.isDowngrade(hop.leadsTo, at: index)
            let turn = isDenied ? .stay : turn(hop, trip, after: redirects, exposesBody: exposesBody)
            let status = isDenied ? 401 : hop.status
            var hasHead = false
            let exchange =
                hop.intake.breaks
                ? [loss]
                : isDenied ? denials(number, index, method) : passages(number, attempt, index, method, isFinal: turn == .stay)
            let spending = hadSource ? spending(trip, hop, index) : Spending()
            for passage in exchange + contaminations(method, trip.server(at: index), isOneShot: trip.isOneShot) {
                switch passage {
                case .never: mayLast = true
                case .failed(let kind): endings.append(.failed(kind))
                case .whole(let body):
                    hasHead = true
                    guard turn == .stay else { continue }
                    endings.append(judged(trip, status, body, allowsEmpty: status == 204 || trip.method == .head))
                }
            }
            endings += spending.endings + (hadSource ? delivered(refusalOf: trip, hop) : [])
            guard hasHead else { return endings }
            redirects += 1
            switch turn {
            case .stay: return endings
            case .failed(let kind): return endings + [.failed(kind)]
            case .go where hasSource && trip.isOneShot && !spending.mayKeepBody: return endings + [Self.notRepeatable]
            case .go(.next): index += 1
            case .go(.back(let earlier)): index = earlier
            case .go: return endings + (hasSource ? spending.afterwards : []) + [.transport(.cannotConnectToHost)]
            }
            if hasSource { endings += spending.afterwards }
            method = nextMethod
        }
    }

    /// Where a hop leads.
    private enum Turn: Equatable {
        /// It is the last.
        case stay
        case go(ChaosScenario.Direction)
        case failed(FirewheelError.Kind)
    }

    /// A handler is asked about each allowed redirect, and a handler that follows none needs no rules.
    ///
    /// - Parameter exposesBody: Whether following sends a body over http that was sent over https.
    private func turn(_ hop: ChaosScenario.Hop, _ trip: ChaosScenario.Trip, after redirects: Int, exposesBody: Bool) -> Turn {
        guard let next = hop.leadsTo, trip.policies.redirects != .doNotFollow else { return .stay }
        if redirects == 20 { return .failed(.transportFailed(.httpTooManyRedirects)) }
        switch next {
        case .noURL: return .failed(.transportFailed(.redirectToNonExistentLocation))
        case .otherScheme: return .failed(.transportFailed(.unsupportedURL))
        case .next, .back, .refused: break
        }
        if exposesBody { return .failed(.transportFailed(.appTransportSecurityRequiresSecureConnection)) }
        switch trip.policies.redirects {
        case .refusing: return .stay
        case .throwing: return .failed(.redirectHandlingFailed)
        case nil, .follow, .doNotFollow, .changing: return .go(next)
        }
    }

    /// The method of the request that follows a redirect (RFC 9110 section 15.4).
    static func method(_ method: HTTPMethod, after status: Int) -> HTTPMethod {
        switch status {
        case 303: method == .head ? .head : .get
        case 301, 302: method == .post ? .get : method
        default: method
        }
    }

    /// The ending after validation and placing the file.
    func judged(_ trip: ChaosScenario.Trip, _ status: Int, _ body: Data, allowsEmpty: Bool) -> Ending {
        if trip.validation == .standard, !(200..<300).contains(status) {
            return .failed(.responseValidationFailed(.unacceptableStatusCode(status)))
        }
        if trip.validation == .refusing { return .failed(.responseValidationFailed(.customValidationFailed)) }
        if trip.kind == .download(.missingFolder) { return .failed(.downloadedFileMoveFailed) }
        return .whole(status: status, body: body, allowsEmpty: allowsEmpty)
    }

    // MARK: Hops

    private func passages(_ number: Int, _ attempt: Int, _ index: Int, _ method: HTTPMethod, isFinal: Bool) -> [Passage] {
        let trip = scenario.trips[number]
        let hop = trip.hops(of: attempt)[index]
        let kind = trip.server(at: index)
        if let silence = silence(hop, kind) { return [silence] }
        // The body of a followed redirect, or of a response that a gate refuses, is ignored. A connection's reset may arrive before the
        // head has been read; a stream's comes behind it.
        let isCancelled = isFinal && trip.policies.gates.contains(.cancelling)
        // A stream is validated at its head, and the body of a response that is refused then is ignored.
        if !isFinal || isCancelled || trip.kind == .stream && trip.refuses(hop.status) {
            let passage = isCancelled ? Passage.failed(.explicitlyCancelled) : .whole(Data())
            if case .resetInBody = hop.fault, !kind.isHTTP2 { return [passage, .transport(.networkConnectionLost)] }
            return [passage]
        }
        if method == .head || hop.status == 204 || hop.status == 304 { return [.whole(Data())] }
        let body = scenario.body(number, index, attempt: attempt)
        switch hop.coding {
        case .mislabelled where !body.isEmpty: return [.transport(.cannotDecodeRawData)]
        default: break
        }
        let (received, failure, isReset) = passage(hop, body, kind)
        if let limit = scenario.bodyLimit, received > limit {
            // A reset may arrive before sent data has been read, and data that comes while the body is held is parsed before it is
            // counted.
            if isReset { return [.failed(.responseBodyTooLarge), .transport(.networkConnectionLost)] }
            if hop.fault == .badChunk, mayHold(trip) { return [.failed(.responseBodyTooLarge), malformed(kind)] }
            return [.failed(.responseBodyTooLarge)]
        }
        return [failure ?? .whole(body.prefix(received))]
    }

    /// The possible results of a hop that answers 401.
    private func denials(_ number: Int, _ index: Int, _ method: HTTPMethod) -> [Passage] {
        if scenario.trips[number].policies.gates.contains(.cancelling) { return [.failed(.explicitlyCancelled)] }
        let isRefused = scenario.trips[number].kind == .stream && scenario.trips[number].refuses(401)
        let body = method == .head || isRefused ? Data() : scenario.denial(number, index)
        return [scenario.bodyLimit.map { body.count > $0 } == true ? .failed(.responseBodyTooLarge) : .whole(body)]
    }

    /// Whether a response may arrive while it is not yet wanted.
    private func mayHold(_ trip: ChaosScenario.Trip) -> Bool {
        trip.steps.contains { $0.action == .suspend } || !trip.policies.gates.isEmpty || trip.policies.redirects != nil
            || trip.kind == .stream
    }

    /// What follows from the loss of a connection. Over HTTP/2 it is that of the front to its plain server, and the client's stays: the
    /// front gives the stream up.
    private var loss: Passage { .transport(.networkConnectionLost) }

    /// What follows from a response that is no HTTP. Over HTTP/2 the front gives the stream up.
    private func malformed(_ kind: ChaosScenario.ServerKind) -> Passage { kind.isHTTP2 ? loss : .transport(.cannotParseResponse) }

    /// The result of a hop without a complete head.
    private func silence(_ hop: ChaosScenario.Hop, _ kind: ChaosScenario.ServerKind) -> Passage? {
        switch hop.fault {
        case .resetBeforeReading, .resetBeforeHead, .closeBeforeHead, .closeInHead: loss
        case .garbageStatusLine, .endlessHeaders: malformed(kind)
        case let fault? where kind.isHTTP2 && fault.breaksHTTP2: malformed(kind)
        case .noAnswer: .never
        default: nil
        }
    }

    /// How many bytes of the content arrive, the fault after them, and whether it is a connection's reset.
    private func passage(
        _ hop: ChaosScenario.Hop, _ body: Data, _ kind: ChaosScenario.ServerKind
    ) -> (received: Int, failure: Passage?, isReset: Bool) {
        switch hop.fault {
        case .resetInBody(let count): (count, loss, !kind.isHTTP2)
        // Such a body ends with the connection only.
        case .closeInBody(let count) where hop.framing == .untilClose: (count, nil, false)
        case .closeInBody(let count), .cutChunk(let count): (count, loss, false)
        case .bodyShorter, .missingFinalChunk: (body.count, loss, false)
        case .badChunk: (body.count, malformed(kind), false)
        case .endlessBody: (Int.max, .never, false)
        default: (body.count, nil, false)
        }
    }

    // MARK: Effects of earlier requests

    /// The effects that other hops' servers may have through a shared connection.
    private func contaminations(_ method: HTTPMethod, _ kind: ChaosScenario.ServerKind, isOneShot: Bool) -> [Passage] {
        if kind.isHTTP2 {
            // The front's connections to the plain server serve one request each, so that only what ends the client's connection counts.
            let isLost = scenario.losesConnections(to: kind)
            return isLost ? [.transport(.cannotParseResponse), .transport(.networkConnectionLost)] : []
        }
        let faults = scenario.faults(of: kind)
        var found: [Passage] = []
        let goesStale = faults.contains { fault in
            switch fault {
            case .closeAfterResponse, .closeIdle, .bodyLonger: true
            default: false
            }
        }
        // A POST may not be repeated (RFC 9110 section 9.2.2), and no body that can be produced once.
        if goesStale, method == .post || isOneShot { found.append(.transport(.networkConnectionLost)) }
        // Excess bytes after a response may arrive after the next request has been sent.
        let hasExcess = faults.contains { fault in
            if case .bodyLonger = fault { return true }
            return false
        }
        if hasExcess { found.append(.transport(.cannotParseResponse)) }
        return found
    }
}
