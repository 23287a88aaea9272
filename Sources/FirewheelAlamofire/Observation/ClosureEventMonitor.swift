/// A monitor that calls a closure for each event that has one.
///
/// The closures are called on the monitor's queue. They may be replaced at any time.
open class ClosureEventMonitor: EventMonitor, @unchecked Sendable {
    // Sound because its stored properties are constants of Sendable types, or guarded. The compiler cannot infer this because the class is
    // open.

    public let queue: DispatchQueue

    /// Creates a monitor without closures.
    ///
    /// - Parameter queue: The queue on which closures are called. Default: the main queue.
    public init(queue: DispatchQueue = .main) {
        self.queue = queue
    }

    // MARK: URLSession

    /// Never called, like ``EventMonitor/urlSession(_:didBecomeInvalidWithError:)``.
    @Guarded open var sessionDidBecomeInvalidWithError: ((URLSession, (any Error)?) -> Void)?
    /// Never called, like ``EventMonitor/urlSession(_:task:didReceive:)``.
    @Guarded open var taskDidReceiveChallenge: ((URLSession, URLSessionTask, URLAuthenticationChallenge) -> Void)?
    /// Never called, like ``EventMonitor/urlSession(_:task:didSendBodyData:totalBytesSent:totalBytesExpectedToSend:)``.
    @Guarded open var taskDidSendBodyData: ((URLSession, URLSessionTask, Int64, Int64, Int64) -> Void)?
    /// Never called, like ``EventMonitor/urlSession(_:taskNeedsNewBodyStream:)``.
    @Guarded open var taskNeedNewBodyStream: ((URLSession, URLSessionTask) -> Void)?
    /// Never called, like ``EventMonitor/urlSession(_:task:willPerformHTTPRedirection:newRequest:)``.
    @Guarded open var taskWillPerformHTTPRedirection: ((URLSession, URLSessionTask, HTTPURLResponse, URLRequest) -> Void)?
    /// Never called, like ``EventMonitor/urlSession(_:task:didFinishCollecting:)``.
    @Guarded open var taskDidFinishCollectingMetrics: ((URLSession, URLSessionTask, URLSessionTaskMetrics) -> Void)?
    /// Never called, like ``EventMonitor/urlSession(_:task:didCompleteWithError:)``.
    @Guarded open var taskDidComplete: ((URLSession, URLSessionTask, (any Error)?) -> Void)?
    /// Never called, like ``EventMonitor/urlSession(_:taskIsWaitingForConnectivity:)``.
    @Guarded open var taskIsWaitingForConnectivity: ((URLSession, URLSessionTask) -> Void)?
    /// Never called, like `EventMonitor.urlSession(_:dataTask:didReceive:)`.
    @Guarded open var dataTaskDidReceiveResponse: ((URLSession, URLSessionDataTask, URLResponse) -> Void)?
    /// Never called, like `EventMonitor.urlSession(_:dataTask:didReceive:)`.
    @Guarded open var dataTaskDidReceiveData: ((URLSession, URLSessionDataTask, Data) -> Void)?
    /// Never called, like ``EventMonitor/urlSession(_:dataTask:willCacheResponse:)``.
    @Guarded open var dataTaskWillCacheResponse: ((URLSession, URLSessionDataTask, CachedURLResponse) -> Void)?
    /// Never called, like ``EventMonitor/urlSession(_:downloadTask:didFinishDownloadingTo:)``.
    @Guarded open var downloadTaskDidFinishDownloadingToURL: ((URLSession, URLSessionDownloadTask, URL) -> Void)?
    /// Never called, like ``EventMonitor/urlSession(_:downloadTask:didWriteData:totalBytesWritten:totalBytesExpectedToWrite:)``.
    @Guarded open var downloadTaskDidWriteData: ((URLSession, URLSessionDownloadTask, Int64, Int64, Int64) -> Void)?
    /// Never called, like ``EventMonitor/urlSession(_:downloadTask:didResumeAtOffset:expectedTotalBytes:)``.
    @Guarded open var downloadTaskDidResumeAtOffset: ((URLSession, URLSessionDownloadTask, Int64, Int64) -> Void)?
    // MARK: All requests

