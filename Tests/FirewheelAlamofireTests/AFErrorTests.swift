import FirewheelAlamofire
import Testing

@Suite("AFError: flags and values")
struct AFErrorTests {
    struct Cause: Error, Equatable {
        var number = 1
    }

    /// A flag, with its name.
    private struct Flag: Sendable {
        let name: String
        let value: @Sendable (AFError) -> Bool
    }

    private static let flags: [Flag] = [
        Flag(name: "createUploadable", value: { $0.isCreateUploadableError }),
        Flag(name: "createURLRequest", value: { $0.isCreateURLRequestError }),
        Flag(name: "downloadedFileMove", value: { $0.isDownloadedFileMoveError }),
        Flag(name: "explicitlyCancelled", value: { $0.isExplicitlyCancelledError }),
        Flag(name: "invalidURL", value: { $0.isInvalidURLError }),
        Flag(name: "multipartEncoding", value: { $0.isMultipartEncodingError }),
        Flag(name: "parameterEncoding", value: { $0.isParameterEncodingError }),
        Flag(name: "parameterEncoder", value: { $0.isParameterEncoderError }),
        Flag(name: "requestAdaptation", value: { $0.isRequestAdaptationError }),
        Flag(name: "requestRetry", value: { $0.isRequestRetryError }),
        Flag(name: "responseValidation", value: { $0.isResponseValidationError }),
        Flag(name: "responseSerialization", value: { $0.isResponseSerializationError }),
        Flag(name: "serverTrust", value: { $0.isServerTrustEvaluationError }),
        Flag(name: "sessionDeinitialized", value: { $0.isSessionDeinitializedError }),
        Flag(name: "sessionInvalidated", value: { $0.isSessionInvalidatedError }),
        Flag(name: "sessionTask", value: { $0.isSessionTaskError }),
    ]

    private static let file = URL(fileURLWithPath: "/folder/a.txt")
    private static let other = URL(fileURLWithPath: "/folder/b.txt")

    /// The only flag of each case, and whether the case has a `Cause`.
    private static let cases: [(String?, isCaused: Bool, AFError)] = [
        ("createUploadable", true, .createUploadableFailed(error: Cause())),
        ("createURLRequest", true, .createURLRequestFailed(error: Cause())),
        ("downloadedFileMove", true, .downloadedFileMoveFailed(error: Cause(), source: file, destination: other)),
        ("explicitlyCancelled", false, .explicitlyCancelled),
        ("invalidURL", false, .invalidURL(url: "x y")),
        ("multipartEncoding", false, .multipartEncodingFailed(reason: .bodyPartFileIsDirectory(at: file))),
        ("multipartEncoding", true, .multipartEncodingFailed(reason: .outputStreamWriteFailed(error: Cause()))),
        ("parameterEncoding", false, .parameterEncodingFailed(reason: .missingURL)),
        ("parameterEncoding", true, .parameterEncodingFailed(reason: .jsonEncodingFailed(error: Cause()))),
        ("parameterEncoding", true, .parameterEncodingFailed(reason: .customEncodingFailed(error: Cause()))),
        ("parameterEncoder", false, .parameterEncoderFailed(reason: .missingRequiredComponent(.url))),
        ("parameterEncoder", true, .parameterEncoderFailed(reason: .encoderFailed(error: Cause()))),
        ("requestAdaptation", true, .requestAdaptationFailed(error: Cause())),
        ("requestRetry", true, .requestRetryFailed(retryError: Cause(), originalError: Cause(number: 2))),
        ("responseValidation", false, .responseValidationFailed(reason: .dataFileNil)),
        ("responseValidation", true, .responseValidationFailed(reason: .customValidationFailed(error: Cause()))),
        ("responseSerialization", false, .responseSerializationFailed(reason: .inputFileNil)),
        ("responseSerialization", true, .responseSerializationFailed(reason: .jsonSerializationFailed(error: Cause()))),
        ("responseSerialization", true, .responseSerializationFailed(reason: .decodingFailed(error: Cause()))),
        ("responseSerialization", true, .responseSerializationFailed(reason: .customSerializationFailed(error: Cause()))),
        ("serverTrust", false, .serverTrustEvaluationFailed(reason: .noRequiredEvaluator(host: "a"))),
        ("serverTrust", false, .serverTrustEvaluationFailed(reason: .trustEvaluationFailed(error: nil))),
        ("serverTrust", true, .serverTrustEvaluationFailed(reason: .trustEvaluationFailed(error: Cause()))),
        ("serverTrust", true, .serverTrustEvaluationFailed(reason: .customEvaluationFailed(error: Cause()))),
        ("sessionDeinitialized", false, .sessionDeinitialized),
        ("sessionInvalidated", false, .sessionInvalidated(error: nil)),
        ("sessionInvalidated", true, .sessionInvalidated(error: Cause())),
        ("sessionTask", true, .sessionTaskFailed(error: Cause())),
        // Alamofire has no flag for it.
        (nil, false, .urlRequestValidationFailed(reason: .bodyDataInGETRequest(Data()))),
    ]

