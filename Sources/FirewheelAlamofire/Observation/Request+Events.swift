// The engine's events as Alamofire's, which has more of them, and some in another order.
extension Request {
    /// Called with events in order, one at a time, on the threads where they occur: it only passes work to the queues of monitors.
    func receive(_ event: RequestEvent, _ context: RequestContext) {
        switch event {
        case .resume: didResume()
        case .suspend: didSuspend()
        case .cancel: didCancel()
        case .failToCreateURLRequest(let error): didFailToCreateRequest(error)
        case .failToAdaptURLRequest(let error): didFailToAdaptRequest(error)
        case .createURLRequest: didCreateRequest(context)
        case .completeTask(let error): didCompleteTask(context, error)
        case .validate(let error): if error != nil || !(self is DownloadRequest) { releaseCompletion() }
        case .saveFile(let file): didPlace(.success(file))
        case .retry: willRetry()
        case .finish(let error): didFinish(error)
        default: break
        }
    }

    // MARK: Resuming, suspending, cancelling

    private func didResume() {
        let hasTask = enter(.resumed)
        tell(Request.didResumeNotification) { $0.requestDidResume(self) }
        if hasTask { didResumeTask() }
    }

    private func didSuspend() {
        let hasTask = enter(.suspended)
        tell(Request.didSuspendNotification) { $0.requestDidSuspend(self) }
        if hasTask { didSuspendTask() }
    }

    private func didCancel() {
        let hasTask = enter(.cancelled)
        tell(Request.didCancelNotification) { $0.requestDidCancel(self) }
        if hasTask { tellOfTask(Request.didCancelTaskNotification) { $0.request(self, didCancelTask: $1) } }
    }

    /// - Returns: Whether there is a task, to which the same happens.
    private func enter(_ state: State) -> Bool {
        updateMonitoring { monitoring in
            monitoring.state = state
            return monitoring.hasTask
        }
    }

    private func didResumeTask() {
        tellOfTask(Request.didResumeTaskNotification) { $0.request(self, didResumeTask: $1) }
    }

    private func didSuspendTask() {
        tellOfTask(Request.didSuspendTaskNotification) { $0.request(self, didSuspendTask: $1) }
    }

    // MARK: Making the request

    /// To be called before the adapters of an attempt.
    func willAdapt(_ initial: URLRequest) {
        guard monitors.needsValues else { return }
        base.report {
            self.beginAttempt()
            self.updateMonitoring { $0.initialRequest = initial }
            self.tell { $0.request(self, didCreateInitialURLRequest: initial) }
        }
    }

    /// To be called when all adapters of an attempt have succeeded.
    func didAdapt(_ initial: URLRequest, to adapted: URLRequest) {
        guard monitors.needsValues else { return }
        base.report { self.tell { $0.request(self, didAdaptInitialRequest: initial, to: adapted) } }
    }

    private func willRetry() {
        releaseCompletion()
        updateMonitoring { $0.isRetrying = true }
    }

    /// Tells of a retry when its first event occurs, which is after its delay.
    private func beginAttempt() {
        let isRetrying = updateMonitoring { monitoring in
            defer { monitoring.isRetrying = false }
            return monitoring.isRetrying
        }
        if isRetrying { tell { $0.requestIsRetrying(self) } }
    }

    private func takeInitialRequest() -> URLRequest? { updateMonitoring { $0.initialRequest.take() } }

    private func didFailToCreateRequest(_ error: any Error) {
        beginAttempt()
        let initial = takeInitialRequest()
        let failure = AFError(ofPipeline: error)
        if let upload = self as? UploadRequest, failure.isMultipartEncodingError || failure.isCreateUploadableError {
            tell { $0.request(upload, didFailToCreateUploadableWithError: failure) }
        } else if let initial {
            // What the adapters have made of it cannot be sent.
            tell { $0.request(self, didFailToAdaptURLRequest: initial, withError: failure) }
        } else {
            tell { $0.request(self, didFailToCreateURLRequestWithError: failure) }
        }
    }

