import Firewheel

/// `FirewheelError` under the name of Alamofire 4's error. Its cases are other ones: see `FirewheelError.Kind`.
public typealias AFError = FirewheelError

// The properties of Alamofire 4's error that Firewheel's does not have.
extension FirewheelError {
    /// Whether a URL is invalid.
    public var isInvalidURLError: Bool { kind == .invalidURL }

    /// Whether parameters could not be encoded.
    public var isParameterEncodingError: Bool {
        if case .parameterEncodingFailed = kind { true } else { false }
    }

    /// Whether a multipart form could not be encoded.
    public var isMultipartEncodingError: Bool {
        if case .multipartEncodingFailed = kind { true } else { false }
    }

    /// Whether a validation rejected a response.
    public var isResponseValidationError: Bool {
        if case .responseValidationFailed = kind { true } else { false }
    }

    /// Whether a response could not be serialized.
    public var isResponseSerializationError: Bool {
        if case .responseSerializationFailed = kind { true } else { false }
    }

    /// The URL that a multipart form could not be made of, or could not be written to; nil for other errors.
    public var url: URL? {
        guard case .multipartEncodingFailed(let reason) = kind else { return nil }
        return switch reason {
        case .bodyPartURLInvalid(let url), .bodyPartFilenameInvalid(let url), .bodyPartFileNotReachable(let url),
            .bodyPartFileIsDirectory(let url), .bodyPartFileSizeNotAvailable(let url), .bodyPartFileChanged(let url),
            .outputStreamURLInvalid(let url), .outputStreamFileAlreadyExists(let url):
            url
        case .boundaryInvalid, .bodyPartHeaderInvalid, .inputStreamReadFailed, .unexpectedInputStreamLength, .outputStreamWriteFailed: nil
        }
    }
}
