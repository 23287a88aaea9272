import Foundation

// The messages, by kind. A message starts in lower case, since it follows the request and a colon. It names what the caller can change, and
// never quotes a body or the value of a header field or a parameter.

extension FirewheelError.Kind {
    /// What happened, with the details that the error has.
    func message(of error: FirewheelError) -> String {
        let because = error.because
        switch self {
        case .invalidURL: return error.detail ?? "the URL is not valid"
        case .invalidHeader: return error.detail ?? "a header field is not valid"
        case .urlRequestValidationFailed(let reason): return reason.message(error.detail)
        case .createURLRequestFailed: return "the request could not be made" + because
        case .requestAdaptationFailed: return "the request adapter failed" + because
        case .requestRetryFailed: return "the request was not retried" + because
        case .redirectHandlingFailed: return "the redirect handler failed" + because
        case .authenticationFailed(let reason): return reason.message + error.inParentheses + because
        case .parameterEncodingFailed(let reason): return reason.message + because
        case .multipartEncodingFailed(let reason): return reason.message(of: error)
        case .responseValidationFailed(let reason): return reason.message(of: error)
        case .responseSerializationFailed(let reason): return error.namingRefusedStatus(reason.message(of: error))
        case .transportFailed(let code): return error.transportMessage(code) + error.inParentheses
        case .proxyConnectFailed(let status): return error.detail ?? "the proxy refused to connect to the server with status \(status)"
        case .serverTrustEvaluationFailed(.customEvaluationFailed): return (error.detail ?? "the server was refused") + because
        case .serverTrustEvaluationFailed: return error.detail ?? "the server is not trusted"
        case .uploadBodyFailed(let reason): return reason.message(of: error)
        case .responseBodyTooLarge: return "the body is larger than maximumResponseBodySize" + error.inParentheses
        case .responseStreamFailed(let reason): return reason.message + because
        case .webSocketFailed(let reason): return reason.message(error.detail) + because
        case .downloadedFileWriteFailed: return (error.detail ?? "cannot write a temporary file") + because
        case .downloadedFileMoveFailed: return (error.detail ?? "cannot write the downloaded file") + because
        case .downloadResumptionRefused(let status):
            return "the download was not resumed: the server answered with status \(status) (what was downloaded is kept)"
        case .resumeDataInvalid: return "the resume data cannot be used" + (error.detail.map { ": \($0)" } ?? "")
        case .cacheDirectoryFailed: return "cannot use the cache's directory" + (error.detail.map { " \($0)" } ?? "") + because
        case .cookieFileFailed(let reason): return reason.message(error.detail) + because
        case .certificateInvalid(let reason): return reason.message(error.detail) + because
        case .clientIdentityInvalid(let reason): return reason.message(error.detail) + because
        case .explicitlyCancelled: return "cancelled"
        case .sessionInvalidated: return "the session was invalidated, or released before the request was started"
        }
    }
}

extension FirewheelError.WebSocketFailureReason {
    fileprivate func message(_ detail: String?) -> String {
        switch self {
        case .handshakeRefused(let status): "the server did not open the WebSocket: it answered with status \(status), not 101"
        case .closedByServer(let code, let reason):
            "the server closed the WebSocket with code \(code)" + (reason.isEmpty ? "" : ": \(reason.onOneLine)")
        case .protocolViolated(let code): (detail ?? "the server broke the WebSocket protocol") + " (closed with code \(code))"
        case .notSent: "not sent, or not certainly: the WebSocket is closed"
        case .invalidClose: detail ?? "the WebSocket cannot be closed with this code and reason"
        }
    }
}

extension FirewheelError.ResponseStreamFailureReason {
    var message: String {
        switch self {
        case .lineTooLong(let limit): "a line of the response is longer than \(limit) bytes (maximumLength)"
        case .eventTooLarge(let limit): "an event of the response is larger than \(limit) bytes (maximumEventSize)"
        case .handlerFailed: "a handler of the stream failed"
        }
    }
}

extension FirewheelError.Kind {
    /// Whether a redirect was not followed, so that the last URL reached is not worth mentioning.
    var isOfRedirect: Bool {
        switch self {
        case .transportFailed(.httpTooManyRedirects), .transportFailed(.redirectToNonExistentLocation), .transportFailed(.unsupportedURL),
            .transportFailed(.appTransportSecurityRequiresSecureConnection), .redirectHandlingFailed:
            true
        default: false
        }
    }
}

