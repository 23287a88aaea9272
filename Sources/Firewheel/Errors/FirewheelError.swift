import Foundation

/// The error that every request of Firewheel reports: what went wrong, what caused it, and what was known by then.
///
/// An error that a response serializer returns or throws reaches the handler as it is; everything else is one of these.
public struct FirewheelError: Error, Sendable {
    /// What went wrong.
    public let kind: Kind
    /// What caused it: the error of a custom validation, of `JSONDecoder`, of the file system, or a ``TransportFailure``.
    public let underlyingError: (any Error)?
    /// The request, as far as it had been built.
    public let request: URLRequest?
    /// The response, if its head had been received.
    public let response: HTTPURLResponse?
    /// The body received with a response that was then refused, above all by `validate()`. For a download at most its first mebibyte.
    public let responseData: Data?
    /// What a person needs to find the fault, such as the offending string; never a credential.
    public let detail: String?

    public init(
        _ kind: Kind,
        detail: String? = nil,
        underlyingError: (any Error)? = nil,
        request: URLRequest? = nil,
        response: HTTPURLResponse? = nil,
        responseData: Data? = nil
    ) {
        self.kind = kind
        self.detail = detail
        self.underlyingError = underlyingError
        self.request = request
        self.response = response
        self.responseData = responseData
    }

    /// The same error with what has become known of its request and response, where it does not say already.
    func adding(request: URLRequest?, response: HTTPURLResponse?, responseData: Data?) -> FirewheelError {
        FirewheelError(
            kind, detail: detail, underlyingError: underlyingError,
            request: self.request ?? request, response: self.response ?? response, responseData: self.responseData ?? responseData)
    }
}

// MARK: - Questions

extension FirewheelError {
    /// Whether `cancel()` was called on the request, or on the task that awaited it.
    public var isExplicitlyCancelled: Bool {
        kind == .explicitlyCancelled || (underlyingError as? FirewheelError)?.isExplicitlyCancelled == true
    }

    /// Whether the request ran out of time: connecting, idle, or as a whole.
    public var isTimeout: Bool { urlErrorCode == .timedOut }

    /// Whether the server could not be reached or the connection to it was lost.
    public var isConnectivity: Bool {
        switch urlErrorCode {
        case .cannotFindHost, .cannotConnectToHost, .networkConnectionLost, .notConnectedToInternet, .dnsLookupFailed: true
        default: false
        }
    }

    /// The status code of the response, if there was one.
    public var responseCode: Int? {
        if case .responseValidationFailed(.unacceptableStatusCode(let code)) = kind { return code }
        return response?.statusCode ?? (underlyingError as? FirewheelError)?.responseCode
    }

    /// What URLSession on Apple's systems would have called this, where it has a code for it.
    public var urlErrorCode: URLError.Code? {
        switch kind {
        case .transportFailed(let code): return code
        case .explicitlyCancelled, .sessionInvalidated: return .cancelled
        case .invalidURL: return .badURL
        case .responseBodyTooLarge: return .dataLengthExceedsMaximum
        default: break
        }
        if let error = underlyingError as? FirewheelError { return error.urlErrorCode }
        return (underlyingError as? URLError)?.code
    }
}

/// How a transport explains a failure: libcurl's own words, for instance.
public struct TransportFailure: Error, Sendable, Equatable, CustomStringConvertible {
    /// The explanation, in English.
    public let description: String

    public init(_ description: String) {
        self.description = description
    }
}
