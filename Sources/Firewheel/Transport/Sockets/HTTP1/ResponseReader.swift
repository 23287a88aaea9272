import Foundation

/// Reads the response to one request from the bytes of an HTTP/1.1 connection (RFC 9112): bytes in, events out.
///
/// Call ``read(_:)`` with what was received, drop the consumed bytes, and repeat with the rest until the event is `needsMore`; call it at
/// least once more after each other event, even if no bytes are left. Events do not depend on how the bytes are cut, except for the ranges
/// of body pieces. The time is linear, and the memory is limited by the limit of the head.
struct ResponseReader {
    enum Event {
        /// All bytes were consumed, and the response continues.
        case needsMore
        /// The head of an interim response (1xx), if they are wanted.
        case interim(ResponseHead)
        /// The head of the final response.
        case head(ResponseHead)
        /// The head of a 101: what follows is another protocol, as the request has asked for.
        case upgraded(ResponseHead)
        /// The bytes in this range of the input are the next ones of the body.
        case body(Range<Int>)
        /// The response is complete.
        case end(End)
        /// Bytes came behind a complete response, so the connection must not be used again (RFC 9112 section 9.2).
        case excess
        /// The response is refused or was cut short. The connection must not be used again.
        case failed(TransportError)
    }

    /// How a response ended.
    struct End {
        /// The trailer fields, without those that trailers may not have.
        var trailers = HTTPHeaders()
        /// Whether the connection can be used again: both sides keep it, and no byte has come behind the response.
        var connectionStays: Bool
    }

    private enum State {
        case head
        case length(Int64)
        case chunks
        case untilClose
        case trailers
        /// The body is complete and the end not reported yet.
        case ending
        case over
        case failed(TransportError)
    }

    /// The bytes of all heads so far, interim ones included.
    private(set) var headBytes = 0
    /// How the final response's body ends; nil before its head.
    private(set) var bodyFraming: ResponseBodyFraming?

    private let isHead: Bool
    private let isConnect: Bool
    private let wantsInterim: Bool
    private let mayUpgrade: Bool
    private var keepsConnection: Bool
    private var state = State.head
    private var section = FieldSection(isTrailer: false, limit: ResponseLines.maximumBytes)
    /// The bytes of an incomplete head or trailer section; empty if a section comes whole.
    private var held: [UInt8] = []
    private var chunks = ChunkReader()

    /// - Parameters:
    ///   - method: The request's, because a response to HEAD has no body, nor has a successful one to CONNECT.
    ///   - wantsInterim: Whether interim responses are reported. Default: false, they are skipped.
    ///   - isLast: Whether the request asked to close the connection. Default: false.
    ///   - mayUpgrade: Whether the request asked for another protocol (RFC 9110 section 7.8). Default: false, then a 101 is an error.
    init(for method: HTTPMethod, wantsInterim: Bool = false, isLast: Bool = false, mayUpgrade: Bool = false) {
        isHead = method == .head
        isConnect = method == .connect
        self.wantsInterim = wantsInterim
        self.mayUpgrade = mayUpgrade
        keepsConnection = !isLast
    }

    /// Reads up to the next event.
    ///
    /// - Returns: How many bytes were consumed, and the event. The range of a body piece counts from the first of these bytes.
    mutating func read(_ input: UnsafeRawBufferPointer) -> (consumed: Int, event: Event) {
        switch state {
        case .head: return readHeads(input)
        case .length(let remaining): return readLength(input, remaining)
        case .chunks: return readChunks(input)
        case .untilClose: return input.isEmpty ? (0, .needsMore) : (input.count, .body(0..<input.count))
        case .trailers: return readTrailers(input)
        case .ending:
            state = .over
            return (0, .end(End(connectionStays: keepsConnection && input.isEmpty)))
        case .over: return (0, input.isEmpty ? .needsMore : .excess)
        case .failed(let error): return (0, .failed(error))
        }
    }

    /// Whether a byte of the response has come.
    var hasBegun: Bool { headBytes > 0 || !held.isEmpty }

