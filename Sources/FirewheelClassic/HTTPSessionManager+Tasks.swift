import Firewheel

// AFNetworking's `AFURLSessionManager`: requests from a `URLRequest`, with one handler. They are not started.
extension HTTPSessionManager {
    /// Called with the response, the value and the error. After a failure the value is what was parsed of a response whose status code is
    /// not acceptable, or nil.
    public typealias CompletionHandler = @Sendable (_ response: HTTPURLResponse?, _ value: sending Any?, _ error: (any Error)?) -> Void
    /// Called with the response, the file and the error.
    public typealias DownloadHandler = @Sendable (_ response: HTTPURLResponse?, _ file: URL?, _ error: (any Error)?) -> Void

    /// Creates a request without starting it.
    ///
    /// - Parameters:
    ///   - request: A `URLRequest`, or a value that creates one. A relative URL is resolved against the ``baseURL``.
    ///   - uploadProgress: Called with the progress of the request's body. Default: nil.
    ///   - downloadProgress: Called with the progress of the response's body. Default: nil.
    ///   - completionHandler: Called once, with what the ``responseSerializer`` made; nil for nobody.
    @preconcurrency
    public func dataTask(
        with request: any URLRequestConvertible, uploadProgress: ProgressHandler? = nil, downloadProgress: ProgressHandler? = nil,
        completionHandler: CompletionHandler?
    ) -> DataRequest {
        let request = session.request(request)
        watch(request, uploadProgress, downloadProgress)
        return reporting(request, completionHandler)
    }

    /// Creates a request that sends a file, without starting it.
    ///
    /// - Parameters:
    ///   - request: A `URLRequest`, or a value that creates one. Its body is ignored.
    ///   - file: The URL of a regular file, which is read while it is sent.
    ///   - progress: Called with the progress of the request's body. Default: nil.
    ///   - completionHandler: Called once, with what the ``responseSerializer`` made; nil for nobody.
    @preconcurrency
    public func uploadTask(
        with request: any URLRequestConvertible, fromFile file: URL, progress: ProgressHandler? = nil,
        completionHandler: CompletionHandler?
    ) -> UploadRequest {
        let request = session.upload(file, with: request)
        watch(request, progress, nil)
        return reporting(request, completionHandler)
    }

    /// Creates a request that sends data, without starting it.
    ///
    /// - Parameters:
    ///   - request: A `URLRequest`, or a value that creates one. Its body is ignored.
    ///   - data: The body. Default: nil, an empty one.
    ///   - progress: Called with the progress of the request's body. Default: nil.
    ///   - completionHandler: Called once, with what the ``responseSerializer`` made; nil for nobody.
    @preconcurrency
    public func uploadTask(
        with request: any URLRequestConvertible, from data: Data?, progress: ProgressHandler? = nil,
        completionHandler: CompletionHandler?
    ) -> UploadRequest {
        let request = session.upload(data ?? Data(), with: request)
        watch(request, progress, nil)
        return reporting(request, completionHandler)
    }

    /// Creates a request that writes the response body to a file, without starting it. A response whose status code the
    /// ``responseSerializer`` does not accept is an error, and its file does not reach the destination.
    ///
    /// - Parameters:
    ///   - request: A `URLRequest`, or a value that creates one.
    ///   - progress: Called with the progress of the response's body. Default: nil.
    ///   - destination: Returns where the file is moved. There must not be a file. Default: nil: it stays in the temporary folder.
    ///   - completionHandler: Called once; nil for nobody.
    @preconcurrency
    public func downloadTask(
        with request: any URLRequestConvertible, progress: ProgressHandler? = nil,
        destination: (@Sendable (_ temporaryURL: URL, _ response: HTTPURLResponse) -> URL)? = nil, completionHandler: DownloadHandler?
    ) -> DownloadRequest {
        reporting(session.download(request, to: placing(destination)), progress, completionHandler)
    }

    /// Creates a request that goes on with a download, without starting it.
    ///
    /// - Parameters:
    ///   - resumeData: The resume data of a `DownloadRequest`, its response or its error.
    ///   - progress: Called with the progress of the response's body. Default: nil.
    ///   - destination: Returns where the file is moved. There must not be a file. Default: nil: it stays in the temporary folder.
    ///   - completionHandler: Called once; nil for nobody.
    @preconcurrency
    public func downloadTask(
        withResumeData resumeData: Data, progress: ProgressHandler? = nil,
        destination: (@Sendable (_ temporaryURL: URL, _ response: HTTPURLResponse) -> URL)? = nil, completionHandler: DownloadHandler?
    ) -> DownloadRequest {
        reporting(session.download(resumingWith: resumeData, to: placing(destination)), progress, completionHandler)
    }

    private func placing(_ destination: (@Sendable (URL, HTTPURLResponse) -> URL)?) -> DownloadRequest.Destination? {
        guard let destination else { return nil }
        return { file, response in (destination(file, response), []) }
    }

    private func reporting<Kind: DataRequest>(_ request: Kind, _ handler: CompletionHandler?) -> Kind {
        respond(to: request) { _, response in
            switch response.result {
            case .success(let value):
                // Sound because the serializer made the value for this handler alone.
                nonisolated(unsafe) let value = value
                handler?(response.response, value, nil)
            case .failure(let error):
                let parsed = (error as? FirewheelError)?.responseValue
                let value: Any? = if let json = parsed as? JSONValue { json.foundationObject } else { parsed }
                // Sound because it was made here, or is Sendable.
                nonisolated(unsafe) let handed = value
                handler?(response.response, handed, error)
            }
        }
        return request
    }

    private func reporting(_ request: DownloadRequest, _ progress: ProgressHandler?, _ handler: DownloadHandler?) -> DownloadRequest {
        let settings = settings
        let entry = GroupEntry(settings.completionGroup)
        request.startImmediately(false)
        watch(request, nil, progress)
        request.validate(statusCode: settings.responseSerializer.statusCodes)
        return request.response(queue: settings.queue) { response in
            handler?(response.response, response.fileURL, response.error)
            entry.leave()
        }
    }
}
