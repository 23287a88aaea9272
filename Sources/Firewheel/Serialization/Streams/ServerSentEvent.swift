/// An event of a `text/event-stream` (HTML standard, section 9.2).
public struct ServerSentEvent: Sendable, Hashable {
    /// The last event ID in force: that of this event, or of the last one before it that had an ID, also on an earlier connection. nil if
    /// there was none, or the server has reset it with an empty one.
    public let id: String?
    /// The name of the event as the server sent it. nil for an event without a name, which browsers dispatch as `message`.
    public let event: String?
    /// The data. Several lines are joined by line feeds.
    public let data: String
    /// The reconnection time that came with this event. nil if it came with none; the last one remains in force.
    public let retry: Duration?

    /// Creates an event, for tests of code that receives events.
    ///
    /// - Parameters:
    ///   - id: The last event ID. Default: nil, none.
    ///   - event: The name. Default: nil, none.
    ///   - data: The data.
    ///   - retry: The reconnection time. Default: nil, none.
    public init(id: String? = nil, event: String? = nil, data: String, retry: Duration? = nil) {
        self.id = id
        self.event = event
        self.data = data
        self.retry = retry
    }
}
