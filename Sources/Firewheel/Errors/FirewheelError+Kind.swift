import Foundation

extension FirewheelError {
    /// What went wrong. The vocabulary is Alamofire's.
    public enum Kind: Sendable, Equatable {
        /// The URL is no URL, has no host, a port above 65535, a scheme that is neither http nor https, or is relative with no `baseURL` to
        /// resolve it against.
        case invalidURL
        /// A header's name is no token (RFC 9110 section 5.1), or its value holds CR, LF or NUL (section 5.5).
        case invalidHeader
        /// The request is one that HTTP does not allow, or that cannot be sent.
        case urlRequestValidationFailed(RequestValidationFailureReason)
        /// A `URLRequestConvertible` or a request modifier threw.
        case createURLRequestFailed
        /// A ``RequestAdapter`` threw: see `underlyingError`.
        case requestAdaptationFailed
        /// A ``RequestRetrier`` answered `.doNotRetryWithError`: see `underlyingError` for its error, and `originalError` for the failure
        /// that it was asked about.
        case requestRetryFailed
        /// A ``RedirectHandler`` threw: see `underlyingError`.
        case redirectHandlingFailed
        /// A server's challenge could not be answered, or its answer not be trusted; a credential that the server refuses is no error: the
        /// response is its 401. Or an ``AuthenticationInterceptor`` had no credential to go on with. Requests have it as the
        /// `underlyingError` of `requestAdaptationFailed` or `requestRetryFailed`: ``FirewheelError/authenticationFailureReason`` finds it.
        case authenticationFailed(AuthenticationFailureReason)
        /// The parameters could not be encoded.
        case parameterEncodingFailed(ParameterEncodingFailureReason)
        /// A response was received and refused by `validate`.
        case responseValidationFailed(ResponseValidationFailureReason)
        /// A response was received and could not be turned into a value.
        case responseSerializationFailed(ResponseSerializationFailureReason)
        /// The exchange itself failed; the code is what URLSession on Apple's systems reports.
        case transportFailed(URLError.Code)
        /// The body was larger than `SessionConfiguration.maximumResponseBodySize`.
        case responseBodyTooLarge
        /// A downloaded file could not be written, or not be moved to its destination.
        case downloadedFileMoveFailed
        /// The file of a ``CookieJar`` could not be read or written. No request fails with this.
        case cookieFileFailed(CookieFileFailureReason)
        /// `cancel()` was called.
        case explicitlyCancelled
        /// The session was invalidated, or released before the request was started.
        case sessionInvalidated
    }

    /// Why the file of a ``CookieJar`` could not be read or written.
    public enum CookieFileFailureReason: Sendable, Equatable {
        /// The item at the URL is not a regular file, or could not be read: see `underlyingError`.
        case readFailed
        /// The file is not a cookie jar's, is truncated, or has a newer version. It is left unchanged.
        case invalidContent
        /// The file could not be written: see `underlyingError`. The jar keeps its cookies in memory, and tries again at the next change or
        /// `flush()`.
        case writeFailed
    }

    /// Why a request was refused before anything was sent.
    public enum RequestValidationFailureReason: Sendable, Equatable {
        /// A GET with a body, for which HTTP defines no meaning (RFC 9110 section 9.3.1).
        case bodyDataInGETRequest
        /// A HEAD with a body, for which HTTP defines no meaning either (RFC 9110 section 9.3.2).
        case bodyDataInHEADRequest
        /// The method is no token (RFC 9110 section 9.1).
        case invalidMethod
        /// The `URLRequest` has an `httpBodyStream`, which `request(_:)` does not send.
        case bodyStreamUnsupported
    }

    /// Why a request could not be authenticated, or a server's proof could not be trusted.
    public enum AuthenticationFailureReason: Sendable, Equatable {
        /// The credential cannot be sent in the form that the server asks for: a user name with a colon with Basic (RFC 7617 section 2), or
        /// a control character.
        case invalidCredential
        /// A system library that the answer needs is missing. The description names it, and its package.
        case libraryMissing
        /// The server did not prove that it knows the password, which it said it would (`rspauth`, RFC 7616 section 3.5).
        case serverNotAuthenticated
        /// The interceptor has no credential: none was set, or it was set to nil.
        case missingCredential
        /// There were as many refreshes as ``RefreshWindow`` allows, and another was needed: `underlyingError` is why the last one failed,
        /// if it did.
        case excessiveRefresh
        /// The refresh threw: see `underlyingError`.
        case refreshFailed
        /// The refresh threw `CancellationError`, or the error of a request that was cancelled. The requests that waited for it were not
        /// cancelled.
        case refreshCancelled
        /// The refresh did not return within `refreshTimeout`.
        case refreshTimedOut
        /// The refresh returned the very credential that the server had refused.
        case unchangedCredential
    }

    /// Which encoding failed. The `underlyingError` names the value: a ``ParameterFailure``, or the error thrown by a type's own
    /// `encode(to:)`.
    public enum ParameterEncodingFailureReason: Sendable, Equatable {
        /// The request has no URL to put the parameters into.
        case missingURL
        /// JSON encoding failed: the object is no JSON, or holds a value that has no form in JSON.
        case jsonEncodingFailed
        /// URL-encoded form encoding failed: a value of a type that has no form in it, or no keys at the root.
        case urlEncodedFormEncodingFailed
        /// Property list encoding failed: a value that a property list cannot hold, above all nil.
        case propertyListEncodingFailed
        /// An encoding of the user's own threw.
        case customEncodingFailed
    }

    /// What `validate` found unacceptable in a response.
    public enum ResponseValidationFailureReason: Sendable, Equatable {
        /// The response has a body, names no media type for it, and not every type is acceptable.
        case missingContentType(acceptable: [String])
        /// The response's media type is not an acceptable one.
        case unacceptableContentType(acceptable: [String], received: String)
        /// The response's status code is not an acceptable one.
        case unacceptableStatusCode(Int)
        /// A validation of the user's own refused it: see `underlyingError`.
        case customValidationFailed
        /// The downloaded file, whose size tells whether there is a body, could not be looked at: a validation before may have removed it.
        case dataFileReadFailed(at: URL)
    }

    /// Why a response's body or a downloaded file could not be serialized.
    public enum ResponseSerializationFailureReason: Sendable, Equatable {
        /// The response has no body, though its request and status call for one.
        case inputDataNilOrZeroLength
        /// There is no downloaded file.
        case inputFileNil
        /// The downloaded file could not be read.
        case inputFileReadFailed
        /// The body is no text in this encoding.
        case stringSerializationFailed(String.Encoding)
        /// The body is no JSON.
        case jsonSerializationFailed
        /// The body is no property list.
        case propertyListSerializationFailed
        /// The body is not of the type that was to be decoded.
        case decodingFailed
        /// A data preprocessor of the user's own threw: see `underlyingError`.
        case customSerializationFailed
        /// None of the serializers of a compound one made a value: `underlyingError` is a ``CompoundSerializationFailure`` with what each
        /// said.
        case compoundSerializationFailed
        /// The response has no body, rightly, and the type has no empty value.
        case invalidEmptyResponse(type: String)
    }
}
