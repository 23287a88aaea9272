/// Is called with the events of requests. Its `urlSession…` methods are declared for monitors that have them, and never called, because
/// there is no `URLSession`.
///
/// A session calls its monitors for all of its requests, and then those that were added to a request with `Request.eventMonitor(_:)`. Each
/// is called on its ``queue``, with the events of a request in their order. No monitor delays a request or another monitor's queue. Every
/// method has a default that does nothing.
///
/// The methods of a request that succeeds are called in this order:
/// ```
/// requestDidResume
/// request(_:didCreateInitialURLRequest:)
/// request(_:didAdaptInitialRequest:to:)      with an interceptor
/// request(_:didCreateUploadable:)            for an upload
/// request(_:didCreateURLRequest:)
/// request(_:didCreateTask:)
/// request(_:didResumeTask:)
/// request(_:didGatherMetrics:)
/// request(_:didValidateRequest:…)            for each validation
/// request(_:didCreateDestinationURL:)        for a download
/// request(_:didFinishDownloadingUsing:with:) for a download
/// request(_:didCompleteTask:with:)
/// requestDidFinish
/// request(_:didParseResponse:)               for each response handler
/// ```
/// A retry begins with `requestIsRetrying(_:)`, and goes on from `didCreateInitialURLRequest`. Validations are called before a
/// downloaded file is moved.
///
/// Metrics are `TaskMetrics`. On Linux this is what `URLSessionTaskMetrics` stands for in a file that imports this module, so that a method
/// that is declared with it is called. A file that imports FoundationNetworking, too, has to write `TaskMetrics`: to the compiler the other
/// name is ambiguous there.
public protocol EventMonitor: Sendable {
    /// The queue on which the monitor is called. Read once, when it is installed. Default: the main queue.
    var queue: DispatchQueue { get }

    // MARK: URLSession

