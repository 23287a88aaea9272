import Foundation

/// A whole file as the body of an upload. A file whose length changes is an error.
final class UploadFile: UploadBody {
    let length: Int64?
    let isRepeatable = true

    private let url: URL
    private let size: Int64
    private let record = UploadRecord()

    /// - Throws: ``FirewheelError`` with `uploadBodyFailed(.fileReadFailed)` if there is no regular file, and `.lengthMismatch` if it has
    ///   bytes although its size is 0. Whether others can be read is only known when they are.
    init(_ url: URL) throws(FirewheelError) {
        self.url = url
        size = try Self.size(of: url)
        length = size
        // A body without bytes is not read when it is sent.
        if size == 0 { _ = try FilePieces(url, offset: 0, length: 0, isWhole: true).next(upTo: 1) }
    }

    var failure: FirewheelError? { record.failure }
    var isUsed: Bool { record.isUsed }

    func makeReader() -> any BodyReader {
        FileBodyReader(url, offset: 0, length: size, isWhole: true, onFailure: record.addReader().onFailure)
    }
}

extension BodySource {
    /// A whole file, which must keep its length.
    ///
    /// - Throws: ``FirewheelError`` of kind `uploadBodyFailed` if there is no regular file.
    package static func wholeFile(_ url: URL) throws -> BodySource { .stream(try UploadFile(url)) }
}

// MARK: - Files of bodies

/// Why an existing item is not the file of a body.
enum UnsuitableFile: Error, CustomStringConvertible {
    case notAFileURL
    case folder
    case special

    var description: String {
        switch self {
        case .notAFileURL: "it is not the URL of a file"
        case .folder: "it is a folder"
        case .special: "it is not a regular file"
        }
    }
}

extension UploadFile {
    /// The length of a regular file. A symbolic link is followed.
    static func size(of url: URL) throws(FirewheelError) -> Int64 {
        try checkFileURL(url)
        var facts = stat()
        let result = url.withUnsafeFileSystemRepresentation { path in path.map { stat($0, &facts) } }
        guard result == 0 else { throw failure(url, code: result == nil ? ENOENT : errno) }
        try check(facts, url)
        return Int64(facts.st_size)
    }

    /// The attributes of an open file, which must be a regular one.
    static func facts(of descriptor: Int32, _ url: URL) throws(FirewheelError) -> stat {
        var facts = stat()
        guard fstat(descriptor, &facts) == 0 else { throw failure(url, code: errno) }
        try check(facts, url)
        return facts
    }

    static func checkFileURL(_ url: URL) throws(FirewheelError) {
        guard url.isFileURL, !url.path.isEmpty, !url.path.utf8.contains(0) else { throw failure(url, UnsuitableFile.notAFileURL) }
    }

    private static func check(_ facts: stat, _ url: URL) throws(FirewheelError) {
        switch facts.st_mode & S_IFMT {
        case S_IFREG: break
        case S_IFDIR: throw failure(url, UnsuitableFile.folder)
        default: throw failure(url, UnsuitableFile.special)
        }
    }

    /// The error of a failed system call.
    static func failure(_ url: URL, code: Int32) -> FirewheelError {
        failure(url, POSIXError.of(code, path: url.path))
    }

    private static func failure(_ url: URL, _ cause: any Error) -> FirewheelError {
        FirewheelError(.uploadBodyFailed(.fileReadFailed), detail: url.fileName, underlyingError: cause)
    }

    /// The error of a file with another length.
    static func mismatch(_ url: URL, _ words: String) -> FirewheelError {
        FirewheelError(
            .uploadBodyFailed(.lengthMismatch), detail: "the file \(url.fileName) has \(words) expected (it must not change meanwhile)")
    }
}
