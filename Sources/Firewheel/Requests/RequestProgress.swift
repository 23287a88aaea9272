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

    func begin(_ hop: HopRequest, attempt: Int) {
        upload.begin(attempt: attempt, total: hop.bodySource.map(\.length) ?? 0)
        download.begin(attempt: attempt, total: nil, goesOn: hop.headers.contains(name: "If-Range"))
    }

    /// The request has ended.
    func finish(_ outcome: Outcome?) {
        let isComplete = outcome?.error == nil
        upload.finish(outcome?.hops.last?.metrics.requestBodyBytesSent, isWhole: isComplete)
        download.finish(outcome?.data.map { Int64($0.count) }, isWhole: isComplete && outcome?.head != nil)
    }
}
