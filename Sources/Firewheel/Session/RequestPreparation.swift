/// Prepares the requests of a session with settings that may change after its creation: those of Alamofire 4's sessions, which
/// `FirewheelClassic` offers.
package protocol RequestPreparation: AnyObject, Sendable {
    /// Called with each new request, before the session returns it.
    func prepare(_ request: Request)
}

extension Session {
    /// The handler that the session was created with.
    package var cachedResponseHandler: (any CachedResponseHandler)? { engine.rules.cachedResponseHandler }

    /// What prepares the session's requests from now on; nil if nothing does.
    package var requestPreparation: (any RequestPreparation)? { preparation.withLock { $0 } }

    /// Sets what prepares the session's requests, unless that is set.
    ///
    /// - Returns: What prepares them.
    package func requestPreparation(orSet new: any RequestPreparation) -> any RequestPreparation {
        preparation.withLock { current in
            let kept = current ?? new
            current = kept
            return kept
        }
    }

    /// Whether the first response handler starts a request, unless the request has a setting of its own.
    package var startsRequestsImmediately: Bool { engine.rules.startsImmediately }

    /// The requests that were started and have not ended, in the order of their creation.
    package var runningRequests: [Request] { engine.registry.all.map(\.request).sorted { $0.id < $1.id } }

    func prepared<Kind: Request>(_ request: Kind) -> Kind {
        requestPreparation?.prepare(request)
        return request
    }
}

extension Request {
    /// Sets whether the first response handler starts the request, instead of the session's setting.
    package func startImmediately(_ startsImmediately: Bool) {
        _ = configure { $0.startsImmediately = startsImmediately }
    }
}
