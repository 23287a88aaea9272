import Foundation

/// The error that Firewheel's requests report: what went wrong, its cause, and the parts of the request and the response that were known.
///
/// An error that a response serializer returns or throws reaches the handler unchanged; every other error is one of these.
public struct FirewheelError: Error, Sendable {
    /// What went wrong.
    public let kind: Kind
    /// The cause: a `URLError` if the exchange failed (`transportFailed`), else the error of a custom validation, of `JSONDecoder` or of
    /// the file system.
    public private(set) var underlyingError: (any Error)?
    /// The failure before this one: the one that a retrier was asked about when it answered with its own error
    /// (``Kind/requestRetryFailed``), that of an attempt that had failed already when the request was cut short (`explicitlyCancelled`,
    /// `timedOut`, `sessionInvalidated`), or, for a body that cannot be parsed, that the response's status code was not acceptable
    /// (`accepting(statusCodes:contentTypes:)` of serializers). Otherwise nil.
    public private(set) var originalError: (any Error)?
    /// The request; nil if it could not be built.
    public private(set) var request: URLRequest?
    /// The response, if its head was received.
    public private(set) var response: HTTPURLResponse?
    /// The body of a response that was received and then rejected, usually by `validate()`. For a download, at most its first mebibyte; for
    /// a stream, an event source and a resumed download that the server refuses, at most 64 KiB, and what arrived in 5 seconds.
    public private(set) var responseData: Data?
    /// For a download that can be resumed (`Session.download(resumingWith:to:)`): its resume data, which is a secret if its URL is one. nil
    /// otherwise.
    public private(set) var resumeData: Data?
    /// What a serializer made of the body of a response with a status code that it does not accept
    /// (`accepting(statusCodes:contentTypes:)` of serializers). JSON, and what else has its form, is a ``JSONValue``. A property list with
    /// dates or data consists of `[String: any Sendable]`, `[any Sendable]`, `Date`, `Data`, `String` and `NSNumber`. nil otherwise, and
    /// for values of other types that are not Sendable. It is not part of ``description``.
    public private(set) var responseValue: (any Sendable)?
    /// Whether a serializer could read the body of a response with such a status code, also if its value is not Sendable.
    package private(set) var isOfParsedBody = false
    /// Details that help a reader find the fault, such as the offending string; never a credential. Control characters and line breaks are
    /// escaped. It is part of ``description``.
    public private(set) var detail: String?
    /// What the error is about; nil if the kind says it, or if nobody asks for it.
    package private(set) var subject: Subject?
    /// The number of the line of a stream that could not be decoded, from 1.
    private(set) var line: Int?
    /// The redacted URL of the last hop, if redirects led to a URL other than the request's.
    private(set) var redirectedTo: String?
    /// The session's decoder, which decodes `responseData` by default; nil if no session has reported the error. Untyped, since its type
    /// belongs to a higher layer.
    private(set) var sessionDecoder: (any AnyObject & Sendable)?

    /// Creates an error, for tests and for custom transports, serializers and retriers.
    ///
    /// - Parameters:
    ///   - kind: What went wrong.
    ///   - detail: Details that help a reader find the fault, without secrets. Line breaks and control characters are escaped. Default:
    ///     nil.
    ///   - underlyingError: The cause. Default: nil.
    ///   - originalError: The failure before this one. Default: nil.
    ///   - request: The request, if it is known. Default: nil.
    ///   - response: The response, if there is one. Default: nil.
    ///   - responseData: The body of that response. Default: nil.
    public init(
        _ kind: Kind,
        detail: String? = nil,
        underlyingError: (any Error)? = nil,
        originalError: (any Error)? = nil,
        request: URLRequest? = nil,
        response: HTTPURLResponse? = nil,
        responseData: Data? = nil
    ) {
        self.kind = kind
        self.detail = detail?.onOneLine
        self.underlyingError = underlyingError
        self.originalError = originalError
        self.request = request
        self.response = response
        self.responseData = responseData
    }

    /// A copy with the failure that preceded this one.
    func with(originalError: any Error) -> FirewheelError {
        var error = self
        error.originalError = originalError
        return error
    }

    /// A copy with another cause.
    func with(underlyingError: (any Error)?) -> FirewheelError {
        var error = self
        error.underlyingError = underlyingError
        return error
    }