    @Test("Each case has its flag alone, and its underlying error", arguments: cases.indices)
    func flags(index: Int) {
        let (name, isCaused, error) = Self.cases[index]
        #expect(Self.flags.filter { $0.value(error) }.map(\.name) == [name].compactMap(\.self))
        #expect(error.underlyingError as? Cause == (isCaused ? Cause() : nil))
        #expect(error.firewheelError == nil && error.downloadResumeData == nil)
        #expect(error.errorDescription?.isEmpty == false && error.localizedDescription == error.errorDescription)
    }

    @Test("Each case has its values, and no others")
    func values() {
        let types = ["a/b", "c/d"]
        let missing = AFError.responseValidationFailed(reason: .missingContentType(acceptableContentTypes: types))
        #expect(missing.acceptableContentTypes == types && missing.responseContentType == nil && missing.responseCode == nil)
        let unacceptable = AFError.responseValidationFailed(
            reason: .unacceptableContentType(acceptableContentTypes: types, responseContentType: "e/f"))
        #expect(unacceptable.acceptableContentTypes == types && unacceptable.responseContentType == "e/f")
        let status = AFError.responseValidationFailed(reason: .unacceptableStatusCode(code: 404))
        #expect(status.responseCode == 404 && status.acceptableContentTypes == nil)
        let text = AFError.responseSerializationFailed(reason: .stringSerializationFailed(encoding: .utf16))
        #expect(text.failedStringEncoding == .utf16 && status.failedStringEncoding == nil)
        let move = AFError.downloadedFileMoveFailed(error: Cause(), source: Self.file, destination: Self.other)
        #expect(move.sourceURL == Self.file && move.destinationURL == Self.other && status.sourceURL == nil)
        let invalid = AFError.invalidURL(url: "x y")
        #expect(invalid.urlConvertible as? String == "x y" && move.urlConvertible == nil && invalid.url == nil)
    }

    @Test("The reasons of a form with a file have its URL")
    func files() {
        let (url, cause) = (Self.file, Cause())
        let reasons: [AFError.MultipartEncodingFailureReason] = [
            .bodyPartURLInvalid(url: url), .bodyPartFilenameInvalid(in: url), .bodyPartFileNotReachable(at: url),
            .bodyPartFileNotReachableWithError(atURL: url, error: cause), .bodyPartFileIsDirectory(at: url),
            .bodyPartFileSizeNotAvailable(at: url), .bodyPartFileSizeQueryFailedWithError(forURL: url, error: cause),
            .bodyPartInputStreamCreationFailed(for: url), .outputStreamCreationFailed(for: url),
            .outputStreamFileAlreadyExists(at: url), .outputStreamURLInvalid(url: url),
        ]
        for reason in reasons {
            let error = AFError.multipartEncodingFailed(reason: reason)
            #expect(error.url == url && "\(error)".contains("/folder/a.txt"), "\(error)")
        }
        #expect(AFError.multipartEncodingFailed(reason: .inputStreamReadFailed(error: cause)).url == nil)
    }

    @Test("asAFError is the error itself, the counterpart of Firewheel's, or nil")
    func casts() {
        let error: any Error = AFError.explicitlyCancelled
        #expect(error.asAFError?.isExplicitlyCancelledError == true)
        #expect(error.asAFError(orFailWith: "never called").isExplicitlyCancelledError)
        let own: any Error = FirewheelError(.explicitlyCancelled)
        #expect(own.asAFError?.isExplicitlyCancelledError == true)
        let cause: any Error = Cause()
        #expect(cause.asAFError == nil)
    }

    @Test("Resume data is found in a URLError under Apple's key")
    func resumeData() {
        let cause = URLError(.networkConnectionLost, userInfo: ["NSURLSessionDownloadTaskResumeData": Data("x".utf8)])
        #expect(AFError.sessionTaskFailed(error: cause).downloadResumeData == Data("x".utf8))
    }

    @Test("Options of revocation have Apple's values")
    func revocation() {
        #expect(RevocationTrustEvaluator.Options.any == [.ocsp, .crl] && RevocationTrustEvaluator.Options.any.rawValue == 3)
    }
}
