/// Measures how many frames a server sends that carry nothing of a response, so that a flood of them ends the connection (RFC 9113 section
/// 10.5). Counts the heads of all frames, also of those that the library ignores.
///
/// Frames cost points, more of them if they make work here. Data, heads, and what this side sends earn points, and time does.
struct HTTP2FrameMeter {
    /// The most points that there can be, and those at the beginning.
    static let most = 100_000
    static let pointsOfSecond: Double = 1_000
    /// What a frame costs that needs an answer or other work.
    private static let work = 10

    private(set) var points = most
    private var lastTime: MonotonicInstant?
    /// The first bytes of a frame's head: three for the length, one each for kind and flags.
    private var start: UInt64 = 0
    private var headCount = 0
    private var payload = 0

    /// Reads the next bytes of the connection.
    ///
    /// - Returns: The number of bytes before a frame that ends the connection, and the code for that; nil if there is none.
    mutating func read(_ bytes: UnsafeRawBufferPointer, at now: MonotonicInstant) -> (offset: Int, code: HTTP2ErrorCode)? {
        earnTime(now)
        var position = 0
        while position < bytes.count {
            if payload > 0 {
                let skipped = min(payload, bytes.count - position)
                payload -= skipped
                position += skipped
                continue
            }
            if headCount < 5 { start = start << 8 | UInt64(bytes[position]) }
            headCount += 1
            position += 1
            guard headCount == 9 else { continue }
            headCount = 0
            payload = Int(start >> 16 & 0xFF_FFFF)
            let (kind, flags) = (UInt8(truncatingIfNeeded: start >> 8), UInt8(truncatingIfNeeded: start))
            start = 0
            // The library accepts PUSH_PROMISE until the server has acknowledged that it may not push (section 6.6).
            if kind == 5 { return (position - min(9, position), .protocolError) }
            count(kind, flags: flags)
            if points < 0 { return (position, .enhanceYourCalm) }
        }
        return nil
    }

    mutating func earn(_ count: Int) { points = min(Self.most, points + min(count, Self.most)) }

    private mutating func earnTime(_ now: MonotonicInstant) {
        guard points < Self.most, let lastTime else {
            lastTime = now
            return
        }
        let earned = now.seconds(since: lastTime) * Self.pointsOfSecond
        guard earned >= 1 else { return }
        earn(Int(min(earned, Double(Self.most))))
        self.lastTime = now
    }

    /// RFC 9113 section 6.
    private mutating func count(_ kind: UInt8, flags: UInt8) {
        let isFlagged = flags & 1 != 0
        switch kind {
        case 0:
            // DATA. What ends a stream is no waste.
            if payload > 0 { earn(payload) } else if !isFlagged { points -= 1 }
        case 1, 3, 7, 9:
            // HEADERS, RST_STREAM, GOAWAY, CONTINUATION.
            points -= Self.work
        case 4, 6:
            // SETTINGS and PING, which are answered unless they are answers.
            points -= isFlagged ? 1 : Self.work
        default: points -= 1
        }
    }
}