    /// A copy with what a serializer made of the body; nil for a value that is not Sendable.
    func with(responseValue: (any Sendable)?) -> FirewheelError {
        var error = self
        error.responseValue = responseValue
        error.isOfParsedBody = true
        return error
    }

    /// A copy with the number of the line that could not be decoded.
    func with(line: Int) -> FirewheelError {
        var error = self
        error.line = line
        return error
    }

    /// A copy with what it is about.
    package func with(subject: Subject?) -> FirewheelError {
        var error = self
        error.subject = subject
        return error
    }

    /// A copy with a download's resume data.
    package func with(resumeData: Data?) -> FirewheelError {
        var error = self
        error.resumeData = resumeData
        return error
    }

    /// A copy with other details.
    func with(detail: String) -> FirewheelError {
        var error = self
        error.detail = detail
        return error
    }

    /// A copy with facts about the request and response that the error does not have yet.
    func adding(
        request: URLRequest?, response: HTTPURLResponse? = nil, responseData: Data? = nil, redirectedTo: String? = nil,
        detail: String? = nil, decoder: (any AnyObject & Sendable)? = nil
    ) -> FirewheelError {
        var error = self
        error.request = self.request ?? request
        error.response = self.response ?? response
        error.responseData = self.responseData ?? responseData
        error.redirectedTo = self.redirectedTo ?? redirectedTo
        error.detail = self.detail ?? detail
        error.sessionDecoder = sessionDecoder ?? decoder
        return error
    }
}

// MARK: - Properties of the chain of errors

/// Each property looks at this error and then at its causes, the nearest first: `underlyingError`, then `originalError`, and for other
/// errors the one under `NSUnderlyingErrorKey`. What a ``ServerTrustEvaluating`` threw is not looked at.
extension FirewheelError {
    /// Whether `cancel()` was called on the request, or on the task that awaited it.
    public var isExplicitlyCancelled: Bool {
        first { ($0 as? FirewheelError)?.kind == .explicitlyCancelled ? true : nil } == true
    }

    /// Whether a timeout was exceeded: connect, idle or resource timeout.
    public var isTimeout: Bool { urlErrorCode == .timedOut }

    /// Whether the server could not be reached or the connection to it was lost.
    public var isConnectivity: Bool {
        switch urlErrorCode {
        case .cannotFindHost, .cannotConnectToHost, .networkConnectionLost, .notConnectedToInternet, .dnsLookupFailed: true
        default: false
        }
    }

    /// Whether the server's certificate was rejected, for any reason, by the system or by a ``ServerTrustManager``. URLSession on Apple's
    /// systems reports most reasons as `serverCertificateUntrusted`, although its documentation distinguishes them.
    public var isServerTrustEvaluationError: Bool {
        switch urlErrorCode {
        case .serverCertificateHasBadDate, .serverCertificateNotYetValid, .serverCertificateHasUnknownRoot, .serverCertificateUntrusted:
            return true
        default:
            let isJudged = first { error -> Bool? in
                guard case .serverTrustEvaluationFailed = (error as? FirewheelError)?.kind else { return nil }
                return true
            }
            return isJudged == true
        }
    }

    /// The status code of the response, if there was one.
    public var responseCode: Int? {
        first { error in
            guard let error = error as? FirewheelError else { return nil }
            if case .responseValidationFailed(.unacceptableStatusCode(let code)) = error.kind { return code }
            return error.response?.statusCode
        }
    }

    /// The code that URLSession on Apple's systems reports for this failure, if it has one.
    public var urlErrorCode: URLError.Code? { Self.urlErrorCode(of: self) }

    /// The same property of any error.
    static func urlErrorCode(of error: any Error) -> URLError.Code? {
        first(of: error) { error in
            guard let error = error as? FirewheelError else { return foundationCode(of: error) }
            switch error.kind {
            case .transportFailed(let code): return code
            case .explicitlyCancelled, .sessionInvalidated: return .cancelled
            case .invalidURL: return .badURL
            case .serverTrustEvaluationFailed(.defaultEvaluationFailed):
                return error.underlyingError.flatMap { Self.urlErrorCode(of: $0) } ?? .serverCertificateUntrusted
            case .serverTrustEvaluationFailed: return .serverCertificateUntrusted
            case .responseBodyTooLarge, .responseStreamFailed(.lineTooLong), .responseStreamFailed(.eventTooLarge),
                .webSocketFailed(.protocolViolated(.messageTooBig)):
                return .dataLengthExceedsMaximum
            default: return nil
            }
        }
    }

