/// Which responses of a request a ``CachingTransport`` stores, of those that may be stored.
enum StoringRule: Sendable {
    case all
    case none
    case asking(CachedResponseInquiry)
}

/// A handler that is to be asked about the responses of a request.
///
/// It is released on a thread of the library's: the last release may happen on the transport's thread, which must not run the caller's
/// deinitializers.
final class CachedResponseInquiry: Sendable {
    private let asked: Locked<(handler: any CachedResponseHandler, context: RequestContext)?>
    private let step: @Sendable (@escaping @Sendable () async -> Void) -> Void

    /// - Parameter step: Runs an async step of the request, unless it has ended.
    init(
        _ handler: any CachedResponseHandler, _ context: RequestContext,
        step: @escaping @Sendable (@escaping @Sendable () async -> Void) -> Void
    ) {
        asked = Locked((handler, context))
        self.step = step
    }

    deinit {
        let last = Handover(asked.withLock { $0.take() })
        WorkerPool.shared.run { _ = last.take() }
    }

    /// Runs a step of the request, unless the request has ended.
    func run(_ work: @escaping @Sendable () -> Void) { step { work() } }

    func ask(_ response: ProposedResponse) async -> ProposedResponse.Outcome {
        guard let (handler, context) = asked.withLock(\.self) else { return .refused(.handler("its handler is gone")) }
        return await response.outcome(of: handler, context)
    }
}

/// The question whether a response is stored.
struct StoringQuestion: Sendable {
    let response: ProposedResponse
    let inquiry: CachedResponseInquiry
    /// The cache's number of invalidations when the request was sent.
    let invalidationNumber: UInt64

    /// Asks the handler, and returns what is to be done.
    func answer() async -> CacheExchangeState.FollowUp {
        switch await inquiry.ask(response) {
        case .store(let stored, let body):
            followUp([.store(stored, .memory(body), response.request, since: invalidationNumber)], .toCache)
        case .refused(let reason): refusal(reason)
        }
    }

    /// The reason of a refusal without an answer.
    static let late = "its handler did not answer in time"

    /// What is to be done if the response is not stored.
    func refusal(_ reason: CacheStorability.Reason) -> CacheExchangeState.FollowUp {
        let refusal = CacheExchangeState.Change.refuse(response.request, reason)
        // A newer representation that is not stored makes the stored one useless.
        let isRepresentation = (200...299).contains(response.head.statusCode)
        return followUp(isRepresentation ? [refusal, .supersede(response.request)] : [refusal], .toNetwork)
    }

    private func followUp(_ changes: [CacheExchangeState.Change], _ release: CacheExchangeState.Release) -> CacheExchangeState.FollowUp {
        var followUp = CacheExchangeState.FollowUp()
        followUp.changes = changes
        followUp.release = release
        followUp.unlessNewer = (response.request, response.responseTime)
        return followUp
    }
}
