import Foundation

/// The file of one download attempt. It is written and removed on a queue of its own, and moved on another thread, so that a slow disk or a
/// blocking closure holds up nothing else. The owner must call `finish`, `discard` or `leave` at the end.
final class FileSink: Sendable {
    /// The most bytes of a rejected body that its error carries.
    private static let errorBodyLimit = 1 << 20

    struct State {
        let storage: Storage
        /// The file while it is being written. A partial file stays open, and so locked, until it is placed.
        var open: OpenFile?
        /// The same file, until it is placed, kept or removed.
        var stored: StoredFile?
        /// The partial file to go on with, before it is known whether that is possible.
        var reopened: OpenFile?
        /// The bytes in the file.
        var count: Int64 = 0
        /// Why nothing more can be written, until the file is resumed.
        var failure: FirewheelError?
        var isOver = false
        /// Whether the file is being moved, on another thread than the queue's.
        var isPlacing = false
    }

    /// The kind of file that is written.
    enum Storage: Sendable {
        /// A file that is removed unless it becomes the download's.
        case temporary
        /// A new partial file with this id, of a download that can be resumed: see ``ResumeData``.
        case partial(String)
        /// An existing partial file with at least this many bytes. Nothing is written before `resume(at:)`.
        case resumed(String, count: Int64)
    }

    let folder: TemporaryFolder
    let queue = WorkerQueue()
    let state: Confined<State, WorkerQueue>
    /// Set at once, so that it also affects work that is running.
    let isDiscarded = Locked(false)

    /// - Parameter folder: The folder for the temporary file; nil for the system's.
    init(in folder: URL? = nil, _ storage: Storage = .temporary) {
        self.folder = TemporaryFolder(folder)
        state = Confined(State(storage: storage), to: queue)
    }

    /// Appends bytes. Once the file cannot be written, `done` gets the error, and so it does for later bytes until the file is resumed. A
    /// discarded sink ignores bytes without an answer.
    func write(_ data: Data, done: @escaping @Sendable (FirewheelError?) -> Void) {
        queue.async { [self] in
            let result = state.with { state -> Result<Void, FirewheelError>? in
                guard !isDiscarded.withLock({ $0 }) else { return nil }
                if let failure = state.failure { return .failure(failure) }
                do {
                    // Only a mistake in the library writes after the end.
                    if state.isOver { throw POSIXError.of(EBADF, path: folder.path) }
                    try open(&state)
                    try state.open?.write(data)
                    state.count += Int64(data.count)
                    return .success(())
                } catch {
                    let failure = folder.failure(error)
                    state.failure = failure
                    return .failure(failure)
                }
            }
            switch result {
            case .success: done(nil)
            case .failure(let failure): done(failure)
            case nil: break
            }
        }
    }

    /// Ends the writing and passes the temporary file, if any, to `done`.
    ///
    /// - Parameter createIfMissing: Create an empty file if nothing was written.
    func finish(createIfMissing: Bool, done: @escaping @Sendable (URL?, FirewheelError?) -> Void) {
        queue.async { [self] in
            let (url, failure) = state.with { state -> (URL?, FirewheelError?) in
                guard !isDiscarded.withLock({ $0 }) else { return (nil, nil) }
                state.isOver = true
                do {
                    if createIfMissing, state.failure == nil { try open(&state) }
                    switch state.stored {
                    case .temporary: try state.open?.close()
                    case .partial: try state.open?.checkClosing()
                    case nil: break
                    }
                } catch {
                    state.failure = state.failure ?? folder.failure(error)
                }
                return (state.stored?.url, state.failure)
            }
            done(url, failure)
        }
    }

    /// Removes the file in any state, but not one that has been placed, nor one that was reopened and not resumed. Later calls do nothing:
    /// `finish` and `place` then report that there is no file.
    ///
    /// - Parameters:
    ///   - removesReopened: Whether a file that was reopened and not resumed is removed, too.
    ///   - done: Called when the file is removed. One that is being placed is removed when the destination closure returns, which is not
    ///     waited for.
    func discard(removesReopened: Bool = false, done: @escaping @Sendable () -> Void = {}) {
        isDiscarded.withLock { $0 = true }
        queue.async { [self] in
            state.with { state in
                if removesReopened, state.reopened != nil, case .resumed(let id, _) = state.storage { folder.partials.remove(id) }
                if !state.isPlacing { Self.remove(&state) }
            }
            done()
        }
    }

