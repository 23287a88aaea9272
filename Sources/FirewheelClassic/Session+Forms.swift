import Firewheel

// Uploads of multipart forms with a completion that gets the request. Firewheel's own methods return it.
extension Session {
    /// The size in bytes from which on a form is read from its parts while it is sent, instead of being put together in memory.
    public static var multipartFormDataEncodingMemoryThreshold: UInt64 { multipartFormDataThreshold }

    /// Whether a form could be put together.
    public enum MultipartFormDataEncodingResult: Sendable {
        /// The request. The other values are false and nil: a large form is never written to a file.
        case success(request: UploadRequest, streamingFromDisk: Bool, streamFileURL: URL?)
        /// The first error of a part.
        case failure(any Error)
    }

    /// Creates a request that sends a multipart form, and hands it to a closure on the main actor.
    ///
    /// - Parameters:
    ///   - multipartFormData: Appends the parts. Called at once.
    ///   - encodingMemoryThreshold: The size in bytes from which on the form is read from its parts while it is sent. Default: 10,000,000.
    ///   - url: A relative URL is resolved against the session's `baseURL`.
    ///   - method: Default: POST.
    ///   - headers: Override the session's fields of the same name. Default: none.
    ///   - encodingCompletion: Gets the request, or the error of a part. The request starts with its first response handler.
    public func upload(
        multipartFormData: (MultipartFormData) -> Void,
        usingThreshold encodingMemoryThreshold: UInt64 = SessionManager.multipartFormDataEncodingMemoryThreshold,
        to url: any URLConvertible, method: HTTPMethod = .post, headers: HTTPHeaders? = nil,
        encodingCompletion: (@MainActor (MultipartFormDataEncodingResult) -> Void)?
    ) {
        let result = encode(multipartFormData) { form in
            upload(multipartFormData: form, to: url, usingThreshold: encodingMemoryThreshold, method: method, headers: headers.fields)
        }
        hand(result, to: encodingCompletion)
    }

    /// Creates a request that sends a multipart form, and hands it to a closure on a queue; nil is the main queue.
    @preconcurrency
    public func upload(
        multipartFormData: (MultipartFormData) -> Void,
        usingThreshold encodingMemoryThreshold: UInt64 = SessionManager.multipartFormDataEncodingMemoryThreshold,
        to url: any URLConvertible, method: HTTPMethod = .post, headers: HTTPHeaders? = nil, queue: DispatchQueue?,
        encodingCompletion: (@Sendable (MultipartFormDataEncodingResult) -> Void)?
    ) {
        let result = encode(multipartFormData) { form in
            upload(multipartFormData: form, to: url, usingThreshold: encodingMemoryThreshold, method: method, headers: headers.fields)
        }
        (queue ?? .main).async { encodingCompletion?(result) }
    }

    /// Creates a request that sends a multipart form, from a `URLRequest` or a value that creates one, and hands it to a closure on the
    /// main actor.
    public func upload(
        multipartFormData: (MultipartFormData) -> Void,
        usingThreshold encodingMemoryThreshold: UInt64 = SessionManager.multipartFormDataEncodingMemoryThreshold,
        with urlRequest: any URLRequestConvertible, encodingCompletion: (@MainActor (MultipartFormDataEncodingResult) -> Void)?
    ) {
        let result = encode(multipartFormData) { form in
            upload(multipartFormData: form, with: urlRequest, usingThreshold: encodingMemoryThreshold)
        }
        hand(result, to: encodingCompletion)
    }

    /// Creates a request that sends a multipart form, from a `URLRequest` or a value that creates one, and hands it to a closure on a
    /// queue; nil is the main queue.
    @preconcurrency
    public func upload(
        multipartFormData: (MultipartFormData) -> Void,
        usingThreshold encodingMemoryThreshold: UInt64 = SessionManager.multipartFormDataEncodingMemoryThreshold,
        with urlRequest: any URLRequestConvertible, queue: DispatchQueue?,
        encodingCompletion: (@Sendable (MultipartFormDataEncodingResult) -> Void)?
    ) {
        let result = encode(multipartFormData) { form in
            upload(multipartFormData: form, with: urlRequest, usingThreshold: encodingMemoryThreshold)
        }
        (queue ?? .main).async { encodingCompletion?(result) }
    }

    private func encode(
        _ append: (MultipartFormData) -> Void, _ upload: (MultipartFormData) -> UploadRequest
    ) -> MultipartFormDataEncodingResult {
        let form = MultipartFormData()
        append(form)
        if let failure = form.failure { return .failure(failure) }
        return .success(request: upload(form), streamingFromDisk: false, streamFileURL: nil)
    }

    private func hand(
        _ result: MultipartFormDataEncodingResult, to completion: (@MainActor (MultipartFormDataEncodingResult) -> Void)?
    ) {
        DispatchQueue.main.async { MainActor.assumeIsolated { completion?(result) } }
    }
}
