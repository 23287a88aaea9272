import Foundation

/// The destination of a downloaded file, with options.
struct FilePlacement: Sendable {
    var url: URL
    /// Create missing parent folders.
    var createsFolders: Bool
    /// Replace an existing file or symbolic link.
    var replacesFile: Bool

    /// Moves a file to the destination.
    ///
    /// Only a regular file or a symbolic link is replaced, never the target of a link. Directories, devices, sockets and FIFOs are errors
    /// and stay. The file gets the permissions of the regular file that it replaces, otherwise the default ones.
    ///
    /// - Parameters:
    ///   - isAwaited: Asked before anything is done, and repeatedly during a copy to another file system. False aborts the move.
    ///   - commits: Asked once, right before the file gets its new name. False aborts the move.
    /// - Returns: Whether it was moved. If not, the source and the destination are unchanged.
    /// - Throws: `PlacementFailure` or `POSIXError`. The source is unchanged then.
    func move(_ source: URL, while isAwaited: () -> Bool, commits: () -> Bool) throws -> Bool {
        let (from, to) = (source.path, try checkedPath())
        let folder = Self.folder(of: to)
        guard isAwaited() else { return false }
        if createsFolders {
            try Self.createFolder(folder)
        }
        let file = try OpenFile(from)
        // A caller who wants the file where it is returns its own path.
        if Self.isSamePlace(from, to) {
            guard commits() else { return false }
            if let mode = FileMode.ofNewFile(probing: folder) { file.setMode(mode) }
            return true
        }
        let kept = try mode(replacing: Self.facts(of: to), at: to)
        guard let moved = try Self.move(file, to: to, in: folder, replacing: replacesFile, while: isAwaited, commits: commits) else {
            return false
        }
        // Only now, because a file that may be read at its destination need not be readable at its source.
        if let mode = kept ?? FileMode.ofNewFile(probing: folder) { moved.setMode(mode) }
        return true
    }

    private static func createFolder(_ path: String) throws {
        do {
            try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
        } catch {
            // Foundation reports that a file exists, which would be mistaken for the destination.
            var isFolder: ObjCBool = false
            guard FileManager.default.fileExists(atPath: path, isDirectory: &isFolder), !isFolder.boolValue else { throw error }
            throw POSIXError.of(ENOTDIR, path: path)
        }
    }

    /// Gives a file that stays in place the default permissions, if it still exists.
    static func giveUsualMode(_ url: URL) {
        guard let file = try? OpenFile(url.path), let mode = FileMode.ofNewFile(probing: folder(of: url.path)) else { return }
        file.setMode(mode)
    }

    /// The path, if it can be that of a file.
    private func checkedPath() throws -> String {
        let path = url.path
        guard url.isFileURL, !path.isEmpty, !path.utf8.contains(0) else { throw PlacementFailure.notAFile }
        let name = path.split(separator: "/", omittingEmptySubsequences: false).last ?? ""
        guard !url.hasDirectoryPath, !["", ".", ".."].contains(name) else { throw PlacementFailure.isDirectory }
        return path
    }

    /// The permissions to keep; nil for the default ones.
    private func mode(replacing previous: stat?, at path: String) throws -> mode_t? {
        guard let previous else { return nil }
        switch previous.st_mode & S_IFMT {
        case S_IFDIR: throw PlacementFailure.isDirectory
        case _ where !replacesFile: throw PlacementFailure.exists
        // Without set-user-ID and set-group-ID.
        case S_IFREG: return previous.st_mode & 0o777
        case S_IFLNK: return nil
        default: throw PlacementFailure.special
        }
    }

    /// - Returns: The file at the destination, a copy if that is on another file system. nil if the move was aborted.
    private static func move(
        _ file: OpenFile, to: String, in folder: String, replacing: Bool, while isAwaited: () -> Bool, commits: () -> Bool
    ) throws -> OpenFile? {
        var hasCommitted = false
        if !isElsewhere(file.path, than: folder) {
            guard commits() else { return nil }
            hasCommitted = true
            do {
                try rename(file.path, to: to, replacing: replacing)
                return file
            } catch let error as POSIXError where error.code == .EXDEV {
                // Some file systems consist of several, which only the rename reveals.
            }
        }
        // Copied next to the destination first: the previous file stays until the new one is complete on its disk.
        guard let staged = try file.copy(into: folder, while: { hasCommitted || isAwaited() }) else { return nil }
        do {
            guard hasCommitted || commits() else {
                unlink(staged.path)
                return nil
            }
            try rename(staged.path, to: to, replacing: replacing)
        } catch {
            unlink(staged.path)
            throw error
        }
        unlink(file.path)
        return staged
    }

    /// Whether moving a file to a folder needs a copy, as far as this is known in advance.
    private static func isElsewhere(_ path: String, than folder: String) -> Bool {
        guard let one = facts(of: Self.folder(of: path) + "/."), let other = facts(of: folder + "/.") else { return false }
        if one.st_dev != other.st_dev { return true }
        // The mounts may still differ, which the system checks first. A file cannot be renamed to a folder, so this changes nothing.
        return systemRename(path, folder + "/.") != 0 && errno == EXDEV
    }

    /// Renames a file within one file system. Without `replacing` an existing destination is left alone, even a dangling link.
    private static func rename(_ from: String, to: String, replacing: Bool) throws {
        if !replacing {
            if link(from, to) == 0 {
                unlink(from)
                return
            }
            switch errno {
            case EEXIST: throw PlacementFailure.exists
            // The file system does not support or allow hard links.
            case EPERM, ENOTSUP, EOPNOTSUPP, EMLINK, ENOSYS:
                if facts(of: to) != nil { throw PlacementFailure.exists }
            case let code: throw POSIXError.of(code, path: to)
            }
        }
        guard systemRename(from, to) == 0 else {
            let code = errno
            throw code == EISDIR ? PlacementFailure.isDirectory : POSIXError.of(code, path: to)
        }
        // rename does nothing if both names refer to the same file.
        if let left = facts(of: from), left.st_nlink > 1 { unlink(from) }
    }

    /// Whether two paths refer to the same directory entry.
    private static func isSamePlace(_ one: String, _ other: String) -> Bool {
        guard (one as NSString).lastPathComponent == (other as NSString).lastPathComponent,
            let one = facts(of: folder(of: one) + "/."), let other = facts(of: folder(of: other) + "/.")
        else { return false }
        return one.st_dev == other.st_dev && one.st_ino == other.st_ino
    }

    private static func folder(of path: String) -> String {
        guard let slash = path.lastIndex(of: "/") else { return "." }
        return slash == path.startIndex ? "/" : String(path[..<slash])
    }

    /// The attributes of a path, without following a symbolic link.
    private static func facts(of path: String) -> stat? {
        var facts = stat()
        return lstat(path, &facts) == 0 ? facts : nil
    }
}

// The function above shadows the system's function of the same name.
private func systemRename(_ from: String, _ to: String) -> Int32 { rename(from, to) }