    private func didFailToAdaptRequest(_ error: any Error) {
        beginAttempt()
        guard let initial = takeInitialRequest() ?? (error as? FirewheelError)?.request else { return }
        let failure = AFError(ofPipeline: error)
        tell { $0.request(self, didFailToAdaptURLRequest: initial, withError: failure) }
    }

    private func didCreateRequest(_ context: RequestContext) {
        beginAttempt()
        let isInitial = takeInitialRequest() == nil
        if monitors.needsValues { tellOfCreation(context, isInitial: isInitial) }
        let state = updateMonitoring { monitoring in
            monitoring.hasTask = true
            return monitoring.state
        }
        switch state {
        case .resumed: didResumeTask()
        case .suspended: didSuspendTask()
        case .initialized, .cancelled, .finished: break
        }
    }

    private func tellOfCreation(_ context: RequestContext, isInitial: Bool) {
        if isInitial { tell { monitor in context.request.map { monitor.request(self, didCreateInitialURLRequest: $0) } } }
        let upload = (self as? UploadRequest).flatMap { upload in upload.uploadable.map { (upload, $0) } }
        if let (upload, uploadable) = upload { tell { $0.request(upload, didCreateUploadable: uploadable) } }
        tell { monitor in context.request.map { monitor.request(self, didCreateURLRequest: $0) } }
        let task = lastTask
        updateMonitoring { $0.task = task }
        tellOfTask { $0.request(self, didCreateTask: $1) }
        if case (let upload, .stream(let stream))? = upload {
            let stream = SharedValue(value: stream)
            tell { $0.request(upload, didProvideInputStream: stream.value) }
        }
    }

    // MARK: The end

    private func didCompleteTask(_ context: RequestContext, _ error: (any Error)?) {
        if monitors.needsValues {
            let failure = error.map { AFError(ofPipeline: $0) }
            if let failure, case .serverTrustEvaluationFailed? = (error as? FirewheelError)?.kind {
                tellOfTask { $0.request(self, didFailTask: $1, earlyWithError: failure) }
            }
            tell { $0.request(self, didGatherMetrics: context.metrics ?? .ofNothing) }
        }
        let isHeld = updateMonitoring { monitoring in
            monitoring.hasTask = false
            monitoring.holdsCompletion = error == nil && monitoring.monitor.needsValues
            return monitoring.holdsCompletion
        }
        if !isHeld { tellOfCompletion(error) }
    }

    private func tellOfCompletion(_ error: (any Error)?) {
        tellOfTask(Request.didCompleteTaskNotification) {
            $0.request(self, didCompleteTask: $1, with: error.map { AFError(ofPipeline: $0) })
        }
    }

    private func releaseCompletion() {
        let wasHeld = updateMonitoring { monitoring in
            defer { monitoring.holdsCompletion = false }
            return monitoring.holdsCompletion
        }
        if wasHeld { tellOfCompletion(nil) }
    }

    private func didPlace(_ result: Result<URL, AFError>) {
        guard let download = self as? DownloadRequest else { return }
        let destination: URL? =
            switch result {
            case .success(let file): file
            case .failure(.downloadedFileMoveFailed(_, _, let destination)): destination
            case .failure: nil
            }
        if let destination { tell { $0.request(download, didCreateDestinationURL: destination) } }
        tellOfTask { $0.request(download, didFinishDownloadingUsing: $1, with: result) }
        releaseCompletion()
    }

    private func didFinish(_ error: (any Error)?) {
        if let error, case .downloadedFileMoveFailed? = (error as? FirewheelError)?.kind { didPlace(.failure(AFError(ofPipeline: error))) }
        releaseCompletion()
        let isOpen = updateMonitoring { monitoring in
            defer { monitoring.hasTask = false }
            return monitoring.hasTask
        }
        if isOpen {
            // Nothing was sent, so that the engine has no metrics.
            tell { $0.request(self, didGatherMetrics: .ofNothing) }
            tellOfCompletion(error)
        }
        tell(Request.didFinishNotification) { $0.requestDidFinish(self) }
    }
}

extension TaskMetrics {
    /// The metrics of a task that has sent nothing.
    static var ofNothing: TaskMetrics {
        TaskMetrics(taskInterval: DateInterval(start: Date(), duration: 0), redirectCount: 0, transactionMetrics: [])
    }
}
