/// The responses of a finished request, together with everything that is released once the outcome is final.
///
/// The rest is released outside the machine's lock, because a caller's closures may hold anything, and before the handlers are called, so
/// that by then only the responses hold what the handlers captured.
struct FinalResponses: Sendable {
    var last: ResponseHandler.Made?
    /// The responses before the last, in order.
    var earlier: [ResponseHandler.Made]
    var options: RequestOptions
    var handlers: [ResponseHandler]
    var steps: AsyncSteps?
    var transport: (any Transport)?
    let hasAlarm: Bool
    /// Who watches the progress, to be told of the end.
    let progress: (progress: RequestProgress, outcome: Outcome?, received: Int64)?

    /// Returns the responses and releases everything else.
    consuming func takeResponses() -> (earlier: [ResponseHandler.Made], last: ResponseHandler.Made?) {
        (earlier, last)
    }
}