    /// See ``EventMonitor/request(_:didCreateInitialURLRequest:)``.
    @Guarded open var requestDidCreateInitialURLRequest: ((Request, URLRequest) -> Void)?
    /// See ``EventMonitor/request(_:didFailToCreateURLRequestWithError:)``.
    @Guarded open var requestDidFailToCreateURLRequestWithError: ((Request, AFError) -> Void)?
    /// See ``EventMonitor/request(_:didAdaptInitialRequest:to:)``.
    @Guarded open var requestDidAdaptInitialRequestToAdaptedRequest: ((Request, URLRequest, URLRequest) -> Void)?
    /// See ``EventMonitor/request(_:didFailToAdaptURLRequest:withError:)``.
    @Guarded open var requestDidFailToAdaptURLRequestWithError: ((Request, URLRequest, AFError) -> Void)?
    /// See ``EventMonitor/request(_:didCreateURLRequest:)``.
    @Guarded open var requestDidCreateURLRequest: ((Request, URLRequest) -> Void)?
    /// See ``EventMonitor/request(_:didCreateTask:)``.
    @Guarded open var requestDidCreateTask: ((Request, URLSessionTask) -> Void)?
    /// See ``EventMonitor/request(_:didGatherMetrics:)``.
    @Guarded open var requestDidGatherMetrics: ((Request, TaskMetrics) -> Void)?
    /// See ``EventMonitor/request(_:didFailTask:earlyWithError:)``.
    @Guarded open var requestDidFailTaskEarlyWithError: ((Request, URLSessionTask, AFError) -> Void)?
    /// See ``EventMonitor/request(_:didCompleteTask:with:)``.
    @Guarded open var requestDidCompleteTaskWithError: ((Request, URLSessionTask, AFError?) -> Void)?
    /// See ``EventMonitor/requestIsRetrying(_:)``.
    @Guarded open var requestIsRetrying: ((Request) -> Void)?
    /// See ``EventMonitor/requestDidFinish(_:)``.
    @Guarded open var requestDidFinish: ((Request) -> Void)?
    /// See ``EventMonitor/requestDidResume(_:)``.
    @Guarded open var requestDidResume: ((Request) -> Void)?
    /// See ``EventMonitor/request(_:didResumeTask:)``.
    @Guarded open var requestDidResumeTask: ((Request, URLSessionTask) -> Void)?
    /// See ``EventMonitor/requestDidSuspend(_:)``.
    @Guarded open var requestDidSuspend: ((Request) -> Void)?
    /// See ``EventMonitor/request(_:didSuspendTask:)``.
    @Guarded open var requestDidSuspendTask: ((Request, URLSessionTask) -> Void)?
    /// See ``EventMonitor/requestDidCancel(_:)``.
    @Guarded open var requestDidCancel: ((Request) -> Void)?
    /// See ``EventMonitor/request(_:didCancelTask:)``.
    @Guarded open var requestDidCancelTask: ((Request, URLSessionTask) -> Void)?
    // MARK: Kinds of requests

    /// See ``EventMonitor/request(_:didValidateRequest:response:data:withResult:)``.
    @Guarded open var requestDidValidateRequestResponseDataWithResult:
        ((DataRequest, URLRequest?, HTTPURLResponse, Data?, Request.ValidationResult) -> Void)?
    /// See `EventMonitor.request(_:didParseResponse:)`.
    @Guarded open var requestDidParseResponse: ((DataRequest, DataResponse<Data?, AFError>) -> Void)?
    /// See ``EventMonitor/request(_:didValidateRequest:response:withResult:)``.
    @Guarded open var requestDidValidateRequestResponseWithResult:
        ((DataStreamRequest, URLRequest?, HTTPURLResponse, Request.ValidationResult) -> Void)?
    /// See ``EventMonitor/request(_:didCreateUploadable:)``.
    @Guarded open var requestDidCreateUploadable: ((UploadRequest, UploadRequest.Uploadable) -> Void)?
    /// See ``EventMonitor/request(_:didFailToCreateUploadableWithError:)``.
    @Guarded open var requestDidFailToCreateUploadableWithError: ((UploadRequest, AFError) -> Void)?
    /// See ``EventMonitor/request(_:didProvideInputStream:)``.
    @Guarded open var requestDidProvideInputStream: ((UploadRequest, InputStream) -> Void)?
    /// See ``EventMonitor/request(_:didFinishDownloadingUsing:with:)``.
    @Guarded open var requestDidFinishDownloadingUsingTaskWithResult: ((DownloadRequest, URLSessionTask, Result<URL, AFError>) -> Void)?
    /// See ``EventMonitor/request(_:didCreateDestinationURL:)``.
    @Guarded open var requestDidCreateDestinationURL: ((DownloadRequest, URL) -> Void)?
    /// See ``EventMonitor/request(_:didValidateRequest:response:fileURL:withResult:)``.
    @Guarded open var requestDidValidateRequestResponseFileURLWithResult:
        ((DownloadRequest, URLRequest?, HTTPURLResponse, URL?, Request.ValidationResult) -> Void)?
    /// See `EventMonitor.request(_:didParseResponse:)`.
    @Guarded open var requestDidParseDownloadResponse: ((DownloadRequest, DownloadResponse<URL?, AFError>) -> Void)?

