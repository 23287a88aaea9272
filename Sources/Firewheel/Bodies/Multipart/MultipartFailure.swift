import Foundation

extension FirewheelError {
    /// The error of a form whose part from a file cannot be read.
    static func ofPart(from url: URL, _ error: FirewheelError) -> FirewheelError {
        let reason: MultipartEncodingFailureReason =
            switch (error.kind, error.underlyingError as? UnsuitableFile) {
            case (.uploadBodyFailed(.lengthMismatch), _): .bodyPartFileChanged(at: url)
            case (_, .notAFileURL): .bodyPartURLInvalid(url: url.withoutSecrets)
            case (_, .folder): .bodyPartFileIsDirectory(at: url)
            case (_, .special): .bodyPartFileSizeNotAvailable(at: url)
            case (_, nil): .bodyPartFileNotReachable(at: url)
            }
        return FirewheelError(.multipartEncodingFailed(reason), detail: error.detail, underlyingError: error.underlyingError)
    }

    /// The error of a form whose part from a stream cannot be read.
    static func ofStreamPart(_ error: FirewheelError, length: Int64) -> FirewheelError {
        switch error.kind {
        case .uploadBodyFailed(.lengthMismatch):
            FirewheelError(.multipartEncodingFailed(.unexpectedInputStreamLength), detail: "\(length)").with(subject: error.subject)
        case .uploadBodyFailed(.streamFailed):
            FirewheelError(.multipartEncodingFailed(.inputStreamReadFailed), underlyingError: error.underlyingError)
        case .uploadBodyFailed(.notRepeatable): error.with(subject: .length(announced: length, read: 0))
        default: error
        }
    }
}
