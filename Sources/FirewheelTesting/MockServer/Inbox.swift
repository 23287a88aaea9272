import Foundation

/// The received and unprocessed bytes of a connection, including pipelined requests.
struct Inbox {
    private var bytes: [UInt8] = []
    /// The bytes before it have been processed.
    private var start = 0
    private var scratch = [UInt8](repeating: 0, count: 32 * 1024)

    var count: Int { bytes.count - start }
    var isEmpty: Bool { count == 0 }

    /// Receives once.
    ///
    /// - Parameter waits: Whether to wait for data.
    /// - Returns: The number of bytes received; 0 at the end of the stream; nil if there are none, or on an error.
    mutating func receive(from descriptor: Int32, waits: Bool = true) -> Int? {
        let received = scratch.withUnsafeMutableBytes { PlatformSocket.receive(descriptor, into: $0, waits: waits) }
        guard let received, received > 0 else { return received }
        if start == bytes.count { discard() }
        bytes += scratch[..<received]
        return received
    }

    /// Removes and returns the first line.
    ///
    /// - Returns: The line with its line break; nil if it is incomplete.
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

    /// Moves at most `limit` bytes from the front to the end of `data`.
    ///
    /// - Returns: The number of bytes moved.
    mutating func move(upTo limit: Int, to data: inout Data) -> Int {
        let moved = min(limit, count)
        data.append(contentsOf: bytes[start..<start + moved])
        start += moved
        return moved
    }

    /// Discards all bytes.
    mutating func discard() {
        start = 0
        // Releases the memory of a large burst.
        bytes.removeAll(keepingCapacity: bytes.count < 1 << 20)
    }
}