    // MARK: Events

    open func urlSession(_ session: URLSession, didBecomeInvalidWithError error: (any Error)?) {
        sessionDidBecomeInvalidWithError?(session, error)
    }

    open func urlSession(_ session: URLSession, task: URLSessionTask, didReceive challenge: URLAuthenticationChallenge) {
        taskDidReceiveChallenge?(session, task, challenge)
    }

    open func urlSession(
        _ session: URLSession, task: URLSessionTask, didSendBodyData bytesSent: Int64, totalBytesSent: Int64,
        totalBytesExpectedToSend: Int64
    ) {
        taskDidSendBodyData?(session, task, bytesSent, totalBytesSent, totalBytesExpectedToSend)
    }

    open func urlSession(_ session: URLSession, taskNeedsNewBodyStream task: URLSessionTask) {
        taskNeedNewBodyStream?(session, task)
    }

    open func urlSession(
        _ session: URLSession, task: URLSessionTask, willPerformHTTPRedirection response: HTTPURLResponse, newRequest request: URLRequest
    ) {
        taskWillPerformHTTPRedirection?(session, task, response, request)
    }

    open func urlSession(_ session: URLSession, task: URLSessionTask, didFinishCollecting metrics: URLSessionTaskMetrics) {
        taskDidFinishCollectingMetrics?(session, task, metrics)
    }

