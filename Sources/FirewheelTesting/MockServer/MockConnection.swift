import Foundation

/// A client's connection: reads requests, gets the responses from the server, and sends them. Confined to its own thread.
struct MockConnection {
    private enum Ending {
        case close
        /// Like `close`, for a client that may still be sending: waits briefly, so that the response is not lost in a reset.
        case closeSlowly
        case reset
    }

    private let number: Int
    private let descriptor: Int32
    private let core: ServerCore
    var reader: RequestReader
    var outbox: Outbox
    private var sequence = 0

    init(number: Int, descriptor: Int32, core: ServerCore) {
        self.number = number
        self.descriptor = descriptor
        self.core = core
        reader = RequestReader(descriptor)
        outbox = Outbox(descriptor)
    }

    /// Serves until the connection ends, and closes it.
    mutating func run() {
        end(serve())
    }

    private mutating func serve() -> Ending {
        do {
            while true {
                if let ending = try serveOne() { return ending }
            }
        } catch let error as MalformedRequest {
            try? send(ResponsePlan(refusing: error), of: nil)
            return .closeSlowly
        } catch {
            return .close
        }
    }

    /// - Returns: nil if the connection stays open for the next request.
    private mutating func serveOne() throws -> Ending? {
        if reader.inbox.isEmpty {
            guard sequence == 0 || core.becomeIdle(number) else { return .close }
            try reader.waitForRequest()
            core.becomeBusy(number)
        }
        let head = try reader.readHead()
        var request = head.record(connection: number, sequence: sequence)
        sequence += 1

        if let handler = core.exchange(for: request) { return try serve(handler, head, request) }

        let isEarly: Bool
        let response: MockResponse
        if let early = core.answerBeforeBody(request) {
            (response, isEarly) = (early, head.body != .none)
        } else {
            if head.expectsContinue, head.body != .none, core.sendsContinue {
                try outbox.write(MockResponseHead.interim(100, []))
                try outbox.flush()
            }
            try reader.readBody(head.body, into: &request, after: core.waitsForBodies)
            (response, isEarly) = (core.answer(request), false)
        }
        let plan = ResponsePlan(response, to: head, isBodyUnread: isEarly)
        try send(plan, of: response)
        return try next(plan.ending, isEarly: isEarly)
    }

    /// Leaves the exchange to its handler.
    private mutating func serve(_ handler: MockScript.Exchange, _ head: RequestHead, _ request: RecordedRequest) throws -> Ending? {
        let exchange = MockExchange(self, head: head, request: request)
        defer { core.endExchange(exchange.request) }
        try handler(exchange)
        self = exchange.connection
        guard let ending = exchange.ending else { return .close }
        return try next(ending, isEarly: exchange.isBodyUnread)
    }

    // MARK: - Sending

    mutating func send(_ plan: ResponsePlan, of response: MockResponse?) throws {
        try outbox.write(plan.interim)
        try pause(response?.headDelay ?? 0)
        try outbox.write(plan.head)
        try pause(response?.bodyDelay ?? 0)
        try sendBody(plan.body, throttle: response?.throttle)
        switch plan.tail {
        case .nothing: break
        case .endlessHeaders:
            try sendWithoutEnd(Data(String(repeating: "X-Endless: \(String(repeating: "a", count: 100))\r\n", count: 64).utf8), response)
        case .endlessBody(let chunked):
            let content = String(repeating: "x", count: 4096)
            try sendWithoutEnd(Data((chunked ? "1000\r\n\(content)\r\n" : content).utf8), response)
        }
        if plan.ending.leavesIdle { willBeIdle() }
        try outbox.flush()
    }

    /// Must be called before the last bytes of a response are sent: then the client may consider the connection idle, and tests may rely on
    /// it.
    func willBeIdle() {
        if reader.inbox.isEmpty { core.becomeNearlyIdle(number) }
    }

    private mutating func sendBody(_ body: Data, throttle: (bytes: Int, every: TimeInterval)?) throws {
        guard let throttle else { return try outbox.write(body) }
        var rest = body[...]
        while !rest.isEmpty {
            let part = rest.prefix(max(1, throttle.bytes))
            rest = rest.dropFirst(part.count)
            try outbox.write(part)
            if !rest.isEmpty { try pause(throttle.every) }
        }
    }

    private mutating func sendWithoutEnd(_ piece: Data, _ response: MockResponse?) throws -> Never {
        while true {
            if let throttle = response?.throttle { try pause(throttle.every) }
            try sendBody(piece, throttle: response?.throttle)
            try outbox.flush()
        }
    }

    /// Sends pending bytes, then waits while watching for the client to disconnect.
    private mutating func pause(_ interval: TimeInterval) throws {
        guard interval > 0 else { return }
        try outbox.flush()
        try reader.wait(until: Deadline(after: interval))
    }

    // MARK: - Ending

    private mutating func next(_ ending: ResponsePlan.Ending, isEarly: Bool) throws -> Ending? {
        switch ending {
        case .keep: return nil
        case .close: return isEarly ? .closeSlowly : .close
        case .reset: return .reset
        case .hold:
            try reader.waitForEnd()
        case .closeIdle(let interval):
            guard core.becomeIdle(number) else { return .close }
            try reader.wait(until: Deadline(after: interval), untilInput: true)
            core.becomeBusy(number)
            return reader.inbox.isEmpty ? .close : nil
        }
    }

    private mutating func end(_ ending: Ending) {
        switch ending {
        case .reset:
            // A reset discards what the client has not received yet, but a fault promises how much that is.
            let deadline = Deadline(after: 5)
            while PlatformSocket.unsentByteCount(descriptor) > 0, !PlatformSocket.isGone(descriptor), deadline.remaining > 0,
                !core.isShutDown
            {
                _ = PlatformSocket.waitForInput([], milliseconds: 1)
            }
        case .close, .closeSlowly:
            reader.drain(waits: false)
            PlatformSocket.endSending(descriptor)
            if ending == .closeSlowly { reader.drain(waits: true) }
        }
        core.close(number, descriptor, reset: ending == .reset)
    }
}
