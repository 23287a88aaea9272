import Firewheel

extension AFError {
    /// The error that Alamofire reports where Firewheel reports the given one.
    ///
    /// An error of the program's own code is the payload that it is in Alamofire; an ``AFError`` of that code stays as it is where
    /// Alamofire does not wrap it. Failed exchanges have a `URLError` wherever there is a code. What has no counterpart is wrapped in the
    /// nearest case. See ``firewheelError`` for the way back.
    package init(_ error: FirewheelError) {
        switch error.kind {
        case .invalidURL: self = .invalidURL(url: Self.url(of: error))
        case .invalidHeader: self = .createURLRequestFailed(error: error)
        case .urlRequestValidationFailed(let reason): self.init(reason, of: error)
        case .createURLRequestFailed: self = error.causedByProgram { .createURLRequestFailed(error: $0) }
        case .requestAdaptationFailed: self = .requestAdaptationFailed(error: error.payload)
        case .requestRetryFailed: self = .requestRetryFailed(retryError: error.payload, originalError: Self.original(of: error))
        case .parameterEncodingFailed(let reason): self.init(reason, of: error)
        case .multipartEncodingFailed(let reason): self = .multipartEncodingFailed(reason: .init(reason, of: error))
        case .responseValidationFailed(let reason): self.init(reason, of: error)
        case .responseSerializationFailed(let reason): self.init(reason, of: error)
        case .serverTrustEvaluationFailed(let reason): self.init(reason, of: error)
        case .uploadBodyFailed(let reason): self.init(reason, of: error)
        case .responseStreamFailed(let reason): self.init(reason, of: error)
        case .transportFailed(let code): self = .sessionTaskFailed(error: Self.urlError(code, of: error))
        case .responseBodyTooLarge: self = .sessionTaskFailed(error: Self.urlError(.dataLengthExceedsMaximum, of: error))
        case .downloadedFileWriteFailed: self = .sessionTaskFailed(error: Self.urlError(.cannotWriteToFile, of: error))
        case .downloadedFileMoveFailed: self = Self.moveFailure(error)
        case .explicitlyCancelled: self = .explicitlyCancelled
        // Alamofire's sessions cannot be invalidated but by releasing them.
        case .sessionInvalidated: self = .sessionDeinitialized
        case .redirectHandlingFailed, .authenticationFailed, .proxyConnectFailed, .resumeDataInvalid, .downloadResumptionRefused,
            .cookieFileFailed, .cacheDirectoryFailed, .certificateInvalid, .clientIdentityInvalid, .webSocketFailed:
            self = .sessionTaskFailed(error: error)
        }
    }

    private static func url(of error: FirewheelError) -> any URLConvertible {
        if case .url(let text) = error.subject { text } else { UnusableURL(error: error) }
    }

    /// What a retrier was asked about. It has the resume data, which Firewheel's error about the retrier has instead.
    private static func original(of error: FirewheelError) -> any Error {
        guard let original = error.originalError else { return error }
        if let own = original as? FirewheelError { return AFError(own.with(resumeData: own.resumeData ?? error.resumeData)) }
        // Only serializers report errors of other types.
        return original.asAFError(or: .responseSerializationFailed(reason: .customSerializationFailed(error: original)))
    }

    private static func moveFailure(_ error: FirewheelError) -> AFError {
        // Only an error that no request has reported lacks the places.
        guard let move = error.downloadedFileMove else { return .sessionTaskFailed(error: error) }
        return .downloadedFileMoveFailed(
            error: cocoaError(error.cocoaCode(of: move), of: error), source: move.source, destination: move.destination)
    }

    // MARK: Foundation's errors

    /// A `URLError` as URLSession would report it, with Firewheel's explanation under `NSUnderlyingErrorKey`.
    static func urlError(_ code: URLError.Code, of error: FirewheelError) -> URLError {
        let cause = error.underlyingError as? URLError
        var info = userInfo(of: error, over: cause?.code == code ? cause?.userInfo : nil)
        info[resumeDataKey] = error.resumeData
        return URLError(code, userInfo: info)
    }

    /// A `CocoaError` as Foundation would throw it.
    static func cocoaError(_ code: CocoaError.Code, of error: FirewheelError) -> CocoaError {
        CocoaError(code, userInfo: userInfo(of: error, over: nil))
    }

    private static func userInfo(of error: FirewheelError, over known: [String: Any]?) -> [String: Any] {
        var info = known ?? [:]
        if info[NSLocalizedDescriptionKey] == nil { info[NSLocalizedDescriptionKey] = error.description }
        if info[NSUnderlyingErrorKey] == nil { info[NSUnderlyingErrorKey] = error.underlyingError }
        info[firewheelErrorKey] = error
        return info
    }
}

extension FirewheelError {
    /// The cause as a payload; the error itself if it has none. A cause that is Firewheel's comes of a call in the program's code, where
    /// Alamofire throws an `AFError`.
    var payload: any Error {
        guard let cause = underlyingError else { return self }
        guard let own = cause as? FirewheelError else { return cause }
        // Alamofire has errors of another type for these.
        if case .authenticationFailed = own.kind { return own }
        return AFError(own)
    }

    /// For an error around one of the program's code: that one if it is an ``AFError``, otherwise wrapped.
    func causedByProgram(_ wrap: (any Error) -> AFError) -> AFError { underlyingError as? AFError ?? wrap(payload) }

    /// The code of the error that `FileManager` throws for the same failure.
    fileprivate func cocoaCode(of move: DownloadedFileMove) -> CocoaError.Code {
        switch move.reason {
        case .notAFileURL: return .fileWriteUnsupportedScheme
        case .folderMissing, .sourceMissing: return .fileNoSuchFile
        case .folderExists, .fileExists, .specialFileExists: return .fileWriteFileExists
        case .systemCallFailed:
            if let cause = underlyingError as? CocoaError { return cause.code }
            return switch move.systemError {
            case .ENOENT: .fileNoSuchFile
            case .EEXIST: .fileWriteFileExists
            case .EACCES, .EPERM: .fileWriteNoPermission
            case .ENOSPC, .EDQUOT: .fileWriteOutOfSpace
            case .EROFS: .fileWriteVolumeReadOnly
            case .ENAMETOOLONG: .fileWriteInvalidFileName
            default: .fileWriteUnknown
            }
        }
    }
}

/// Stands for what was to be a URL, in an `invalidURL` of which no text is known.
struct UnusableURL: URLConvertible {
    let error: FirewheelError

    func asURL() throws -> URL { throw error }
}
