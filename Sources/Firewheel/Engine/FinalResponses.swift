/// The responses of a request on their way to its handlers, with all that is released once the outcome is final.
///
/// The rest is released outside of the machine's lock, since a caller's closures may hold anything, and before the handlers are called:
/// then only the responses hold what the handlers captured.
struct FinalResponses: Sendable {
    var last: ResponseHandler.Made?
    /// The responses before the last, in their order.
    var earlier: [ResponseHandler.Made]
    var options: RequestOptions
    var handlers: [ResponseHandler]
    var steps: AsyncSteps?
    var transport: (any Transport)?
    let hasAlarm: Bool

    /// The responses; all else is released.
    consuming func takeResponses() -> (earlier: [ResponseHandler.Made], last: ResponseHandler.Made?) {
        (earlier, last)
    }
}