    /// How many of the next bytes belong to the body whatever they are; 0 if some may be framing.
    var plainBytes: Int64 {
        switch state {
        case .length(let remaining): remaining
        case .untilClose: .max
        case .head, .chunks, .trailers, .ending, .over, .failed: 0
        }
    }

    /// Handles the end of the connection, after all bytes were read.
    ///
    /// - Parameter isClean: Whether the peer has declared the end: by a FIN, over TLS by a close_notify. A body that ends with the
    ///   connection is complete only then.
    /// - Returns: `end` or `failed`; `needsMore` if the end had been reported before.
    mutating func connectionEnded(isClean: Bool) -> Event {
        switch state {
        case .head:
            if held.isEmpty { return lost("the server closed the connection without a response") }
            return lost("the connection closed in the middle of the response's head")
        case .length(let missing):
            return lost("the body ended \(missing) \(missing == 1 ? "byte" : "bytes") early")
        case .chunks:
            return lost("the body ended before its last chunk")
        case .trailers:
            return lost("the connection closed in the middle of the response's trailer fields")
        case .untilClose where !isClean:
            return lost("the connection was cut, and the body may be incomplete")
        case .untilClose, .ending:
            state = .over
            return .end(End(connectionStays: false))
        case .over: return .needsMore
        case .failed(let error): return .failed(error)
        }
    }

    private mutating func lost(_ reason: String) -> Event { fail(.failed(.networkConnectionLost, reason)) }

    private mutating func malformed(_ reason: String) -> Event { fail(.failed(.cannotParseResponse, reason)) }

    private mutating func fail(_ error: TransportError) -> Event {
        held = []
        state = .failed(error)
        return .failed(error)
    }
}

// MARK: - Bodies

extension ResponseReader {
    private mutating func readLength(_ input: UnsafeRawBufferPointer, _ remaining: Int64) -> (consumed: Int, event: Event) {
        guard !input.isEmpty else { return (0, .needsMore) }
        let count = Int(min(remaining, Int64(input.count)))
        state = Int64(count) == remaining ? .ending : .length(remaining - Int64(count))
        return (count, .body(0..<count))
    }

    private mutating func readChunks(_ input: UnsafeRawBufferPointer) -> (consumed: Int, event: Event) {
        let (consumed, step) = chunks.read(input)
        switch step {
        case .more: return (consumed, .needsMore)
        case .data(let range): return (consumed, .body(range))
        case .malformed(let reason): return (consumed, malformed(reason))
        case .last:
            state = .trailers
            section = FieldSection(isTrailer: true, limit: ResponseLines.maximumBytes - headBytes)
            let (more, event) = readTrailers(UnsafeRawBufferPointer(rebasing: input[consumed...]))
            return (consumed + more, event)
        }
    }

    private mutating func readTrailers(_ input: UnsafeRawBufferPointer) -> (consumed: Int, event: Event) {
        switch readSection(input) {
        case .more: return (input.count, .needsMore)
        case .malformed(let problem): return (input.count, malformed(problem.reason))
        case .complete(let consumed, let received):
            state = .over
            var end = End(connectionStays: keepsConnection && consumed == input.count)
            if let received { end.trailers = HTTPHeaders(received: received.fields.filter { TrailerNames.isAllowed($0.name) }) }
            return (consumed, .end(end))
        }
    }
}

// MARK: - Heads

extension ResponseReader {
    private enum SectionStep {
        case more
        /// The number of consumed bytes, and the fields; nil if there are none or they are not wanted.
        case complete(Int, ReceivedFields?)
        case malformed(ResponseLines.Problem)
    }

    private mutating func readHeads(_ input: UnsafeRawBufferPointer) -> (consumed: Int, event: Event) {
        var consumed = 0
        while consumed < input.count {
            switch readSection(UnsafeRawBufferPointer(rebasing: input[consumed...])) {
            case .more: return (input.count, .needsMore)
            case .malformed(let problem): return (input.count, malformed(problem.reason))
            case .complete(let count, let received):
                consumed += count
                guard let event = takeHead(received) else { continue }
                return (consumed, event)
            }
        }
        return (consumed, .needsMore)
    }

