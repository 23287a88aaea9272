import FirewheelAlamofire
import Testing

/// The counterparts of Firewheel's errors that are built here. Those of requests are in ``AFErrorRequestTests``.
@Suite("AFError: counterparts of Firewheel's error")
struct AFErrorMappingTests {
    private typealias Cause = AFErrorTests.Cause

    private static let secret = URL(string: "http://user:hunter2@localhost/a?token=hunter2")!
    private static let file = URL(fileURLWithPath: "/folder/a.txt")

    private static func error(_ kind: FirewheelError.Kind, _ cause: (any Error)? = nil, original: (any Error)? = nil) -> FirewheelError {
        FirewheelError(
            kind, underlyingError: cause, originalError: original, request: try? URLRequest(url: secret, method: .get),
            responseData: Data("x".utf8))
    }

    private static func counterpart(_ kind: FirewheelError.Kind, _ cause: (any Error)? = nil) throws -> AFError {
        try #require(error(kind, cause).asAFError)
    }

    @Test("Failed exchanges have a URLError, and Firewheel's error")
    func codes() throws {
        let kinds: [(FirewheelError.Kind, URLError.Code)] = [
            (.transportFailed(.timedOut), .timedOut), (.transportFailed(.cannotFindHost), .cannotFindHost),
            (.responseBodyTooLarge, .dataLengthExceedsMaximum), (.responseStreamFailed(.lineTooLong(limit: 4)), .dataLengthExceedsMaximum),
            (.responseStreamFailed(.eventTooLarge(limit: 4)), .dataLengthExceedsMaximum),
            (.downloadedFileWriteFailed, .cannotWriteToFile), (.uploadBodyFailed(.notRepeatable), .requestBodyStreamExhausted),
        ]
        for (kind, code) in kinds {
            let error = try Self.counterpart(kind, Cause())
            #expect(error.isSessionTaskError && error.firewheelError?.kind == kind, "\(kind)")
            let cause = try #require(error.underlyingError as? URLError)
            #expect(cause.code == code && cause.userInfo[NSUnderlyingErrorKey] as? Cause == Cause(), "\(kind)")
        }
    }

    @Test("A URLError of the same code keeps its user info")
    func userInfo() throws {
        let cause = URLError(.timedOut, userInfo: [NSLocalizedDescriptionKey: "slow", "own": 1, NSUnderlyingErrorKey: Cause()])
        let error = try #require(Self.counterpart(.transportFailed(.timedOut), cause).underlyingError as? URLError)
        #expect(error.localizedDescription == "slow" && error.userInfo["own"] as? Int == 1)
        #expect(error.userInfo[NSUnderlyingErrorKey] as? Cause == Cause())
        let other = try #require(Self.counterpart(.transportFailed(.badServerResponse), cause).underlyingError as? URLError)
        #expect(other.code == .badServerResponse && other.userInfo[NSUnderlyingErrorKey] is URLError)
    }

    @Test("What has no counterpart is wrapped")
    func wrapped() throws {
        let exchanges: [FirewheelError.Kind] = [
            .redirectHandlingFailed, .authenticationFailed(.invalidCredential), .authenticationFailed(.libraryMissing),
            .authenticationFailed(.serverNotAuthenticated), .authenticationFailed(.missingCredential),
            .authenticationFailed(.excessiveRefresh), .authenticationFailed(.refreshFailed), .authenticationFailed(.refreshCancelled),
            .authenticationFailed(.refreshTimedOut), .authenticationFailed(.unchangedCredential), .proxyConnectFailed(status: 502),
            .resumeDataInvalid, .downloadResumptionRefused(404), .cookieFileFailed(.readFailed), .cacheDirectoryFailed,
            .certificateInvalid(.malformed),
            .clientIdentityInvalid(.keyMissing), .uploadBodyFailed(.lengthMismatch), .uploadBodyFailed(.streamFailed),
            // One that no request has reported has no places.
            .downloadedFileMoveFailed,
        ]
        for kind in exchanges {
            let error = try Self.counterpart(kind)
            #expect(error.isSessionTaskError && (error.underlyingError as? FirewheelError)?.kind == kind, "\(kind)")
            #expect(error.firewheelError?.responseData == Data("x".utf8))
        }
        let requests: [FirewheelError.Kind] = [
            .invalidHeader, .urlRequestValidationFailed(.bodyDataInHEADRequest), .urlRequestValidationFailed(.invalidMethod),
            .urlRequestValidationFailed(.bodyStreamUnsupported), .createURLRequestFailed,
        ]
        for kind in requests {
            let error = try Self.counterpart(kind)
            #expect(error.isCreateURLRequestError && error.firewheelError?.kind == kind, "\(kind)")
        }
        let file = try Self.counterpart(.uploadBodyFailed(.fileReadFailed), Cause())
        #expect(file.isCreateUploadableError && file.firewheelError?.underlyingError as? Cause == Cause())
    }