extension FirewheelError {
    /// The detail in parentheses, to append to a message; empty if there is none.
    fileprivate var inParentheses: String { detail.map { " (\($0))" } ?? "" }

    /// The transport's explanation, or the meaning of the code if there is none.
    fileprivate func transportMessage(_ code: URLError.Code) -> String {
        guard let underlyingError else { return code.words }
        let isOfCode = (underlyingError as? URLError)?.code == code
        return isOfCode ? words(of: underlyingError) : "\(code.words): \(words(of: underlyingError))"
    }
}

extension FirewheelError.MultipartEncodingFailureReason {
    fileprivate func message(of error: FirewheelError) -> String {
        switch self {
        case .boundaryInvalid: "the boundary of the form is not valid (1 to 70 characters of RFC 2046 section 5.1.1)"
        case .bodyPartHeaderInvalid: "\(error.detail ?? "a header field of a part") of the form has a character that is not allowed"
        case .bodyPartURLInvalid(let url): "cannot add \(url.fileName) to the form: it is not the URL of a file"
        case .bodyPartFilenameInvalid(let url):
            "cannot add \(url.fileName) to the form: it has no name, or one with control characters (use fileName:)"
        case .bodyPartFileNotReachable(let url): "cannot read \(url.fileName) for the form\(error.because)"
        case .bodyPartFileIsDirectory(let url): "cannot add \(url.fileName) to the form: it is a folder"
        case .bodyPartFileSizeNotAvailable(let url): "cannot add \(url.fileName) to the form: it is not a regular file"
        case .bodyPartFileChanged(let url): error.detail ?? "the file \(url.fileName) has changed"
        case .inputStreamReadFailed: "a stream of the form failed\(error.because)"
        case .unexpectedInputStreamLength: "a stream of the form does not have its length\(error.detail.map { ", \($0)" } ?? "")"
        case .outputStreamURLInvalid(let url): "cannot write the form to \(url.fileName): it is not the URL of a file"
        case .outputStreamFileAlreadyExists(let url): "cannot write the form to \(url.fileName): a file is there already"
        case .outputStreamWriteFailed: "cannot write the form to \(error.detail ?? "the file")\(error.because)"
        }
    }
}

extension URL {
    /// The name of a file in an error; another URL without its secrets.
    var fileName: String { isFileURL ? lastPathComponent : Redaction.url(withoutSecrets.absoluteString) }

    /// A web URL without what may be a secret, for an error whose kind is printed with the URL: user information, query and fragment. A
    /// file URL as it is.
    var withoutSecrets: URL {
        guard !isFileURL, var components = URLComponents(url: self, resolvingAgainstBaseURL: true) else { return self }
        (components.user, components.password, components.query, components.fragment) = (nil, nil, nil, nil)
        return components.url ?? self
    }
}

extension FirewheelError.UploadBodyFailureReason {
    fileprivate func message(of error: FirewheelError) -> String {
        switch self {
        case .fileReadFailed: "cannot read \(error.detail ?? "the file") for the request's body\(error.because)"
        case .lengthMismatch: error.detail ?? "the request's body does not have its length"
        case .streamFailed: "the stream of the request's body failed\(error.because)"
        case .notRepeatable:
            (error.detail.map { "\($0): " } ?? "")
                + "the request's body was sent before and cannot be produced again (use data or a file instead of a stream)"
        }
    }
}

extension FirewheelError.CertificateFailureReason {
    fileprivate func message(_ detail: String?) -> String {
        switch self {
        case .fileReadFailed: "cannot read \(detail ?? "the certificates")"
        case .missing: detail ?? "there is no certificate"
        case .malformed: detail ?? "the data is not a certificate, or is damaged"
        case .libraryMissing: "certificates need OpenSSL 3"
        }
    }
}

extension FirewheelError.ClientIdentityFailureReason {
    fileprivate func message(_ detail: String?) -> String {
        switch self {
        case .keyMissing: return detail ?? "there is no private key"
        case .certificateMissing: return detail ?? "there is no certificate"
        case .malformed: return detail ?? "the key is damaged"
        case .passphraseMissing: return "the private key is encrypted, and there is no passphrase"
        case .passphraseWrong: return "the passphrase of \(detail ?? "the key") is wrong"
        case .keyMismatch: return "the private key belongs to none of the certificates"
        case .unsupported: return detail ?? "the system cannot read this kind of key"
        case .libraryMissing: return detail ?? "client certificates need OpenSSL 3"
        }
    }
}

