import Foundation

/// Bytes that have arrived on a connection and are not used yet. What comes early, a pipelined request for one, stays here until its turn.
struct Inbox {
    private var bytes: [UInt8] = []
    /// Everything before it is used.
    private var start = 0
    private var scratch = [UInt8](repeating: 0, count: 32 * 1024)

    var count: Int { bytes.count - start }
    var isEmpty: Bool { count == 0 }

    /// Receives once.
    ///
    /// - Parameter waits: Whether to wait for something to come.
    /// - Returns: The number of bytes received, 0 at the end of the stream, nil for nothing there or an error.
    mutating func receive(from descriptor: Int32, waits: Bool = true) -> Int? {
        let received = scratch.withUnsafeMutableBytes { PlatformSocket.receive(descriptor, into: $0, waits: waits) }
        guard let received, received > 0 else { return received }
        if start == bytes.count { discard() }
        bytes += scratch[..<received]
        return received
    }

    /// Takes a line off the front.
    ///
    /// - Returns: The line with its line end, nil if there is no whole line yet.
    mutating func takeLine() -> ArraySlice<UInt8>? {
        guard count > 0 else { return nil }
        let length = bytes.withUnsafeBytes { all -> Int? in
            let rest = all[start...]
            guard let base = UnsafeRawBufferPointer(rebasing: rest).baseAddress, let end = memchr(base, 10, rest.count) else { return nil }
            return UnsafeRawPointer(end) - base + 1
        }
        guard let length else { return nil }
        defer { start += length }
        return bytes[start..<start + length]
    }

    /// Moves at most `limit` bytes off the front to the end of `data`.
    ///
    /// - Returns: How many.
    mutating func move(upTo limit: Int, to data: inout Data) -> Int {
        let moved = min(limit, count)
        data.append(contentsOf: bytes[start..<start + moved])
        start += moved
        return moved
    }

    /// Throws away all of it.
    mutating func discard() {
        start = 0
        // One huge burst shall not hold its memory for the rest of the connection.
        bytes.removeAll(keepingCapacity: bytes.count < 1 << 20)
    }
}