    @Test("Errors of the program's code come out as Alamofire wraps them")
    func program() throws {
        let cause = Cause()
        let adaptation = try Self.counterpart(.requestAdaptationFailed, cause)
        #expect(adaptation.isRequestAdaptationError && adaptation.underlyingError as? Cause == cause)
        let creation = try Self.counterpart(.createURLRequestFailed, cause)
        #expect(creation.isCreateURLRequestError && creation.underlyingError as? Cause == cause)
        let encoding = try Self.counterpart(.parameterEncodingFailed(.customEncodingFailed), cause)
        #expect(encoding.isCreateURLRequestError && encoding.underlyingError as? Cause == cause)
        let validation = try Self.counterpart(.responseValidationFailed(.customValidationFailed), cause)
        #expect(validation.isResponseValidationError && validation.underlyingError as? Cause == cause)
        let serialization = try Self.counterpart(.responseSerializationFailed(.customSerializationFailed), cause)
        #expect(serialization.isResponseSerializationError && serialization.underlyingError as? Cause == cause)
        let handler = try Self.counterpart(.responseStreamFailed(.handlerFailed), cause)
        #expect(handler.isResponseSerializationError && handler.underlyingError as? Cause == cause)
        let trust = try Self.counterpart(.serverTrustEvaluationFailed(.customEvaluationFailed), cause)
        #expect(trust.isServerTrustEvaluationError && trust.underlyingError as? Cause == cause)
    }

