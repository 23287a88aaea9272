import Firewheel

// The counterparts of the reasons of Firewheel's error.

extension AFError {
    init(_ reason: FirewheelError.RequestValidationFailureReason, of error: FirewheelError) {
        switch reason {
        case .bodyDataInGETRequest:
            // The body of an upload may be a stream.
            let body = if case .body(let body) = error.subject { body } else { error.request?.httpBody ?? Data() }
            self = .urlRequestValidationFailed(reason: .bodyDataInGETRequest(body))
        case .bodyDataInHEADRequest, .invalidMethod, .bodyStreamUnsupported: self = .createURLRequestFailed(error: error)
        }
    }

    init(_ reason: FirewheelError.ParameterEncodingFailureReason, of error: FirewheelError) {
        let cause = error.underlyingError ?? error
        switch reason {
        case .missingURL: self = .parameterEncodingFailed(reason: .missingURL)
        case .jsonEncodingFailed: self = .parameterEncodingFailed(reason: .jsonEncodingFailed(error: cause))
        case .urlEncodedFormEncodingFailed: self = .parameterEncoderFailed(reason: .encoderFailed(error: cause))
        case .propertyListEncodingFailed: self = .parameterEncodingFailed(reason: .customEncodingFailed(error: error))
        // Alamofire does not tell the program's encodings from the rest of its URLRequestConvertible.
        case .customEncodingFailed: self = error.causedByProgram { .createURLRequestFailed(error: $0) }
        }
    }

    init(_ reason: FirewheelError.ResponseValidationFailureReason, of error: FirewheelError) {
        switch reason {
        case .missingContentType(let acceptable):
            self = .responseValidationFailed(reason: .missingContentType(acceptableContentTypes: acceptable))
        case .unacceptableContentType(let acceptable, let received):
            self = .responseValidationFailed(
                reason: .unacceptableContentType(acceptableContentTypes: acceptable, responseContentType: received))
        case .unacceptableStatusCode(let code): self = .responseValidationFailed(reason: .unacceptableStatusCode(code: code))
        case .customValidationFailed:
            self = error.causedByProgram { .responseValidationFailed(reason: .customValidationFailed(error: $0)) }
        case .dataFileReadFailed(let url): self = .responseValidationFailed(reason: .dataFileReadFailed(at: url))
        }
    }

    init(_ reason: FirewheelError.ServerTrustFailureReason, of error: FirewheelError) {
        let host = if case .host(let host) = error.subject { host } else { error.request?.url?.host ?? "" }
        switch (reason, error.subject) {
        case (.noRequiredEvaluator, _): self = .serverTrustEvaluationFailed(reason: .noRequiredEvaluator(host: host))
        case (.certificatePinningFailed, .certificates(_, pinned: [], _)):
            self = .serverTrustEvaluationFailed(reason: .noCertificatesFound)
        case (.certificatePinningFailed, .certificates(let host, let pinned, let received)):
            self = .serverTrustEvaluationFailed(
                reason: .certificatePinningFailed(host: host, pinnedCertificates: pinned, serverCertificates: received))
        case (.publicKeyPinningFailed, .keys(_, pinned: [], _)): self = .serverTrustEvaluationFailed(reason: .noPublicKeysFound)
        case (.publicKeyPinningFailed, .keys(let host, let pinned, let received)):
            self = .serverTrustEvaluationFailed(reason: .publicKeyPinningFailed(host: host, pinnedKeys: pinned, serverKeys: received))
        case (.customEvaluationFailed, _):
            self = error.causedByProgram { .serverTrustEvaluationFailed(reason: .customEvaluationFailed(error: $0)) }
        case (.defaultEvaluationFailed, _), (.hostValidationFailed, _), (.revocationCheckFailed, _), (.certificatePinningFailed, _),
            (.publicKeyPinningFailed, _):
            self = .serverTrustEvaluationFailed(reason: .trustEvaluationFailed(error: error))
        }
    }

