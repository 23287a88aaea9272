import Foundation

/// Writes the body of a response to a temporary file as it arrives, on a queue of its own, so that a slow disk holds up no other request.
/// The file is removed with the writer, unless it becomes an entry's.
final class CacheBodyWriter: Sendable {
    /// A complete body in a temporary file.
    struct Written: Sendable {
        let file: TemporaryFile
        let count: Int
        let checksums: [UInt32]
    }

    private struct State {
        var written: TemporaryFile?
        var open: OpenFile?
        var checksums = BlockChecksums()
        var count = 0
        var failure: (any Error)?
    }

    private let queue = WorkerQueue()
    private let state: Confined<State, WorkerQueue>
    /// The bytes so far, also those that are not written yet.
    private let total = Locked(0)
    private let isDiscarded = Locked(false)
    private let makeFile: @Sendable () throws -> (TemporaryFile, OpenFile)
    /// Called with the number of bytes of each piece that needs no more memory, written or not.
    private let onWritten: @Sendable (Int) -> Void

    init(
        makeFile: @escaping @Sendable () throws -> (TemporaryFile, OpenFile), onWritten: @escaping @Sendable (Int) -> Void
    ) {
        state = Confined(State(), to: queue)
        self.makeFile = makeFile
        self.onWritten = onWritten
    }

    var count: Int { total.withLock { $0 } }

    func append(_ piece: Data) {
        total.withLock { $0 += piece.count }
        queue.async { [self] in
            state.with { write(piece, &$0) }
            onWritten(piece.count)
        }
    }

    private func write(_ piece: Data, _ state: inout State) {
        guard state.failure == nil, !isDiscarded.withLock({ $0 }) else { return }
        do {
            if state.open == nil { (state.written, state.open) = try makeFile() }
            try state.open?.write(piece)
            state.checksums.add(piece)
            state.count += piece.count
        } catch {
            state.failure = error
            (state.open, state.written) = (nil, nil)
        }
    }

    /// The body will not be stored.
    func discard() {
        isDiscarded.withLock { $0 = true }
        queue.async { [self] in state.with { ($0.open, $0.written) = (nil, nil) } }
    }

    /// Waits until everything is written. To be called once, on a thread that may block.
    ///
    /// - Throws: Why it could not be written.
    func finish() throws -> Written {
        let ended = DispatchSemaphore(value: 0)
        let result = Locked<Result<Written, any Error>?>(nil)
        queue.async { [self] in
            let outcome = Result { try state.with { try end(&$0) } }
            result.withLock { $0 = outcome }
            ended.signal()
        }
        ended.wait()
        guard let outcome = result.withLock({ $0 }) else { throw POSIXError(.EIO) }
        return try outcome.get()
    }

    private func end(_ state: inout State) throws -> Written {
        if let failure = state.failure { throw failure }
        if state.open == nil { (state.written, state.open) = try makeFile() }
        try state.open?.close()
        guard let file = state.written.take() else { throw POSIXError(.EIO) }
        return Written(file: file, count: state.count, checksums: state.checksums.values)
    }
}
