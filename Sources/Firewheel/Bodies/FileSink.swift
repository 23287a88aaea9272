import Foundation

/// The file of one download attempt. It is written, moved and removed on a queue of its own, so that a slow disk or a blocking closure
/// holds up nothing else. The owner must call `finish`, `discard` or `leave` at the end.
final class FileSink: Sendable {
    /// The most bytes of a rejected body that its error carries.
    private static let errorBodyLimit = 1 << 20

    private struct State {
        var storage: Storage
        /// The file while it is being written. A partial file stays open, and so locked, until it is placed.
        var open: OpenFile?
        /// The same file, until it is placed, kept or removed.
        var stored: StoredFile?
        /// The partial file to go on with, before it is known whether that is possible.
        var reopened: OpenFile?
        /// The bytes in the file.
        var count: Int64 = 0
        var failure: FirewheelError?
        var isOver = false
    }

    /// The kind of file that is written.
    enum Storage: Sendable {
        /// A file that is removed unless it becomes the download's.
        case temporary
        /// A new partial file with this id, of a download that can be resumed: see ``ResumeData``.
        case partial(String)
        /// An existing partial file with at least this many bytes. Nothing is written before `resume(at:)` or `startOver(_:)`.
        case resumed(String, count: Int64)

        /// The partial file's id.
        var id: String? {
            switch self {
            case .temporary: nil
            case .partial(let id), .resumed(let id, _): id
            }
        }
    }

    private let folder: TemporaryFolder
    private let queue = WorkerQueue()
    private let state: Confined<State, WorkerQueue>
    /// Set at once, so that it also affects work that is running on the queue.
    private let isDiscarded = Locked(false)

    /// - Parameter folder: The folder for the temporary file; nil for the system's.
    init(in folder: URL? = nil, _ storage: Storage = .temporary) {
        self.folder = TemporaryFolder(folder)
        state = Confined(State(storage: storage), to: queue)
    }

    /// Appends bytes. If the file cannot be written, `done` gets an error once; later bytes are ignored.
    func write(_ data: Data, done: @escaping @Sendable (FirewheelError?) -> Void) {
        queue.async { [self] in
            let result = state.with { state -> Result<Void, FirewheelError>? in
                guard !isDiscarded.withLock({ $0 }), !state.isOver, state.failure == nil else { return nil }
                do {
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
                    if case .temporary? = state.stored { try state.open?.close() }
                } catch {
                    state.failure = state.failure ?? folder.failure(error)
                }
                return (state.stored?.url, state.failure)
            }
            done(url, failure)
        }
    }

    /// Removes the temporary file in any state, but not one that has been placed. Later calls do nothing: `finish` and `place` then report
    /// that there is no file.
    ///
    /// - Parameter done: Called when the file is removed.
    func discard(done: @escaping @Sendable () -> Void = {}) {
        isDiscarded.withLock { $0 = true }
        queue.async { [self] in
            state.with(Self.remove)
            done()
        }
    }

