import FirewheelAlamofire

/// A monitor that has every method, and writes down what it is called for.
final class MonitorRecorder: EventMonitor, @unchecked Sendable {
    // Sound because everything that changes is only accessed on the queue, which is serial.
    let queue = DispatchQueue(label: "recorder")
    private let name: String
    private var heard: [String] = []
    private var waiting: [(event: String, count: Int, continuation: CheckedContinuation<[String], Never>)] = []
    private var isCancelled = false

    init(_ name: String = "") {
        self.name = name
    }

    /// What it was called for so far.
    var events: [String] { queue.sync { heard } }

    /// Waits for an event, or for the time limit of the test.
    ///
    /// - Parameter count: How often it must have occurred.
    /// - Returns: All events until then.
    func events(until event: String, count: Int = 1) async -> [String] {
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                queue.async {
                    self.waiting.append((event, count, continuation))
                    self.answer()
                }
            }
        } onCancel: {
            queue.async {
                self.isCancelled = true
                self.answer()
            }
        }
    }

    private func answer() {
        waiting.removeAll { waiting in
            guard isCancelled || heard.count(where: { $0 == waiting.event }) >= waiting.count else { return false }
            waiting.continuation.resume(returning: heard)
            return true
        }
    }

    private func hear(_ event: String, _ error: AFError? = nil) {
        dispatchPrecondition(condition: .onQueue(queue))
        heard.append(name + event + (error == nil ? "" : " failed"))
        answer()
    }

    func request(_ request: Request, didCreateInitialURLRequest urlRequest: URLRequest) { hear("initial") }
    func request(_ request: Request, didFailToCreateURLRequestWithError error: AFError) { hear("create", error) }
    func request(_ request: Request, didAdaptInitialRequest initialRequest: URLRequest, to adaptedRequest: URLRequest) { hear("adapt") }
    func request(_ request: Request, didFailToAdaptURLRequest initialRequest: URLRequest, withError error: AFError) { hear("adapt", error) }
    func request(_ request: Request, didCreateURLRequest urlRequest: URLRequest) { hear("create") }
    func request(_ request: Request, didCreateTask task: URLSessionTask) { hear("task") }
    func request(_ request: Request, didGatherMetrics metrics: TaskMetrics) { hear("metrics") }
    func request(_ request: Request, didFailTask task: URLSessionTask, earlyWithError error: AFError) { hear("early", error) }
    func request(_ request: Request, didCompleteTask task: URLSessionTask, with error: AFError?) { hear("complete", error) }
    func requestIsRetrying(_ request: Request) { hear("retry") }
    func requestDidFinish(_ request: Request) { hear("finish") }
    func requestDidResume(_ request: Request) { hear("resume") }
    func request(_ request: Request, didResumeTask task: URLSessionTask) { hear("resumeTask") }
    func requestDidSuspend(_ request: Request) { hear("suspend") }
    func request(_ request: Request, didSuspendTask task: URLSessionTask) { hear("suspendTask") }
    func requestDidCancel(_ request: Request) { hear("cancel") }
    func request(_ request: Request, didCancelTask task: URLSessionTask) { hear("cancelTask") }

    func request(
        _ request: DataRequest, didValidateRequest urlRequest: URLRequest?, response: HTTPURLResponse, data: Data?,
        withResult result: Request.ValidationResult
    ) {
        hear("validate \(response.statusCode)" + ((try? result.get()) == nil ? " failed" : ""))
    }

    func request(_ request: DataRequest, didParseResponse response: DataResponse<Data?, AFError>) { hear("response", response.error) }

    func request<Value>(_ request: DataRequest, didParseResponse response: DataResponse<Value, AFError>) {
        hear("parse \(Value.self)", response.error)
    }

    func request(
        _ request: DataStreamRequest, didValidateRequest urlRequest: URLRequest?, response: HTTPURLResponse,
        withResult result: Request.ValidationResult
    ) {
        hear("validate \(response.statusCode)" + ((try? result.get()) == nil ? " failed" : ""))
    }

    func request<Value>(_ request: DataStreamRequest, didParseStream result: Result<Value, AFError>) { hear("stream \(Value.self)") }
    func request(_ request: UploadRequest, didCreateUploadable uploadable: UploadRequest.Uploadable) { hear("uploadable") }
    func request(_ request: UploadRequest, didFailToCreateUploadableWithError error: AFError) { hear("uploadable", error) }
    func request(_ request: UploadRequest, didProvideInputStream stream: InputStream) { hear("inputStream") }

    func request(_ request: DownloadRequest, didFinishDownloadingUsing task: URLSessionTask, with result: Result<URL, AFError>) {
        hear("download" + ((try? result.get()) == nil ? " failed" : ""))
    }

    func request(_ request: DownloadRequest, didCreateDestinationURL url: URL) { hear("destination") }

    func request(
        _ request: DownloadRequest, didValidateRequest urlRequest: URLRequest?, response: HTTPURLResponse, fileURL: URL?,
        withResult result: Request.ValidationResult
    ) {
        hear("validate \(response.statusCode)" + ((try? result.get()) == nil ? " failed" : ""))
    }

    func request(_ request: DownloadRequest, didParseResponse response: DownloadResponse<URL?, AFError>) {
        hear("response", response.error)
    }

    func request<Value>(_ request: DownloadRequest, didParseResponse response: DownloadResponse<Value, AFError>) {
        hear("parse \(Value.self)", response.error)
    }
}

/// Retains the sessions of a test, whose requests would end with them.
final class SessionKeeper: @unchecked Sendable {
    // Sound because only the test's task accesses it.
    private var sessions: [Session] = []

    func keep(_ session: Session) -> Session {
        sessions.append(session)
        return session
    }
}