    /// Moves the finished file to the destination that a closure returns. Meanwhile a partial file can be left for resuming.
    ///
    /// - Parameters:
    ///   - destination: The caller's closure, which may block.
    ///   - isAwaited: Asked before the closure, and during a long copy. False aborts the move.
    ///   - commits: Asked once, right before the file gets its new name. False aborts the move.
    ///   - done: Gets the file's URL, or the error; nil if there is no file or the move was aborted. Without success, a temporary file is
    ///     removed, and a partial one stays for `leave` or `discard`.
    func place(
        _ destination: @escaping @Sendable (URL) -> FilePlacement, while isAwaited: @escaping @Sendable () -> Bool,
        commits: @escaping @Sendable () -> Bool, done: @escaping @Sendable (Result<URL, FirewheelError>?) -> Void
    ) {
        let (isAwaited, commits) = (unlessDiscarded(isAwaited), unlessDiscarded(commits))
        settle(done: done) { [folder] stored in
            guard isAwaited() else { return nil }
            let placement = destination(stored.url)
            do {
                if case .partial = stored, placement.isPlace(of: stored.url) {
                    guard commits() else { return nil }
                    // The caller's file must not keep the name under which resume data finds it.
                    let file = try stored.kept(in: folder)
                    FilePlacement.giveUsualMode(file.url)
                    file.claim()
                    return .success(file.url)
                }
                guard let url = try placement.move(stored.url, while: isAwaited, commits: commits) else { return nil }
                stored.didMove()
                return .success(url)
            } catch {
                return .failure(PlacementFailure.report(error, from: stored.url, to: placement.url))
            }
        }
    }

    /// Leaves the finished file in place, with the default permissions. It is removed with the last reference to it, unless the caller
    /// gets its URL.
    func keep(commits: @escaping @Sendable () -> Bool, done: @escaping @Sendable (Result<TemporaryFile, FirewheelError>?) -> Void) {
        let commits = unlessDiscarded(commits)
        settle(done: done) { [folder] stored in
            guard commits() else { return nil }
            do {
                let file = try stored.kept(in: folder)
                FilePlacement.giveUsualMode(file.url)
                return .success(file)
            } catch {
                return .failure(folder.failure(error))
            }
        }
    }

    /// The same question, answered with false once the file has been discarded.
    private func unlessDiscarded(_ question: @escaping @Sendable () -> Bool) -> @Sendable () -> Bool {
        { self.isDiscarded.withLock { $0 } ? false : question() }
    }

    /// Ends what the sink does with the file: it is moved, or removed, or stays for `leave` or `discard`.
    ///
    /// - Parameter move: Gets the file. nil if it is no longer needed. It may block: so it does not run on the queue, and holds up neither
    ///   `leave` nor `discard`.
    private func settle<Value: Sendable>(
        done: @escaping @Sendable (Result<Value, FirewheelError>?) -> Void,
        move: @escaping @Sendable (StoredFile) -> Result<Value, FirewheelError>?
    ) {
        queue.async { [self] in
            let stored = state.with { state -> StoredFile? in
                guard state.isOver, !state.isPlacing, let stored = state.stored else { return nil }
                state.isPlacing = true
                return stored
            }
            guard let stored else { return done(nil) }
            WorkerPool.shared.run { [self] in
                let result = move(stored)
                queue.async { [self] in
                    state.with { didSettle(result, &$0) }
                    done(result)
                }
            }
        }
    }

    private func didSettle<Value>(_ result: Result<Value, FirewheelError>?, _ state: inout State) {
        state.isPlacing = false
        switch (result, state.stored) {
        // The file belongs to others from now on, if it is still there.
        case (.success, _): (state.stored, state.open) = (nil, nil)
        case (_, .partial) where !isDiscarded.withLock({ $0 }): break
        default: Self.remove(&state)
        }
    }

    /// The beginning of a file, up to the limit for errors; nil if it cannot be read.
    static func beginning(of url: URL) -> Data? {
        guard let handle = try? FileHandle(forReadingFrom: url) else { return nil }
        defer { try? handle.close() }
        return try? handle.read(upToCount: errorBodyLimit)
    }

    private func open(_ state: inout State) throws {
        guard state.stored == nil else { return }
        switch state.storage {
        case .temporary: try openTemporary(&state)
        case .partial(let id):
            // If the folder of partial files is another user's, the download works all the same, but cannot be resumed.
            guard let file = try? folder.makePartial(id) else { return try openTemporary(&state) }
            (state.open, state.stored) = (file, .partial(id: id, folder.partials))
        // Only a mistake in the library leads here; without a position, nothing can be written.
        case .resumed(let id, _): throw POSIXError.of(EBADF, path: folder.partials.path(id))
        }
    }

    private func openTemporary(_ state: inout State) throws {
        let (temporary, file) = try folder.makeFile()
        (state.stored, state.open) = (.temporary(temporary), file)
    }

    static func remove(_ state: inout State) {
        state.isOver = true
        // Before the lock is released, since then another process may go on with the file.
        state.stored?.remove()
        (state.stored, state.open, state.reopened) = (nil, nil, nil)
    }
}
