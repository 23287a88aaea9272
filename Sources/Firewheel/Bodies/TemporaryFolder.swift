import Foundation

/// The folder for the files of downloads until they are placed.
struct TemporaryFolder: Sendable {
    private let url: URL?

    /// - Parameter url: nil for the system's.
    init(_ url: URL?) {
        self.url = url
    }

    /// Read at each use, because `TMPDIR` may change.
    var path: String { (url ?? FileManager.default.temporaryDirectory).path }

    func makeFile() throws -> (TemporaryFile, OpenFile) { try TemporaryLease.of(checkedPath()).makeFile() }

    /// Creates the file of a download that can be resumed.
    func makePartial(_ id: String) throws -> OpenFile { try PartialFolder(in: checkedPath()).create(id) }

    private func checkedPath() throws -> String {
        if let url, !url.isFileURL || url.path.isEmpty || url.path.utf8.contains(0) { throw PlacementFailure.notAFolder }
        return path
    }

    /// Takes over a file of another folder on the same file system.
    func adopt(_ path: String) throws -> TemporaryFile { try TemporaryLease.of(self.path).adopt(path) }

    /// The folder beside the temporary files for the files of downloads that can be resumed.
    var partials: PartialFolder { PartialFolder(in: path) }

    /// The error of a download whose file cannot be created or written here.
    func failure(_ error: any Error) -> FirewheelError {
        let place = url.map { $0.isFileURL ? $0.path : Redaction.url($0.absoluteString) } ?? path
        return FirewheelError(
            .downloadedFileWriteFailed, detail: "cannot write a temporary file in \(place) (see SessionConfiguration.temporaryDirectory)",
            underlyingError: error)
    }
}
