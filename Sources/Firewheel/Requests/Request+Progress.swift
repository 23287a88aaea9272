import Foundation

// What was sent and received of bodies. Watching does not start the request. Progress of a response in memory is to be asked for before the
// request is started: otherwise the current attempt shows only its end.
extension Request {
    /// How much of the request's body was passed to the network stack, in bytes. `totalUnitCount` is -1 while the size is not known. Never
    /// falls within an attempt; a retry begins again at 0, except a download that goes on where it stopped. A body of 0 bytes ends as 1 of
    /// 1, so that its fraction is complete. A request without a body ends so, too, but reports nothing.
    ///
    /// Its `cancel()`, `pause()` and `resume()` are those of the request, also through a parent (`addChild(_:withPendingUnitCount:)`).
    /// On Linux Foundation's parent has no lock: add the request before it is started, and control the parent from one thread.
    public var uploadProgress: Progress { progress.upload.object }

    /// How much of the response's body was received, in bytes. `totalUnitCount` is -1 while the size is not known.
    ///
    /// Of a body with a content coding, the received bytes are counted against its `Content-Length`, and at the end both numbers are the
    /// size of the decoded body. Without a `Content-Length`, and with ``URLSessionTransport``, the decoded bytes are counted. A download
    /// with resume data begins with what it has; if the server sends the whole file again, it begins again at 0. Otherwise it is as
    /// ``uploadProgress``.
    public var downloadProgress: Progress { progress.download.object }

    /// Calls a closure on the main actor with ``uploadProgress`` when it has changed. A slow closure is called less often, and always with
    /// the last change, before the response handlers of the main actor.
    @discardableResult
    public func uploadProgress(closure: @escaping @MainActor (Progress) -> Void) -> Self {
        uploadProgress(queue: .main, closure: onMainActor(closure))
    }

    /// Calls a closure on a queue with ``uploadProgress`` when it has changed.
    @discardableResult
    public func uploadProgress(queue: DispatchQueue, closure: @escaping @Sendable (Progress) -> Void) -> Self {
        progress.upload.watch(on: queue, closure)
        return self
    }

    /// Calls a closure on the main actor with ``downloadProgress`` when it has changed. A slow closure is called less often, and always
    /// with the last change, before the response handlers of the main actor.
    @discardableResult
    public func downloadProgress(closure: @escaping @MainActor (Progress) -> Void) -> Self {
        downloadProgress(queue: .main, closure: onMainActor(closure))
    }

    /// Calls a closure on a queue with ``downloadProgress`` when it has changed.
    @discardableResult
    public func downloadProgress(queue: DispatchQueue, closure: @escaping @Sendable (Progress) -> Void) -> Self {
        progress.download.watch(on: queue, closure)
        return self
    }

    /// ``uploadProgress`` each time that it has changed, until the request ends. Every element is the same object.
    ///
    /// - Parameter bufferingPolicy: What is kept for a slow reader. Default: all.
    public func uploadProgress(
        bufferingPolicy: AsyncStream<Progress>.Continuation.BufferingPolicy = .unbounded
    ) -> AsyncStream<Progress> {
        progress.upload.stream(bufferingPolicy)
    }

    /// ``downloadProgress`` each time that it has changed, until the request ends. Every element is the same object.
    ///
    /// - Parameter bufferingPolicy: What is kept for a slow reader. Default: all.
    public func downloadProgress(
        bufferingPolicy: AsyncStream<Progress>.Continuation.BufferingPolicy = .unbounded
    ) -> AsyncStream<Progress> {
        progress.download.stream(bufferingPolicy)
    }

    private var progress: RequestProgress { call.progress { RequestProgress(of: self) } }
}