    open func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?) {
        taskDidComplete?(session, task, error)
    }

    open func urlSession(_ session: URLSession, taskIsWaitingForConnectivity task: URLSessionTask) {
        taskIsWaitingForConnectivity?(session, task)
    }

    open func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive response: URLResponse) {
        dataTaskDidReceiveResponse?(session, dataTask, response)
    }

    open func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data) {
        dataTaskDidReceiveData?(session, dataTask, data)
    }

    open func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, willCacheResponse proposedResponse: CachedURLResponse) {
        dataTaskWillCacheResponse?(session, dataTask, proposedResponse)
    }

    open func urlSession(
        _ session: URLSession, downloadTask: URLSessionDownloadTask, didResumeAtOffset fileOffset: Int64, expectedTotalBytes: Int64
    ) {
        downloadTaskDidResumeAtOffset?(session, downloadTask, fileOffset, expectedTotalBytes)
    }

    open func urlSession(
        _ session: URLSession, downloadTask: URLSessionDownloadTask, didWriteData bytesWritten: Int64, totalBytesWritten: Int64,
        totalBytesExpectedToWrite: Int64
    ) {
        downloadTaskDidWriteData?(session, downloadTask, bytesWritten, totalBytesWritten, totalBytesExpectedToWrite)
    }

    open func urlSession(_ session: URLSession, downloadTask: URLSessionDownloadTask, didFinishDownloadingTo location: URL) {
        downloadTaskDidFinishDownloadingToURL?(session, downloadTask, location)
    }

    open func request(_ request: Request, didCreateInitialURLRequest urlRequest: URLRequest) {
        requestDidCreateInitialURLRequest?(request, urlRequest)
    }

    open func request(_ request: Request, didFailToCreateURLRequestWithError error: AFError) {
        requestDidFailToCreateURLRequestWithError?(request, error)
    }

    open func request(_ request: Request, didAdaptInitialRequest initialRequest: URLRequest, to adaptedRequest: URLRequest) {
        requestDidAdaptInitialRequestToAdaptedRequest?(request, initialRequest, adaptedRequest)
    }

    open func request(_ request: Request, didFailToAdaptURLRequest initialRequest: URLRequest, withError error: AFError) {
        requestDidFailToAdaptURLRequestWithError?(request, initialRequest, error)
    }

    open func request(_ request: Request, didCreateURLRequest urlRequest: URLRequest) {
        requestDidCreateURLRequest?(request, urlRequest)
    }

    open func request(_ request: Request, didCreateTask task: URLSessionTask) {
        requestDidCreateTask?(request, task)
    }

    open func request(_ request: Request, didGatherMetrics metrics: TaskMetrics) {
        requestDidGatherMetrics?(request, metrics)
    }

    open func request(_ request: Request, didFailTask task: URLSessionTask, earlyWithError error: AFError) {
        requestDidFailTaskEarlyWithError?(request, task, error)
    }

    open func request(_ request: Request, didCompleteTask task: URLSessionTask, with error: AFError?) {
        requestDidCompleteTaskWithError?(request, task, error)
    }

    open func requestIsRetrying(_ request: Request) {
        requestIsRetrying?(request)
    }

    open func requestDidFinish(_ request: Request) {
        requestDidFinish?(request)
    }

    open func requestDidResume(_ request: Request) {
        requestDidResume?(request)
    }

    open func request(_ request: Request, didResumeTask task: URLSessionTask) {
        requestDidResumeTask?(request, task)
    }

    open func requestDidSuspend(_ request: Request) {
        requestDidSuspend?(request)
    }

    open func request(_ request: Request, didSuspendTask task: URLSessionTask) {
        requestDidSuspendTask?(request, task)
    }

    open func requestDidCancel(_ request: Request) {
        requestDidCancel?(request)
    }

    open func request(_ request: Request, didCancelTask task: URLSessionTask) {
        requestDidCancelTask?(request, task)
    }

    open func request(
        _ request: DataRequest, didValidateRequest urlRequest: URLRequest?, response: HTTPURLResponse, data: Data?,
        withResult result: Request.ValidationResult
    ) {
        requestDidValidateRequestResponseDataWithResult?(request, urlRequest, response, data, result)
    }

    open func request(_ request: DataRequest, didParseResponse response: DataResponse<Data?, AFError>) {
        requestDidParseResponse?(request, response)
    }

    open func request(
        _ request: DataStreamRequest, didValidateRequest urlRequest: URLRequest?, response: HTTPURLResponse,
        withResult result: Request.ValidationResult
    ) {
        requestDidValidateRequestResponseWithResult?(request, urlRequest, response, result)
    }

    open func request(_ request: UploadRequest, didCreateUploadable uploadable: UploadRequest.Uploadable) {
        requestDidCreateUploadable?(request, uploadable)
    }

    open func request(_ request: UploadRequest, didFailToCreateUploadableWithError error: AFError) {
        requestDidFailToCreateUploadableWithError?(request, error)
    }

    open func request(_ request: UploadRequest, didProvideInputStream stream: InputStream) {
        requestDidProvideInputStream?(request, stream)
    }

    open func request(_ request: DownloadRequest, didFinishDownloadingUsing task: URLSessionTask, with result: Result<URL, AFError>) {
        requestDidFinishDownloadingUsingTaskWithResult?(request, task, result)
    }

    open func request(_ request: DownloadRequest, didCreateDestinationURL url: URL) {
        requestDidCreateDestinationURL?(request, url)
    }

    open func request(
        _ request: DownloadRequest, didValidateRequest urlRequest: URLRequest?, response: HTTPURLResponse, fileURL: URL?,
        withResult result: Request.ValidationResult
    ) {
        requestDidValidateRequestResponseFileURLWithResult?(request, urlRequest, response, fileURL, result)
    }

    open func request(_ request: DownloadRequest, didParseResponse response: DownloadResponse<URL?, AFError>) {
        requestDidParseDownloadResponse?(request, response)
    }

    /// A closure of a monitor. It may be replaced from any thread.
    @propertyWrapper
    public struct Guarded<Closure>: Sendable {
        private struct Content: @unchecked Sendable {
            // Sound because it is only accessed under the lock. The closure is called on the queue of its monitor. Its type does not demand
            // that it is Sendable, since closures that are written for Alamofire would not compile.
            var closure: Closure?
        }

        private let content = Locked(Content())

        /// Creates a place without a closure.
        public init() {}

        /// The closure; nil if the event has none.
        public var wrappedValue: Closure? {
            get { content.withLock { $0 }.closure }
            nonmutating set {
                let new = Content(closure: newValue)
                // The old one may hold anything, so it is released outside the lock.
                _ = content.withLock { content in
                    defer { content = new }
                    return content
                }
            }
        }
    }
}
