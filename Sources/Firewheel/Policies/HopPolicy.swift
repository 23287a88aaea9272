import Foundation

/// A rule about single hops: what goes out with one, and whether its response is the final one.
///
/// An attempt asks its policies in one fixed order. Every policy sees every head; the first verdict but `.pass` counts.
/// `prepare` and `judge` are the library's own code: they neither block nor call a caller's closure. A caller's code is an `.ask`.
protocol HopPolicy: Sendable {
    /// The statuses on which it may act. The transport holds the body of such a response until the verdict is known.
    var heldStatuses: Set<Int> { get }

    /// Adds to what a hop sends, by ``HopRequest/adding(_:)``.
    func prepare(_ request: inout HopRequest, of attempt: HopOwner)

    /// Judges the head of a hop's response.
    ///
    /// - Parameter facts: What else it may go by, made when it is asked for: most heads are judged by their status.
    func judge(_ head: ResponseHead, of request: HopRequest, facts: () -> HopFacts) -> HopVerdict
}

extension HopPolicy {
    func prepare(_ request: inout HopRequest, of attempt: HopOwner) {}
}

/// What a policy says about a head.
enum HopVerdict: Sendable {
    /// The response is the final one, as far as this policy goes.
    case pass
    /// Another hop follows. What policies had added to this one is dropped.
    case again(HopRequest)
    /// The attempt has failed.
    case fail(FirewheelError)
    /// The caller's code decides. It is not asked again about the same head.
    case ask(@Sendable () async -> HopVerdict)
}

/// What a policy may know of the attempt that a hop belongs to.
struct HopOwner: Sendable {
    /// The request of the attempt's first hop, as adapters left it. nil: the hop is the first one.
    var first: HopRequest?
    /// The request's own credential.
    var credential: Credential?
}

/// What a policy may go by besides the head and the request of the hop.
struct HopFacts: Sendable {
    var owner = HopOwner()
    /// How many redirects the attempt has followed.
    var earlierRedirects = 0
    /// The request's own handler, else the session's.
    var redirectHandler: (any RedirectHandler)?
    /// For a handler that is the caller's code; nil where there is none.
    var context: RequestContext?
}
