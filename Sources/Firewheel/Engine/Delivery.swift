/// What a request has come to, on its way to its handlers, with all that is not kept once the outcome stands.
///
/// It is let go outside of the machine's lock, since a caller's closures hold whatever they like, and before the handlers are called: then only the responses hold what
/// the handlers captured.
final class Delivery: @unchecked Sendable {
    // Made by the machine, and from then on only touched by the one thread that performs it.
    private var last: ResponseHandler.Made?
    private var earlier: [ResponseHandler.Made]
    private var options: RequestOptions
    private var handlers: [ResponseHandler]
    private var sink: FileSink?
    private(set) var steps: AsyncSteps?
    private var transport: (any Transport)?
    let hasAlarm: Bool

    init(
        last: ResponseHandler.Made?, earlier: [ResponseHandler.Made], options: RequestOptions, handlers: [ResponseHandler], sink: FileSink?,
        steps: AsyncSteps?, transport: (any Transport)?, hasAlarm: Bool
    ) {
        self.last = last
        self.earlier = earlier
        self.options = options
        self.handlers = handlers
        self.sink = sink
        self.steps = steps
        self.transport = transport
        self.hasAlarm = hasAlarm
    }

    /// Lets go of everything but the responses, and hands these to their handlers in their order.
    func deliver() {
        options = RequestOptions()
        handlers = []
        sink = nil
        steps = nil
        transport = nil
        let responses = earlier
        earlier = []
        for response in responses { response.deliver() }
        let last = last.take()
        last?.deliver()
    }
}
