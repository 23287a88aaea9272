import Foundation

extension DownloadRequest {
    /// The data with which the download can be resumed, also in another process of the same user whose sessions have the same
    /// `temporaryDirectory`: `Session.download(resumingWith:to:)`. It can be read while the download runs, and saved now and then; and
    /// after a failure or ``cancel(producingResumeData:)``. What was read while the download ran holds until the system is started again.
    ///
    /// nil before the response, once the file is in its place, and if the download cannot be resumed safely: it must be a GET without a
    /// `Range` of your own, and the response a 200 without a content coding, with a strong validator (RFC 9110 section 8.8.1: an `ETag`, or
    /// a `Last-Modified` of at least a second before its `Date`).
    ///
    /// The data contains the URL, so that it is a secret if the URL is one, as a signed URL is. It contains no path, header field or
    /// credential. The partial file of a download that nobody resumes stays until the system clears its temporary folder.
    public var resumeData: Data? { call.snapshot.resumeData }

    /// Ends the download with `explicitlyCancelled`, and leaves what it has to be resumed: the response and the error have the resume data.
    ///
    /// - Parameter producesResumeData: False removes what it has, as ``Request/cancel()`` does.
    @discardableResult
    public func cancel(producingResumeData producesResumeData: Bool) -> Self {
        call.cancel(producesResumeData: producesResumeData)
        return self
    }

    /// Ends the download with `explicitlyCancelled`, leaves what it has to be resumed, and calls a closure on the main actor with the
    /// resume data; nil if it cannot be resumed. The closure's turn comes before that of response handlers.
    @discardableResult
    public func cancel(byProducingResumeData completionHandler: @escaping @MainActor (Data?) -> Void) -> Self {
        cancel(queue: .main, byProducingResumeData: onMainActor(completionHandler))
    }

    /// Ends the download with `explicitlyCancelled`, leaves what it has to be resumed, and calls a closure on a queue with the resume data;
    /// nil if it cannot be resumed. The closure's turn comes before that of response handlers.
    @discardableResult
    public func cancel(queue: DispatchQueue, byProducingResumeData completionHandler: @escaping @Sendable (Data?) -> Void) -> Self {
        let handler = ResponseHandler(Data?.self, owner: .library) { outcome, _, _ in
            ResponseHandler.Made(error: nil, delivery: .queue(queue)) { completionHandler(outcome.resumeData) }
        }
        let isFirst = call.putFirst(handler)
        cancel(producingResumeData: true)
        return isFirst ? self : attach(handler)
    }
}