    /// The acceptable media types, sorted, if the response was rejected for its media type.
    public var acceptableContentTypes: [String]? {
        first { error in
            switch (error as? FirewheelError)?.kind {
            case .responseValidationFailed(.missingContentType(let acceptable)): acceptable
            case .responseValidationFailed(.unacceptableContentType(let acceptable, _)): acceptable
            default: nil
            }
        }
    }

    /// The response's media type without parameters, in lower case, if the response was rejected for it.
    public var responseContentType: String? {
        first { error in
            guard case .responseValidationFailed(.unacceptableContentType(_, let received)) = (error as? FirewheelError)?.kind else {
                return nil
            }
            return received
        }
    }

    /// The encoding in which the body is not valid text, if that was the failure.
    public var failedStringEncoding: String.Encoding? {
        first { error in
            guard case .responseSerializationFailed(.stringSerializationFailed(let encoding)) = (error as? FirewheelError)?.kind else {
                return nil
            }
            return encoding
        }
    }

    /// Why a challenge could not be answered, or an ``AuthenticationInterceptor`` had no usable credential, if that was the failure.
    public var authenticationFailureReason: AuthenticationFailureReason? {
        first { error in
            guard case .authenticationFailed(let reason) = (error as? FirewheelError)?.kind else { return nil }
            return reason
        }
    }

    /// Whether an error, or one of its causes, means that the program ended the work: a request, its session or a task.
    static func isCancellation(_ error: any Error) -> Bool {
        first(of: error) { error in
            switch (error as? FirewheelError)?.kind {
            case .explicitlyCancelled, .sessionInvalidated: true
            default: error is CancellationError ? true : nil
            }
        } == true
    }

    private func first<Answer>(_ answer: (any Error) -> Answer?) -> Answer? { Self.first(of: self, answer) }

    /// The first value found in an error and then in its causes.
    private static func first<Answer>(of error: any Error, _ answer: (any Error) -> Answer?) -> Answer? {
        // The causes of the last one come next: the whole chain of `underlyingError` before `originalError`.
        var pending: [any Error] = [error]
        // No chain is that long; this ends a cyclic one.
        for _ in 0..<100 {
            guard let error = pending.popLast() else { return nil }
            if let answer = answer(error) { return answer }
            if let error = error as? FirewheelError {
                // An evaluator may make requests of its own, whose failures are not those of this one.
                if error.kind == .serverTrustEvaluationFailed(.customEvaluationFailed) { continue }
                pending += [error.originalError, error.underlyingError].compactMap(\.self)
            } else if let cause = userInfo(of: error)[NSUnderlyingErrorKey] as? any Error {
                pending.append(cause)
            }
        }
        return nil
    }

    /// The code of an error of Foundation's URL loading system.
    static func foundationCode(of error: any Error) -> URLError.Code? {
        if let error = error as? URLError { return error.code }
        guard let error = (error as Any) as? NSError, error.domain == NSURLErrorDomain else { return nil }
        return URLError.Code(rawValue: error.code)
    }

    private static func userInfo(of error: any Error) -> [String: Any] {
        if let error = error as? any CustomNSError { return error.errorUserInfo }
        // Cast through Any, because on Apple's systems the cast always succeeds and the compiler would warn.
        return ((error as Any) as? NSError)?.userInfo ?? [:]
    }
}

/// A transport's explanation of a failure, stored under `NSUnderlyingErrorKey` in the `URLError` of a failed exchange.
public struct TransportFailure: Error, Sendable, Equatable, CustomStringConvertible {
    /// The explanation, in English, on one line: control characters are escaped.
    public let description: String

    /// Creates a failure with this explanation; line breaks and control characters are escaped.
    public init(_ description: String) {
        self.description = description.onOneLine
    }
}

extension Error {
    /// This error as a ``FirewheelError``, for a `catch` or a handler that has `any Error`; nil if it has another type.
    public var asFirewheelError: FirewheelError? { self as? FirewheelError }
}
