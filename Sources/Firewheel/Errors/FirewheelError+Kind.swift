import Foundation

extension FirewheelError {
    /// What went wrong. The vocabulary is Alamofire's.
    public enum Kind: Sendable, Equatable {
        /// The URL is invalid, has no host, a port above 65535 or a scheme that is neither http nor https, or is relative without a
        /// `baseURL`.
        case invalidURL
        /// A header field's name is not a token (RFC 9110 section 5.1), or its value contains CR, LF or NUL (section 5.5).
        case invalidHeader
        /// The request is not allowed by HTTP, or cannot be sent.
        case urlRequestValidationFailed(RequestValidationFailureReason)
        /// A `URLRequestConvertible` or a request modifier threw.
        case createURLRequestFailed
        /// A ``RequestAdapter`` threw: see `underlyingError`.
        case requestAdaptationFailed
        /// A ``RequestRetrier`` returned `.doNotRetryWithError`: see `underlyingError` for its error, and `originalError` for the failure
        /// that it was asked about.
        case requestRetryFailed
        /// A ``RedirectHandler`` threw: see `underlyingError`.
        case redirectHandlingFailed
        /// A server's challenge could not be answered, or the server's proof was wrong. A credential that the server rejects is not an
        /// error: the response is its 401. Also the error of an ``AuthenticationInterceptor`` without a usable credential, which requests
        /// have as the `underlyingError` of `requestAdaptationFailed` or `requestRetryFailed`:
        /// ``FirewheelError/authenticationFailureReason`` finds it.
        case authenticationFailed(AuthenticationFailureReason)
        /// The parameters could not be encoded.
        case parameterEncodingFailed(ParameterEncodingFailureReason)
        /// A ``MultipartFormData`` could not be encoded.
        case multipartEncodingFailed(MultipartEncodingFailureReason)
        /// A response was received and rejected by `validate`.
        case responseValidationFailed(ResponseValidationFailureReason)
        /// A response was received and could not be serialized.
        case responseSerializationFailed(ResponseSerializationFailureReason)
        /// The exchange itself failed, with the code that URLSession on Apple's systems reports.
        case transportFailed(URLError.Code)
        /// The proxy was asked to connect to the server (CONNECT, RFC 9110 section 9.3.6), and refused with this status code, so that
        /// nothing of the request was sent. ``FirewheelError/response`` and ``FirewheelError/responseData`` are the proxy's.
        case proxyConnectFailed(status: Int)
        /// The session's ``ServerTrustManager`` does not trust the server, so that nothing of the request was sent.
        case serverTrustEvaluationFailed(ServerTrustFailureReason)
        /// The body of an upload could not be produced. The upload is not complete; the server may have seen its beginning.
        case uploadBodyFailed(UploadBodyFailureReason)
        /// The body was larger than `SessionConfiguration.maximumResponseBodySize`.
        case responseBodyTooLarge
        /// The response of a stream cannot be read on. What came before was handed over.
        case responseStreamFailed(ResponseStreamFailureReason)
        /// A WebSocket was not opened, or its connection has failed.
        case webSocketFailed(WebSocketFailureReason)
        /// A download's body could not be written to its temporary file, for example because the disk is full: see `underlyingError`, a
        /// `POSIXError`, and ``SessionConfiguration/temporaryDirectory``.
        case downloadedFileWriteFailed
        /// A downloaded file could not be moved to its destination: see `underlyingError` and ``FirewheelError/downloadedFileMove``.
        case downloadedFileMoveFailed
        /// The data with which a download was to be resumed is not resume data, or was changed: see ``FirewheelError/detail``.
        case resumeDataInvalid
        /// The server answered a resumed download with this status code, which is neither the file nor the rest of it. The resume data is
        /// still good: ``FirewheelError/resumeData``.
        case downloadResumptionRefused(Int)
        /// The file of a ``CookieJar`` could not be read or written. No request fails with this.
        case cookieFileFailed(CookieFileFailureReason)
        /// The directory of an ``HTTPCache`` cannot be created, read or written, or is another user's. No request fails with this.
        case cacheDirectoryFailed
        /// A certificate could not be read: see ``FirewheelError/detail``. No request fails with this.
        case certificateInvalid(CertificateFailureReason)
        /// A client certificate and its key could not be read. No request fails with this.
        case clientIdentityInvalid(ClientIdentityFailureReason)
        /// `cancel()` was called.
        case explicitlyCancelled
        /// The session was invalidated, or released before the request was started.
        case sessionInvalidated
    }

    /// Why a ``Certificate`` could not be read.
    public enum CertificateFailureReason: Sendable, Equatable {
        /// The file could not be read: see `underlyingError`.
        case fileReadFailed
        /// The text has no certificate.
        case missing
        /// What should be a certificate is none, or is damaged.
        case malformed
        /// OpenSSL, which reads certificates on Linux, cannot be used: see `underlyingError`.
        case libraryMissing
    }

