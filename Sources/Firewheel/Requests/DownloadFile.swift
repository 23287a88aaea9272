import Foundation

/// The file of one download: written, moved and removed on a queue of its own, so that a slow disk holds up neither the transport nor another request.
final class DownloadFile: Sendable {
    /// The most of a refused body that its error carries.
    private static let errorBodyLimit = 1 << 20

    private struct State {
        var handle: FileHandle?
        var url: URL?
        var failure: FirewheelError?
        var isOver = false
    }

    private let queue = SerialQueue(label: "firewheel.download", target: .global(qos: .utility))
    private let state: Confined<State, SerialQueue>

    init() {
        state = Confined(State(), to: queue)
    }

    /// Appends bytes. `done` gets an error once, when the file cannot be written; what comes later is ignored.
    func write(_ data: Data, done: @escaping @Sendable (FirewheelError?) -> Void) {
        queue.async { [self] in
            state.with { state in
                guard !state.isOver, state.failure == nil else { return }
                do {
                    try Self.open(&state)
                    try state.handle?.write(contentsOf: data)
                    done(nil)
                } catch {
                    let failure = FirewheelError(
                        .downloadedFileMoveFailed, detail: "the temporary file cannot be written", underlyingError: error)
                    state.failure = failure
                    done(failure)
                }
            }
        }
    }

    /// Ends the writing. `done` gets the temporary file, if there is one.
    func finish(createIfMissing: Bool, done: @escaping @Sendable (URL?, FirewheelError?) -> Void) {
        queue.async { [self] in
            state.with { state in
                state.isOver = true
                var failure = state.failure
                do {
                    if createIfMissing, failure == nil { try Self.open(&state) }
                    try state.handle?.close()
                } catch {
                    failure = FirewheelError(
                        .downloadedFileMoveFailed, detail: "the temporary file cannot be written", underlyingError: error)
                }
                state.handle = nil
                done(state.url, failure)
            }
        }
    }

    /// Moves the file to its destination, or removes it if the download has failed or was cancelled.
    func place(
        _ exchange: Exchange, destination: DownloadRequest.Destination?, isCancelled: @escaping @Sendable () -> Bool,
        done: @escaping @Sendable (Exchange) -> Void
    ) {
        queue.async {
            guard let temporary = exchange.temporaryURL else { return done(exchange) }
            if let error = exchange.error ?? (isCancelled() ? Self.cancelled(exchange) : nil) {
                try? FileManager.default.removeItem(at: temporary)
                return done(exchange.with(temporaryURL: nil, destinationURL: nil, error: error))
            }
            guard let destination, let response = exchange.response else { return done(exchange) }
            let (url, options) = destination(temporary, response)
            do {
                try Self.move(temporary, to: url, options: options)
                done(exchange.with(temporaryURL: temporary, destinationURL: url, error: nil))
            } catch {
                try? FileManager.default.removeItem(at: temporary)
                let failure = FirewheelError(
                    .downloadedFileMoveFailed, detail: "to \(url.path)", underlyingError: error, request: exchange.request,
                    response: response)
                done(exchange.with(temporaryURL: nil, destinationURL: nil, error: failure))
            }
        }
    }

    private static func cancelled(_ exchange: Exchange) -> FirewheelError {
        FirewheelError(.explicitlyCancelled, request: exchange.request, response: exchange.response)
    }

    /// The first mebibyte of a file.
    static func beginning(of url: URL) -> Data? {
        guard let handle = try? FileHandle(forReadingFrom: url) else { return nil }
        defer { try? handle.close() }
        return try? handle.read(upToCount: errorBodyLimit)
    }

    private static func open(_ state: inout State) throws {
        guard state.handle == nil else { return }
        let url = FileManager.default.temporaryDirectory.appendingPathComponent("Firewheel_\(UUID().uuidString).tmp")
        // Not readable by other users, since the temporary folder is theirs too, nor open in programs that are started meanwhile.
        let descriptor = systemOpen(url.path, O_CREAT | O_EXCL | O_WRONLY | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw POSIXError(POSIXErrorCode(rawValue: errno) ?? .EIO, userInfo: [NSFilePathErrorKey: url.path]) }
        state.url = url
        state.handle = FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
    }

    private static func move(_ source: URL, to destination: URL, options: DownloadRequest.Options) throws {
        let files = FileManager.default
        if options.contains(.createIntermediateDirectories) {
            try files.createDirectory(at: destination.deletingLastPathComponent(), withIntermediateDirectories: true)
        }
        guard options.contains(.removePreviousFile), files.fileExists(atPath: destination.path) else {
            return try files.moveItem(at: source, to: destination)
        }
        // First beside the destination, which may mean copying to another disk and fail, then over it: the previous file is there until the
        // new one is.
        let staged = destination.deletingLastPathComponent().appendingPathComponent(".Firewheel_\(UUID().uuidString)")
        try files.moveItem(at: source, to: staged)
        do {
            var isFolder: ObjCBool = false
            if files.fileExists(atPath: destination.path, isDirectory: &isFolder), isFolder.boolValue {
                try files.removeItem(at: destination)
            }
            guard rename(staged.path, destination.path) == 0 else { throw POSIXError(POSIXErrorCode(rawValue: errno) ?? .EIO) }
        } catch {
            try? files.removeItem(at: staged)
            throw error
        }
    }
}

// The class's own function hides the system's of the same name.
private func systemOpen(_ path: String, _ flags: Int32, _ mode: mode_t) -> Int32 { open(path, flags, mode) }
