import Firewheel

extension AFError: LocalizedError, Described {
    /// What happened, as a sentence without credentials, on one line. The same as `description`.
    public var errorDescription: String? { sentence.onOneLine }

    private var sentence: String {
        switch self {
        case .createUploadableFailed(let error): "The body of the upload could not be made: \(words(of: error))"
        case .createURLRequestFailed(let error): "The request could not be made: \(words(of: error))"
        case .downloadedFileMoveFailed(let error, let source, let destination):
            "The downloaded file \(name(of: source)) could not be moved to \(name(of: destination)): \(words(of: error))"
        case .explicitlyCancelled: "The request was cancelled."
        case .invalidURL(let url): "The URL is not valid: \(text(of: url))"
        case .multipartEncodingFailed(let reason): reason.localizedDescription
        case .parameterEncodingFailed(let reason): reason.localizedDescription
        case .parameterEncoderFailed(let reason): reason.localizedDescription
        case .requestAdaptationFailed(let error): "A request adapter failed: \(words(of: error))"
        case .requestRetryFailed(let retryError, let originalError):
            "A request retrier failed: \(words(of: retryError)); the failure before that: \(words(of: originalError))"
        case .responseValidationFailed(let reason): reason.localizedDescription
        case .responseSerializationFailed(let reason): reason.localizedDescription
        case .serverTrustEvaluationFailed(let reason): "The server is not trusted: \(reason.localizedDescription)"
        case .sessionDeinitialized:
            "The session was released or invalidated before the request had ended. Keep a reference to the session until then."
        case .sessionInvalidated(let error): "The session was invalidated" + (error.map { ": \(words(of: $0))" } ?? ".")
        case .sessionTaskFailed(let error): "The request failed: \(firewheelError?.description ?? words(of: error))"
        case .urlRequestValidationFailed(let reason): reason.localizedDescription
        }
    }
}

extension AFError.ParameterEncodingFailureReason: Described {
    var localizedDescription: String {
        switch self {
        case .missingURL: "The request has no URL to add the parameters to."
        case .jsonEncodingFailed(let error): "The parameters could not be encoded as JSON: \(words(of: error))"
        case .customEncodingFailed(let error): "The parameters could not be encoded: \(words(of: error))"
        }
    }
}

extension AFError.ParameterEncoderFailureReason: Described {
    var localizedDescription: String {
        switch self {
        case .missingRequiredComponent(.url): "The request has no URL, which the encoder needs."
        case .missingRequiredComponent(.httpMethod(let name)):
            "The request has no method that the encoder knows, but \(name.debugDescription)."
        case .encoderFailed(let error): "The parameters could not be encoded: \(words(of: error))"
        }
    }
}

extension AFError.MultipartEncodingFailureReason: Described {
    var localizedDescription: String {
        switch self {
        case .bodyPartURLInvalid(let url): "\(name(of: url)) cannot be part of the form: it is not the URL of a file."
        case .bodyPartFilenameInvalid(let url): "\(name(of: url)) cannot be part of the form: its name cannot be used (see fileName:)."
        case .bodyPartFileNotReachable(let url): "\(name(of: url)) cannot be read for the form."
        case .bodyPartFileNotReachableWithError(let url, let error): "\(name(of: url)) cannot be read for the form: \(words(of: error))"
        case .bodyPartFileIsDirectory(let url): "\(name(of: url)) cannot be part of the form: it is a folder."
        case .bodyPartFileSizeNotAvailable(let url): "\(name(of: url)) cannot be part of the form: it has no size."
        case .bodyPartFileSizeQueryFailedWithError(let url, let error):
            "The size of \(name(of: url)) cannot be read for the form: \(words(of: error))"
        case .bodyPartInputStreamCreationFailed(let url): "\(name(of: url)) cannot be opened for the form."
        case .outputStreamCreationFailed(let url): "The form cannot be written to \(name(of: url)): it cannot be opened."
        case .outputStreamFileAlreadyExists(let url): "The form cannot be written to \(name(of: url)): a file is there already."
        case .outputStreamURLInvalid(let url): "The form cannot be written to \(name(of: url)): it is not the URL of a file."
        case .outputStreamWriteFailed(let error): "The form could not be written: \(words(of: error))"
        case .inputStreamReadFailed(let error): "A part of the form could not be read: \(words(of: error))"
        }
    }
}

extension AFError.UnexpectedInputStreamLength: CustomStringConvertible {
    /// Both lengths.
    public var description: String { "expected \(bytesExpected) bytes, read \(bytesRead)" }
}

extension AFError.ResponseValidationFailureReason: Described {
    var localizedDescription: String {
        switch self {
        case .dataFileNil: "There is no downloaded file to validate."
        case .dataFileReadFailed(let url): "The downloaded file \(name(of: url)) could not be inspected."
        case .missingContentType(let acceptable): "Expected \(list(acceptable)), but the response has no content type."
        case .unacceptableContentType(let acceptable, let received): "Expected \(list(acceptable)), but the response is \(received)."
        case .unacceptableStatusCode(let code): "The response's status code \(code) is not acceptable."
        case .customValidationFailed(let error): "The response did not pass validation: \(words(of: error))"
        }
    }

