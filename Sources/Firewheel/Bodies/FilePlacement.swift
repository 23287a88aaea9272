import Foundation

#if os(Linux)
    import CFirewheelSystem
#endif

/// The destination of a downloaded file, with options.
struct FilePlacement: Sendable {
    var url: URL
    /// Create missing parent folders.
    var createsFolders: Bool
    /// Replace an existing file or symbolic link.
    var replacesFile: Bool
    /// If the name is taken, find one that is not: `report (2).pdf`. Not with `replacesFile`.
    var numbersName = false

    /// Moves a file to the destination.
    ///
    /// Only a regular file or a symbolic link is replaced, never the target of a link. Directories, devices, sockets and FIFOs are errors
    /// and stay. The file gets the permissions of the regular file that it replaces, otherwise the default ones.
    ///
    /// Within one file system the file is renamed and not written to the disk first, as with curl and wget: a process that dies cannot
    /// leave a part of it, only a system crash can. A copy is on its disk before the original is removed.
    ///
    /// - Parameters:
    ///   - isAwaited: Asked before anything is done, and repeatedly during a copy to another file system. False aborts the move.
    ///   - commits: Asked once, right before the file gets its new name. False aborts the move.
    /// - Returns: Where the file is now; nil if it was not moved, in which case the source and the destination are unchanged.
    /// - Throws: `PlacementFailure` or `POSIXError`. The source is unchanged then.
    func move(_ source: URL, while isAwaited: () -> Bool, commits: () -> Bool) throws -> URL? {
        let (from, to) = (source.path, try checkedPath())
        let folder = Self.folder(of: to)
        guard isAwaited() else { return nil }
        if createsFolders {
            try Self.createFolder(folder)
        }
        let file = try Self.openSource(from)
        // A caller who wants the file where it is returns its own path.
        if Self.isSamePlace(from, to) {
            guard commits() else { return nil }
            if let mode = FileMode.ofNewFile(probing: folder) { file.setMode(mode) }
            return url
        }
        let kept = numbers ? nil : try mode(replacing: Self.facts(of: to), at: to)
        guard let (moved, name) = try move(file, to: to, in: folder, while: isAwaited, commits: commits) else { return nil }
        // Only now, because a file that may be read at its destination need not be readable at its source.
        if let mode = kept ?? FileMode.ofNewFile(probing: folder) { moved.setMode(mode) }
        return name == to ? url : URL(fileURLWithPath: name, isDirectory: false)
    }

    /// - Throws: ``PlacementFailure/gone`` if the caller has moved or removed the file. Its absence would be taken for that of the folder.
    private static func openSource(_ source: String) throws -> OpenFile {
        do {
            return try OpenFile(source)
        } catch let error as POSIXError where error.code == .ENOENT {
            throw PlacementFailure.gone
        }
    }

    /// Whether the destination is where the file is.
    func isPlace(of source: URL) -> Bool { (try? checkedPath()).map { Self.isSamePlace(source.path, $0) } ?? false }

    private var numbers: Bool { numbersName && !replacesFile }

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

    /// - Returns: The file at the destination, a copy if that is on another file system, and its path. nil if the move was aborted.
    private func move(
        _ file: OpenFile, to: String, in folder: String, while isAwaited: () -> Bool, commits: () -> Bool
    ) throws -> (OpenFile, String)? {
        var hasCommitted = false
        if !Self.isElsewhere(file.path, than: folder) {
            guard commits() else { return nil }
            hasCommitted = true
            do {
                return (file, try rename(file.path, to: to))
            } catch let error as POSIXError where error.code == .EXDEV {
                // Some file systems consist of several, which only the rename reveals.
            }
        }
        Leftovers.clearOnce(in: folder, copies: true)
        // Copied next to the destination first: the previous file stays until the new one is complete on its disk.
        guard let staged = try file.copy(into: folder, while: { hasCommitted || isAwaited() }) else { return nil }
        let name: String
        do {
            guard hasCommitted || commits() else {
                unlink(staged.path)
                return nil
            }
            name = try rename(staged.path, to: to)
        } catch {
            unlink(staged.path)
            throw error
        }
        OpenFile.synchronize(folder: folder)
        unlink(file.path)
        return (staged, name)
    }

    /// Whether moving a file to a folder needs a copy, as far as this is known in advance.
    private static func isElsewhere(_ path: String, than folder: String) -> Bool {
        guard let one = facts(of: Self.folder(of: path) + "/."), let other = facts(of: folder + "/.") else { return false }
        if one.st_dev != other.st_dev { return true }
        // The mounts may still differ, which the system checks first. A file cannot be renamed to a folder, so this changes nothing.
        return systemRename(path, folder + "/.") != 0 && errno == EXDEV
    }

    /// Renames a file within one file system, to the first free name if names are numbered.
    ///
    /// - Returns: The name.
    private func rename(_ from: String, to: String) throws -> String {
        guard numbers else {
            try Self.rename(from, to: to, replacing: replacesFile)
            return to
        }
        let (folder, name) = (Self.folder(of: to), (to as NSString).lastPathComponent)
        for number in 1..<Self.mostNumbers {
            let path = number == 1 ? to : "\(folder == "/" ? "" : folder)/\(SafeFilename.numbered(name, number))"
            do {
                try Self.rename(from, to: path, replacing: false)
                return path
            } catch PlacementFailure.exists {
                // Only the rename can tell whether a name is free: another download may take it at any time.
            }
        }
        throw PlacementFailure.exists
    }

    /// The number of names that are tried.
    private static let mostNumbers = 10_000

    /// Renames a file within one file system. Without `replacing` an existing destination is left alone, even a dangling link.
    private static func rename(_ from: String, to: String, replacing: Bool) throws {
        if !replacing {
            #if os(Linux)
                // In one step: a process that is killed leaves no second name.
                switch fwsystem_rename_exclusively(from, to) {
                case 0: return
                case EEXIST: throw PlacementFailure.exists
                // The system or the file system cannot, or a sandbox forbids the call.
                case ENOSYS, EINVAL, EPERM: break
                case let code: throw POSIXError.of(code, path: to)
                }
            #endif
            if link(from, to) == 0 {
                unlink(from)
                return
            }
            switch errno {
            case EEXIST: throw PlacementFailure.exists
            // The file system does not support or allow hard links.
            case EPERM, ENOTSUP, EOPNOTSUPP, EMLINK, ENOSYS: return try renameOverReserved(from, to: to)
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

    /// Takes the name with an empty file first, because otherwise two downloads could find it free at the same time.
    static func renameOverReserved(_ from: String, to: String) throws {
        let descriptor = open(to, O_CREAT | O_EXCL | O_WRONLY | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard descriptor >= 0 else { throw errno == EEXIST ? PlacementFailure.exists : POSIXError.of(errno, path: to) }
        close(descriptor)
        guard systemRename(from, to) == 0 else {
            let code = errno
            unlink(to)
            throw POSIXError.of(code, path: to)
        }
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
