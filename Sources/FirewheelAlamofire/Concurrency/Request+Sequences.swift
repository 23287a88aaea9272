// What is known of a request as it goes on, as sequences that end with it. Reading them does not start the request, and leaving them does
// not end it.
extension Request {
    /// ``uploadProgress`` each time that it has changed. Every element is the same object.
    ///
    /// - Parameter bufferingPolicy: What is kept for a slow reader. Default: all.
    public func uploadProgress(bufferingPolicy: StreamOf<Progress>.BufferingPolicy = .unbounded) -> StreamOf<Progress> {
        StreamOf(base.uploadProgress(bufferingPolicy: bufferingPolicy))
    }

    /// ``downloadProgress`` each time that it has changed. Every element is the same object.
    ///
    /// - Parameter bufferingPolicy: What is kept for a slow reader. Default: all.
    public func downloadProgress(bufferingPolicy: StreamOf<Progress>.BufferingPolicy = .unbounded) -> StreamOf<Progress> {
        StreamOf(base.downloadProgress(bufferingPolicy: bufferingPolicy))
    }

    /// The `URLRequest` of each attempt, before it is sent.
    ///
    /// - Parameter bufferingPolicy: What is kept for a slow reader. Default: all.
    public func urlRequests(bufferingPolicy: StreamOf<URLRequest>.BufferingPolicy = .unbounded) -> StreamOf<URLRequest> {
        StreamOf(base.urlRequests(bufferingPolicy: bufferingPolicy))
    }

    /// The task of each attempt.
    ///
    /// - Parameter bufferingPolicy: What is kept for a slow reader. Default: all.
    public func urlSessionTasks(bufferingPolicy: StreamOf<URLSessionTask>.BufferingPolicy = .unbounded) -> StreamOf<URLSessionTask> {
        StreamOf(
            Firewheel.Request.stream(bufferingPolicy) {
                onURLSessionTaskCreation(on: DispatchQueue(label: "firewheel.tasks"), perform: $0)
            })
    }

    /// The request of each attempt as a curl command, with credentials redacted.
    ///
    /// - Parameter bufferingPolicy: What is kept for a slow reader. Default: all.
    public func cURLDescriptions(bufferingPolicy: StreamOf<String>.BufferingPolicy = .unbounded) -> StreamOf<String> {
        StreamOf(base.cURLDescriptions(bufferingPolicy: bufferingPolicy))
    }

    /// The final response of each attempt as soon as its head has been received, before its body.
    ///
    /// - Parameter bufferingPolicy: What is kept for a slow reader. Default: all.
    public func httpResponses(bufferingPolicy: StreamOf<HTTPURLResponse>.BufferingPolicy = .unbounded) -> StreamOf<HTTPURLResponse> {
        StreamOf(base.httpResponses(bufferingPolicy: bufferingPolicy))
    }
}
