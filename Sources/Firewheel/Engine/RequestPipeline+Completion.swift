import Foundation

/// The one way in which every request ends, data and download alike: collect, validate, place, serialize, deliver.
extension RequestPipeline {
    /// Settles a request's outcome. Only the first call for a request has an effect.
    func complete(_ request: Request, _ result: TransportResult?, error: FirewheelError?) {
        delegateQueue.assertIsCurrent()
        guard let settlement = request.beginCompletion(error: error) else { return }
        registry.remove(request)
        if request.keepsBodyInMemory {
            judge(request, request.makeExchange(data: result?.body, error: settlement.error), settlement)
        } else {
            request.collect(result, error: settlement.error, on: delegateQueue) { self.judge(request, $0, settlement) }
        }
    }

    private func judge(_ request: Request, _ exchange: Exchange, _ settlement: Request.Settlement) {
        request.didEndExchange(exchange)
        if delegateQueue.isBorrowed, !settlement.validators.allSatisfy(\.isOwn) {
            // A user's code may not run on a transport's thread.
            delegateQueue.async { self.validate(request, exchange, settlement) }
        } else {
            validate(request, exchange, settlement)
        }
    }

    private func validate(_ request: Request, _ exchange: Exchange, _ settlement: Request.Settlement) {
        delegateQueue.assertIsCurrent()
        var error = exchange.error
        if error == nil, exchange.head != nil, !settlement.validators.isEmpty {
            for validator in settlement.validators {
                error = validator.check(exchange)
                if error != nil { break }
            }
            request.didValidate(error)
        }
        let judged = error.map { exchange.with(error: describe($0, request, exchange)) } ?? exchange
        // The place where a retrier is asked: nothing irrevocable has been done with the body yet.
        if request.keepsBodyInMemory {
            settle(request, judged)
        } else {
            request.place(judged, on: delegateQueue) { self.settle(request, $0) }
        }
    }

    private func settle(_ request: Request, _ exchange: Exchange) {
        request.settle(exchange)
        serve(request)
    }

    /// The error with what is known of the exchange, which only those who fail pay for.
    private func describe(_ error: any Error, _ request: Request, _ exchange: Exchange) -> any Error {
        guard let error = error as? FirewheelError else { return error }
        return error.adding(request: exchange.request, response: exchange.response, responseData: request.bodyForError(exchange))
    }

    /// Serves the handlers that wait, in their order.
    func serve(_ request: Request) {
        delegateQueue.assertIsCurrent()
        guard let (taken, exchange) = request.takeHandlers() else { return }
        var handlers = consume taken
        if handlers.allSatisfy(\.isInline) {
            respond(&handlers, exchange, request)
        } else {
            let batch = ResponseHandler.Batch(handlers)
            handlers = []
            serializationQueue.async {
                var handlers = batch.take()
                self.respond(&handlers, exchange, request)
            }
        }
    }

    /// All values are made before any is delivered, so that the request is finished when its first handler runs.
    private func respond(_ handlers: inout [ResponseHandler], _ exchange: Exchange, _ request: Request) {
        func make(_ handler: ResponseHandler) -> ResponseHandler.Made {
            let made = handler.respond(exchange, request.error)
            request.didMakeResponse(made, for: handler)
            return made
        }
        // One is what most requests have.
        let first = make(handlers[0])
        let others = handlers.dropFirst().map(make)
        // From here on only the responses hold what the handlers captured.
        handlers = []
        request.willDeliver()
        first.deliver()
        for response in others { response.deliver() }
        // Handlers that were attached meanwhile come after these.
        if request.didDeliver() { deliverResponses(of: request) }
    }

    func deliverResponses(of request: Request) {
        delegateQueue.async { self.serve(request) }
    }
}
