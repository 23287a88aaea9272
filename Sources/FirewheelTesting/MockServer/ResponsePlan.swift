import Foundation

/// A response converted to bytes and an ending before the first byte is sent, and without a socket.
struct ResponsePlan {
    /// What follows the body.
    enum Tail: Equatable {
        case nothing
        case endlessHeaders
        case endlessBody(chunked: Bool)
    }

    /// What happens to the connection.
    enum Ending: Equatable {
        case keep
        case close
        case reset
        /// Stays open and silent until the client disconnects.
        case hold
        /// Stays open for this many seconds, or longer if a request begins before.
        case closeIdle(after: TimeInterval)

        /// Whether the connection then waits for a request.
        var leavesIdle: Bool {
            switch self {
            case .keep, .closeIdle: true
            case .close, .reset, .hold: false
            }
        }
    }

    private(set) var interim = Data()
    private(set) var head = Data()
    private(set) var body = Data()
    private(set) var tail = Tail.nothing
    private(set) var ending: Ending

    /// - Parameter isBodyUnread: Whether the request's body has not been read: then the start of the next request is unknown.
    init(_ response: MockResponse, to request: RequestHead, isBodyUnread: Bool) {
        let content = ResponseContent(response, to: request)
        let mustClose = response.closesConnection || !request.keepsAlive || isBodyUnread
        ending = mustClose || content.endsAtClose || MockResponseHead.closes(response) ? .close : .keep

        if let silent = Self.endingWithoutAnswer(response.fault) {
            ending = silent
            return
        }

        for (status, headers) in response.informational { interim += MockResponseHead.interim(status, headers) }
        let keepsHTTP10 = request.isHTTP10 && ending == .keep
        head = MockResponseHead.bytes(
            response, framing: content.framingField, connection: mustClose ? "close" : keepsHTTP10 ? "keep-alive" : nil)
        body = content.wire
        if let fault = response.fault { spoil(with: fault, content) }
    }

    /// The response to an invalid request.
    init(refusing error: MalformedRequest) {
        let response = MockResponse.text("MockServer: malformed request: \(error.reason)\n", status: error.status)
        head = MockResponseHead.bytes(response, framing: ("Content-Length", String(response.body.count)), connection: "close")
        body = response.body
        ending = .close
    }

    /// Limited to what fits in memory, so that no count can crash the tests.
    private static func filler(_ letter: Unicode.Scalar, _ count: Int) -> Data {
        Data(repeating: UInt8(ascii: letter), count: min(max(0, count), 1 << 30))
    }

    /// The ending for faults that send nothing.
    private static func endingWithoutAnswer(_ fault: MockFault?) -> Ending? {
        switch fault {
        case .resetBeforeReading, .resetBeforeHead: .reset
        case .closeBeforeHead: .close
        case .noAnswer: .hold
        default: nil
        }
    }

    private mutating func spoil(with fault: MockFault, _ content: ResponseContent) {
        switch fault {
        case .closeInHead(let count):
            head = head.prefix(max(0, count))
            body = Data()
            ending = .close
        case .resetInBody(let count):
            body = content.cut(after: count)
            ending = .reset
        case .closeInBody(let count), .cutChunk(let count):
            body = content.cut(after: count)
            ending = .close
        case .bodyShorter, .missingFinalChunk, .badChunk:
            ending = .close
        case .bodyLonger(let count):
            body += Self.filler("x", count)
        case .garbageStatusLine:
            head = Data("not http at all\r\n\r\n".utf8)
            body = Data()
            ending = .close
        case .endlessHeaders:
            head.removeLast(2)  // the empty line
            body = Data()
            tail = .endlessHeaders
        case .longHeaderLine(let count):
            head.removeLast(2)
            head += Data("X-Long: ".utf8) + Self.filler("a", max(8, count) - 8) + Data("\r\n\r\n".utf8)
        case .endlessBody:
            tail = .endlessBody(chunked: content.isChunked)
        case .closeAfterResponse:
            if ending == .keep { ending = .closeIdle(after: 0) }
        case .closeIdle(let interval):
            if ending == .keep { ending = .closeIdle(after: interval) }
        case .resetBeforeReading, .resetBeforeHead, .closeBeforeHead, .noAnswer:
            break  // Handled before.
        }
    }
}
