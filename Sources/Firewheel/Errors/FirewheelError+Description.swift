import Foundation

extension FirewheelError: LocalizedError, CustomStringConvertible {
    /// The ``description``, which `localizedDescription` gives too.
    public var errorDescription: String? { description }

    /// What went wrong in a sentence, with the cause behind it, on one line: what comes from a server or a caller's data cannot add others
    /// to a log.
    public var description: String {
        var text = kind.sentence
        if let detail { text += " (\(detail))" }
        if let underlyingError { text += ": \(Self.sentence(of: underlyingError))" }
        if let originalError { text += "; the failure before that: \(Self.sentence(of: originalError))" }
        return text.onOneLine
    }

    /// What may be printed of any error. Other errors say what they like, but for those of Foundation's that are known to name values or
    /// URLs, which may be secrets.
    static func sentence(of error: any Error) -> String {
        unescapedSentence(of: error).onOneLine
    }

    private static func unescapedSentence(of error: any Error) -> String {
        if let code = foundationCode(of: error) { return "URLError \(code.text)" }
        switch error {
        case EncodingError.invalidValue(let value, let context):
            return sentence(
                "a value of type \(type(of: value))", context.codingPath, "could not be encoded", context.debugDescription,
                context.underlyingError)
        case let error as DecodingError: return sentence(of: error)
        // Where every error can be seen as one of these, only those that are.
        case let error where type(of: error) is NSError.Type: return sentence(of: (error as Any) as? NSError) ?? "\(type(of: error))"
        default: return "\(error)"
        }
    }

    private static func sentence(of error: DecodingError) -> String {
        let (type, context): (Any.Type?, DecodingError.Context) =
            switch error {
            case .typeMismatch(let type, let context), .valueNotFound(let type, let context): (type, context)
            case .keyNotFound(_, let context), .dataCorrupted(let context): (nil, context)
            @unknown default: (nil, DecodingError.Context(codingPath: [], debugDescription: "an unknown reason"))
            }
        return sentence(
            type.map { "a value of type \($0)" } ?? "a value", context.codingPath, "could not be decoded", context.debugDescription,
            context.underlyingError)
    }

    private static func sentence(
        _ value: String, _ path: [any CodingKey], _ failure: String, _ reason: String, _ cause: (any Error)?
    ) -> String {
        // The reason may quote the value.
        let isSecret = path.contains { Redaction.isSecret(name: $0.stringValue) }
        return "\(value)\(path.isEmpty ? "" : " at \(path.text)") \(failure): \(isSecret ? Redaction.mark : reason)"
            + (cause.map { ": \(sentence(of: $0))" } ?? "")
    }

    private static func sentence(of error: NSError?) -> String? {
        guard let error else { return nil }
        let cause = (error.userInfo[NSUnderlyingErrorKey] as? any Error).map { ": \(sentence(of: $0))" }
        return "\(error.domain) \(error.code)" + (error.userInfo[NSLocalizedDescriptionKey].map { " (\($0))" } ?? "") + (cause ?? "")
    }
}

extension FirewheelError: CustomReflectable {
    /// What `dump` and debuggers show: as much as can be said without a header's value, a URL's user information or a body.
    public var customMirror: Mirror {
        Mirror(
            self,
            children: [
                "kind": kind, "detail": detail as Any, "underlyingError": underlyingError.map(Self.sentence) as Any,
                "originalError": originalError.map(Self.sentence) as Any,
                "request": request.map(Redaction.line) as Any,
                "statusCode": response?.statusCode as Any, "responseData": responseData.map { "\($0.count) bytes" } as Any,
            ], displayStyle: .struct)
    }
}

extension FirewheelError.Kind {
    fileprivate var sentence: String {
        switch self {
        case .invalidURL: "The URL is not valid"
        case .invalidHeader: "A header field is not valid"
        case .urlRequestValidationFailed(let reason): reason.sentence
        case .createURLRequestFailed: "The request could not be made"
        case .requestAdaptationFailed: "The request could not be adapted"
        case .requestRetryFailed: "The request was not retried"
        case .redirectHandlingFailed: "The redirect could not be handled"
        case .authenticationFailed(let reason): reason.sentence
        case .parameterEncodingFailed(let reason): reason.sentence
        case .responseValidationFailed(let reason): reason.sentence
        case .responseSerializationFailed(let reason): reason.sentence
        case .transportFailed(let code): "The exchange failed with URLError \(code.text)"
        case .responseBodyTooLarge: "The response's body is larger than allowed"
        case .downloadedFileMoveFailed: "The downloaded file could not be put in its place"
        case .cookieFileFailed(let reason): reason.sentence
        case .explicitlyCancelled: "The request was cancelled"
        case .sessionInvalidated: "The session was invalidated, or released before the request was started"
        }
    }
}