    init(_ reason: FirewheelError.UploadBodyFailureReason, of error: FirewheelError) {
        switch reason {
        case .fileReadFailed: self = .createUploadableFailed(error: error)
        case .notRepeatable: self = .sessionTaskFailed(error: Self.urlError(.requestBodyStreamExhausted, of: error))
        case .lengthMismatch, .streamFailed: self = .sessionTaskFailed(error: error)
        }
    }

    init(_ reason: FirewheelError.ResponseStreamFailureReason, of error: FirewheelError) {
        switch reason {
        case .lineTooLong, .eventTooLarge: self = .sessionTaskFailed(error: Self.urlError(.dataLengthExceedsMaximum, of: error))
        case .handlerFailed:
            self = error.causedByProgram { .responseSerializationFailed(reason: .customSerializationFailed(error: $0)) }
        }
    }

    init(_ reason: FirewheelError.ResponseSerializationFailureReason, of error: FirewheelError) {
        let cause = error.underlyingError ?? error
        switch reason {
        case .customSerializationFailed:
            self = error.causedByProgram { .responseSerializationFailed(reason: .customSerializationFailed(error: $0)) }
        case .inputFileReadFailed:
            guard case .file(let url) = error.subject else { fallthrough }
            self = .responseSerializationFailed(reason: .inputFileReadFailed(at: url))
        case .propertyListSerializationFailed, .imageSerializationFailed, .imageTooLarge, .imageLibraryMissing, .xmlSerializationFailed,
            .compoundSerializationFailed:
            self = .responseSerializationFailed(reason: .customSerializationFailed(error: error))
        case .inputDataNilOrZeroLength: self = .responseSerializationFailed(reason: .inputDataNilOrZeroLength)
        case .inputFileNil: self = .responseSerializationFailed(reason: .inputFileNil)
        case .stringSerializationFailed(let encoding):
            self = .responseSerializationFailed(reason: .stringSerializationFailed(encoding: encoding))
        case .jsonSerializationFailed:
            self = .responseSerializationFailed(
                reason: .jsonSerializationFailed(error: cause as? CocoaError ?? Self.cocoaError(.propertyListReadCorrupt, of: error)))
        case .decodingFailed: self = .responseSerializationFailed(reason: .decodingFailed(error: cause))
        case .invalidEmptyResponse(let type): self = .responseSerializationFailed(reason: .invalidEmptyResponse(type: type))
        }
    }
}

extension AFError.MultipartEncodingFailureReason {
    init(_ reason: FirewheelError.MultipartEncodingFailureReason, of error: FirewheelError) {
        let cause = error.underlyingError ?? error
        switch reason {
        case .boundaryInvalid, .bodyPartHeaderInvalid: self = .outputStreamWriteFailed(error: error)
        case .bodyPartURLInvalid(let url): self = .bodyPartURLInvalid(url: url)
        case .bodyPartFilenameInvalid(let url): self = .bodyPartFilenameInvalid(in: url)
        case .bodyPartFileNotReachable(let url):
            self =
                error.underlyingError.map { .bodyPartFileNotReachableWithError(atURL: url, error: $0) }
                ?? .bodyPartFileNotReachable(at: url)
        case .bodyPartFileIsDirectory(let url): self = .bodyPartFileIsDirectory(at: url)
        case .bodyPartFileSizeNotAvailable(let url): self = .bodyPartFileSizeNotAvailable(at: url)
        case .bodyPartFileChanged: self = .inputStreamReadFailed(error: error)
        case .unexpectedInputStreamLength:
            guard case .length(let announced, let read) = error.subject else {
                self = .inputStreamReadFailed(error: error)
                return
            }
            self = .inputStreamReadFailed(
                error: AFError.UnexpectedInputStreamLength(
                    bytesExpected: UInt64(clamping: announced), bytesRead: UInt64(clamping: read)))
        case .inputStreamReadFailed: self = .inputStreamReadFailed(error: cause)
        case .outputStreamURLInvalid(let url): self = .outputStreamURLInvalid(url: url)
        case .outputStreamFileAlreadyExists(let url): self = .outputStreamFileAlreadyExists(at: url)
        case .outputStreamWriteFailed: self = .outputStreamWriteFailed(error: cause)
        }
    }
}
