import Firewheel

// Alamofire 4's module-level functions for uploads and for downloads that are resumed.

/// Creates a request with `SessionManager.default` that sends a file.
///
/// - Parameters:
///   - fileURL: The URL of a regular file, which is read while it is sent.
///   - url: A `String`, `URL`, `URLComponents`, or a custom type.
///   - method: Default: POST.
///   - headers: Override the session's fields of the same name. Default: none.
public func upload(
    _ fileURL: URL, to url: any URLConvertible, method: HTTPMethod = .post, headers: HTTPHeaders? = nil
) -> UploadRequest {
    SessionManager.default.upload(fileURL, to: url, method: method, headers: headers)
}

/// Creates a request with `SessionManager.default` that sends a file, from a `URLRequest` or a value that creates one.
public func upload(_ fileURL: URL, with urlRequest: any URLRequestConvertible) -> UploadRequest {
    SessionManager.default.upload(fileURL, with: urlRequest)
}

/// Creates a request with `SessionManager.default` that sends data.
///
/// - Parameters:
///   - data: The body.
///   - url: A `String`, `URL`, `URLComponents`, or a custom type.
///   - method: Default: POST.
///   - headers: Override the session's fields of the same name. Default: none.
public func upload(
    _ data: Data, to url: any URLConvertible, method: HTTPMethod = .post, headers: HTTPHeaders? = nil
) -> UploadRequest {
    SessionManager.default.upload(data, to: url, method: method, headers: headers)
}

/// Creates a request with `SessionManager.default` that sends data, from a `URLRequest` or a value that creates one.
public func upload(_ data: Data, with urlRequest: any URLRequestConvertible) -> UploadRequest {
    SessionManager.default.upload(data, with: urlRequest)
}

/// Creates a request with `SessionManager.default` that sends a stream, which can be read only once.
///
/// - Parameters:
///   - stream: Read on a thread of its own while it is sent, and closed in the end.
///   - url: A `String`, `URL`, `URLComponents`, or a custom type.
///   - method: Default: POST.
///   - headers: Override the session's fields of the same name. Default: none.
public func upload(
    _ stream: sending InputStream, to url: any URLConvertible, method: HTTPMethod = .post, headers: HTTPHeaders? = nil
) -> UploadRequest {
    SessionManager.default.upload(stream, to: url, method: method, headers: headers)
}

/// Creates a request with `SessionManager.default` that sends a stream, from a `URLRequest` or a value that creates one.
public func upload(_ stream: sending InputStream, with urlRequest: any URLRequestConvertible) -> UploadRequest {
    SessionManager.default.upload(stream, with: urlRequest)
}

/// Creates a request with `SessionManager.default` that goes on with a download.
///
/// - Parameters:
///   - resumeData: The resume data of a `DownloadRequest`, its response or its error.
///   - destination: Where the file is moved. Default: nil: it stays in the temporary folder.
public func download(
    resumingWith resumeData: Data, to destination: DownloadRequest.DownloadFileDestination? = nil
) -> DownloadRequest {
    SessionManager.default.download(resumingWith: resumeData, to: destination)
}

/// Creates a request with `SessionManager.default` that sends a multipart form, and hands it over when the form is complete: see
/// `Session.upload(multipartFormData:usingThreshold:to:method:headers:encodingCompletion:)`.
public func upload(
    multipartFormData: (MultipartFormData) -> Void,
    usingThreshold encodingMemoryThreshold: UInt64 = SessionManager.multipartFormDataEncodingMemoryThreshold,
    to url: any URLConvertible, method: HTTPMethod = .post, headers: HTTPHeaders? = nil,
    encodingCompletion: (@MainActor (SessionManager.MultipartFormDataEncodingResult) -> Void)?
) {
    SessionManager.default.upload(
        multipartFormData: multipartFormData, usingThreshold: encodingMemoryThreshold, to: url, method: method, headers: headers,
        encodingCompletion: encodingCompletion)
}

/// Creates a request with `SessionManager.default` that sends a multipart form, from a `URLRequest` or a value that creates one, and hands
/// it over when the form is complete.
public func upload(
    multipartFormData: (MultipartFormData) -> Void,
    usingThreshold encodingMemoryThreshold: UInt64 = SessionManager.multipartFormDataEncodingMemoryThreshold,
    with urlRequest: any URLRequestConvertible,
    encodingCompletion: (@MainActor (SessionManager.MultipartFormDataEncodingResult) -> Void)?
) {
    SessionManager.default.upload(
        multipartFormData: multipartFormData, usingThreshold: encodingMemoryThreshold, with: urlRequest,
        encodingCompletion: encodingCompletion)
}
