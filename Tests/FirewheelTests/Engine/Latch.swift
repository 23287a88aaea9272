import Foundation

/// Blocks async code until a test opens it, and ignores cancellation.
final class Latch: Sendable {
    private let lock = NSLock()
    // Only touched while holding `lock`.
    private nonisolated(unsafe) var isOpen = false
    private nonisolated(unsafe) var waiting: [CheckedContinuation<Void, Never>] = []

    func wait() async {
        await withCheckedContinuation { continuation in
            let goesOn = lock.withLock {
                if !isOpen { waiting.append(continuation) }
                return isOpen
            }
            if goesOn { continuation.resume() }
        }
    }

    func open() {
        let all = lock.withLock {
            isOpen = true
            defer { waiting = [] }
            return waiting
        }
        for continuation in all { continuation.resume() }
    }
}
