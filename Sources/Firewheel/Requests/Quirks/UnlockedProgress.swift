import Foundation

// swift-corelibs-foundation of Swift 6.3: `Progress` has no lock. Children that change on several threads lose each other's changes in their
// parent, and its set of children is damaged when two are complete at once. Shown by `UnlockedProgressTests`.
extension Progress {
    #if !canImport(Darwin)
        /// One for all objects, because an object's change also changes its parents, which the objects of other requests may share.
        private static let changes = Locked(())
    #endif

    /// Changes the numbers; those of other requests at the same time do no harm.
    func change(_ numbers: (Progress) -> Void) {
        #if canImport(Darwin)
            // It has locks of its own, and observers, whose code must not run inside of another.
            numbers(self)
        #else
            Self.changes.withLock { _ in numbers(self) }
        #endif
    }
}
