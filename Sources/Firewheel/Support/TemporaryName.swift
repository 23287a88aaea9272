import Foundation

/// Unique names for temporary files.
///
/// `UUID()` repeats itself if there is no `/dev/urandom`. Names need not be random here, because an existing one is skipped.
enum TemporaryName {
    private static let counter = Locked<UInt64>(0)

    /// A name that is unique in this process and unlikely in others.
    static func make() -> String {
        let number = counter.withLock { counter in
            counter += 1
            return counter
        }
        // Hashes are seeded per process, which keeps others from guessing the next name.
        var hasher = Hasher()
        hasher.combine(number)
        let parts = [
            UInt64(UInt32(bitPattern: getpid())), MonotonicInstant.now().nanoseconds, number, UInt64(UInt(bitPattern: hasher.finalize())),
        ]
        return parts.map { String($0, radix: 36) }.joined(separator: "-")
    }

    /// Creates a file readable by its owner only, under the first free name.
    ///
    /// - Returns: A descriptor for writing, which child processes do not inherit, and the path.
    static func open(in folder: String, mode: mode_t = 0o600, name: () -> String) throws -> (descriptor: Int32, path: String) {
        var code: Int32 = 0
        for _ in 0..<100 {
            let path = folder.hasSuffix("/") ? folder + name() : "\(folder)/\(name())"
            let descriptor = systemOpen(path, O_CREAT | O_EXCL | O_WRONLY | O_CLOEXEC, mode)
            if descriptor >= 0 {
                if DescriptorReserve.isKept(behind: descriptor) { return (descriptor, path) }
                unlink(path)
                close(descriptor)
                throw POSIXError.of(EMFILE, path: folder)
            }
            code = errno
            if code != EEXIST && code != EINTR { break }
        }
        throw POSIXError.of(code, path: folder)
    }
}

extension POSIXError {
    /// The error of a failed system call on a path.
    static func of(_ code: Int32, path: String) -> POSIXError {
        POSIXError(POSIXErrorCode(rawValue: code) ?? .EIO, userInfo: [NSFilePathErrorKey: path])
    }
}

// The function above shadows the system's function of the same name.
private func systemOpen(_ path: String, _ flags: Int32, _ mode: mode_t) -> Int32 { open(path, flags, mode) }