    /// Never called.
    func urlSession(_ session: URLSession, didBecomeInvalidWithError error: (any Error)?)
    /// Never called.
    func urlSession(_ session: URLSession, task: URLSessionTask, didReceive challenge: URLAuthenticationChallenge)
    /// Never called. See `Request.uploadProgress`.
    func urlSession(
        _ session: URLSession, task: URLSessionTask, didSendBodyData bytesSent: Int64, totalBytesSent: Int64,
        totalBytesExpectedToSend: Int64)
    /// Never called.
    func urlSession(_ session: URLSession, taskNeedsNewBodyStream task: URLSessionTask)
    /// Never called. See ``RedirectHandler``.
    func urlSession(
        _ session: URLSession, task: URLSessionTask, willPerformHTTPRedirection response: HTTPURLResponse, newRequest request: URLRequest)
    /// Never called. See ``request(_:didGatherMetrics:)``.
    func urlSession(_ session: URLSession, task: URLSessionTask, didFinishCollecting metrics: URLSessionTaskMetrics)
    /// Never called. See ``request(_:didCompleteTask:with:)``.
    func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?)
    /// Never called.
    func urlSession(_ session: URLSession, taskIsWaitingForConnectivity task: URLSessionTask)
    /// Never called. See `DataRequest.onHTTPResponse`.
    func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive response: URLResponse)
    /// Never called. See `Request.downloadProgress`.
    func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data)
    /// Never called.
    func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, willCacheResponse proposedResponse: CachedURLResponse)
    /// Never called.
    func urlSession(
        _ session: URLSession, downloadTask: URLSessionDownloadTask, didResumeAtOffset fileOffset: Int64, expectedTotalBytes: Int64)
    /// Never called. See `Request.downloadProgress`.
    func urlSession(
        _ session: URLSession, downloadTask: URLSessionDownloadTask, didWriteData bytesWritten: Int64, totalBytesWritten: Int64,
        totalBytesExpectedToWrite: Int64)
    /// Never called. See ``request(_:didFinishDownloadingUsing:with:)``.
    func urlSession(_ session: URLSession, downloadTask: URLSessionDownloadTask, didFinishDownloadingTo location: URL)

    // MARK: All requests

    /// The `URLRequest` was made, before adapters change it. Without adapters it is the complete one, with the session's header fields.
    func request(_ request: Request, didCreateInitialURLRequest urlRequest: URLRequest)
    /// The `URLRequest` could not be made.
    func request(_ request: Request, didFailToCreateURLRequestWithError error: AFError)
    /// The adapters have made another `URLRequest` of the initial one.
    func request(_ request: Request, didAdaptInitialRequest initialRequest: URLRequest, to adaptedRequest: URLRequest)
    /// An adapter has failed.
    func request(_ request: Request, didFailToAdaptURLRequest initialRequest: URLRequest, withError error: AFError)
    /// The `URLRequest` that will be sent was made.
    func request(_ request: Request, didCreateURLRequest urlRequest: URLRequest)
    /// A task stands for the attempt from now on. See `Request.task`.
    func request(_ request: Request, didCreateTask task: URLSessionTask)
    /// The metrics of the attempt are known. They have no transactions if the request ended before anything was sent.
    func request(_ request: Request, didGatherMetrics metrics: TaskMetrics)
    /// The server is not trusted, so that the task will fail.
    func request(_ request: Request, didFailTask task: URLSessionTask, earlyWithError error: AFError)
    /// The attempt has ended. The error is not that of a validation.
    func request(_ request: Request, didCompleteTask task: URLSessionTask, with error: AFError?)
    /// Another attempt begins.
    func requestIsRetrying(_ request: Request)
    /// The outcome is final.
    func requestDidFinish(_ request: Request)
    /// The request was started, or continued after `suspend()`.
    func requestDidResume(_ request: Request)
    /// The task was started, or continued.
    func request(_ request: Request, didResumeTask task: URLSessionTask)
    /// The request was suspended.
    func requestDidSuspend(_ request: Request)
    /// The task was suspended.
    func request(_ request: Request, didSuspendTask task: URLSessionTask)
    /// The request was cancelled.
    func requestDidCancel(_ request: Request)
    /// The task was cancelled.
    func request(_ request: Request, didCancelTask task: URLSessionTask)

    // MARK: Data requests

    /// A validation has run.
    func request(
        _ request: DataRequest, didValidateRequest urlRequest: URLRequest?, response: HTTPURLResponse, data: Data?,
        withResult result: Request.ValidationResult)
    /// A handler without a serializer gets this response.
    func request(_ request: DataRequest, didParseResponse response: DataResponse<Data?, AFError>)
    /// A handler gets this response, which a serializer has made. The value may be of a type that is not Sendable, such as the `Any` of
    /// `responseJSON`: the handler gets it, too, so that a monitor may only read it.
    func request<Value: Sendable>(_ request: DataRequest, didParseResponse response: DataResponse<Value, AFError>)

    // MARK: Streams

    /// A validation has run.
    func request(
        _ request: DataStreamRequest, didValidateRequest urlRequest: URLRequest?, response: HTTPURLResponse,
        withResult result: Request.ValidationResult)
    /// A handler gets this value, or an error, for a part of the body.
    func request<Value: Sendable>(_ request: DataStreamRequest, didParseStream result: Result<Value, AFError>)

    // MARK: Uploads

    /// It is known what the request sends.
    func request(_ request: UploadRequest, didCreateUploadable uploadable: UploadRequest.Uploadable)
    /// What the request was to send could not be made.
    func request(_ request: UploadRequest, didFailToCreateUploadableWithError error: AFError)
    /// This stream is about to be read for the request's body.
    func request(_ request: UploadRequest, didProvideInputStream stream: InputStream)

    // MARK: Downloads

    /// The file was moved to its place, or could not be.
    func request(_ request: DownloadRequest, didFinishDownloadingUsing task: URLSessionTask, with result: Result<URL, AFError>)
    /// The file was moved to this place, which may be in the temporary folder, or could not be moved there.
    func request(_ request: DownloadRequest, didCreateDestinationURL url: URL)
    /// A validation has run. The file is not at its destination yet.
    func request(
        _ request: DownloadRequest, didValidateRequest urlRequest: URLRequest?, response: HTTPURLResponse, fileURL: URL?,
        withResult result: Request.ValidationResult)
    /// A handler without a serializer gets this response.
    func request(_ request: DownloadRequest, didParseResponse response: DownloadResponse<URL?, AFError>)
    /// A handler gets this response, which a serializer has made. Its value is as in that for data requests.
    func request<Value: Sendable>(_ request: DownloadRequest, didParseResponse response: DownloadResponse<Value, AFError>)
}

#if canImport(FoundationNetworking)
    /// The metrics that monitors and responses have: those of this library. A monitor's method that is declared with Foundation's type
    /// would compile, and never be called.
    public typealias URLSessionTaskMetrics = TaskMetrics
    /// The metrics of one exchange that `TaskMetrics` has: those of this library.
    public typealias URLSessionTaskTransactionMetrics = TransactionMetrics
#endif
