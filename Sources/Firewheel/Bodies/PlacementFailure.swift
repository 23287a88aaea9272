import Foundation

/// Why a file cannot be moved to its destination.
enum PlacementFailure: Error, CustomStringConvertible {
    case notAFile
    case notAFolder
    case isDirectory
    case exists
    case special
    case noFolder
    case gone

    var description: String {
        switch self {
        case .notAFile: "the destination is not the URL of a file"
        case .notAFolder: "it is not the URL of a folder"
        case .isDirectory: "a folder is there, which a download never replaces (a destination includes the name of the file)"
        case .exists: "a file is there already (see .removePreviousFile)"
        case .special: "what is there is neither a file nor a symbolic link, and a download replaces nothing else"
        case .gone: "the downloaded file is no longer in its temporary place (neither validators nor destination closures may move it)"
        case .noFolder: "no such folder (see .createIntermediateDirectories)"
        }
    }

    /// The error of a request whose file cannot be moved to a URL.
    static func report(_ error: any Error, at url: URL) -> FirewheelError {
        let folder = url.deletingLastPathComponent().path
        let name = url.isFileURL ? "\(url.lastPathComponent) in \(folder)" : Redaction.url(url.absoluteString)
        let isWithoutFolder = (error as? POSIXError)?.code == .ENOENT
        return FirewheelError(
            .downloadedFileMoveFailed, detail: "cannot write \(name)",
            underlyingError: isWithoutFolder ? PlacementFailure.noFolder : error)
    }
}
