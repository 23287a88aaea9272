import Foundation

/// The file of one attempt of a download: written, moved and removed on a queue of its own, so that neither a slow disk nor a caller's
/// closure that blocks holds up anybody else. Who makes one calls `finish` or `discard` in the end.
final class FileSink: Sendable {
    /// The most of a refused body that its error carries.
    private static let errorBodyLimit = 1 << 20

    private struct State {
        var handle: FileHandle?
        /// The temporary file, as long as it is this object's to move or to remove.
        var url: URL?
        var failure: FirewheelError?
        var isOver = false
    }

    private let queue = WorkerQueue()
    private let state: Confined<State, WorkerQueue>
    /// Set at once, so that it also counts for what runs on the queue at that moment.
    private let isDiscarded = Locked(false)

    init() {
        state = Confined(State(), to: queue)
    }

    /// Appends bytes. `done` gets an error once, when the file cannot be written; what comes later is ignored.
    func write(_ data: Data, done: @escaping @Sendable (FirewheelError?) -> Void) {
        queue.async { [self] in
            let result = state.with { state -> Result<Void, FirewheelError>? in
                guard !isDiscarded.withLock({ $0 }), !state.isOver, state.failure == nil else { return nil }
                do {
                    try Self.open(&state)
                    try state.handle?.write(contentsOf: data)
                    return .success(())
                } catch {
                    let failure = Self.unwritable(error)
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

    /// Ends the writing. `done` gets the temporary file, if there is one.
    ///
    /// - Parameter createIfMissing: Make an empty file if nothing was written.
    func finish(createIfMissing: Bool, done: @escaping @Sendable (URL?, FirewheelError?) -> Void) {
        queue.async { [self] in
            let (url, failure) = state.with { state -> (URL?, FirewheelError?) in
                guard !isDiscarded.withLock({ $0 }) else { return (nil, nil) }
                state.isOver = true
                do {
                    if createIfMissing, state.failure == nil { try Self.open(&state) }
                    try state.handle?.close()
                } catch {
                    state.failure = state.failure ?? Self.unwritable(error)
                }
                state.handle = nil
                return (state.url, state.failure)
            }
            done(url, failure)
        }
    }

    /// Removes the temporary file, whatever state it is in, but not one that has been placed. What is asked for later does nothing:
    /// `finish` and `place` then say that there is no file.
    ///
    /// - Parameter done: Called when the file is gone.
    func discard(done: @escaping @Sendable () -> Void = {}) {
        isDiscarded.withLock { $0 = true }
        queue.async { [self] in
            state.with(Self.remove)
            done()
        }
    }

    /// Moves the finished file to where a closure says.
    ///
    /// - Parameters:
    ///   - destination: A caller's closure, which may block.
    ///   - isAwaited: Asked before the closure, and during a long copy. If it says no, the temporary file is removed.
    ///   - commits: Asked once, right before the file gets its new name. If it says no, the temporary file is removed.
    ///   - done: Gets where the file is, or why it is not there: the temporary file is gone then. nil if there is none or it is not wanted.
    func place(
        _ destination: @escaping @Sendable (URL) -> FilePlacement, while isAwaited: @escaping @Sendable () -> Bool,
        commits: @escaping @Sendable () -> Bool, done: @escaping @Sendable (Result<URL, FirewheelError>?) -> Void
    ) {
        let (isAwaited, commits) = (unlessDiscarded(isAwaited), unlessDiscarded(commits))
        settle(done: done) { temporary in
            guard isAwaited() else { return nil }
            let placement = destination(temporary)
            return (placement.url, { try placement.move(temporary, while: isAwaited, commits: commits) })
        }
    }

    /// Leaves the finished file where it is, as a file of the caller's: with the permissions that the umask leaves.
    func keep(commits: @escaping @Sendable () -> Bool, done: @escaping @Sendable (Result<URL, FirewheelError>?) -> Void) {
        let commits = unlessDiscarded(commits)
        settle(done: done) { temporary in
            let keep = {
                guard commits() else { return false }
                FilePlacement.giveUsualMode(temporary)
                return true
            }
            return (temporary, keep)
        }
    }

    /// The same question, with no for an answer once the file has been discarded.
    private func unlessDiscarded(_ question: @escaping @Sendable () -> Bool) -> @Sendable () -> Bool {
        { self.isDiscarded.withLock { $0 } ? false : question() }
    }

    /// Where the file is to be, and what puts it there, or says false if the file is not wanted any more.
    private typealias Plan = (url: URL, move: () throws -> Bool)

    /// - Parameter plan: Gets the temporary file. nil if it is not wanted any more.
    private func settle(
        done: @escaping @Sendable (Result<URL, FirewheelError>?) -> Void, plan: @escaping @Sendable (URL) -> Plan?
    ) {
        queue.async { [self] in
            guard let temporary = state.with({ $0.isOver ? $0.url : nil }) else { return done(nil) }
            guard let (url, move) = plan(temporary) else {
                state.with(Self.remove)
                return done(nil)
            }
            do {
                guard try move() else {
                    state.with(Self.remove)
                    return done(nil)
                }
                // It is the caller's from now on.
                state.with { $0.url = nil }
                done(.success(url))
            } catch {
                state.with(Self.remove)
                done(.failure(PlacementFailure.report(error, at: url)))
            }
        }
    }

    /// The first mebibyte of a file; nil if it cannot be read.
    static func beginning(of url: URL) -> Data? {
        guard let handle = try? FileHandle(forReadingFrom: url) else { return nil }
        defer { try? handle.close() }
        return try? handle.read(upToCount: errorBodyLimit)
    }

    private static func open(_ state: inout State) throws {
        guard state.handle == nil else { return }
        let folder = FileManager.default.temporaryDirectory.path
        // Not readable by other users, since the temporary folder is theirs too.
        let (descriptor, path) = try TemporaryName.open(in: folder) { "Firewheel_\(TemporaryName.make()).tmp" }
        state.url = URL(fileURLWithPath: path, isDirectory: false)
        state.handle = FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
    }

    private static func remove(_ state: inout State) {
        state.isOver = true
        try? state.handle?.close()
        state.handle = nil
        if let url = state.url { unlink(url.path) }
        state.url = nil
    }

    static func unwritable(_ error: any Error) -> FirewheelError {
        let folder = FileManager.default.temporaryDirectory.path
        return FirewheelError(.downloadedFileMoveFailed, detail: "cannot write a temporary file in \(folder)", underlyingError: error)
    }
}
