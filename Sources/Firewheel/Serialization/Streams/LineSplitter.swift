import Foundation

/// Splits a stream of bytes into lines, which end with LF, CRLF or CR. A byte order mark at the start is removed.
///
/// A CR at the end of a piece ends its line at once, because the next piece of a feed may be hours away. An LF at the start of the next
/// piece then belongs to it. A line within one piece is not copied, and no byte is searched twice for the same end of line.
struct LineSplitter: Sendable {
    /// A line is longer than the limit.
    struct LineTooLong: Error, Hashable {
        /// The limit in bytes.
        let limit: Int
    }

    /// In bytes, without the end of the line.
    let maximumLength: Int

    /// The piece that is being split, and the offset of its first byte that has not been returned.
    private var piece = Data()
    private var position = 0
    /// The offset of the first LF and the first CR from `position` on, or the piece's length if there is none. Known only while it is not
    /// less than `position`.
    private var lineFeed = -1
    private var carriageReturn = -1
    /// The beginning of a line that continues in the next piece.
    private var beginning: [UInt8] = []
    private var mark = ByteOrderMark()
    /// Whether an LF at the start of the next piece belongs to the last line's CR.
    private var skipsLineFeed = false
    private var hasFailed = false

    /// - Parameter maximumLength: In bytes. Negative numbers count as 0.
    init(maximumLength: Int) {
        self.maximumLength = max(0, maximumLength)
    }

    /// Adds the next piece of the stream. Cheapest once `next(_:)` has returned nil for the last one.
    mutating func append(_ piece: Data) {
        guard !hasFailed, !piece.isEmpty else { return }
        let (skipped, restored) = mark.take(piece)
        beginning += restored
        var new = piece.dropFirst(skipped)
        if skipsLineFeed, let first = new.first {
            skipsLineFeed = false
            if first == UInt8(ascii: "\n") { new = new.dropFirst() }
        }
        if position < self.piece.count { new = self.piece.dropFirst(position) + new }
        use(new)
    }

    private mutating func use(_ new: Data) {
        (piece, position, lineFeed, carriageReturn) = (new, 0, -1, -1)
    }

    /// The next complete line.
    ///
    /// - Parameter make: Gets the line without its end, and may use the memory only until it returns. An error that it throws is passed on,
    ///   and the next call returns the line after that.
    /// - Returns: nil if there is none until the next piece.
    /// - Throws: ``LineTooLong`` as soon as a line is known to be longer than the limit. After that there are no more lines.
    mutating func next<Line>(_ make: (UnsafeRawBufferPointer) throws -> Line) throws -> Line? {
        guard position < piece.count else {
            // The memory of large pieces is used again.
            if !piece.isEmpty { use(Data()) }
            return nil
        }
        let start = position
        let piece = piece
        let end = piece.withUnsafeBytes { nextEnd(in: $0) }
        guard end - start <= maximumLength - beginning.count else { throw fail() }
        if end == piece.count {
            piece.withUnsafeBytes { beginning.append(contentsOf: $0[start..<end]) }
            use(Data())
            return nil
        }
        moveBehindEnd(at: end, of: piece.count)
        guard beginning.isEmpty else {
            piece.withUnsafeBytes { beginning.append(contentsOf: $0[start..<end]) }
            return try takeBeginning(make)
        }
        return try piece.withUnsafeBytes { try make(UnsafeRawBufferPointer(rebasing: $0[start..<end])) }
    }

    /// The next lines that lie within one piece. Cheaper for each of many than `next(_:)`, which is to be called for all others.
    ///
    /// - Parameters:
    ///   - count: The most lines.
    ///   - use: Gets each line as the closure of `next(_:)`.
    mutating func takeWhole(upTo count: Int, _ use: (UnsafeRawBufferPointer) -> Void) {
        guard beginning.isEmpty, position < piece.count else { return }
        let piece = piece
        piece.withUnsafeBytes { bytes in
            for _ in 0..<count {
                let (start, end) = (position, nextEnd(in: bytes))
                guard end < bytes.count, end - start <= maximumLength else { return }
                moveBehindEnd(at: end, of: bytes.count)
                use(UnsafeRawBufferPointer(rebasing: bytes[start..<end]))
            }
        }
    }

    /// What is left when the stream has ended: complete lines if there are any, then the last line if it has no end. To be called until it
    /// returns nil.
    ///
    /// - Throws: As `next(_:)`.
    mutating func finish<Line>(_ make: (UnsafeRawBufferPointer) throws -> Line) throws -> Line? {
        if let line = try next(make) { return line }
        beginning += mark.finish()
        guard beginning.count <= maximumLength else { throw fail() }
        return beginning.isEmpty ? nil : try takeBeginning(make)
    }

    /// The offset of the next end of a line, or the piece's length if there is none.
    private mutating func nextEnd(in piece: UnsafeRawBufferPointer) -> Int {
        if lineFeed < position { lineFeed = piece.offset(of: UInt8(ascii: "\n"), from: position) }
        if carriageReturn < position { carriageReturn = piece.offset(of: UInt8(ascii: "\r"), from: position) }
        return min(lineFeed, carriageReturn)
    }

    private mutating func moveBehindEnd(at end: Int, of count: Int) {
        position = end + 1
        guard end == carriageReturn else { return }
        if position == count {
            skipsLineFeed = true
        } else if lineFeed == position {
            position += 1
        }
    }

    private mutating func takeBeginning<Line>(_ make: (UnsafeRawBufferPointer) throws -> Line) throws -> Line {
        // One long line must not hold its memory for the rest of the stream.
        defer { beginning.removeAll(keepingCapacity: beginning.capacity <= 65_536) }
        return try beginning.withUnsafeBytes(make)
    }

    private mutating func fail() -> LineTooLong {
        hasFailed = true
        beginning = []
        use(Data())
        return LineTooLong(limit: maximumLength)
    }
}

extension UnsafeRawBufferPointer {
    /// The offset of the first such byte at or after an offset; the number of bytes if there is none.
    fileprivate func offset(of byte: UInt8, from start: Int) -> Int {
        guard let base = baseAddress, start < count, let found = memchr(base + start, CInt(byte), count - start) else { return count }
        return UnsafeRawPointer(found) - base
    }
}
