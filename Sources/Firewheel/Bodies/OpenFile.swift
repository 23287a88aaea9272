import Foundation

/// A regular file that is open, so that what is done to it is done to no other that has its path by then. It is closed when it is released.
final class OpenFile {
    let path: String
    private let descriptor: Int32

    /// Opens a file to read. Throws if what is there is a symbolic link or no regular file.
    init(_ path: String) throws {
        self.path = path
        // Without waiting, as a FIFO would make it.
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

    /// Sets the permissions. A file system that has none refuses, which is no loss.
    func setMode(_ mode: mode_t) {
        fchmod(descriptor, mode)
    }

    /// All bytes of the file; nil if there are more than a limit.
    func contents(limit: Int) throws -> Data? {
        let source = FileHandle(fileDescriptor: descriptor)
        var contents = Data()
        while let piece = try source.read(upToCount: 1 << 20), !piece.isEmpty {
            contents += piece
            if contents.count > limit { return nil }
        }
        return contents
    }

    /// Copies the file to a new, hidden one in a folder, readable by its owner only. Nothing is left of it if that fails.
    ///
    /// - Parameter isAwaited: Asked before each piece.
    /// - Returns: The copy; nil if nobody waits for it any more, and nothing is left of it.
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
