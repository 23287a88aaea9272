import Foundation

// Downloads that are resumed, and those that can be.
extension FileSink {
    /// Whether the partial file to go on with was opened.
    enum Reopening: Sendable {
        case opened
        /// It is gone, in use or not ours, so that only another file helps.
        case unusable(POSIXErrorCode)
        /// The system cannot open it now. It may be there and whole.
        case failed(FirewheelError)
    }

    /// Opens the partial file to go on with, before the request is sent.
    func reopen(done: @escaping @Sendable (Reopening) -> Void) {
        queue.async { [self] in
            let result = state.with { state -> Reopening in
                guard case .resumed(let id, let count) = state.storage, !state.isOver, state.reopened == nil else { return .opened }
                do {
                    state.reopened = try folder.partials.reopen(id, count: count)
                    state.count = count
                    return .opened
                } catch let error as POSIXError where PartialFolder.saysUnusable(error.code) {
                    return .unusable(error.code)
                } catch {
                    return .failed(folder.failure(error))
                }
            }
            done(result)
        }
    }

    /// What is done before the first byte of a response is written.
    enum Preparation: Sendable {
        /// What is written next begins there. The file is not cut, so that it never has fewer bytes than resume data says.
        case goOn(at: Int64)
        /// The file ends there.
        case cut(at: Int64)
        /// Nothing: the server's data is another, and is written to another file.
        case new

        var offset: Int64 {
            switch self {
            case .goOn(let offset), .cut(let offset): offset
            case .new: 0
            }
        }
    }

    func prepare(_ preparation: Preparation, done: @escaping @Sendable (FirewheelError?) -> Void) {
        switch preparation {
        case .goOn(let offset): resume(at: offset, done: done)
        case .cut(let offset): resume(at: offset, cuts: true, done: done)
        case .new: done(nil)
        }
    }

    /// Goes on with the partial file: what is written next begins there. An earlier failure to write is forgotten.
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
                    (state.count, state.isOver, state.failure) = (offset, false, nil)
                    return nil
                } catch {
                    state.failure = folder.failure(error)
                    return state.failure
                }
            }
            done(failure)
        }
    }

    /// Ends the sink and leaves the partial file for resuming. A temporary file is removed.
    ///
    /// - Parameter done: Gets the number of bytes in the file, which are on its disk; nil if the download cannot be resumed.
    func leave(done: @escaping @Sendable (Int64?) -> Void) {
        queue.async { [self] in
            // What is still to come of the response must not create the file again, and a running move must not take it.
            isDiscarded.withLock { $0 = true }
            let count = state.with { state -> Int64? in
                let count = Self.synchronize(&state)
                if count != nil { state.stored = nil }
                Self.remove(&state)
                return count
            }
            done(count)
        }
    }

    private static func synchronize(_ state: inout State) -> Int64? {
        if let file = state.reopened { return (try? file.synchronize()).map { state.count } }
        guard case .partial? = state.stored, let file = state.open, (try? file.synchronize()) != nil else { return nil }
        return state.count
    }
}
