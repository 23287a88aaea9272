import Foundation

// What the engine records of a request for those who listen. Called only where somebody does, but for what is rare.
extension Request {
    func didFailToBuild(_ error: any Error) {
        change { $0.observation?.record(.failToCreateURLRequest(error: error)) }
    }

    /// The last exchange was a redirect, and this request is sent next.
    func willFollow(_ next: PreparedRequest) {
        change { state in
            guard state.observation != nil, let hop = state.hops.last, let request = next.makeURLRequest() else { return }
            state.observation?.facts.response = Deferred { hop.makeHTTPURLResponse() }
            state.observation?.record(.redirect(to: request))
        }
    }

    func didEndExchange(_ exchange: Exchange) {
        change { state in
            // A redirect that was cut short, or was one too many, is not what the request asked for.
            if let head = exchange.head, exchange.error == nil || !RedirectPolicy.redirects(head) {
                state.observation?.recordFinalResponse { exchange.response }
            }
            state.observation?.recordEnd(error: exchange.error) { exchange.metrics }
        }
    }

    func didValidate(_ error: (any Error)?) {
        change { $0.observation?.record(.validate(error: error)) }
    }

    func didMakeResponse(_ response: ResponseHandler.Made, for handler: ResponseHandler) {
        change { $0.observation?.record(.parseResponse(type: "\(handler.valueType)", error: response.error)) }
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
