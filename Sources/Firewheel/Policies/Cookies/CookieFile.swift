import Foundation

/// The file of a jar's cookies. It is replaced atomically.
struct CookieFile: Sendable {
    private let path: String

    /// - Throws: ``FirewheelError`` with `cookieFileFailed(.readFailed)` if the URL is not a file URL.
    init(_ url: URL) throws {
        path = url.path
        guard url.isFileURL, !path.isEmpty, !path.utf8.contains(0), !url.hasDirectoryPath else {
            throw FirewheelError(
                .cookieFileFailed(.readFailed), detail: "\(Redaction.url(url.absoluteString)): it is not the URL of a file")
        }
    }

    /// The stored cookies; none if the file does not exist.
    func read() throws -> [Cookie] {
        guard try isThere(.readFailed) else { return [] }
        let content: Data?
        do {
            content = try OpenFile(path).contents(limit: CookieFileFormat.maximumSize)
        } catch {
            throw FirewheelError(.cookieFileFailed(.readFailed), detail: path, underlyingError: error)
        }
        do throws(CookieFileFormat.Problem) {
            guard let content else { throw .foreign }
            return try CookieFileFormat.decode(content)
        } catch {
            throw FirewheelError(.cookieFileFailed(.invalidContent), detail: "\(path): \(error.sentence)")
        }
    }

    /// Writes a new file next to it, readable by its owner only, and renames it.
    func write(_ cookies: [Cookie]) throws {
        // A symbolic link is neither followed nor replaced.
        _ = try isThere(.writeFailed)
        do {
            let folder = path.lastIndex(of: "/").map { $0 == path.startIndex ? "/" : String(path[..<$0]) } ?? "."
            let content = try CookieFileFormat.encode(cookies)
            let (descriptor, staged) = try TemporaryName.open(in: folder) { ".Firewheel_\(TemporaryName.make())" }
            do {
                let file = FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
                try file.write(contentsOf: content)
                // Otherwise a system crash may lose the content but keep the name.
                try file.synchronize()
                try file.close()
                guard rename(staged, path) == 0 else { throw POSIXError.of(errno, path: path) }
            } catch {
                unlink(staged)
                throw error
            }
        } catch {
            throw FirewheelError(.cookieFileFailed(.writeFailed), detail: path, underlyingError: error)
        }
    }

    /// Whether the file exists. Anything but a regular file is an error.
    private func isThere(_ reason: FirewheelError.CookieFileFailureReason) throws -> Bool {
        var facts = stat()
        guard lstat(path, &facts) == 0 else {
            if errno == ENOENT { return false }
            throw FirewheelError(.cookieFileFailed(reason), detail: path, underlyingError: POSIXError.of(errno, path: path))
        }
        let what: String
        switch facts.st_mode & S_IFMT {
        case S_IFREG: return true
        case S_IFDIR: what = "it is a directory"
        case S_IFLNK: what = "it is a symbolic link, which a jar neither follows nor replaces"
        default: what = "it is not a regular file"
        }
        throw FirewheelError(.cookieFileFailed(reason), detail: "\(path): \(what)")
    }
}
