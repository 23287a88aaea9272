import Firewheel

/// The error that requests report, with Alamofire 5's cases and reasons.
///
/// Firewheel's own error, which has the request, the response and more detail, is ``firewheelError``. No description of this error or of
/// its reasons shows credentials; the values of the cases are as they were given.
public enum AFError: Error, Sendable {
    /// The body of an upload could not be made.
    case createUploadableFailed(error: any Error)
    /// The request could not be made: a `URLRequestConvertible` or a request modifier threw, or the request is one that cannot be sent.
    case createURLRequestFailed(error: any Error)
    /// A downloaded file could not be moved from its temporary place to its destination. The error is a `CocoaError` for failures of
    /// requests, as that of `FileManager`.
    case downloadedFileMoveFailed(error: any Error, source: URL, destination: URL)
    /// `cancel()` was called on the request, or on the task that awaited it.
    case explicitlyCancelled
    /// The URL of a request is not valid, is relative, or is neither http nor https.
    case invalidURL(url: any URLConvertible)
    /// A multipart form could not be encoded.
    case multipartEncodingFailed(reason: MultipartEncodingFailureReason)
    /// A `ParameterEncoding` failed, or a `ParameterEncoder` that encodes JSON.
    case parameterEncodingFailed(reason: ParameterEncodingFailureReason)
    /// A `ParameterEncoder` failed.
    case parameterEncoderFailed(reason: ParameterEncoderFailureReason)
    /// A `RequestAdapter` failed.
    case requestAdaptationFailed(error: any Error)
    /// A `RequestRetrier` returned an error of its own. The original error is the failure that it was asked about.
    case requestRetryFailed(retryError: any Error, originalError: any Error)
    /// A response was received, and a validation rejected it.
    case responseValidationFailed(reason: ResponseValidationFailureReason)
    /// A response was received, and could not be serialized.
    case responseSerializationFailed(reason: ResponseSerializationFailureReason)
    /// The session's `ServerTrustManager` does not trust the server. On every platform, unlike in Alamofire.
    case serverTrustEvaluationFailed(reason: ServerTrustFailureReason)
    /// The session was released or invalidated before the request had ended.
    case sessionDeinitialized
    /// The session was invalidated, possibly with an error. Never reported by requests: see ``sessionDeinitialized``.
    case sessionInvalidated(error: (any Error)?)
    /// The exchange failed. The error is a `URLError` for everything that has a `URLError.Code`, otherwise a `FirewheelError`.
    case sessionTaskFailed(error: any Error)
    /// The request is not allowed by HTTP.
    case urlRequestValidationFailed(reason: URLRequestValidationFailureReason)
}

extension AFError {
    /// Why a multipart form could not be encoded.
    public enum MultipartEncodingFailureReason: Sendable {
        /// A part's URL is not the URL of a file.
        case bodyPartURLInvalid(url: URL)
        /// No name for the part can be taken from the file's URL.
        case bodyPartFilenameInvalid(in: URL)
        /// The file does not exist or cannot be read.
        case bodyPartFileNotReachable(at: URL)
        /// The file does not exist or cannot be read, with the system's error.
        case bodyPartFileNotReachableWithError(atURL: URL, error: any Error)
        /// There is a folder instead of a file.
        case bodyPartFileIsDirectory(at: URL)
        /// The file has no size, such as a device.
        case bodyPartFileSizeNotAvailable(at: URL)
        /// The file's size could not be read.
        case bodyPartFileSizeQueryFailedWithError(forURL: URL, error: any Error)
        /// The file could not be opened as a stream.
        case bodyPartInputStreamCreationFailed(for: URL)
        /// The file to write the form to could not be opened.
        case outputStreamCreationFailed(for: URL)
        /// There is a file already where the form was to be written.
        case outputStreamFileAlreadyExists(at: URL)
        /// The URL to write the form to is not the URL of a file.
        case outputStreamURLInvalid(url: URL)
        /// The form could not be written.
        case outputStreamWriteFailed(error: any Error)
        /// A part could not be read. The error is an ``UnexpectedInputStreamLength`` for a stream that does not have its length.
        case inputStreamReadFailed(error: any Error)
    }

    /// A part's stream has more or fewer bytes than its announced length.
    public struct UnexpectedInputStreamLength: Error {
        /// The announced length in bytes.
        public var bytesExpected: UInt64
        /// The number of bytes that were read: the stream's whole length, or more than the announced length.
        public var bytesRead: UInt64
    }

    /// Why a `ParameterEncoding` failed.
    public enum ParameterEncodingFailureReason: Sendable {
        /// The request has no URL to add the parameters to.
        case missingURL
        /// The parameters could not be encoded as JSON.
        case jsonEncodingFailed(error: any Error)
        /// Another encoding failed.
        case customEncodingFailed(error: any Error)
    }

    /// Why a `ParameterEncoder` failed.
    public enum ParameterEncoderFailureReason: Sendable {
        /// A part of a request that an encoder needs.
        public enum RequiredComponent: Sendable {
            /// The URL.
            case url
            /// The method.
            case httpMethod(rawValue: String)
        }

        /// The request lacks a part that the encoder needs.
        case missingRequiredComponent(RequiredComponent)
        /// The parameters could not be encoded.
        case encoderFailed(error: any Error)
    }

    /// Why a response was rejected.
    public enum ResponseValidationFailureReason: Sendable {
        /// There is no downloaded file.
        case dataFileNil
        /// The downloaded file could not be inspected.
        case dataFileReadFailed(at: URL)
        /// The response has a body without a media type, and not every type is acceptable.
        case missingContentType(acceptableContentTypes: [String])
        /// The response's media type is not an acceptable one.
        case unacceptableContentType(acceptableContentTypes: [String], responseContentType: String)
        /// The response's status code is not an acceptable one.
        case unacceptableStatusCode(code: Int)
        /// A custom validation rejected the response.
        case customValidationFailed(error: any Error)
    }

    /// Why a response could not be serialized.
    public enum ResponseSerializationFailureReason: Sendable {
        /// The response has no body, although its request and status require one.
        case inputDataNilOrZeroLength
        /// There is no downloaded file.
        case inputFileNil
        /// The downloaded file could not be read.
        case inputFileReadFailed(at: URL)
        /// The body is not valid text in this encoding.
        case stringSerializationFailed(encoding: String.Encoding)
        /// The body is not valid JSON. The error is a `CocoaError` of code `propertyListReadCorrupt`, as that of `JSONSerialization`.
        case jsonSerializationFailed(error: any Error)
        /// The body could not be decoded as the requested type.
        case decodingFailed(error: any Error)
        /// Another serializer failed, or a data preprocessor.
        case customSerializationFailed(error: any Error)
        /// The response correctly has no body, and the type has no empty value.
        case invalidEmptyResponse(type: String)
    }

    /// Why a request is not allowed by HTTP.
    public enum URLRequestValidationFailureReason: Sendable {
        /// A GET has a body, for which HTTP defines no meaning (RFC 9110 section 9.3.1).
        case bodyDataInGETRequest(Data)
    }
}
