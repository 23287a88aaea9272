import Foundation

/// A send buffer. Small pieces are combined, so that a head and its body are sent in one packet.
struct Outbox {
    private static let limit = 64 * 1024

    private let descriptor: Int32
    private var pending = Data()

    init(_ descriptor: Int32) { self.descriptor = descriptor }

    /// Adds bytes. Sends what exceeds the buffer, but always keeps the last bytes for ``flush()``, before which the client cannot have seen
    /// everything.
    mutating func write(_ data: Data) throws {
        if pending.count + data.count <= Self.limit {
            if pending.isEmpty { pending = data } else { pending += data }
            return
        }
        try flush()
        let first = max(0, data.count - Self.limit)
        try send(data.prefix(first))
        pending = Data(data.dropFirst(first))
    }

    /// Sends everything.
    mutating func flush() throws {
        guard !pending.isEmpty else { return }
        try send(pending)
        pending = Data()
    }

    private func send(_ data: Data) throws {
        guard data.withUnsafeBytes({ PlatformSocket.send(descriptor, $0) }) else { throw ConnectionLost() }
    }
}
