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
    static func report(_ error: any Error, from source: URL, to url: URL) -> FirewheelError {
        let folder = url.deletingLastPathComponent().path
        let name = url.isFileURL ? "\(url.lastPathComponent) in \(folder)" : Redaction.url(url.absoluteString)
        let isWithoutFolder = (error as? POSIXError)?.code == .ENOENT
        let cause = isWithoutFolder ? PlacementFailure.noFolder : error
        let (reason, code) = (cause as? PlacementFailure)?.facts ?? (.systemCallFailed, systemError(in: cause) ?? .EIO)
        return FirewheelError(.downloadedFileMoveFailed, detail: "cannot write \(name)", underlyingError: cause)
            .with(subject: .move(.init(source: source, destination: url, reason: reason, systemError: code)))
    }

    /// The reason for the caller, and the system's error number that stands for it.
    private var facts: (FirewheelError.DownloadedFileMove.Reason, POSIXErrorCode) {
        switch self {
        case .notAFile, .notAFolder: (.notAFileURL, .EINVAL)
        case .isDirectory: (.folderExists, .EISDIR)
        case .exists: (.fileExists, .EEXIST)
        case .special: (.specialFileExists, .EEXIST)
        case .gone: (.sourceMissing, .ENOENT)
        case .noFolder: (.folderMissing, .ENOENT)
        }
    }

    /// The system's error number of an error that may be Foundation's.
    private static func systemError(in error: any Error) -> POSIXErrorCode? {
        (error as? POSIXError ?? (error as? CocoaError)?.userInfo[NSUnderlyingErrorKey] as? POSIXError)?.code
    }
}
