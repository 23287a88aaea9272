import Dispatch
import Foundation

/// A serial dispatch queue that can assert that it is the one running.
struct SerialQueue: Sendable {
    let queue: DispatchQueue

    /// A new serial queue. With a target its work runs on that queue, which may be concurrent or the main queue: what is put on this one
    /// still runs one at a time.
    init(label: String, target: DispatchQueue? = nil) {
        queue = DispatchQueue(label: label, target: target)
    }

    func async(_ work: @escaping @Sendable () -> Void) {
        queue.async(execute: work)
    }

    /// Ends the program unless called on this queue. No data can reach this: only a mistake in the library's own code.
    func assertIsCurrent() {
        dispatchPrecondition(condition: .onQueue(queue))
    }
}
