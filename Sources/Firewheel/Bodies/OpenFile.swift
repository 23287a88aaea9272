import Foundation

/// An open regular file. Operations affect this file even if its path is reused. It is closed on release.
final class OpenFile {
    let path: String
    /// Negative once closed.
    private var descriptor: Int32

    private static let pieceSize = 1 << 20

    /// Opens a file for reading. Throws if the path is a symbolic link or not a regular file.
    init(_ path: String) throws {
        self.path = path
        // Non-blocking, because opening a FIFO would wait.
        descriptor = open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC)
        guard descriptor >= 0 else { throw POSIXError.of(errno, path: path) }
        guard try facts().st_mode & S_IFMT == S_IFREG else { throw POSIXError.of(EINVAL, path: path) }
    }

    /// Creates a file for writing, readable by its owner only, under the first free name.
    init(in folder: String, name: () -> String) throws {
        (descriptor, path) = try TemporaryName.open(in: folder, name: name)
    }

    /// Takes over the descriptor of a regular file.
    init(_ path: String, owning descriptor: Int32) {
        self.path = path
        self.descriptor = descriptor
    }

    deinit { closeDescriptor() }

    @discardableResult
    private func closeDescriptor() -> Int32 {
        guard descriptor >= 0 else { return 0 }
        defer { descriptor = -1 }
        return systemClose(descriptor)
    }

    /// Closes the file. Some file systems report only now that they could not store it.
    func close() throws {
        // After EINTR the descriptor is closed, too.
        if closeDescriptor() != 0, errno != EINTR { throw POSIXError.of(errno, path: path) }
    }

    /// Reports what ``close()`` would, and leaves the file open, and so locked.
    func checkClosing() throws {
        // Some file systems report at each close of a descriptor what they could not store. Without a free one, they cannot be asked.
        let copy = fcntl(descriptor, F_DUPFD_CLOEXEC, 0)
        if copy >= 0, systemClose(copy) != 0, errno != EINTR { throw POSIXError.of(errno, path: path) }
    }

    /// Whether enough descriptors are left for others; see ``DescriptorReserve``.
    var leavesReserve: Bool { DescriptorReserve.isKept(behind: descriptor) }

    func facts() throws -> stat {
        var facts = stat()
        guard fstat(descriptor, &facts) == 0 else { throw POSIXError.of(errno, path: path) }
        return facts
    }

    /// Sets the permissions. A failure is ignored: some file systems have none.
    func setMode(_ mode: mode_t) {
        fchmod(descriptor, mode)
    }

    /// Appends bytes at the current position.
    func write(_ data: Data) throws {
        try data.withUnsafeBytes { bytes in
            var rest = bytes[...]
            while !rest.isEmpty {
                // Otherwise a file at the process's size limit would end the program instead of being an error.
                let (count, code) = BlockedSignal.during(SIGXFSZ) {
                    let count = systemWrite(descriptor, UnsafeRawBufferPointer(rebasing: rest))
                    return (count, errno)
                }
                if count < 0, code == EINTR { continue }
                guard count > 0 else { throw POSIXError.of(count == 0 ? ENOSPC : code, path: path) }
                rest = rest.dropFirst(count)
            }
        }
    }

    /// Cuts the file off, and goes on at an offset.
    func truncate(to count: Int64, goingOnAt offset: Int64) throws {
        while ftruncate(descriptor, off_t(count)) != 0 {
            if errno != EINTR { throw POSIXError.of(errno, path: path) }
        }
        guard lseek(descriptor, off_t(offset), SEEK_SET) == off_t(offset) else { throw POSIXError.of(errno, path: path) }
    }

    /// The next bytes; empty at the end.
    func read(upTo count: Int) throws -> Data {
        var data = Data(count: count)
        while true {
            let got = data.withUnsafeMutableBytes { systemRead(descriptor, $0) }
            if got >= 0 { return data.prefix(got) }
            guard errno == EINTR else { throw POSIXError.of(errno, path: path) }
        }
    }

    /// The bytes at a position, which other calls do not change; fewer at the end of the file.
    func read(at position: Int, count: Int) throws -> Data {
        var data = Data(count: count)
        var filled = 0
        while filled < count {
            let got = data.withUnsafeMutableBytes { bytes in
                pread(descriptor, bytes.baseAddress.map { $0 + filled }, count - filled, off_t(position + filled))
            }
            if got < 0, errno == EINTR { continue }
            guard got >= 0 else { throw POSIXError.of(errno, path: path) }
            if got == 0 { return data.prefix(filled) }
            filled += got
        }
        return data
    }

    /// Writes everything to the disk, so that a system crash does not lose it.
    func synchronize() throws {
        while fsync(descriptor) != 0 {
            if errno != EINTR { throw POSIXError.of(errno, path: path) }
        }
    }

    /// The file's content; nil if it exceeds a limit.
    func contents(limit: Int) throws -> Data? {
        var contents = Data()
        while true {
            let piece = try read(upTo: Self.pieceSize)
            guard !piece.isEmpty else { return contents }
            contents += piece
            if contents.count > limit { return nil }
        }
    }

    /// Copies the file to a new hidden file in a folder, readable by its owner only, and writes it to the disk. The copy is removed if that
    /// fails.
    ///
    /// - Parameter isAwaited: Asked before each piece.
    /// - Returns: The copy; nil if it was aborted, in which case it is removed.
    func copy(into folder: String, while isAwaited: () -> Bool) throws -> OpenFile? {
        let copy = try Self.lockedCopy(in: folder)
        do {
            while true {
                guard isAwaited() else {
                    unlink(copy.path)
                    return nil
                }
                let piece = try read(upTo: Self.pieceSize)
                guard !piece.isEmpty else { break }
                try copy.write(piece)
            }
            // The original is removed once the copy has its name: so until then the copy must be on its disk.
            try copy.synchronize()
            return copy
        } catch {
            unlink(copy.path)
            throw error
        }
    }

    /// An empty file that no other process takes for a left-over.
    private static func lockedCopy(in folder: String) throws -> OpenFile {
        // A process that clears left-overs may remove the file before it is locked. If that seems to happen again and again, this file
        // system has no locks, and nobody clears anything.
        for _ in 0..<3 {
            let copy = try OpenFile(in: folder) { Leftovers.copyName(RandomName.make()) }
            if copy.lock() { return copy }
            unlink(copy.path)
        }
        return try OpenFile(in: folder) { Leftovers.copyName(RandomName.make()) }
    }

    /// Takes the lock of the file without waiting; see ``FileLock``.
    func lock() -> Bool { FileLock.take(descriptor) }

    /// Whether the file is locked elsewhere, or cannot be locked. Otherwise this takes the lock.
    var isInUse: Bool { FileLock.isTaken(descriptor) }

    /// Writes a folder's names to the disk. A failure is ignored: some file systems cannot.
    static func synchronize(folder: String) {
        let descriptor = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard descriptor >= 0 else { return }
        fsync(descriptor)
        systemClose(descriptor)
    }
}

// The methods above shadow the system's functions of the same names.
@discardableResult
private func systemClose(_ descriptor: Int32) -> Int32 { close(descriptor) }
private func systemWrite(_ descriptor: Int32, _ bytes: UnsafeRawBufferPointer) -> Int { write(descriptor, bytes.baseAddress, bytes.count) }
private func systemRead(_ descriptor: Int32, _ bytes: UnsafeMutableRawBufferPointer) -> Int {
    read(descriptor, bytes.baseAddress, bytes.count)
}
