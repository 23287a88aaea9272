/// Calls several monitors, each on its own queue.
public final class CompositeEventMonitor: EventMonitor {
    struct Listener: Sendable {
        let monitor: any EventMonitor
        /// Read once, because a monitor may create one each time that it is asked.
        let queue: DispatchQueue

        init(_ monitor: any EventMonitor) {
            self.monitor = monitor
            queue = monitor.queue
        }
    }

    public let queue: DispatchQueue
    /// The monitors, in the order in which they are called.
    public var monitors: [any EventMonitor] { all.map(\.monitor) }
    private let all: [Listener]
    /// Those that need the values of events.
    private let listeners: [Listener]
    /// Those that only need to know what a request is doing.
    private let notifications: [AlamofireNotifications]

    init(queue: DispatchQueue, _ all: [Listener]) {
        self.queue = queue
        self.all = all
        notifications = all.compactMap { $0.monitor as? AlamofireNotifications }
        listeners = all.filter { !($0.monitor is AlamofireNotifications) }
    }

    func adding(_ listener: Listener) -> CompositeEventMonitor { CompositeEventMonitor(queue: queue, all + [listener]) }

    /// Whether there is no monitor.
    var isEmpty: Bool { all.isEmpty }
    /// Whether there is a monitor for which the values of events have to be made.
    var needsValues: Bool { !listeners.isEmpty }

    /// Calls the monitors that need the values of events.
    func tell(_ event: @escaping @Sendable (any EventMonitor) -> Void) {
        for listener in listeners {
            let monitor = listener.monitor
            listener.queue.async { event(monitor) }
        }
    }

    /// Posts a notification for each of the other monitors.
    func post(_ name: Notification.Name, of request: Request) {
        for notification in notifications { notification.post(name, of: request) }
    }

    private func tellAll(_ event: @escaping @Sendable (any EventMonitor) -> Void) {
        for monitor in notifications { monitor.queue.async { event(monitor) } }
        tell(event)
    }

    // MARK: Events

