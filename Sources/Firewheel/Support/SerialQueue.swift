import Dispatch
import Foundation

/// A serial dispatch queue that can assert that the current code runs on it.
struct SerialQueue: Sendable {
    let queue: DispatchQueue

    /// Creates a serial queue. With a target, work runs on that queue, which may be concurrent or the main queue; it is still serialized.
    init(label: String, target: DispatchQueue? = nil) {
        queue = DispatchQueue(label: label, target: target)
    }

    func async(_ work: @escaping @Sendable () -> Void) {
        queue.async(execute: work)
    }

    /// Traps unless called on this queue. No input can cause this, only a mistake in the library.
    func assertIsCurrent() {
        dispatchPrecondition(condition: .onQueue(queue))
    }
}
