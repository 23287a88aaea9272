/// Which responses of a request a ``CachingTransport`` stores, of those that may be stored.
enum StoringRule: Sendable {
    case all
    case none
    case asking(CachedResponseInquiry)
}

/// A handler that is to be asked about the responses of a request.
struct CachedResponseInquiry: Sendable {
    let handler: any CachedResponseHandler
    let context: RequestContext
    /// Runs a question: among the request's other steps, and never if the request has ended.
    let run: @Sendable (_ question: @escaping @Sendable () async -> Void) -> Void
}

/// The question whether a response is stored.
struct StoringQuestion: Sendable {
    let response: ProposedResponse
    let inquiry: CachedResponseInquiry
    /// The cache's number of invalidations when the request was sent.
    let invalidationNumber: UInt64

    /// Asks the handler, and returns what is to be done.
    func answer() async -> CacheExchangeState.FollowUp {
        var followUp = CacheExchangeState.FollowUp()
        switch await response.outcome(of: inquiry.handler, inquiry.context) {
        case .store(let stored, let body):
            followUp.changes = [.store(stored, .memory(body), response.request, since: invalidationNumber)]
            followUp.release = .toCache
        case .refused(let reason):
            followUp.changes = [.refuse(response.request, reason)]
            // A newer representation that is not stored makes the stored one useless.
            if (200...299).contains(response.head.statusCode) { followUp.changes.append(.supersede(response.request)) }
            followUp.release = .toNetwork
        }
        return followUp
    }
}
