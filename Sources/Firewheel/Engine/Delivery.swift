/// What a request has come to, on its way to its handlers, with all that is not kept once the outcome stands.
///
/// It is let go outside of the machine's lock, since a caller's closures hold whatever they like, and before the handlers are called: then only the
/// responses hold what the handlers captured.
struct Delivery: Sendable {
    var last: ResponseHandler.Made?
    /// The responses before the last, in their order.
    var earlier: [ResponseHandler.Made]
    var options: RequestOptions
    var handlers: [ResponseHandler]
    var steps: AsyncSteps?
    var transport: (any Transport)?
    let hasAlarm: Bool

    /// Lets go of everything but the responses.
    consuming func takeResponses() -> (earlier: [ResponseHandler.Made], last: ResponseHandler.Made?) {
        (earlier, last)
    }
}