    private func list(_ types: [String]) -> String { types.isEmpty ? "no content type" : types.joined(separator: " or ") }
}

extension AFError.ResponseSerializationFailureReason: Described {
    var localizedDescription: String {
        switch self {
        case .inputDataNilOrZeroLength: "Expected a body, but the response is empty."
        case .inputFileNil: "There is no downloaded file to serialize."
        case .inputFileReadFailed(let url): "The downloaded file \(name(of: url)) could not be read."
        case .stringSerializationFailed(let encoding): "The body is not valid text in the encoding \(encoding)."
        case .jsonSerializationFailed(let error): "The body is not valid JSON: \(words(of: error))"
        case .decodingFailed(let error): "The body could not be decoded: \(words(of: error))"
        case .customSerializationFailed(let error): "The body could not be serialized: \(words(of: error))"
        case .invalidEmptyResponse(let type): "The response is empty, and \(type) has no empty value (see Empty)."
        }
    }
}

extension AFError.ServerTrustFailureReason: Described {
    var localizedDescription: String {
        switch self {
        case .noRequiredEvaluator(let host): "\(host) has no evaluator, and all hosts must be evaluated."
        case .noCertificatesFound: "There are no certificates to compare with."
        case .noPublicKeysFound: "There are no keys to compare with."
        #if canImport(Security)
            case .policyApplicationFailed(_, _, let status): "A policy could not be applied (status \(status))."
            case .settingAnchorCertificatesFailed(let status, _): "The authorities could not be set (status \(status))."
        #endif
        case .revocationPolicyCreationFailed: "The policy of a revocation check could not be made."
        case .trustEvaluationFailed(let error): error.map { words(of: $0) } ?? "The evaluation failed."
        case .defaultEvaluationFailed(let output): "The default evaluation of \(output.host) failed."
        case .hostValidationFailed(let output): "The certificate of \(output.host) is for another host."
        case .revocationCheckFailed(let output, _): "The revocation check of \(output.host) failed."
        case .certificatePinningFailed(let host, _, _): "None of the certificates of \(host) is pinned."
        case .publicKeyPinningFailed(let host, let pinned, let received):
            "None of the keys of \(host) is pinned (expected \(list(pinned)); the server has \(list(received)))."
        case .customEvaluationFailed(let error): words(of: error)
        }
    }

    private func list(_ pins: [String]) -> String { pins.isEmpty ? "none" : pins.joined(separator: ", ") }
}

extension AFError.URLRequestValidationFailureReason: Described {
    var localizedDescription: String {
        switch self {
        case .bodyDataInGETRequest(let body): "A GET request cannot have a body, but this one has \(body.count) bytes."
        }
    }
}

// MARK: - Texts without credentials

/// An error or a reason that is printed as its localized description, since Swift's own description of an enumeration would show URLs and
/// bodies as they are.
protocol Described: CustomStringConvertible, CustomReflectable {
    var localizedDescription: String { get }
}

extension Described {
    /// What happened, as a sentence without credentials, on one line.
    public var description: String { localizedDescription.onOneLine }

    /// The ``description``, for `dump` and debuggers.
    public var customMirror: Mirror { Mirror(self, children: ["description": description], displayStyle: .enum) }
}

/// How many errors contain the one that is being printed.
private enum Nesting {
    @TaskLocal static var depth = 0
    /// Printing takes stack for each level, and `requestRetryFailed` doubles the text with each.
    static let maximum = 8
}

/// The text of a cause. A program's own localized error is printed with its message for people.
private func words(of error: any Error) -> String {
    guard Nesting.depth < Nesting.maximum else { return "…" }
    return Nesting.$depth.withValue(Nesting.depth + 1) { message(of: error) }
}

private func message(of error: any Error) -> String {
    guard !(error is AFError || error is FirewheelError), let text = (error as? any LocalizedError)?.errorDescription else {
        return FirewheelError.words(of: error)
    }
    let redacted = text.split(separator: " ", omittingEmptySubsequences: false)
        .map { $0.contains("//") ? Redaction.possibleURL(String($0)) : String($0) }
    return Redaction.json(redacted.joined(separator: " "))
}

/// The path of a file; another URL without its secrets.
private func name(of url: URL) -> String { url.isFileURL ? url.path : Redaction.url(url.absoluteString) }

private func text(of url: any URLConvertible) -> String {
    switch url {
    case let url as URL: Redaction.url(url.absoluteString)
    case let url as UnusableURL: url.error.description
    case let url as URLComponents: Redaction.possibleURL(url.string ?? "\(url)")
    case let url as String: url.isEmpty ? "it is empty" : Redaction.possibleURL(url)
    default: Redaction.possibleURL("\(url)")
    }
}
