import Foundation

/// The fields of an event stream up to the blank line that completes an event.
struct EventBlock: Sendable {
    /// What a line has completed.
    enum Step: Sendable {
        case nothing
        case event(ServerSentEvent)
    }

    private let limit: Int
    /// The last event ID of the completed events; empty for none.
    private(set) var lastEventID: String
    /// The last reconnection time, which is in force as soon as its line is complete.
    private(set) var retry: Duration?

    /// What the standard calls the last event ID buffer: the ID once the block is complete.
    private var id: String
    /// Whether the block has an ID of its own, which then counts for its size.
    private var hasOwnID = false
    private var name = ""
    /// Every line of data with a line feed behind it.
    private var data: [UInt8] = []
    private var ownRetry: Duration?

    init(lastEventID: String, limit: Int) {
        self.limit = limit
        self.lastEventID = lastEventID
        id = lastEventID
    }

    /// Takes a line without its end.
    mutating func take(_ line: UnsafeRawBufferPointer) throws(EventStreamParser.EventTooLarge) -> Step {
        guard let start = line.baseAddress, !line.isEmpty else { return complete() }
        guard let colon = memchr(start, CInt(UInt8(ascii: ":")), line.count) else {
            try setField(line, UnsafeRawBufferPointer(start: nil, count: 0))
            return .nothing
        }
        let length = UnsafeRawPointer(colon) - start
        // A line that begins with a colon is a comment.
        guard length > 0 else { return .nothing }
        var value = line[(length + 1)...]
        if value.first == UInt8(ascii: " ") { value = value.dropFirst() }
        try setField(UnsafeRawBufferPointer(rebasing: line[..<length]), UnsafeRawBufferPointer(rebasing: value))
        return .nothing
    }

    /// Drops an incomplete block and its ID.
    mutating func drop() {
        id = lastEventID
        clear()
    }

    // MARK: Fields

    private mutating func setField(_ field: UnsafeRawBufferPointer, _ value: UnsafeRawBufferPointer) throws(EventStreamParser.EventTooLarge)
    {
        if field.isSame("data") {
            try checkSize(data.count + nameCount + idCount, value)
            data.append(contentsOf: value)
            data.append(UInt8(ascii: "\n"))
        } else if field.isSame("event") {
            try checkSize(data.count + idCount, value)
            name = String(decoding: value, as: UTF8.self)
        } else if field.isSame("id") {
            guard !value.contains(0) else { return }
            try checkSize(data.count + nameCount, value)
            id = String(decoding: value, as: UTF8.self)
            hasOwnID = true
        } else if field.isSame("retry"), let time = Self.reconnectionTime(value) {
            retry = time
            ownRetry = time
        }
    }

    private var nameCount: Int { name.utf8.count }
    private var idCount: Int { hasOwnID ? id.utf8.count : 0 }

    private func checkSize(_ others: Int, _ value: UnsafeRawBufferPointer) throws(EventStreamParser.EventTooLarge) {
        guard value.count <= limit - others else { throw EventStreamParser.EventTooLarge(limit: limit) }
    }

    /// The longest reconnection time that is taken over from a server: a day. A larger number counts as a day, since it never
    /// means a shorter wait.
    private static let longestMilliseconds: Int64 = 86_400_000

    /// nil unless the value consists of digits.
    private static func reconnectionTime(_ value: UnsafeRawBufferPointer) -> Duration? {
        guard !value.isEmpty else { return nil }
        var milliseconds: Int64 = 0
        for byte in value {
            guard (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) else { return nil }
            milliseconds = min(milliseconds * 10 + Int64(byte - UInt8(ascii: "0")), longestMilliseconds)
        }
        return .milliseconds(milliseconds)
    }

    // MARK: Blank line

    private mutating func complete() -> Step {
        lastEventID = id
        defer { clear() }
        // Without a line of data there is no event, though the ID counts.
        guard !data.isEmpty else { return .nothing }
        return .event(
            ServerSentEvent(
                id: id.isEmpty ? nil : id, event: name.isEmpty ? nil : name,
                data: String(decoding: data.dropLast(), as: UTF8.self), retry: ownRetry))
    }

    private mutating func clear() {
        // One large event must not hold its memory for the rest of the stream.
        data.removeAll(keepingCapacity: data.capacity <= 65_536)
        name = ""
        hasOwnID = false
        ownRetry = nil
    }
}

extension UnsafeRawBufferPointer {
    fileprivate func isSame(_ name: StaticString) -> Bool {
        guard let baseAddress, count == name.utf8CodeUnitCount else { return false }
        return memcmp(baseAddress, name.utf8Start, count) == 0
    }
}
