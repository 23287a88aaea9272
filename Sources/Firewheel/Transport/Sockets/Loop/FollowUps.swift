#if os(Linux)
    import Foundation

    /// Decides when the loop polls for a next request before it sleeps.
    ///
    /// A client that makes one request after another starts the next right after the last has ended. Polling for that moment saves an
    /// eventfd write, a sleep and a wake-up. If no request follows, polling is a waste, and then it is tried only occasionally.
    struct FollowUps {
        /// The seconds to poll: a few times what it takes to call a handler and to start a request.
        static let patience = 0.00005
        /// The interval of tries, in ended requests, while polling does not pay off.
        private static let rarely = 64

        /// Whether to poll now.
        private(set) var areExpected = false
        private var hasPaidOff = true
        private var skipped = 0
        private let isWorthwhile: Bool

        /// - Parameter processors: The number of processors. With one, a handler could not run while the loop polls.
        init(processors: Int = ProcessInfo.processInfo.activeProcessorCount) {
            isWorthwhile = processors > 1
        }

        /// Handles that the last running request has ended.
        mutating func noteIdle() {
            skipped += 1
            areExpected = isWorthwhile && (hasPaidOff || skipped >= Self.rarely)
        }

        /// Polls for a next request, and records whether that has paid off.
        mutating func await(_ hasCome: () -> Bool) {
            let end = MonotonicInstant.now().advanced(by: Self.patience)
            var isThere = hasCome()
            while !isThere, MonotonicInstant.now() < end { isThere = hasCome() }
            noteOutcome(isThere)
        }

        /// Records whether polling has paid off.
        mutating func noteOutcome(_ hasCome: Bool) {
            areExpected = false
            hasPaidOff = hasCome
            skipped = 0
        }
    }
#endif
