import Foundation

// What the engine records of a request for those who listen. Where nobody does there is nothing to record into.
extension Request {
    func didFailToBuild(_ error: any Error) {
        change { $0.observation?.record(.failToCreateURLRequest(error: error)) }
    }

    func didEndExchange(_ exchange: Exchange) {
        change { state in
            guard state.observation != nil else { return }
            if state.finalHop != nil { state.observation?.recordFinalResponse { exchange.response } }
            state.observation?.recordEnd(error: exchange.error) { exchange.metrics }
        }
    }

    func didValidate(_ error: (any Error)?) {
        change { $0.observation?.record(.validate(error: error)) }
    }

    func didMakeResponse(_ response: ResponseHandler.Made, for handler: ResponseHandler) {
        change { state in
            guard state.observation != nil else { return }
            state.observation?.record(.parseResponse(type: "\(handler.valueType)", error: response.error))
        }
    }

    /// Tells what has been recorded, in that order whichever threads record: one of them tells at a time.
    func tellEvents() {
        var deliveries = mutable.withLock { $0.observation?.startTelling() }
        while let batch = deliveries {
            for delivery in batch { delivery.hand() }
            deliveries = mutable.withLock { $0.observation?.goOnTelling() }
        }
    }
}

extension Request.Mutable {
    /// The first attempt is the request that was made, a further one where a redirect leads.
    mutating func recordBeginning(of attempt: Attempt) {
        guard observation != nil else { return }
        let prepared = attempt.request
        if attempt.id.hop == 0 {
            observation?.recordCreation { prepared.makeURLRequest() }
        } else if let hop = hops.last, let next = prepared.makeURLRequest() {
            observation?.facts.response = Deferred { hop.makeHTTPURLResponse() }
            observation?.record(.redirect(to: next))
        }
        if !attempt.isHeld { observation?.recordTask(attempt: attempt.id.hop) }
    }

    mutating func recordOutcome(_ exchange: Exchange) {
        guard observation != nil else { return }
        let error = currentError
        if error == nil, let file = exchange.file { observation?.record(.saveFile(file)) }
        observation?.record(.finish(error: error))
        observation?.dropClosures()
    }
}
