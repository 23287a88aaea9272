import Foundation

/// An open regular file. Operations affect this file even if its path is reused. It is closed on release.
final class OpenFile {
    let path: String
    private let descriptor: Int32

    /// Opens a file for reading. Throws if the path is a symbolic link or not a regular file.
    init(_ path: String) throws {
        self.path = path
        // Non-blocking, because opening a FIFO would wait.
        descriptor = open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC)
        guard descriptor >= 0 else { throw POSIXError.of(errno, path: path) }
        var facts = stat()
        guard fstat(descriptor, &facts) == 0, facts.st_mode & S_IFMT == S_IFREG else { throw POSIXError.of(EINVAL, path: path) }
    }

    private init(_ path: String, descriptor: Int32) {
        self.path = path
        self.descriptor = descriptor
    }

    deinit { close(descriptor) }

    /// Sets the permissions. A failure is ignored: some file systems have none.
    func setMode(_ mode: mode_t) {
        fchmod(descriptor, mode)
    }

    /// The file's content; nil if it exceeds a limit.
    func contents(limit: Int) throws -> Data? {
        let source = FileHandle(fileDescriptor: descriptor)
        var contents = Data()
        while let piece = try source.read(upToCount: 1 << 20), !piece.isEmpty {
            contents += piece
            if contents.count > limit { return nil }
        }
        return contents
    }

    /// Copies the file to a new hidden file in a folder, readable by its owner only. The copy is removed if that fails.
    ///
    /// - Parameter isAwaited: Asked before each piece.
    /// - Returns: The copy; nil if it was aborted, in which case it is removed.
    func copy(into folder: String, while isAwaited: () -> Bool) throws -> OpenFile? {
        let (target, path) = try TemporaryName.open(in: folder) { ".Firewheel_\(TemporaryName.make())" }
        let copy = OpenFile(path, descriptor: target)
        do {
            let (source, sink) = (FileHandle(fileDescriptor: descriptor), FileHandle(fileDescriptor: target))
            while true {
                guard isAwaited() else {
                    unlink(path)
                    return nil
                }
                guard let piece = try source.read(upToCount: 1 << 20), !piece.isEmpty else { return copy }
                try sink.write(contentsOf: piece)
            }
        } catch {
            unlink(path)
            throw error
        }
    }
}
