import Firewheel

// MARK: - Which error it is

extension AFError {
    /// Whether the error is ``sessionDeinitialized``.
    public var isSessionDeinitializedError: Bool {
        if case .sessionDeinitialized = self { true } else { false }
    }

    /// Whether the error is ``sessionInvalidated(error:)``.
    public var isSessionInvalidatedError: Bool {
        if case .sessionInvalidated = self { true } else { false }
    }

    /// Whether the error is ``explicitlyCancelled``.
    public var isExplicitlyCancelledError: Bool {
        if case .explicitlyCancelled = self { true } else { false }
    }

    /// Whether the error is ``invalidURL(url:)``. Then ``urlConvertible`` is the URL.
    public var isInvalidURLError: Bool {
        if case .invalidURL = self { true } else { false }
    }

    /// Whether the error is ``parameterEncodingFailed(reason:)``.
    public var isParameterEncodingError: Bool {
        if case .parameterEncodingFailed = self { true } else { false }
    }

    /// Whether the error is ``parameterEncoderFailed(reason:)``.
    public var isParameterEncoderError: Bool {
        if case .parameterEncoderFailed = self { true } else { false }
    }

    /// Whether the error is ``multipartEncodingFailed(reason:)``. Then ``url`` may be the file's.
    public var isMultipartEncodingError: Bool {
        if case .multipartEncodingFailed = self { true } else { false }
    }

    /// Whether the error is ``requestAdaptationFailed(error:)``.
    public var isRequestAdaptationError: Bool {
        if case .requestAdaptationFailed = self { true } else { false }
    }

    /// Whether the error is ``responseValidationFailed(reason:)``. Then ``responseCode``, or ``acceptableContentTypes`` and
    /// ``responseContentType``, may say why.
    public var isResponseValidationError: Bool {
        if case .responseValidationFailed = self { true } else { false }
    }

    /// Whether the error is ``responseSerializationFailed(reason:)``. Then ``failedStringEncoding`` or ``underlyingError`` may say why.
    public var isResponseSerializationError: Bool {
        if case .responseSerializationFailed = self { true } else { false }
    }

    /// Whether the error is ``serverTrustEvaluationFailed(reason:)``.
    public var isServerTrustEvaluationError: Bool {
        if case .serverTrustEvaluationFailed = self { true } else { false }
    }

    /// Whether the error is ``requestRetryFailed(retryError:originalError:)``. Then ``underlyingError`` is the retrier's.
    public var isRequestRetryError: Bool {
        if case .requestRetryFailed = self { true } else { false }
    }

    /// Whether the error is ``createUploadableFailed(error:)``.
    public var isCreateUploadableError: Bool {
        if case .createUploadableFailed = self { true } else { false }
    }

    /// Whether the error is ``createURLRequestFailed(error:)``.
    public var isCreateURLRequestError: Bool {
        if case .createURLRequestFailed = self { true } else { false }
    }

    /// Whether the error is ``downloadedFileMoveFailed(error:source:destination:)``. Then ``sourceURL`` and ``destinationURL`` are the
    /// file's places.
    public var isDownloadedFileMoveError: Bool {
        if case .downloadedFileMoveFailed = self { true } else { false }
    }

    /// Whether the error is ``sessionTaskFailed(error:)``. Then ``underlyingError`` is usually a `URLError`.
    public var isSessionTaskError: Bool {
        if case .sessionTaskFailed = self { true } else { false }
    }
}

// MARK: - Values

extension AFError {
    /// What was to be the URL of a request, for ``invalidURL(url:)``; nil for other errors.
    public var urlConvertible: (any URLConvertible)? {
        guard case .invalidURL(let url) = self else { return nil }
        return url
    }

    /// The file of a part of a multipart form, or the one that the form was to be written to; nil for other errors.
    public var url: URL? {
        guard case .multipartEncodingFailed(let reason) = self else { return nil }
        return reason.url
    }