    /// The event for a head that is complete; nil for an interim one that is not wanted.
    private mutating func takeHead(_ received: ReceivedFields?) -> Event? {
        let head = ResponseHead(
            statusCode: section.statusCode, httpVersion: Self.version(section.minorVersion),
            headers: received.map { HTTPHeaders(received: $0) } ?? HTTPHeaders())
        if head.statusCode < 200 {
            guard head.statusCode != 101 else {
                if mayUpgrade {
                    state = .over
                    return .upgraded(head)
                }
                return malformed("the server switched to another protocol (101), which is not supported")
            }
            section = FieldSection(isTrailer: false, limit: ResponseLines.maximumBytes - headBytes)
            return wantsInterim ? .interim(head) : nil
        }
        do throws(ResponseLines.Problem) {
            let framing = try ResponseBodyFraming(
                statusCode: head.statusCode, isHead: isHead, isConnect: isConnect, fields: section.framing)
            begin(framing)
            return .head(head)
        } catch {
            return malformed(error.reason)
        }
    }

    private mutating func begin(_ framing: ResponseBodyFraming) {
        let fields = section.framing
        bodyFraming = framing
        // RFC 9112 section 9.3; HTTP/1.0 closes unless it says otherwise.
        if fields.closes || section.minorVersion == 0 && !fields.keepsAlive { keepsConnection = false }
        // Both framings, or one that HTTP/1.0 does not have, may have misled somebody on the way (sections 6.1 and 6.3).
        if fields.coding != .none, fields.lengths.length != nil || section.minorVersion == 0 { keepsConnection = false }
        switch framing {
        case .none: state = .ending
        case .length(let length): state = .length(length)
        case .chunked: state = .chunks
        case .untilClose:
            keepsConnection = false
            state = .untilClose
        }
    }

    private static func version(_ minor: Int) -> String {
        switch minor {
        case 1: "HTTP/1.1"
        case 0: "HTTP/1.0"
        default: "HTTP/1.\(minor)"
        }
    }

    /// Reads the section in progress. One that comes whole is read where it is; of others the beginning is held.
    private mutating func readSection(_ input: UnsafeRawBufferPointer) -> SectionStep {
        guard !input.isEmpty else { return .more }
        guard held.isEmpty else { return readHeldSection(input) }
        switch section.read(input) {
        case .more:
            held.reserveCapacity(max(512, input.count))
            held.append(contentsOf: input)
            return .more
        case .complete(let count): return .complete(count, takeFields(from: input, count))
        case .malformed(let problem): return .malformed(problem)
        }
    }

    /// Adds the input to the held bytes line by line, because what follows the section does not belong there.
    private mutating func readHeldSection(_ input: UnsafeRawBufferPointer) -> SectionStep {
        var position = 0
        while position < input.count {
            let rest = UnsafeRawBufferPointer(rebasing: input[position...])
            let lineEnd = rest.firstOffset(of: UInt8(ascii: "\n"))
            let count = lineEnd.map { $0 + 1 } ?? rest.count
            held.append(contentsOf: rest[..<count])
            position += count
            let bytes = held
            let step = bytes.withUnsafeBytes { bytes in
                // Incomplete lines are not searched again for each piece.
                lineEnd == nil ? section.problem(inBeginning: bytes).map { .malformed($0) } ?? .more : section.read(bytes)
            }
            switch step {
            case .more: continue
            case .malformed(let problem): return .malformed(problem)
            case .complete(let size):
                held = []
                return .complete(position, bytes.withUnsafeBytes { takeFields(from: $0, size) })
            }
        }
        return .more
    }

    /// The fields of the complete section.
    private mutating func takeFields(from bytes: UnsafeRawBufferPointer, _ size: Int) -> ReceivedFields? {
        headBytes += size
        let isWanted = section.statusCode >= 200 || wantsInterim || mayUpgrade || section.statusCode == 0
        guard isWanted, !section.fields.isEmpty else { return nil }
        return ReceivedFields(copying: UnsafeRawBufferPointer(rebasing: bytes[section.fields]), noted: section.noted)
    }
}
