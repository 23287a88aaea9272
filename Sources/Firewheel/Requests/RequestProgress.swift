import Foundation

/// How far a request is in both directions. It exists only if somebody has asked for it.
final class RequestProgress: Sendable {
    let upload: TransferProgress
    let download: TransferProgress

    /// - Parameter request: What the `Progress` objects control.
    init(of request: Request) {
        upload = TransferProgress(Self.makeObject(request))
        download = TransferProgress(Self.makeObject(request))
    }

    private static func makeObject(_ request: Request) -> Progress {
        // Without a parent: one that happens to be the thread's current one is not meant.
        let object = Progress(parent: nil, userInfo: nil)
        object.totalUnitCount = -1
        object.isCancellable = true
        object.isPausable = true
        object.cancellationHandler = { [weak request] in request?.cancel() }
        object.pausingHandler = { [weak request] in request?.suspend() }
        object.resumingHandler = { [weak request] in request?.resume() }
        return object
    }

    /// - Parameter goesOn: Whether the hop asks for the rest of a partial file.
    func begin(_ hop: HopRequest, attempt: Int, goesOn: Bool) {
        upload.begin(attempt: attempt, total: hop.bodySource?.length, hasBody: hop.bodySource != nil)
        download.begin(attempt: attempt, total: nil, goesOn: goesOn)
    }

    /// Somebody asks for it while a hop is under way.
    ///
    /// - Parameter sent: The bytes of the body that were sent.
    func catchUp(on hop: HopRequest, attempt: Int, sent: Int64) {
        upload.begin(attempt: attempt, total: hop.bodySource?.length, hasBody: hop.bodySource != nil)
        if let body = hop.bodySource { upload.catchUp(attempt: attempt, completed: sent, total: body.length) }
    }

    /// Somebody asks for it before the first attempt of a download that is to go on where an earlier one stopped.
    func offer(_ data: ResumeData) { download.offer(data.count, of: data.total) }

    /// Somebody asks for it while the response's body arrives.
    ///
    /// - Parameter received: The bytes that nobody has reported.
    func catchUp(on received: Int64, of total: Int64?) {
        download.report(adding: received, of: total)
    }

    /// The request has ended.
    ///
    /// - Parameter received: The bytes of the response's body.
    func finish(_ outcome: Outcome?, received: Int64) {
        let isComplete = outcome?.error == nil
        let hops = outcome?.hops ?? []
        upload.finish(
            hops.last?.metrics.requestBodyBytesSent, isWhole: isComplete,
            hasNoBody: hops.allSatisfy { $0.request.bodySource == nil })
        download.finish(received, isWhole: isComplete && outcome?.head != nil)
    }
}