    public func urlSession(_ session: URLSession, didBecomeInvalidWithError error: (any Error)?) {
        tellAll { $0.urlSession(session, didBecomeInvalidWithError: error) }
    }
    public func urlSession(_ session: URLSession, task: URLSessionTask, didReceive challenge: URLAuthenticationChallenge) {
        tellAll { $0.urlSession(session, task: task, didReceive: challenge) }
    }
    public func urlSession(
        _ session: URLSession, task: URLSessionTask, didSendBodyData bytesSent: Int64, totalBytesSent: Int64,
        totalBytesExpectedToSend: Int64
    ) {
        tellAll {
            $0.urlSession(
                session, task: task, didSendBodyData: bytesSent, totalBytesSent: totalBytesSent,
                totalBytesExpectedToSend: totalBytesExpectedToSend)
        }
    }
    public func urlSession(_ session: URLSession, taskNeedsNewBodyStream task: URLSessionTask) {
        tellAll { $0.urlSession(session, taskNeedsNewBodyStream: task) }
    }
    public func urlSession(
        _ session: URLSession, task: URLSessionTask, willPerformHTTPRedirection response: HTTPURLResponse, newRequest request: URLRequest
    ) {
        tellAll { $0.urlSession(session, task: task, willPerformHTTPRedirection: response, newRequest: request) }
    }
    public func urlSession(_ session: URLSession, task: URLSessionTask, didFinishCollecting metrics: URLSessionTaskMetrics) {
        tellAll { $0.urlSession(session, task: task, didFinishCollecting: metrics) }
    }
    public func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?) {
        tellAll { $0.urlSession(session, task: task, didCompleteWithError: error) }
    }
    public func urlSession(_ session: URLSession, taskIsWaitingForConnectivity task: URLSessionTask) {
        tellAll { $0.urlSession(session, taskIsWaitingForConnectivity: task) }
    }
    public func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive response: URLResponse) {
        tellAll { $0.urlSession(session, dataTask: dataTask, didReceive: response) }
    }
    public func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data) {
        tellAll { $0.urlSession(session, dataTask: dataTask, didReceive: data) }
    }
    public func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, willCacheResponse proposedResponse: CachedURLResponse) {
        tellAll { $0.urlSession(session, dataTask: dataTask, willCacheResponse: proposedResponse) }
    }
    public func urlSession(
        _ session: URLSession, downloadTask: URLSessionDownloadTask, didResumeAtOffset fileOffset: Int64, expectedTotalBytes: Int64
    ) {
        tellAll {
            $0.urlSession(session, downloadTask: downloadTask, didResumeAtOffset: fileOffset, expectedTotalBytes: expectedTotalBytes)
        }
    }
    public func urlSession(
        _ session: URLSession, downloadTask: URLSessionDownloadTask, didWriteData bytesWritten: Int64, totalBytesWritten: Int64,
        totalBytesExpectedToWrite: Int64
    ) {
        tellAll {
            $0.urlSession(
                session, downloadTask: downloadTask, didWriteData: bytesWritten, totalBytesWritten: totalBytesWritten,
                totalBytesExpectedToWrite: totalBytesExpectedToWrite)
        }
    }
    public func urlSession(_ session: URLSession, downloadTask: URLSessionDownloadTask, didFinishDownloadingTo location: URL) {
        tellAll { $0.urlSession(session, downloadTask: downloadTask, didFinishDownloadingTo: location) }
    }
    public func request(_ request: Request, didCreateInitialURLRequest urlRequest: URLRequest) {
        tellAll { $0.request(request, didCreateInitialURLRequest: urlRequest) }
    }
    public func request(_ request: Request, didFailToCreateURLRequestWithError error: AFError) {
        tellAll { $0.request(request, didFailToCreateURLRequestWithError: error) }
    }
    public func request(_ request: Request, didAdaptInitialRequest initialRequest: URLRequest, to adaptedRequest: URLRequest) {
        tellAll { $0.request(request, didAdaptInitialRequest: initialRequest, to: adaptedRequest) }
    }
    public func request(_ request: Request, didFailToAdaptURLRequest initialRequest: URLRequest, withError error: AFError) {
        tellAll { $0.request(request, didFailToAdaptURLRequest: initialRequest, withError: error) }
    }
    public func request(_ request: Request, didCreateURLRequest urlRequest: URLRequest) {
        tellAll { $0.request(request, didCreateURLRequest: urlRequest) }
    }
    public func request(_ request: Request, didCreateTask task: URLSessionTask) {
        tellAll { $0.request(request, didCreateTask: task) }
    }
    public func request(_ request: Request, didGatherMetrics metrics: TaskMetrics) {
        tellAll { $0.request(request, didGatherMetrics: metrics) }
    }
    public func request(_ request: Request, didFailTask task: URLSessionTask, earlyWithError error: AFError) {
        tellAll { $0.request(request, didFailTask: task, earlyWithError: error) }
    }
    public func request(_ request: Request, didCompleteTask task: URLSessionTask, with error: AFError?) {
        tellAll { $0.request(request, didCompleteTask: task, with: error) }
    }
    public func requestIsRetrying(_ request: Request) {
        tellAll { $0.requestIsRetrying(request) }
    }
    public func requestDidFinish(_ request: Request) {
        tellAll { $0.requestDidFinish(request) }
    }
    public func requestDidResume(_ request: Request) {
        tellAll { $0.requestDidResume(request) }
    }
    public func request(_ request: Request, didResumeTask task: URLSessionTask) {
        tellAll { $0.request(request, didResumeTask: task) }
    }
    public func requestDidSuspend(_ request: Request) {
        tellAll { $0.requestDidSuspend(request) }
    }
    public func request(_ request: Request, didSuspendTask task: URLSessionTask) {
        tellAll { $0.request(request, didSuspendTask: task) }
    }
    public func requestDidCancel(_ request: Request) {
        tellAll { $0.requestDidCancel(request) }
    }
    public func request(_ request: Request, didCancelTask task: URLSessionTask) {
        tellAll { $0.request(request, didCancelTask: task) }
    }
    public func request(
        _ request: DataRequest, didValidateRequest urlRequest: URLRequest?, response: HTTPURLResponse, data: Data?,
        withResult result: Request.ValidationResult
    ) {
        tellAll { $0.request(request, didValidateRequest: urlRequest, response: response, data: data, withResult: result) }
    }
    public func request(_ request: DataRequest, didParseResponse response: DataResponse<Data?, AFError>) {
        tellAll { $0.request(request, didParseResponse: response) }
    }
    public func request<Value: Sendable>(_ request: DataRequest, didParseResponse response: DataResponse<Value, AFError>) {
        tellAll { $0.request(request, didParseResponse: response) }
    }
    public func request(
        _ request: DataStreamRequest, didValidateRequest urlRequest: URLRequest?, response: HTTPURLResponse,
        withResult result: Request.ValidationResult
    ) {
        tellAll { $0.request(request, didValidateRequest: urlRequest, response: response, withResult: result) }
    }
    public func request<Value: Sendable>(_ request: DataStreamRequest, didParseStream result: Result<Value, AFError>) {
        tellAll { $0.request(request, didParseStream: result) }
    }
    public func request(_ request: UploadRequest, didCreateUploadable uploadable: UploadRequest.Uploadable) {
        tellAll { $0.request(request, didCreateUploadable: uploadable) }
    }
    public func request(_ request: UploadRequest, didFailToCreateUploadableWithError error: AFError) {
        tellAll { $0.request(request, didFailToCreateUploadableWithError: error) }
    }
    public func request(_ request: UploadRequest, didProvideInputStream stream: InputStream) {
        let stream = SharedValue(value: stream)
        tellAll { $0.request(request, didProvideInputStream: stream.value) }
    }
    public func request(_ request: DownloadRequest, didFinishDownloadingUsing task: URLSessionTask, with result: Result<URL, AFError>) {
        tellAll { $0.request(request, didFinishDownloadingUsing: task, with: result) }
    }
    public func request(_ request: DownloadRequest, didCreateDestinationURL url: URL) {
        tellAll { $0.request(request, didCreateDestinationURL: url) }
    }
    public func request(
        _ request: DownloadRequest, didValidateRequest urlRequest: URLRequest?, response: HTTPURLResponse, fileURL: URL?,
        withResult result: Request.ValidationResult
    ) {
        tellAll { $0.request(request, didValidateRequest: urlRequest, response: response, fileURL: fileURL, withResult: result) }
    }
    public func request(_ request: DownloadRequest, didParseResponse response: DownloadResponse<URL?, AFError>) {
        tellAll { $0.request(request, didParseResponse: response) }
    }
    public func request<Value: Sendable>(_ request: DownloadRequest, didParseResponse response: DownloadResponse<Value, AFError>) {
        tellAll { $0.request(request, didParseResponse: response) }
    }
}
