import Foundation

/// Names for temporary files that no other file has.
///
/// `UUID()` repeats where there is no `/dev/urandom`. Here nothing needs to be random: a name that exists already is passed over.
enum TemporaryName {
    private static let counter = Locked<UInt64>(0)

    /// A name that this process has not given out before, and others hardly ever.
    static func make() -> String {
        let number = counter.withLock { counter in
            counter += 1
            return counter
        }
        // Seeded anew in each process, which keeps others from guessing the next name.
        var hasher = Hasher()
        hasher.combine(number)
        let parts = [
            UInt64(UInt32(bitPattern: getpid())), MonotonicInstant.now().nanoseconds, number, UInt64(UInt(bitPattern: hasher.finalize())),
        ]
        return parts.map { String($0, radix: 36) }.joined(separator: "-")
    }

    /// Makes a file that only its owner may read, under the first name that is free.
    ///
    /// - Returns: A descriptor to write to, which programs that are started meanwhile do not get, and the path.
    static func open(in folder: String, mode: mode_t = 0o600, name: () -> String) throws -> (descriptor: Int32, path: String) {
        var code: Int32 = 0
        for _ in 0..<100 {
            let path = folder.hasSuffix("/") ? folder + name() : "\(folder)/\(name())"
            let descriptor = systemOpen(path, O_CREAT | O_EXCL | O_WRONLY | O_CLOEXEC, mode)
            if descriptor >= 0 { return (descriptor, path) }
            code = errno
            if code != EEXIST && code != EINTR { break }
        }
        throw POSIXError.of(code, path: folder)
    }
}

extension POSIXError {
    /// The error of a call that has failed for a path.
    static func of(_ code: Int32, path: String) -> POSIXError {
        POSIXError(POSIXErrorCode(rawValue: code) ?? .EIO, userInfo: [NSFilePathErrorKey: path])
    }
}

// The function above hides the system's of the same name.
private func systemOpen(_ path: String, _ flags: Int32, _ mode: mode_t) -> Int32 { open(path, flags, mode) }