    /// Moves the finished file to the destination that a closure returns.
    ///
    /// - Parameters:
    ///   - destination: The caller's closure, which may block.
    ///   - isAwaited: Asked before the closure, and during a long copy. False removes the temporary file.
    ///   - commits: Asked once, right before the file gets its new name. False removes the temporary file.
    ///   - done: Gets the file's URL, or the error, in which case a temporary file is removed, and a partial one can be left for resuming.
    ///     nil if there is no file or the move was aborted.
    func place(
        _ destination: @escaping @Sendable (URL) -> FilePlacement, while isAwaited: @escaping @Sendable () -> Bool,
        commits: @escaping @Sendable () -> Bool, done: @escaping @Sendable (Result<URL, FirewheelError>?) -> Void
    ) {
        let (isAwaited, commits) = (unlessDiscarded(isAwaited), unlessDiscarded(commits))
        settle(done: done) { stored in
            guard isAwaited() else { return nil }
            let placement = destination(stored.url)
            do {
                guard let url = try placement.move(stored.url, while: isAwaited, commits: commits) else { return nil }
                stored.didMove()
                return .success(url)
            } catch {
                return .failure(PlacementFailure.report(error, at: placement.url))
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

    /// Ends what the sink does with the file. If it is not needed it is removed. If that fails, a partial file is kept for `leave` or
    /// `discard`: it is complete, and can go to another destination.
    ///
    /// - Parameter move: Gets the file. nil if it is no longer needed.
    private func settle<Value: Sendable>(
        done: @escaping @Sendable (Result<Value, FirewheelError>?) -> Void,
        move: @escaping @Sendable (StoredFile) -> Result<Value, FirewheelError>?
    ) {
        queue.async { [self] in
            guard let stored = state.with({ $0.isOver ? $0.stored : nil }) else { return done(nil) }
            let result = move(stored)
            switch (result, stored) {
            // The file belongs to others from now on, if it is still there.
            case (.success, _): state.with { ($0.stored, $0.open) = (nil, nil) }
            case (.failure, .partial): break
            case (.failure, .temporary), (nil, _): state.with(Self.remove)
            }
            done(result)
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
        // Only a mistake in the library gets here; without a position, nothing can be written.
        case .resumed(let id, _): throw POSIXError.of(EBADF, path: folder.partials.path(id))
        }
    }

    private func openTemporary(_ state: inout State) throws {
        let (temporary, file) = try folder.makeFile()
        (state.stored, state.open) = (.temporary(temporary), file)
    }

    private static func remove(_ state: inout State) {
        state.isOver = true
        (state.open, state.reopened) = (nil, nil)
        state.stored?.remove()
        state.stored = nil
    }
}

// Downloads that are resumed, and those that can be.
extension FileSink {
    /// Opens the partial file to go on with, before the request is sent.
    ///
    /// - Parameter done: Gets the error if that is impossible, because the file is gone or in use: see ``PartialFolder``. Then only
    ///   `startOver(_:)` helps.
    func reopen(done: @escaping @Sendable (POSIXError?) -> Void) {
        queue.async { [self] in
            let failure = state.with { state -> POSIXError? in
                guard case .resumed(let id, let count) = state.storage, !state.isOver, state.reopened == nil else { return nil }
                do {
                    state.reopened = try folder.partials.reopen(id, count: count)
                    state.count = count
                    return nil
                } catch {
                    return error as? POSIXError ?? POSIXError(.EIO)
                }
            }
            done(failure)
        }
    }

    /// What is done with the file of an earlier attempt or process before the first byte of this one is written.
    indirect enum Preparation: Sendable {
        /// What is written next begins there. The file is not cut, so that it never has fewer bytes than resume data says.
        case goOn(at: Int64)
        /// The file ends there.
        case cut(at: Int64)
        /// Another file is written, because the server's data is another.
        case startOver(Storage)

        var offset: Int64 {
            switch self {
            case .goOn(let offset), .cut(let offset): offset
            case .startOver: 0
            }
        }
    }

    func prepare(_ preparation: Preparation, done: @escaping @Sendable (FirewheelError?) -> Void) {
        switch preparation {
        case .goOn(let offset): resume(at: offset, done: done)
        case .cut(let offset): resume(at: offset, cuts: true, done: done)
        case .startOver(let storage): startOver(storage)
        }
    }

    /// Goes on with the partial file: what is written next begins there.
    ///
    /// - Parameter cuts: Whether to remove what follows.
    func resume(at offset: Int64, cuts: Bool = false, done: @escaping @Sendable (FirewheelError?) -> Void) {
        queue.async { [self] in
            let failure = state.with { state -> FirewheelError? in
                guard !isDiscarded.withLock({ $0 }) else { return nil }
                do {
                    switch state.storage {
                    case .resumed(let id, _):
                        guard let file = state.reopened ?? state.open, (0...state.count).contains(offset) else {
                            throw POSIXError.of(EINVAL, path: folder.path)
                        }
                        try file.truncate(to: cuts ? offset : state.count, goingOnAt: offset)
                        (state.open, state.reopened) = (file, nil)
                        state.stored = .partial(id: id, folder.partials)
                    case .partial:
                        // The file of an earlier attempt of the same request.
                        guard case .partial? = state.stored, let file = state.open, (0...state.count).contains(offset) else {
                            throw POSIXError.of(EINVAL, path: folder.path)
                        }
                        try file.truncate(to: cuts ? offset : state.count, goingOnAt: offset)
                    case .temporary: throw POSIXError.of(EINVAL, path: folder.path)
                    }
                    (state.count, state.isOver) = (offset, false)
                    return nil
                } catch {
                    state.failure = folder.failure(error)
                    return state.failure
                }
            }
            done(failure)
        }
    }

    /// Writes another file from its beginning, because the server's data is another, and removes the partial one.
    ///
    /// Its id is not used again: resume data of the old file would fit the new one.
    func startOver(_ storage: Storage) {
        queue.async { [self] in
            state.with { state in
                guard !isDiscarded.withLock({ $0 }) else { return }
                if case .resumed(let id, _) = state.storage, state.reopened != nil { folder.partials.remove(id) }
                Self.remove(&state)
                (state.storage, state.count, state.isOver) = (storage, 0, false)
            }
        }
    }

    /// Writes the partial file to its disk, so that resume data with the count is right even after a system crash.
    ///
    /// - Parameter done: Gets the number of bytes in the file; nil if the download cannot be resumed.
    func checkpoint(done: @escaping @Sendable (Int64?) -> Void) {
        queue.async { [self] in done(state.with(Self.synchronize)) }
    }

    /// A partial file that is left for resuming.
    struct LeftFile: Sendable {
        let id: String
        /// The number of its bytes, which are on its disk.
        let count: Int64
    }

    /// Ends the sink and leaves the partial file for resuming. A temporary file is removed.
    ///
    /// - Parameter done: Gets the file; nil if the download cannot be resumed.
    func leave(done: @escaping @Sendable (LeftFile?) -> Void) {
        queue.async { [self] in
            let left = state.with { state -> LeftFile? in
                let left = Self.synchronize(&state).flatMap { count in state.storage.id.map { LeftFile(id: $0, count: count) } }
                if left != nil { state.stored = nil }
                Self.remove(&state)
                return left
            }
            // What is still to come of the response must not create the file again.
            isDiscarded.withLock { $0 = true }
            done(left)
        }
    }

    private static func synchronize(_ state: inout State) -> Int64? {
        if state.reopened != nil { return state.count }
        guard case .partial? = state.stored, let file = state.open, (try? file.synchronize()) != nil else { return nil }
        return state.count
    }
}