extension FirewheelError.CookieFileFailureReason {
    fileprivate func message(_ detail: String?) -> String {
        let file = detail ?? "the cookie file"
        return switch self {
        case .readFailed: "cannot read \(file)"
        case .invalidContent: "cannot use \(file)"
        case .writeFailed: "cannot write \(file)"
        }
    }
}

extension FirewheelError.RequestValidationFailureReason {
    fileprivate func message(_ detail: String?) -> String {
        switch self {
        case .bodyDataInGETRequest: "a GET request cannot have a body (use POST, or put the parameters into the query)"
        case .bodyDataInHEADRequest: "a HEAD request cannot have a body"
        case .invalidMethod: "the method \(detail ?? "") is not a token (RFC 9110 section 5.6.2)"
        case .bodyStreamUnsupported: "request(_:) does not send an httpBodyStream (use httpBody)"
        }
    }
}

extension FirewheelError.AuthenticationFailureReason {
    fileprivate var message: String {
        switch self {
        case .invalidCredential: "the credential cannot be sent as the server asks for it"
        case .libraryMissing: "the server's challenge cannot be answered on this system"
        case .serverNotAuthenticated: "the server did not prove that it knows the password (rspauth)"
        case .missingCredential: "no credential to authenticate with (set the credential of the AuthenticationInterceptor)"
        case .excessiveRefresh: "the credential was refreshed too often (see RefreshWindow)"
        case .refreshFailed: "the credential could not be refreshed"
        case .refreshCancelled: "the refresh of the credential was cancelled"
        case .refreshTimedOut: "the refresh of the credential timed out (see refreshTimeout)"
        case .unchangedCredential: "the refresh returned the credential that the server had refused"
        }
    }
}

extension FirewheelError.ParameterEncodingFailureReason {
    fileprivate var message: String {
        switch self {
        case .missingURL: "the request has no URL to encode parameters into"
        case .jsonEncodingFailed: "the parameters cannot be encoded as JSON"
        case .urlEncodedFormEncodingFailed: "the parameters cannot be encoded as a URL-encoded form"
        case .propertyListEncodingFailed: "the parameters cannot be encoded as a property list"
        case .customEncodingFailed: "the parameter encoding failed"
        }
    }
}

extension FirewheelError.ResponseValidationFailureReason {
    fileprivate func message(of error: FirewheelError) -> String {
        let size = error.receivedBody.map { " (\($0))" } ?? ""
        switch self {
        case .missingContentType(let acceptable):
            return "expected \(Self.list(acceptable)), the response has no content type\(error.receivedSize.map { ", \($0)" } ?? "")"
        case .unacceptableContentType(let acceptable, let received):
            return "expected \(Self.list(acceptable)), the response is \(received)\(error.receivedSize.map { ", \($0)" } ?? "")"
        case .unacceptableStatusCode(let code): return "status \(code) is \(error.detail ?? "not acceptable")\(size)"
        case .customValidationFailed: return "the response did not pass validation\(error.because)\(size)"
        case .dataFileReadFailed(let url): return "cannot read \(url.lastPathComponent)\(error.because)"
        }
    }

    private static func list(_ types: [String]) -> String { types.joined(separator: " or ") }
}

extension FirewheelError.ResponseSerializationFailureReason {
    fileprivate func message(of error: FirewheelError) -> String {
        switch self {
        case .inputDataNilOrZeroLength: "expected a body, the response is empty\(error.status)"
        case .inputFileNil: "there is no downloaded file"
        case .inputFileReadFailed: "cannot read \(error.detail ?? "the downloaded file")\(error.because)"
        case .stringSerializationFailed(let encoding): error.notOfFormat("text in \(encoding.plainName)")
        case .jsonSerializationFailed: error.notOfFormat("JSON", valid: "valid JSON", types: ["json"])
        case .propertyListSerializationFailed:
            error.notOfFormat("a property list", valid: "a valid property list", types: ["plist", "xml", "octet-stream"])
        case .imageSerializationFailed:
            error.notOfFormat("an image", valid: error.detail, types: error.detail == nil ? ["image/", "octet-stream"] : [])
        case .imageTooLarge: "the image\(error.detail ?? " takes too much memory") when decoded (a pixelLimit delivers it undecoded)"
        case .imageLibraryMissing: "images in \(error.detail ?? "its format") cannot be decoded on this system\(error.because)"
        case .xmlSerializationFailed: error.xmlMessage
        case .decodingFailed: error.decodingMessage
        case .customSerializationFailed: "\(error.detail ?? "the data preprocessor") failed\(error.because)"
        case .compoundSerializationFailed: "no serializer of the compound succeeded\(error.because)"
        case .invalidEmptyResponse(let type): "the response is empty\(error.status), and \(type) has no empty value (see Empty)"
        }
    }
}

