import Foundation

/// Where a downloaded file is to go, and what may be done for it.
struct FilePlacement: Sendable {
    var url: URL
    /// Make the folders that lead there.
    var createsFolders: Bool
    /// Replace the file or symbolic link that is there.
    var replacesFile: Bool

    /// Moves a file to this place.
    ///
    /// Only a regular file or a symbolic link is replaced, and of a link never what it points to. Directories, devices, sockets and FIFOs
    /// are errors and stay. The file has the permissions of the regular file that it replaces, else those that the umask leaves.
    ///
    /// - Parameters:
    ///   - isAwaited: Asked before anything is done, and again and again while the file is copied to another file system. If it says no,
    ///     that is given up.
    ///   - commits: Asked once, when nothing is left to do but to give the file its new name. If it says no, that is not done.
    /// - Returns: Whether it was moved. If not, the source is where it was, and so is what the destination had.
    /// - Throws: `PlacementFailure` or `POSIXError`. The source is where it was then.
    func move(_ source: URL, while isAwaited: () -> Bool, commits: () -> Bool) throws -> Bool {
        let (from, to) = (source.path, try checkedPath())
        let folder = Self.folder(of: to)
        guard isAwaited() else { return false }
        if createsFolders {
            try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        }
        let file = try OpenFile(from)
        // A caller who wants the file where it is says so by its own path.
        if Self.isSamePlace(from, to) {
            guard commits() else { return false }
            if let mode = FileMode.ofNewFile(probing: folder) { file.setMode(mode) }
            return true
        }
        let kept = try mode(replacing: Self.facts(of: to), at: to)
        guard let moved = try Self.move(file, to: to, in: folder, replacing: replacesFile, while: isAwaited, commits: commits) else {
            return false
        }
        // Only now: what may be read at its destination need not be readable where it came from.
        if let mode = kept ?? FileMode.ofNewFile(probing: folder) { moved.setMode(mode) }
        return true
    }

    /// Gives a file that stays where it is the permissions of a new one, if it is still there.
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

    /// The permissions to keep; nil if there is nothing to keep.
    private func mode(replacing previous: stat?, at path: String) throws -> mode_t? {
        guard let previous else { return nil }
        switch previous.st_mode & S_IFMT {
        case S_IFDIR: throw PlacementFailure.isDirectory
        case _ where !replacesFile: throw PlacementFailure.exists
        // Never what lets a program run as its owner.
        case S_IFREG: return previous.st_mode & 0o777
        case S_IFLNK: return nil
        default: throw PlacementFailure.special
        }
    }

    /// - Returns: The file that is at the destination then: on another file system it is a copy. nil if it is not wanted any more.
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
                // Some file systems are several inside, and say so only now.
            }
        }
        // First beside the destination: the previous file is there until all of the new one is on its disk.
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

    /// Whether a file has to be copied to come to a folder, as far as that is known before it is tried.
    private static func isElsewhere(_ path: String, than folder: String) -> Bool {
        guard let one = facts(of: Self.folder(of: path) + "/."), let other = facts(of: folder + "/.") else { return false }
        if one.st_dev != other.st_dev { return true }
        // The mounts may differ all the same, which the system looks at first. A file never gets the name of a folder, so this changes
        // nothing.
        return systemRename(path, folder + "/.") != 0 && errno == EXDEV
    }

    /// Renames a file within one file system. Without `replacing` nothing that is at the destination is touched, not even a link that
    /// points nowhere.
    private static func rename(_ from: String, to: String, replacing: Bool) throws {
        if !replacing {
            if link(from, to) == 0 {
                unlink(from)
                return
            }
            switch errno {
            case EEXIST: throw PlacementFailure.exists
            // File systems without hard links, and where they are not allowed.
            case EPERM, ENOTSUP, EOPNOTSUPP, EMLINK, ENOSYS:
                if facts(of: to) != nil { throw PlacementFailure.exists }
            case let code: throw POSIXError.of(code, path: to)
            }
        }
        guard systemRename(from, to) == 0 else {
            let code = errno
            throw code == EISDIR ? PlacementFailure.isDirectory : POSIXError.of(code, path: to)
        }
        // Two names of one file are left as they are by rename.
        if let left = facts(of: from), left.st_nlink > 1 { unlink(from) }
    }

    /// Whether two paths are one and the same entry of a folder.
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

    /// What is at a path; a symbolic link is not followed.
    private static func facts(of path: String) -> stat? {
        var facts = stat()
        return lstat(path, &facts) == 0 ? facts : nil
    }
}

// The function above hides the system's of the same name.
private func systemRename(_ from: String, _ to: String) -> Int32 { rename(from, to) }
