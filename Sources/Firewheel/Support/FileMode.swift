import Foundation

/// What the permissions of a new file are.
enum FileMode {
    /// Those of a file that a program makes without thinking of it: read and write for all, less the process's umask.
    ///
    /// - Parameter folder: Where a file may be made to find out, if the system does not say.
    /// - Returns: nil if it cannot be found out.
    static func ofNewFile(probing folder: String) -> mode_t? {
        // umask() says it only by changing it, for files that other threads make meanwhile too.
        told ?? probed(in: folder)
    }

    /// What Linux tells in `/proc`.
    private static var told: mode_t? {
        guard let status = try? String(contentsOfFile: "/proc/self/status", encoding: .utf8) else { return nil }
        let line = status.split(separator: "\n").first { $0.hasPrefix("Umask:") }
        let mask = line?.split(whereSeparator: \.isWhitespace).last.flatMap { mode_t($0, radix: 8) }
        return mask.map { 0o666 & ~$0 }
    }

    /// Those that a file gets that is made for it.
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