    /// Why a ``ServerTrustManager`` does not trust a server.
    public enum ServerTrustFailureReason: Sendable, Equatable {
        /// There is no evaluator for the host, though one is required, or the evaluators cannot be used: see ``FirewheelError/detail``.
        case noRequiredEvaluator
        /// The default validation failed, which the evaluator requires: ``FirewheelError/urlErrorCode`` tells why.
        case defaultEvaluationFailed
        /// The certificate is for another host.
        case hostValidationFailed
        /// The chain has none of the pinned certificates.
        case certificatePinningFailed
        /// The chain has none of the pinned keys, or a pin is not valid.
        case publicKeyPinningFailed
        /// A certificate is revoked, or it cannot be checked whether it is.
        case revocationCheckFailed
        /// A ``ServerTrustEvaluating`` of the program's own threw: see `underlyingError`.
        case customEvaluationFailed
    }

    /// Why a ``ClientIdentity`` could not be read.
    public enum ClientIdentityFailureReason: Sendable, Equatable {
        /// There is no private key.
        case keyMissing
        /// There is no certificate.
        case certificateMissing
        /// The key or the container is damaged, too large, or something else: see ``FirewheelError/detail``.
        case malformed
        /// The key is encrypted, and there is no passphrase.
        case passphraseMissing
        /// The passphrase is wrong.
        case passphraseWrong
        /// The key belongs to none of the certificates.
        case keyMismatch
        /// The system cannot read it, such as one that is encrypted with RC2, which not every OpenSSL has: see ``FirewheelError/detail``.
        case unsupported
        /// OpenSSL, which reads keys on Linux, cannot be used: see `underlyingError`.
        case libraryMissing
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

    /// Why a ``MultipartFormData`` could not be encoded.
    public enum MultipartEncodingFailureReason: Sendable, Equatable {
        /// The boundary is empty, longer than 70 characters, ends with a space or has a character that RFC 2046 section 5.1.1 does not
        /// allow.
        case boundaryInvalid
        /// A part's name, file name, media type or header field has a character that could end the field.
        case bodyPartHeaderInvalid
        /// A part's URL is not the URL of a file.
        case bodyPartURLInvalid(url: URL)
        /// The URL has no file name, or one with control characters. Another name can be given with `fileName:`.
        case bodyPartFilenameInvalid(in: URL)
        /// The file does not exist or cannot be read: see `underlyingError`.
        case bodyPartFileNotReachable(at: URL)
        /// There is a folder instead of a file.
        case bodyPartFileIsDirectory(at: URL)
        /// The file is a device, a socket or a FIFO, which has no length.
        case bodyPartFileSizeNotAvailable(at: URL)
        /// The file's length is not what it was when it was added to the form.
        case bodyPartFileChanged(at: URL)
        /// A part's stream failed: see `underlyingError` for its own error. A stream may have none.
        case inputStreamReadFailed
        /// A part's stream has more or fewer bytes than its length, or the form has more than `Int64.max`.
        case unexpectedInputStreamLength
        /// The URL to write the form to is not the URL of a file.
        case outputStreamURLInvalid(url: URL)
        /// There is a file already where the form was to be written.
        case outputStreamFileAlreadyExists(at: URL)
        /// The form could not be written: see `underlyingError`.
        case outputStreamWriteFailed
    }

    /// Why the body of an upload could not be produced.
    public enum UploadBodyFailureReason: Sendable, Equatable {
        /// The file is not a regular one, or could not be read: see `underlyingError`, a `POSIXError` if a system call failed.
        case fileReadFailed
        /// The body has fewer or more bytes than announced: a file whose length changed, or a stream that does not have its `length`.
        case lengthMismatch
        /// The stream or the async sequence failed: see `underlyingError` for its own error. A stream may have none.
        case streamFailed
        /// A body that can be read only once, such as that of a stream, was begun and would have to be sent again: after a redirect, a
        /// challenge or a retry, on a connection that was dead already, or on an HTTP/2 stream that the server refused.
        case notRepeatable
    }

    /// Why a request was refused before anything was sent.
    public enum RequestValidationFailureReason: Sendable, Equatable {
        /// A GET with a body, for which HTTP defines no meaning (RFC 9110 section 9.3.1).
        case bodyDataInGETRequest
        /// A HEAD with a body, for which HTTP defines no meaning either (RFC 9110 section 9.3.2).
        case bodyDataInHEADRequest
        /// The method is not a token (RFC 9110 section 9.1).
        case invalidMethod
        /// The `URLRequest` has an `httpBodyStream`, which `request(_:)` does not send.
        case bodyStreamUnsupported
    }

    /// Why a WebSocket failed.
    public enum WebSocketFailureReason: Sendable, Equatable {
        /// The server did not open it: see ``FirewheelError/response`` and ``FirewheelError/responseData``.
        case handshakeRefused(status: Int)
        /// The server has closed it with a code other than 1000 and 1001.
        case closedByServer(WebSocketCloseCode, reason: String)
        /// The server has broken the protocol, or exceeded a limit of ``WebSocketConfiguration``. The code is the one with which the client
        /// has closed the connection, such as ``WebSocketCloseCode/messageTooBig``.
        case protocolViolated(WebSocketCloseCode)
        /// A message or a ping was not sent, or not certainly, because the WebSocket is closed: see `underlyingError` for the reason. There
        /// is none if the client has closed it.
        case notSent
        /// The code of ``WebSocketRequest/close(code:reason:)`` must not be sent (RFC 6455 section 7.4), or its reason has more than 123
        /// bytes.
        case invalidClose
    }

