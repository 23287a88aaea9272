#if os(Linux)
    import Foundation

    /// When the loop looks out for a next request before it sleeps.
    ///
    /// Who makes one request after the other starts the next a few microseconds after the last has ended. To fall asleep in between and be
    /// woken takes a write to the eventfd, a sleep and a waking more. Where none follows, looking out is a waste: then it is done for one
    /// end in 64 only.
    struct FollowUps {
        /// For how long, in seconds: a few times what it takes a handler to be called and to start a request.
        static let patience = 0.00005
        /// Of so many ends one is tried while none is followed by a request.
        private static let rarely = 64

        /// Whether to look out now.
        private(set) var areExpected = false
        private var hasPaidOff = true
        private var skipped = 0
        private let isWorthwhile: Bool

        /// - Parameter processors: How many there are to run threads. On the only one a handler could not run while the loop looks out.
        init(processors: Int = ProcessInfo.processInfo.activeProcessorCount) {
            isWorthwhile = processors > 1
        }

        /// The last request under way has ended.
        mutating func noteIdle() {
            skipped += 1
            areExpected = isWorthwhile && (hasPaidOff || skipped >= Self.rarely)
        }

        /// What came of looking out.
        mutating func noteOutcome(_ hasCome: Bool) {
            areExpected = false
            hasPaidOff = hasCome
            skipped = 0
        }
    }
#endif
