import Foundation

/// What a test's code was called with, on any thread, and a way to wait for a number of calls.
final class Notes<Note: Sendable>: Sendable {
    private struct State {
        var notes: [Note] = []
        var waiting: [(count: Int, continuation: CheckedContinuation<[Note], Never>)] = []
    }

    private let lock = NSLock()
    // Used only while holding `lock`.
    private nonisolated(unsafe) var state = State()

    /// The notes so far.
    var all: [Note] { lock.withLock { state.notes } }

    /// - Returns: The number of notes, including this one.
    @discardableResult
    func add(_ note: Note) -> Int {
        let (notes, ready) = lock.withLock { () -> ([Note], [CheckedContinuation<[Note], Never>]) in
            state.notes.append(note)
            let count = state.notes.count
            let ready = state.waiting.filter { $0.count <= count }.map(\.continuation)
            state.waiting.removeAll { $0.count <= count }
            return (state.notes, ready)
        }
        for continuation in ready { continuation.resume(returning: notes) }
        return notes.count
    }

    /// Ends a cycle: notes may refer to what has these notes.
    func removeAll() { lock.withLock { state.notes = [] } }

    /// Waits until there are so many notes.
    @discardableResult
    func wait(for count: Int) async -> [Note] {
        await withCheckedContinuation { continuation in
            let present = lock.withLock { () -> [Note]? in
                if state.notes.count >= count { return state.notes }
                state.waiting.append((count, continuation))
                return nil
            }
            if let present { continuation.resume(returning: present) }
        }
    }
}