    /// Why the response of a stream cannot be read on.
    public enum ResponseStreamFailureReason: Sendable, Equatable {
        /// A line has more bytes than the limit.
        case lineTooLong(limit: Int)
        /// A server-sent event has more bytes than the limit.
        case eventTooLarge(limit: Int)
        /// A handler of the stream threw: see `underlyingError`.
        case handlerFailed
    }

    /// Why a request could not be authenticated, or a server's proof could not be trusted.
    public enum AuthenticationFailureReason: Sendable, Equatable {
        /// The credential cannot be sent in the scheme that the server asks for: a user name with a colon for Basic (RFC 7617 section 2),
        /// or a control character.
        case invalidCredential
        /// A system library that the answer needs is missing. The description names the library and its package.
        case libraryMissing
        /// The server did not prove that it knows the password, although it announced a proof (`rspauth`, RFC 7616 section 3.5).
        case serverNotAuthenticated
        /// The interceptor has no credential: none was set, or it was set to nil.
        case missingCredential
        /// Another refresh was needed after as many as ``RefreshWindow`` allows. `underlyingError` is the error of the last one, if it
        /// failed.
        case excessiveRefresh
        /// The refresh threw: see `underlyingError`.
        case refreshFailed
        /// The refresh threw `CancellationError`, or the error of a request that was cancelled. The requests that waited for it were not
        /// cancelled.
        case refreshCancelled
        /// The refresh did not return within `refreshTimeout`.
        case refreshTimedOut
        /// The refresh returned the same credential that the server had rejected.
        case unchangedCredential
    }

    /// Which encoding failed. The `underlyingError` names the value: a ``ParameterFailure``, or the error thrown by a type's own
    /// `encode(to:)`.
    public enum ParameterEncodingFailureReason: Sendable, Equatable {
        /// The request has no URL to add the parameters to.
        case missingURL
        /// JSON encoding failed: the object is not JSON, or contains a value that JSON cannot represent.
        case jsonEncodingFailed
        /// URL-encoded form encoding failed: a value has an unsupported type, or the root has no keys.
        case urlEncodedFormEncodingFailed
        /// Property list encoding failed: a property list cannot represent a value, such as nil.
        case propertyListEncodingFailed
        /// A custom encoding threw.
        case customEncodingFailed
    }

    /// Why `validate` rejected a response.
    public enum ResponseValidationFailureReason: Sendable, Equatable {
        /// The response has a body without a media type, and not every type is acceptable.
        case missingContentType(acceptable: [String])
        /// The response's media type is not an acceptable one.
        case unacceptableContentType(acceptable: [String], received: String)
        /// The response's status code is not an acceptable one.
        case unacceptableStatusCode(Int)
        /// A custom validation rejected it: see `underlyingError`.
        case customValidationFailed
        /// The downloaded file, whose size shows whether there is a body, could not be inspected: an earlier validation may have removed
        /// it.
        case dataFileReadFailed(at: URL)
    }

    /// Why a response's body or a downloaded file could not be serialized.
    public enum ResponseSerializationFailureReason: Sendable, Equatable {
        /// The response has no body, although its request and status require one.
        case inputDataNilOrZeroLength
        /// There is no downloaded file.
        case inputFileNil
        /// The downloaded file could not be read.
        case inputFileReadFailed
        /// The body is not valid text in this encoding.
        case stringSerializationFailed(String.Encoding)
        /// The body is not valid JSON.
        case jsonSerializationFailed
        /// The body is not a valid property list.
        case propertyListSerializationFailed
        /// The body is not an image in a known format, or a truncated or corrupt one. For the product FirewheelImage.
        case imageSerializationFailed
        /// The image's bitmap would take more than 1 GiB, or more memory than there is. For the product FirewheelImage.
        case imageTooLarge
        /// The system library that decodes the image's format is missing. The description names the library and its package. For the
        /// product FirewheelImage.
        case imageLibraryMissing
        /// The body cannot be used as XML: it is not well-formed, or was refused. ``FirewheelError/detail`` says why and where, and
        /// `underlyingError` is the `XMLFailure` of the product FirewheelXML.
        case xmlSerializationFailed
        /// The body could not be decoded as the requested type.
        case decodingFailed
        /// A custom data preprocessor threw, or a custom serializer had an error for the body of a response with a status code that
        /// `accepting(statusCodes:contentTypes:)` does not accept: see `underlyingError`.
        case customSerializationFailed
        /// None of the serializers of a compound serializer produced a value: `underlyingError` is a ``CompoundSerializationFailure`` with
        /// the error of each.
        case compoundSerializationFailed
        /// The response correctly has no body, and the type has no empty value.
        case invalidEmptyResponse(type: String)
    }
}