// MARK: - What is known of the response

extension FirewheelError {
    /// The maximum number of bytes of a downloaded file that an error keeps.
    private static let mostOfFile = 1 << 20

    /// The size of the received body, such as `17 bytes`; nil if there is none.
    fileprivate var receivedSize: String? {
        guard let count = responseData?.count, count > 0 else { return nil }
        return count == 1 ? "1 byte" : count == Self.mostOfFile ? "1 MiB or more" : "\(count) bytes"
    }

    /// The media type in the response's `Content-Type`.
    private var receivedType: String? {
        guard let type = response?.headers.singleton("Content-Type").flatMap({ MediaType($0) }) else { return nil }
        return "\(type.type)/\(type.subtype)"
    }

    /// `26 bytes of application/json`
    fileprivate var receivedBody: String? {
        receivedSize.map { size in size + (receivedType.map { " of \($0)" } ?? "") }
    }

    /// ` (status 200)`
    fileprivate var status: String { response.map { " (status \($0.statusCode))" } ?? "" }

    /// The message about a body that is not in a format: its content type if that is another format's, else where the body is malformed.
    ///
    /// - Parameter types: Words that identify the format's media types by their subtype. Empty: any media type is possible.
    fileprivate func notOfFormat(_ format: String, valid: String? = nil, types: [String] = []) -> String {
        if let type = receivedType, !types.isEmpty, !types.contains(where: type.contains) {
            return "expected \(format), the response is \(type)\(receivedSize.map { ", \($0)" } ?? "")"
        }
        var place = underlyingError.flatMap(Self.place).map { " (\($0))" } ?? ""
        // The parser has seen that line only.
        if line != nil { place = place.replacing("at line 1, ", with: "at ") }
        return "\(line.map { "line \($0)" } ?? "the body") is not \(valid ?? format)\(place)\(receivedBody.map { ", \($0)" } ?? "")"
    }

    /// Why the body cannot be used as XML: its content type if that is another format's, else the reason and the place.
    fileprivate var xmlMessage: String {
        if let type = receivedType, !["xml", "plain", "octet-stream"].contains(where: type.contains) {
            return notOfFormat("XML", types: ["xml"])
        }
        return "cannot use the body as XML\(detail.map { ": \($0)" } ?? "")\(receivedBody.map { ", \($0)" } ?? "")"
    }

    /// A message about a body that could not be read, with ` (status 404)` if the status already says that it may be another one. Once,
    /// although the message may have it, and those of its causes, too.
    fileprivate func namingRefusedStatus(_ message: String) -> String {
        guard let code = response?.statusCode, !(200..<300).contains(code) else { return message }
        guard let first = message.range(of: status) else { return message + status }
        return String(message[..<first.upperBound]) + message[first.upperBound...].replacing(status, with: "")
    }

    /// The type that the body was to be decoded as, and where the body differs.
    fileprivate var decodingMessage: String {
        let type = (line.map { "line \($0): " } ?? "") + (detail.map { "\($0): " } ?? "")
        if case .dataCorrupted(let context)? = underlyingError as? DecodingError, context.codingPath.isEmpty,
            context.debugDescription.contains("valid JSON")
        {
            guard let place = context.underlyingError.flatMap(Self.place), place == UnrepresentableNumber().description else {
                return notOfFormat("JSON", valid: "valid JSON", types: ["json"])
            }
            return type + place
        }
        // What PropertyListSerialization throws at malformed data.
        if let error = underlyingError.flatMap(Self.foundationError), error.domain == NSCocoaErrorDomain, error.code == 3840 {
            return notOfFormat("a property list", valid: "a valid property list", types: ["plist", "xml", "octet-stream"])
        }
        return type + (underlyingError.map { words(of: $0) } ?? "the body cannot be decoded")
    }
}