    /// The error that has caused this one; nil if there is none. For ``requestRetryFailed(retryError:originalError:)`` it is the retrier's.
    public var underlyingError: (any Error)? {
        switch self {
        case .createUploadableFailed(let error), .createURLRequestFailed(let error), .requestAdaptationFailed(let error),
            .downloadedFileMoveFailed(let error, _, _), .requestRetryFailed(let error, _), .sessionTaskFailed(let error):
            error
        case .sessionInvalidated(let error): error
        case .multipartEncodingFailed(let reason): reason.underlyingError
        case .parameterEncodingFailed(let reason): reason.underlyingError
        case .parameterEncoderFailed(let reason): reason.underlyingError
        case .responseValidationFailed(let reason): reason.underlyingError
        case .responseSerializationFailed(let reason): reason.underlyingError
        case .serverTrustEvaluationFailed(let reason): reason.underlyingError
        case .explicitlyCancelled, .invalidURL, .sessionDeinitialized, .urlRequestValidationFailed: nil
        }
    }

    /// The acceptable media types of a response that was rejected for its media type; nil for other errors.
    public var acceptableContentTypes: [String]? {
        guard case .responseValidationFailed(let reason) = self else { return nil }
        return reason.acceptableContentTypes
    }

    /// The media type of a response that was rejected for it; nil for other errors.
    public var responseContentType: String? {
        guard case .responseValidationFailed(let reason) = self else { return nil }
        return reason.responseContentType
    }

    /// The status code of a response that was rejected for it; nil for other errors.
    public var responseCode: Int? {
        guard case .responseValidationFailed(let reason) = self else { return nil }
        return reason.responseCode
    }

    /// The encoding in which a body is not valid text; nil for other errors.
    public var failedStringEncoding: String.Encoding? {
        guard case .responseSerializationFailed(let reason) = self else { return nil }
        return reason.failedStringEncoding
    }

    /// Where a downloaded file was that could not be moved; nil for other errors.
    public var sourceURL: URL? {
        guard case .downloadedFileMoveFailed(_, let source, _) = self else { return nil }
        return source
    }

    /// Where a downloaded file was to be moved; nil for other errors.
    public var destinationURL: URL? {
        guard case .downloadedFileMoveFailed(_, _, let destination) = self else { return nil }
        return destination
    }

    /// The data with which a download that has failed can be resumed; nil if there is none. A secret if the download's URL is one. On every
    /// platform, unlike in Alamofire.
    public var downloadResumeData: Data? {
        firewheelError?.resumeData ?? (underlyingError as? URLError)?.userInfo[Self.resumeDataKey] as? Data
    }

    /// Firewheel's own error, with the request, the response and the details, if this one was made of it and has kept it: for failed
    /// exchanges, requests that cannot be sent and files that cannot be moved, not for responses that were rejected. For
    /// ``requestRetryFailed(retryError:originalError:)`` it is that of the original error.
    public var firewheelError: FirewheelError? {
        switch self {
        case .invalidURL(let url): (url as? UnusableURL)?.error
        case .requestRetryFailed(let retryError, let originalError):
            Self.firewheelError(in: originalError) ?? Self.firewheelError(in: retryError)
        default: underlyingError.flatMap(Self.firewheelError)
        }
    }

    /// The key of Firewheel's own error in the `userInfo` of Foundation's errors.
    static let firewheelErrorKey = "FirewheelError"

    /// The key of resume data in the `userInfo` of a `URLError`: Apple's `NSURLSessionDownloadTaskResumeData`, which Foundation on Linux
    /// lacks.
    static let resumeDataKey = "NSURLSessionDownloadTaskResumeData"

    private static func firewheelError(in error: any Error) -> FirewheelError? {
        switch error {
        case let error as FirewheelError: error
        case let error as AFError: error.firewheelError
        case let error as URLError: error.userInfo[firewheelErrorKey] as? FirewheelError
        case let error as CocoaError: error.userInfo[firewheelErrorKey] as? FirewheelError
        default: nil
        }
    }
}
