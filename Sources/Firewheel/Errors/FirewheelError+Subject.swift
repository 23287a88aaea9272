import Foundation

extension FirewheelError {
    /// What an error is about, as values and not as text: for errors of modules with another vocabulary. It may contain secrets, so that no
    /// description shows it.
    package indirect enum Subject: Sendable {
        /// The text that is not a valid URL.
        case url(String)
        /// The body of a request that must not have one.
        case body(Data)
        /// The file that could not be read.
        case file(URL)
        /// The move of a downloaded file.
        case move(DownloadedFileMove)
        /// The length that a stream was to have, and the number of bytes that were read until it was known not to have it.
        case length(announced: Int64, read: Int64)
        /// The host of a server that is not trusted.
        case host(String)
        /// The same for pinned certificates: those that are pinned, and those of the server on which pins count.
        case certificates(host: String, pinned: [Certificate], received: [Certificate])
        /// The same for pinned keys, by their pins.
        case keys(host: String, pinned: [String], received: [String])
    }

    /// The move of a downloaded file that failed. Its URLs may contain secrets.
    public struct DownloadedFileMove: Sendable, Equatable {
        /// Why a downloaded file could not be moved.
        public enum Reason: Sendable, Equatable {
            /// The destination is not the URL of a file.
            case notAFileURL
            /// The destination's folder does not exist, and `createIntermediateDirectories` was not given.
            case folderMissing
            /// A folder is at the destination. A download replaces none.
            case folderExists
            /// A file is at the destination, and `removePreviousFile` was not given.
            case fileExists
            /// A device, a socket or a FIFO is at the destination. A download replaces none.
            case specialFileExists
            /// The downloaded file is no longer at ``source``: the caller's code has moved or removed it.
            case sourceMissing
            /// A system call failed: see ``systemError``.
            case systemCallFailed
        }

        /// Where the downloaded file was: a temporary place.
        public let source: URL
        /// Where the file was to be moved.
        public let destination: URL
        /// Why it could not be moved.
        public let reason: Reason
        /// The number of the system's error (`errno`). For a reason that was found without a system call, the number that stands for it.
        public let systemError: POSIXErrorCode
    }

    /// Where a downloaded file was to be moved, and why it could not be: for an error of kind `downloadedFileMoveFailed` that a request
    /// reports. nil for other errors.
    public var downloadedFileMove: DownloadedFileMove? {
        guard case .move(let move) = subject else { return nil }
        return move
    }
}
