import Foundation

/// Permissions of new files.
enum FileMode {
    /// The default permissions of a new file: read and write for all, minus the process's umask.
    ///
    /// - Parameter folder: A folder for a probe file, if the system does not report the umask.
    /// - Returns: nil if it cannot be determined.
    static func ofNewFile(probing folder: String) -> mode_t? {
        // umask() can only be read by setting it, which affects files that other threads create at the same time.
        told ?? probed(in: folder)
    }

    /// The umask as reported by `/proc` on Linux.
    private static var told: mode_t? {
        guard let status = try? String(contentsOfFile: "/proc/self/status", encoding: .utf8) else { return nil }
        let line = status.split(separator: "\n").first { $0.hasPrefix("Umask:") }
        let mask = line?.split(whereSeparator: \.isWhitespace).last.flatMap { mode_t($0, radix: 8) }
        return mask.map { 0o666 & ~$0 }
    }

    /// The permissions of a probe file.
    static func probed(in folder: String) -> mode_t? {
        guard let (descriptor, path) = try? TemporaryName.open(in: folder, mode: 0o666, name: { ".Firewheel_\(TemporaryName.make())" })
        else { return nil }
        defer {
            close(descriptor)
            unlink(path)
        }
        var facts = stat()
        return fstat(descriptor, &facts) == 0 ? facts.st_mode & 0o777 : nil
    }
}
