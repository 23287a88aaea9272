import Foundation

// swift-corelibs-foundation of Swift 6.3: `Progress` has no lock. Children that change on several threads lose each other's changes in
// their parent, and its set of children is damaged when one is complete while another is. Shown by `UnlockedProgressTests`.
extension Progress {
    #if canImport(Darwin)
        /// Whether a change calls observers, whose code must not run under a lock. Then the object has locks of its own.
        static let callsObservers = true
    #else
        static let callsObservers = false
    #endif

    /// One for all objects, because an object's change also changes its parents, which the objects of other requests may share.
    /// Its value is not `Void`: the thread sanitizer takes an access to nothing for one to the mutex, which lies at the same address.
    private static let changes = Locked(false)

    /// Sets both numbers. Where nobody observes them, those of other requests wait meanwhile.
    func set(completed: Int64, total: Int64) {
        let set = {
            // A parent's fraction of a body of 0 bytes would divide by zero on Linux.
            if total != 0, total != self.totalUnitCount { self.totalUnitCount = total }
            self.completedUnitCount = completed
        }
        if Self.callsObservers { set() } else { Self.changes.withLock { _ in set() } }
    }
}
