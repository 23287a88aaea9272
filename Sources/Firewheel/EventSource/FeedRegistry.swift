/// The event sources of a session that have connected and are not closed. Between two connections they have no request, through which the
/// session could end them.
final class FeedRegistry: Sendable {
    private struct Entry: Sendable {
        weak var feed: EventFeed?
    }

    private let feeds = Locked<[ObjectIdentifier: Entry]>([:])

    func add(_ feed: EventFeed) {
        feeds.withLock { $0[ObjectIdentifier(feed)] = Entry(feed: feed) }
    }

    func remove(_ feed: EventFeed) {
        feeds.withLock { $0[ObjectIdentifier(feed)] = nil }
    }

    /// Closes all of them, or those that wait before they connect again.
    func end(with error: FirewheelError, onlyWaiting: Bool = false) {
        for feed in feeds.withLock({ $0.values.compactMap(\.feed) }) where !onlyWaiting || feed.isBetweenConnections {
            feed.end(with: error)
        }
    }
}
