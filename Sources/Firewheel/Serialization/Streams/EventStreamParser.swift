import Foundation

/// Parses a `text/event-stream` by the HTML standard's rules (section 9.2.6, "Interpreting an event stream").
///
/// An event at the end of the stream without a blank line behind it is dropped with its ID. The stream is always UTF-8; invalid bytes
/// become U+FFFD.
struct EventStreamParser: Sendable {
    /// An event, or a line of the stream, is larger than the limit.
    struct EventTooLarge: Error, Hashable {
        /// The limit in bytes.
        let limit: Int
    }

    /// The default limit: 16 MiB. Events with an image in base64 have several mebibytes.
    static let defaultMaximumEventSize = 16_777_216

    private let maximumEventSize: Int
    private var lines: LineSplitter
    private var block: EventBlock
    private var hasFailed = false

    /// - Parameters:
    ///   - lastEventID: That of an earlier connection; nil for none.
    ///   - maximumEventSize: For the data, the name and the ID of an event together, in bytes. Negative numbers count as 0.
    init(lastEventID: String? = nil, maximumEventSize: Int = defaultMaximumEventSize) {
        self.maximumEventSize = max(0, maximumEventSize)
        lines = Self.lines(self.maximumEventSize)
        block = EventBlock(lastEventID: lastEventID ?? "", limit: self.maximumEventSize)
    }

    /// The last event ID in force; nil if there is none.
    var lastEventID: String? { block.lastEventID.isEmpty ? nil : block.lastEventID }

    /// The last reconnection time that the server has sent; nil if it has sent none.
    var retry: Duration? { block.retry }

    /// Adds the next piece of the stream.
    mutating func append(_ piece: Data) {
        if !hasFailed { lines.append(piece) }
    }

    /// The next complete event; nil if there is none until the next piece.
    ///
    /// - Throws: ``EventTooLarge``. After that there are no more events until `reset()`.
    mutating func next() throws(EventTooLarge) -> ServerSentEvent? {
        do {
            while let step = try lines.next({ try block.take($0) }) {
                if case .event(let event) = step { return event }
            }
            return nil
        } catch {
            // The splitter's own error, or the block's.
            reset()
            hasFailed = true
            throw EventTooLarge(limit: maximumEventSize)
        }
    }

    /// Begins a new connection: drops an incomplete event, and keeps the last event ID and the reconnection time.
    mutating func reset() {
        lines = Self.lines(maximumEventSize)
        block.drop()
        hasFailed = false
    }

    /// A line may also have a field's name, a colon and a space.
    private static func lines(_ maximumEventSize: Int) -> LineSplitter {
        let (length, overflows) = maximumEventSize.addingReportingOverflow(7)
        return LineSplitter(maximumLength: overflows ? .max : length)
    }
}
