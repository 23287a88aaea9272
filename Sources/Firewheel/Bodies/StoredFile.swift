import Foundation

/// The file that a sink writes: a temporary one, or the partial file of a download that can be resumed.
enum StoredFile: Sendable {
    case temporary(TemporaryFile)
    case partial(id: String, PartialFolder)

    var url: URL {
        switch self {
        case .temporary(let file): file.url
        case .partial(let id, let folder): URL(fileURLWithPath: folder.path(id), isDirectory: false)
        }
    }

    func remove() {
        switch self {
        case .temporary(let file): file.remove()
        case .partial(let id, let folder): folder.remove(id)
        }
    }

    /// The file has been moved to its destination, which may be where it was.
    func didMove() {
        if case .temporary(let file) = self { file.didMove() }
    }

    /// The file as one that is removed with its last reference. A partial file leaves its folder.
    func kept(in temporary: TemporaryFolder) throws -> TemporaryFile {
        switch self {
        case .temporary(let file): file
        case .partial(let id, let folder): try temporary.adopt(folder.path(id))
        }
    }
}