extension FirewheelError.CookieFileFailureReason {
    fileprivate var sentence: String {
        switch self {
        case .readFailed: "The file of cookies could not be read"
        case .invalidContent: "The file is not a whole file of cookies"
        case .writeFailed: "The file of cookies could not be written"
        }
    }
}

extension FirewheelError.RequestValidationFailureReason {
    fileprivate var sentence: String {
        switch self {
        case .bodyDataInGETRequest: "A GET request cannot have a body"
        case .bodyDataInHEADRequest: "A HEAD request cannot have a body"
        case .invalidMethod: "The method is not valid"
        case .bodyStreamUnsupported: "A request with a body stream cannot be sent this way"
        }
    }
}

extension FirewheelError.AuthenticationFailureReason {
    fileprivate var sentence: String {
        switch self {
        case .invalidCredential: "The credential cannot be sent as the server asks for it"
        case .libraryMissing: "The server's challenge cannot be answered on this system"
        case .serverNotAuthenticated: "The server did not prove that it knows the password"
        case .missingCredential: "There is no credential to authenticate the request with; set that of the AuthenticationInterceptor"
        case .excessiveRefresh: "The credential was refreshed too often, and is not refreshed again for now"
        case .refreshFailed: "The credential could not be refreshed"
        case .refreshCancelled: "The refresh of the credential was cancelled"
        case .refreshTimedOut: "The refresh of the credential took too long"
        case .unchangedCredential: "The refresh returned the credential that the server had refused"
        }
    }
}

extension FirewheelError.ParameterEncodingFailureReason {
    fileprivate var sentence: String {
        switch self {
        case .missingURL: "The request has no URL to encode parameters into"
        case .jsonEncodingFailed: "The parameters could not be encoded as JSON"
        case .urlEncodedFormEncodingFailed: "The parameters could not be encoded as a URL-encoded form"
        case .propertyListEncodingFailed: "The parameters could not be encoded as a property list"
        case .customEncodingFailed: "The parameters could not be encoded"
        }
    }
}

extension FirewheelError.ResponseValidationFailureReason {
    fileprivate var sentence: String {
        switch self {
        case .missingContentType(let acceptable): "The response names no content type; acceptable: \(acceptable.joined(separator: ", "))"
        case .unacceptableContentType(let acceptable, let received):
            "The content type \(received) is not acceptable; acceptable: \(acceptable.joined(separator: ", "))"
        case .unacceptableStatusCode(let code): "The status code \(code) is not acceptable"
        case .customValidationFailed: "The response did not pass validation"
        case .dataFileReadFailed(let url): "The downloaded file \(url.path) could not be looked at"
        }
    }
}

extension FirewheelError.ResponseSerializationFailureReason {
    fileprivate var sentence: String {
        switch self {
        case .inputDataNilOrZeroLength: "The response has no body"
        case .inputFileNil: "There is no downloaded file"
        case .inputFileReadFailed: "The downloaded file could not be read"
        case .stringSerializationFailed(let encoding): "The body is not text in the encoding \(encoding)"
        case .jsonSerializationFailed: "The body is not JSON"
        case .propertyListSerializationFailed: "The body is not a property list"
        case .decodingFailed: "The body could not be decoded"
        case .customSerializationFailed: "The body could not be preprocessed"
        case .compoundSerializationFailed: "None of the serializers made a value of the body"
        case .invalidEmptyResponse(let type): "The response has no body and \(type) has no empty value"
        }
    }
}

extension URLError.Code {
    /// The number and, if it is known, the name.
    fileprivate var text: String { "\(rawValue)\(name.map { " (\($0))" } ?? "")" }

    /// The names of those codes that this library reports.
    private var name: String? {
        switch self {
        case .badURL: "bad URL"
        case .cannotConnectToHost: "cannot connect to host"
        case .cannotDecodeContentData: "cannot decode content data"
        case .cannotDecodeRawData: "cannot decode raw data"
        case .cannotFindHost: "cannot find host"
        case .cannotParseResponse: "cannot parse response"
        case .httpTooManyRedirects: "too many redirects"
        case .networkConnectionLost: "network connection lost"
        case .redirectToNonExistentLocation: "redirect to a location that does not exist"
        case .appTransportSecurityRequiresSecureConnection: "a secure connection is required"
        case .secureConnectionFailed: "secure connection failed"
        case .serverCertificateHasBadDate: "server certificate has a bad date"
        case .serverCertificateHasUnknownRoot: "server certificate has an unknown root"
        case .serverCertificateNotYetValid: "server certificate is not valid yet"
        case .serverCertificateUntrusted: "server certificate is not trusted"
        case .timedOut: "timed out"
        case .unsupportedURL: "unsupported URL"
        default: nil
        }
    }
}