    @Test("An AFError of the program's code stays as it is where Alamofire does not wrap it")
    func unwrapped() throws {
        let own = AFError.invalidURL(url: "x y")
        let kinds: [FirewheelError.Kind] = [
            .createURLRequestFailed, .parameterEncodingFailed(.customEncodingFailed), .responseValidationFailed(.customValidationFailed),
            .responseSerializationFailed(.customSerializationFailed), .responseStreamFailed(.handlerFailed),
            .serverTrustEvaluationFailed(.customEvaluationFailed),
        ]
        for kind in kinds { #expect(try Self.counterpart(kind, own).isInvalidURLError, "\(kind)") }
        let adaptation = try Self.counterpart(.requestAdaptationFailed, own)
        #expect(adaptation.isRequestAdaptationError && adaptation.underlyingError?.asAFError?.isInvalidURLError == true)
        // Thrown by Firewheel when the adapter has called it.
        let called = try Self.counterpart(.requestAdaptationFailed, FirewheelError(.parameterEncodingFailed(.missingURL)))
        #expect((called.underlyingError as? AFError)?.isParameterEncodingError == true)
        let refresh = try Self.counterpart(.requestAdaptationFailed, FirewheelError(.authenticationFailed(.missingCredential)))
        #expect(refresh.firewheelError?.kind == .authenticationFailed(.missingCredential))
    }

    @Test("A retrier's error comes with the failure that it was asked about")
    func retry() throws {
        let original = Self.error(.transportFailed(.timedOut))
        let error = try #require(Self.error(.requestRetryFailed, Cause(), original: original).asAFError)
        guard case .requestRetryFailed(let retryError, let originalError) = error else { throw error }
        #expect(retryError as? Cause == Cause() && error.underlyingError as? Cause == Cause())
        #expect(((originalError as? AFError)?.underlyingError as? URLError)?.code == .timedOut)
        #expect(error.firewheelError?.kind == .transportFailed(.timedOut))
        // That of the program's own serializer.
        let serialized = try #require(Self.error(.requestRetryFailed, Cause(), original: Cause(number: 2)).asAFError)
        guard case .requestRetryFailed(_, let second) = serialized else { throw serialized }
        #expect((second as? AFError)?.isResponseSerializationError == true)
        #expect((second as? AFError)?.underlyingError as? Cause == Cause(number: 2))
    }

    @Test("Cancellation, and the session's end")
    func ends() throws {
        #expect(try Self.counterpart(.explicitlyCancelled).isExplicitlyCancelledError)
        #expect(try Self.counterpart(.sessionInvalidated).isSessionDeinitializedError)
    }

    @Test("A URL of which no text is known still is an invalid one")
    func invalidURL() throws {
        let error = try Self.counterpart(.invalidURL)
        let url = try #require(error.urlConvertible)
        #expect(error.isInvalidURLError && error.firewheelError?.kind == .invalidURL)
        #expect(throws: FirewheelError.self) { try url.asURL() }
    }

    @Test("A body in a GET is the payload")
    func body() throws {
        var request = URLRequest(url: Self.secret)
        request.httpBody = Data("abc".utf8)
        let error = FirewheelError(.urlRequestValidationFailed(.bodyDataInGETRequest), request: request).asAFError
        guard case .urlRequestValidationFailed(.bodyDataInGETRequest(let body)) = error else { throw error ?? .explicitlyCancelled }
        #expect(body == Data("abc".utf8))
    }

    @Test("Reasons of parameters")
    func parameters() throws {
        let missing = try Self.counterpart(.parameterEncodingFailed(.missingURL))
        #expect(missing.isParameterEncodingError && missing.underlyingError == nil)
        let json = try Self.counterpart(.parameterEncodingFailed(.jsonEncodingFailed), Cause())
        guard case .parameterEncodingFailed(.jsonEncodingFailed(let cause)) = json else { throw json }
        #expect(cause as? Cause == Cause())
        let form = try Self.counterpart(.parameterEncodingFailed(.urlEncodedFormEncodingFailed), Cause())
        #expect(form.isParameterEncoderError && form.underlyingError as? Cause == Cause())
        let list = try Self.counterpart(.parameterEncodingFailed(.propertyListEncodingFailed), Cause())
        guard case .parameterEncodingFailed(.customEncodingFailed(let own)) = list else { throw list }
        #expect((own as? FirewheelError)?.underlyingError as? Cause == Cause())
    }

    @Test("Reasons of forms")
    func forms() throws {
        func reason(
            _ reason: FirewheelError.MultipartEncodingFailureReason, _ cause: (any Error)? = nil
        ) throws -> (AFError, AFError.MultipartEncodingFailureReason) {
            let error = try Self.counterpart(.multipartEncodingFailed(reason), cause)
            guard case .multipartEncodingFailed(let reason) = error else { throw error }
            return (error, reason)
        }
        let url = Self.file
        for same in [
            FirewheelError.MultipartEncodingFailureReason.bodyPartURLInvalid(url: url), .bodyPartFilenameInvalid(in: url),
            .bodyPartFileNotReachable(at: url), .bodyPartFileIsDirectory(at: url), .bodyPartFileSizeNotAvailable(at: url),
            .outputStreamURLInvalid(url: url), .outputStreamFileAlreadyExists(at: url),
        ] {
            let (error, _) = try reason(same)
            #expect(error.url == url && error.underlyingError == nil, "\(same)")
        }
        guard case .bodyPartFileNotReachableWithError = try reason(.bodyPartFileNotReachable(at: url), Cause()).1 else {
            throw Cause(number: 2)
        }
        for own in [
            FirewheelError.MultipartEncodingFailureReason.boundaryInvalid, .bodyPartHeaderInvalid, .bodyPartFileChanged(at: url),
            .unexpectedInputStreamLength, .inputStreamReadFailed, .outputStreamWriteFailed,
        ] {
            #expect(try reason(own).0.firewheelError?.kind == .multipartEncodingFailed(own), "\(own)")
        }
        for caused in [FirewheelError.MultipartEncodingFailureReason.inputStreamReadFailed, .outputStreamWriteFailed] {
            #expect(try reason(caused, Cause()).0.underlyingError as? Cause == Cause(), "\(caused)")
        }
    }

    @Test("Reasons of validations")
    func validations() throws {
        let file = try Self.counterpart(.responseValidationFailed(.dataFileReadFailed(at: Self.file)))
        guard case .responseValidationFailed(.dataFileReadFailed(Self.file)) = file else { throw file }
        let missing = try Self.counterpart(.responseValidationFailed(.missingContentType(acceptable: ["a/b"])))
        #expect(missing.isResponseValidationError && missing.acceptableContentTypes == ["a/b"] && missing.responseContentType == nil)
        let type = try Self.counterpart(.responseValidationFailed(.unacceptableContentType(acceptable: ["a/b"], received: "c/d")))
        #expect(type.acceptableContentTypes == ["a/b"] && type.responseContentType == "c/d")
        #expect(try Self.counterpart(.responseValidationFailed(.unacceptableStatusCode(404))).responseCode == 404)
    }

    @Test("Reasons of serializers")
    func serializers() throws {
        func counterpart(_ reason: FirewheelError.ResponseSerializationFailureReason, _ cause: (any Error)? = nil) throws -> AFError {
            try Self.counterpart(.responseSerializationFailed(reason), cause)
        }
        guard case .responseSerializationFailed(.inputDataNilOrZeroLength) = try counterpart(.inputDataNilOrZeroLength),
            case .responseSerializationFailed(.inputFileNil) = try counterpart(.inputFileNil),
            case .responseSerializationFailed(.invalidEmptyResponse("Int")) = try counterpart(.invalidEmptyResponse(type: "Int"))
        else { throw Cause() }
        #expect(try counterpart(.stringSerializationFailed(.utf8)).failedStringEncoding == .utf8)
        guard case .responseSerializationFailed(.decodingFailed(let cause)) = try counterpart(.decodingFailed, Cause()) else {
            throw Cause()
        }
        #expect(cause as? Cause == Cause())
        let json = try counterpart(.jsonSerializationFailed, Cause())
        guard case .responseSerializationFailed(.jsonSerializationFailed(let syntax as CocoaError)) = json else { throw json }
        #expect(syntax.code == .propertyListReadCorrupt && syntax.userInfo[NSUnderlyingErrorKey] as? Cause == Cause())
        for own in [
            FirewheelError.ResponseSerializationFailureReason.propertyListSerializationFailed, .imageSerializationFailed, .imageTooLarge,
            .imageLibraryMissing, .xmlSerializationFailed, .compoundSerializationFailed, .inputFileReadFailed,
        ] {
            let error = try counterpart(own, Cause())
            #expect(error.isResponseSerializationError && error.firewheelError?.kind == .responseSerializationFailed(own), "\(own)")
        }
    }

    @Test("Reasons of trust")
    func trust() throws {
        let missing = try Self.counterpart(.serverTrustEvaluationFailed(.noRequiredEvaluator))
        guard case .serverTrustEvaluationFailed(.noRequiredEvaluator("localhost")) = missing else { throw missing }
        let evaluations: [FirewheelError.ServerTrustFailureReason] = [
            .defaultEvaluationFailed, .hostValidationFailed, .revocationCheckFailed,
            // Without what was compared.
            .certificatePinningFailed, .publicKeyPinningFailed,
        ]
        for reason in evaluations {
            let error = try Self.counterpart(.serverTrustEvaluationFailed(reason))
            #expect(error.isServerTrustEvaluationError && error.firewheelError?.kind == .serverTrustEvaluationFailed(reason))
        }
    }
}
